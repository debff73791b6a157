// A reduction of segments as a WebAssembly module: a unit is a segment. In: how an element becomes a state, how two states
// combine, what comes of the last. Out: bytes. Most segments are short: each length up to a few has code of its own, all in
// registers, where only the fold in halves is left of the order of reductions (docs/adr/0006). Longer ones are reduced block
// by block, as rows of one column are. Must hold: operands lie one after another; the same bits as interpret/segments.ts.

import { infoOf } from "../../core/dtype.ts";
import type { Scalar } from "../../core/numbers.ts";
import { BLOCK_ROWS, constantLanes } from "../interpret/reduce.ts";
import type { ScalarProgram } from "../program.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import { lanesOf, SingleLane, VectorLanes } from "./body.ts";
import { increase, moduleOf, type RunArguments, repeat, SCRATCH, SCRATCH_BYTES } from "./module.ts";
import { Combining, combineSteps, reduceBlocks, sizeOf, sweepUnits } from "./reduceKernel.ts";
import { openFrame, type ReduceFrame, type RoundCode, type StateLocals } from "./reduceLayout.ts";
import { Sweep } from "./reduceSweep.ts";
import { pushConstant, storeName } from "./scalarCode.ts";

// Segments of one to eight elements without a jump by their length, which nobody could foresee: two lanes at a time, and what
// does not exist is computed of something and left out. In: where a segment begins, and how long it is. Out: its state. The
// order is the fold in halves of docs/adr/0006: with h = ⌈L/2⌉, lane i ⊕ lane i + h, then the same for h lanes, until one is
// left. Must hold: the state's parts have 64 bits; eight elements can be read wherever a segment begins.

/** The longest segment that is folded so. */
const PAIRED = 8;

interface PairedSegment {
  readonly lift: ScalarProgram;
  /** The number of the operand that is the place in the segment; null where places do not count. */
  readonly place: number | null;
  readonly bases: readonly Local[];
  readonly length: Local;
}

class PairFold {
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

export interface SegmentPrograms {
  /** Its last operand is the place in the segment where `countsPlaces`. */
  readonly lift: ScalarProgram;
  readonly countsPlaces: boolean;
  readonly combine: ScalarProgram;
  readonly identity: readonly Scalar[];
  readonly finish: ScalarProgram;
}

/** The longest that may have code of its own, and how many instructions all of these together may have. */
const LONGEST_SHORT = 16;
const MOST_INSTRUCTIONS = 3000;

export function segmentModule(isShared: boolean, programs: SegmentPrograms): Uint8Array<ArrayBuffer> {
  return moduleOf(isShared, (w, run) => new SegmentWriter(w, run, programs).write());
}

/** Lengths up to this one have code of their own. */
function longestShort({ lift, combine }: SegmentPrograms): number {
  const [lifts, combines] = [sizeOf(lift), sizeOf(combine)];
  let [length, instructions] = [0, 0];
  while (length < LONGEST_SHORT && instructions <= MOST_INSTRUCTIONS) {
    instructions += (length + 1) * lifts + length * combines;
    length++;
  }
  return length;
}

/** Instructions of a combination up to which it costs less to compute one that is not needed than to jump past it. */
const CHEAP = 20;

/** Two lanes at a time, where all parts of the state have 64 bits. */
function pairsOf(w: FunctionWriter, { lift, combine }: SegmentPrograms): VectorLanes | null {
  const isWide = combine.operands.every((dtype) => infoOf(infoOf(dtype).part).bytes === 8);
  const isVector = isWide && sizeOf(combine) <= CHEAP && lanesOf(lift) !== null && lanesOf(combine) !== null;
  return isVector ? new VectorLanes(w, 2, [lift, combine]) : null;
}

class SegmentWriter {
  readonly #w: FunctionWriter;
  readonly #run: RunArguments;
  readonly #programs: SegmentPrograms;
  readonly #frame: ReduceFrame;
  readonly #single: SingleLane;
  readonly #pairs: PairFold | null;
  readonly #sweep: Sweep;
  readonly #combining: Combining;
  /** The segment: where its operands begin, how long it is, what has become of it. */
  readonly #bases: readonly Local[];
  readonly #length: Local;
  readonly #state: StateLocals;
  /** The block under way of a long segment. */
  readonly #row: Local;
  /** How many elements the operands have. */
  readonly #readable: Local;
  /** Where the segment's offset and results lie. */
  readonly #offsets: Local;
  readonly #outputs: readonly Local[];

