// Segments of one to eight elements without a jump by their length, which nobody could foresee: two lanes at a time, and what
// does not exist is computed of something and left out. In: where a segment begins, and how long it is. Out: its state. The
// order is the fold in halves of docs/adr/0006: with h = ⌈L/2⌉, lane i ⊕ lane i + h, then the same for h lanes, until one is
// left. Must hold: the state's parts have 64 bits; eight elements can be read wherever a segment begins.

import { infoOf } from "../../core/dtype.ts";
import type { ScalarProgram } from "../program.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import type { VectorLanes } from "./body.ts";
import type { ReduceFrame, RoundCode, StateLocals } from "./reduceLayout.ts";

/** The longest segment that is folded so. */
export const PAIRED = 8;

export interface PairedSegment {
  readonly lift: ScalarProgram;
  /** The number of the operand that is the place in the segment; null where places do not count. */
  readonly place: number | null;
  readonly bases: readonly Local[];
  readonly length: Local;
}

export class PairFold {
  readonly #w: FunctionWriter;
  readonly #frame: ReduceFrame;
  readonly #code: RoundCode;
  readonly #lanes: VectorLanes;
  readonly #segment: PairedSegment;
  /** Lane numbers: 0 and 1, 2 and 3. */
  readonly #numbers: readonly Local[];

  /** Made before the loops. */
  constructor(frame: ReduceFrame, code: RoundCode, lanes: VectorLanes, segment: PairedSegment) {
    const { w } = frame;
    this.#w = w;
    this.#frame = frame;
    this.#code = code;
    this.#lanes = lanes;
    this.#segment = segment;
    this.#numbers = [0n, 2n].map((first) => {
      const numbers = w.local("v128");
      w.i64(first).op("i64x2.splat");
      w.i64(first + 1n).op("i64x2.splat");
      w.shuffle([...new Array(8).keys(), ...Array.from({ length: 8 }, (_, k) => 24 + k)]).set(numbers);
      return numbers;
    });
  }

  write(into: StateLocals): void {
    const w = this.#w;
    const [half, isWide, rest] = [w.local("i32"), w.local("i32"), w.local("i32")];
    w.get(this.#segment.length).i32(1).op("i32.add").i32(1).op("i32.shr_u").set(half);
    w.get(half).i32(2).op("i32.gt_u").set(isWide);
    w.get(this.#segment.length).get(half).op("i32.sub").set(rest);
    const halves = this.#numbers.map((_, pair) => this.#firstHalf(pair, half, rest));
    const [first, second] = halves as [StateLocals, StateLocals];
    // Of up to four lanes: two and two, or one and one.
    const mask = this.#negated(this.#splat(isWide));
    const partner = this.#chosen(mask, second, this.#swapped(first));
    w.get(half).i32(1).op("i32.sub").get(isWide).op("i32.sub").set(rest);
    const folded = this.#combinedWhere(this.#below(0, rest), first, partner);
    const total = this.#combinedWhere(mask, folded, this.#swapped(folded));
    this.#frame.planes.forEach(({ type }, k) => {
      this.#lanes.pushFirst(type, total[k]!);
      w.set(into[k]!);
    });
  }

  /** Two lanes of the lower half with those of the upper half that exist. */
  #firstHalf(pair: number, half: Local, uppers: Local): StateLocals {
    const w = this.#w;
    const { bases } = this.#segment;
    const upperBases = bases.map((base, k) => {
      const upper = w.local("i32");
      w.get(half).get(this.#frame.operands[k]!.rowStride).op("i32.mul").get(base).op("i32.add").set(upper);
      return upper;
    });
    const places = w.local("v128");
    w.get(this.#splat(half)).get(this.#numbers[pair]!).op("i64x2.add").set(places);
    const lower = this.#lifted(bases, pair, this.#numbers[pair]!);
    const upper = this.#lifted(upperBases, pair, places);
    return this.#combinedWhere(this.#below(pair, uppers), lower, upper);
  }

  #lifted(bases: readonly Local[], pair: number, places: Local): StateLocals {
    const { lift, place } = this.#segment;
    return this.#lanes.compute(lift, (operand, type, part) => {
      if (operand === place) return void this.#w.get(places);
      const { slots } = infoOf(lift.operands[operand]!);
      const at = { address: bases[operand]!, walk: "unit", slots, ahead: 2 * pair } as const;
      this.#lanes.load(at, type, part);
    });
  }

  #splat(count: Local): Local {
    const vector = this.#w.local("v128");
    this.#w.get(count).op("i64.extend_i32_u").op("i64x2.splat").set(vector);
    return vector;
  }

  /** 0 − x: 1 becomes a mask. */
  #negated(x: Local): Local {
    const mask = this.#w.local("v128");
    this.#w.i64(0n).op("i64x2.splat").get(x).op("i64x2.sub").set(mask);
    return mask;
  }

  /** A mask of the lanes of a pair whose numbers are below a count. */
  #below(pair: number, count: Local): Local {
    const mask = this.#w.local("v128");
    this.#w.get(this.#numbers[pair]!).get(this.#splat(count)).op("i64x2.lt_s").set(mask);
    return mask;
  }

  /** a ⊕ b where the mask says so, a elsewhere. */
  #combinedWhere(mask: Local, a: StateLocals, b: StateLocals): StateLocals {
    return this.#chosen(mask, this.#code.combined(this.#lanes, a, b), a);
  }

  #chosen(mask: Local, yes: StateLocals, no: StateLocals): StateLocals {
    return yes.map((local, k) => {
      const chosen = this.#w.local("v128");
      this.#w.get(local).get(no[k]!).get(mask).op("v128.bitselect").set(chosen);
      return chosen;
    });
  }

  /** The other lane first. */
  #swapped(state: StateLocals): StateLocals {
    return state.map((local, k) => this.#lanes.shifted(this.#frame.planes[k]!.type, local, 1));
  }
}