  constructor(w: FunctionWriter, run: RunArguments, programs: SegmentPrograms) {
    const { lift, combine, finish } = programs;
    this.#w = w;
    this.#run = run;
    this.#programs = programs;
    this.#frame = openFrame(w, run.parameters, lift, combine, finish.results.length);
    this.#single = new SingleLane(w);
    this.#bases = lift.operands.map(() => w.local("i32"));
    [this.#length, this.#row, this.#offsets] = [w.local("i32"), w.local("i32"), w.local("i32")];
    this.#readable = w.local("i32");
    this.#outputs = finish.results.map(() => w.local("i32"));
    const walks = lift.operands.map(() => "unit" as const);
    const units = sweepUnits(w, lift, combine, { mode: "inner", walks });
    this.#sweep = new Sweep(this.#frame, { lift, combine, walks, ...units }, this.#bases, this.#row);
    this.#combining = new Combining(this.#frame, {
      combine,
      steps: combineSteps(w, combine),
      absorbing: null,
    });
    this.#state = this.#sweep.code.variables(this.#single);
    const pairs = pairsOf(w, programs);
    const place = programs.countsPlaces ? lift.operands.length - 1 : null;
    const segment = { lift, place, bases: this.#bases, length: this.#length };
    this.#pairs = pairs && new PairFold(this.#frame, this.#sweep.code, pairs, segment);
  }

  write(): void {
    const { w, width, outputs, end } = this.#frame;
    const { from, to, parameters } = this.#run;
    w.i32(1).set(width);
    w.get(parameters).memory("i32.load", end).get(from).i32(4).op("i32.mul").op("i32.add").set(this.#offsets);
    w.get(parameters)
      .memory("i32.load", end + 4)
      .set(this.#readable);
    outputs.forEach((output, i) =>
      w.get(from).i32(this.#resultBytes(i)).op("i32.mul").get(output).op("i32.add").set(this.#outputs[i]!),
    );
    repeat(w, from, to, 1, () => {
      this.#findSegment();
      this.#reduce();
      w.reusing(() => this.#finish());
      increase(w, this.#offsets, 4);
      this.#outputs.forEach((output, i) => increase(w, output, this.#resultBytes(i)));
    });
  }

  #findSegment(): void {
    const { w, operands } = this.#frame;
    const start = this.#row;
    w.get(this.#offsets).memory("i32.load").set(start);
    w.get(this.#offsets).memory("i32.load", 4).get(start).op("i32.sub").set(this.#length);
    operands.forEach(({ address, rowStride }, k) =>
      w.get(start).get(rowStride).op("i32.mul").get(address).op("i32.add").set(this.#bases[k]!),
    );
  }

  /** One way for each short length, one for all others. */
  #reduce(): void {
    const w = this.#w;
    const longest = longestShort(this.#programs);
    w.block((done) => {
      this.#reducePairs(done);
      w.block((long) => {
        const ways = (length: number, labels: readonly number[]): void => {
          if (length < 0) return void w.get(this.#length).branchTable(labels, long);
          w.block((label) => ways(length - 1, [label, ...labels]));
          w.reusing(() => this.#reduceShort(length));
          w.branch(done);
        };
        ways(longest, []);
      });
      this.#reduceLong();
    });
  }

  /** Segments of some elements, where as many as that can be read from their first on. */
  #reducePairs(done: number): void {
    const w = this.#w;
    if (this.#pairs === null) return;
    w.get(this.#length).i32(1).op("i32.sub").i32(PAIRED).op("i32.lt_u");
    w.get(this.#row).i32(PAIRED).op("i32.add").get(this.#readable).op("i32.le_u").op("i32.and");
    w.when(() => {
      w.reusing(() => this.#pairs!.write(this.#state));
      w.branch(done);
    });
  }

  #reduceShort(length: number): void {
    const { code } = this.#sweep;
    if (length === 0) return this.#setIdentity();
    let lanes = Array.from({ length }, (_, place) => this.#lifted(place));
    while (lanes.length > 1) {
      const half = Math.ceil(lanes.length / 2);
      const [lower, upper] = [lanes.slice(0, half), lanes.slice(half)];
      lanes = lower.map((lane, i) =>
        upper[i] === undefined ? lane : code.combined(this.#single, lane, upper[i]),
      );
    }
    code.assign(this.#state, lanes[0]!);
  }

  #lifted(place: number): StateLocals {
    const { lift } = this.#programs;
    return this.#single.compute(lift, (operand, type, part) => {
      if (this.#isPlace(operand)) return void this.#w.i64(BigInt(place));
      const { slots } = infoOf(lift.operands[operand]!);
      this.#single.load({ address: this.#bases[operand]!, walk: "unit", slots, ahead: place }, type, part);
    });
  }

  #isPlace(operand: number): boolean {
    const { lift, countsPlaces } = this.#programs;
    return countsPlaces && operand === lift.operands.length - 1;
  }

  #setIdentity(): void {
    const { combine, identity } = this.#programs;
    this.#frame.planes.forEach(({ component, part, type }, k) => {
      const lanes = constantLanes(combine, component, identity[component]!, 1);
      pushConstant(this.#w, type, lanes[part]![0]!);
      this.#w.set(this.#state[k]!);
    });
  }

  #reduceLong(): void {
    const { w, planes } = this.#frame;
    w.i32(0).set(this.#row);
    const beforeBlock = (): void => this.#writePlaces();
    reduceBlocks(this.#frame, this.#sweep, this.#combining, this.#row, this.#length, beforeBlock);
    planes.forEach(({ base, type }, k) => {
      this.#single.load({ address: base, walk: "unit", slots: 1, ahead: 0 }, type, 0);
      w.set(this.#state[k]!);
    });
  }

  /** The places of a block's rows, at the end of scratch; row 0 would be so far before them. */
  #writePlaces(): void {
    if (!this.#programs.countsPlaces) return;
    const w = this.#w;
    const { bytes } = infoOf("int64");
    const [place, at, end] = [w.local("i32"), w.local("i32"), w.local("i32")];
    w.global(SCRATCH)
      .i32(SCRATCH_BYTES - BLOCK_ROWS * bytes)
      .op("i32.add")
      .set(at);
    w.get(at).get(this.#row).i32(bytes).op("i32.mul").op("i32.sub").set(this.#bases.at(-1)!);
    w.get(this.#row).set(place);
    w.get(place).i32(BLOCK_ROWS).op("i32.add").set(end);
    repeat(w, place, end, 1, () => {
      w.get(at).get(place).op("i64.extend_i32_u").memory("i64.store");
      increase(w, at, bytes);
    });
  }

  #finish(): void {
    const { w, planes } = this.#frame;
    const { finish, identity } = this.#programs;
    const values = this.#single.compute(finish, (operand, _type, part) => {
      if (operand === identity.length) return void w.get(this.#length).op("i64.extend_i32_u");
      w.get(this.#state[planes.findIndex((plane) => plane.component === operand && plane.part === part)]!);
    });
    let next = 0;
    finish.results.forEach((parts, i) =>
      parts.forEach((at, part) => {
        const { type } = finish.instructions[at]!;
        const behind = part * infoOf(type).bytes;
        w.get(this.#outputs[i]!).get(values[next++]!).memory(storeName(type), behind);
      }),
    );
  }

  #resultBytes(result: number): number {
    const { results, instructions } = this.#programs.finish;
    return results[result]!.reduce((sum, at) => sum + infoOf(instructions[at]!.type).bytes, 0);
  }
}
