// The least or the largest of a block of floats. In: whole rounds of one column, one behind another. Out: the block's value in scratch.
// What the engine makes of f64x2.min is seven instructions, for the sake of NaN and of zeros with two signs. So a block is gone through
// with f64x2.pmin, which is one; and where that saw a NaN, or came to a zero, once more by the rounds that look at every pair.
// Must hold: the same bits: of numbers that are no zeros the least one is the same in every order.

import { REDUCE_LANES } from "../interpret/reduce.ts";
import type { ScalarProgram } from "../program.ts";
import type { Local } from "./assembler.ts";
import type { VectorLanes } from "./body.ts";
import { repeat } from "./module.ts";
import type { ReduceFrame, RoundCode } from "./reduceLayout.ts";

/** What goes through whole rounds: `laneCount` becomes 1 where the lanes are folded. */
export interface Rounds {
  write(cursors: readonly Local[], whole: Local, rest: Local, laneCount: Local): void;
}

/** Which extreme of plain float elements a reduction is; null for any other. */
export function extremeOf(lift: ScalarProgram, combine: ScalarProgram): "min" | "max" | null {
  const [loaded, ...more] = lift.instructions;
  const isPlain = more.length === 0 && loaded?.prim === "load" && lift.operands.length === 1;
  const last = combine.instructions.at(-1)!;
  const isPair = combine.instructions.length === 3 && combine.results[0]![0] === 2;
  const isFloat = last.type === "float64" || last.type === "float32";
  if (!isPlain || !isPair || !isFloat || loaded.type !== last.type) return null;
  return last.prim === "min" || last.prim === "max" ? last.prim : null;
}

export class ExtremeRounds implements Rounds {
  readonly #frame: ReduceFrame;
  readonly #code: RoundCode;
  readonly #lanes: VectorLanes;
  readonly #op: string;
  readonly #shape: "f64x2" | "f32x4";
  readonly #careful: Rounds;

  constructor(
    frame: ReduceFrame,
    code: RoundCode,
    lanes: VectorLanes,
    extreme: "min" | "max",
    careful: Rounds,
  ) {
    this.#frame = frame;
    this.#code = code;
    this.#lanes = lanes;
    this.#shape = frame.planes[0]!.type === "float64" ? "f64x2" : "f32x4";
    this.#op = `${this.#shape}.p${extreme}`;
    this.#careful = careful;
  }

  write(cursors: readonly Local[], whole: Local, rest: Local, laneCount: Local): void {
    const { w } = this.#frame;
    const [isOdd, begin] = [w.local("i32"), w.local("i32")];
    w.i32(1).set(isOdd).get(cursors[0]!).set(begin);
    w.get(rest).op("i32.eqz");
    w.when(() => {
      const value = this.#quick(cursors[0]!, whole, isOdd);
      w.get(isOdd).op("i32.eqz");
      w.when(() => {
        this.#code.store(this.#lanes, [this.#frame.planes[0]!.base], 0, [value]);
        w.i32(1).set(laneCount);
      });
    });
    w.get(isOdd);
    w.when(() => {
      w.get(begin).set(cursors[0]!);
      this.#careful.write(cursors, whole, rest, laneCount);
    });
  }

  /** The extreme of whole rounds in the first lane; `isOdd`: it may not be. */
  #quick(cursor: Local, whole: Local, isOdd: Local): Local {
    const { w } = this.#frame;
    const count = REDUCE_LANES / this.#lanes.count;
    const states = Array.from({ length: count }, () => w.local("v128"));
    const [element, nans, round] = [w.local("v128"), w.local("v128"), w.local("i32")];
    const load = (v: number): void => {
      const [value] = this.#code.lifted(this.#lanes, [cursor], v);
      w.get(value!).set(element);
      w.get(element).get(element).op(`${this.#shape}.ne`).get(nans).op("v128.or").set(nans);
    };
    w.i32(0).op("i32x4.splat").set(nans);
    states.forEach((state, v) => {
      load(v);
      w.get(element).set(state);
    });
    this.#code.moveOn(0, cursor, REDUCE_LANES);
    w.i32(1).set(round);
    repeat(w, round, whole, 1, () => {
      states.forEach((state, v) => {
        load(v);
        w.get(state).get(element).op(this.#op).set(state);
      });
      this.#code.moveOn(0, cursor, REDUCE_LANES);
    });
    const value = this.#folded(states);
    w.get(value).i32(0).op("i32x4.splat").op(`${this.#shape}.eq`).get(nans).op("v128.or");
    w.op("v128.any_true").set(isOdd);
    return value;
  }

  /** All lanes of the result are the extreme, or lie above it: the first is it. */
  #folded(states: readonly Local[]): Local {
    const { w, planes } = this.#frame;
    const [first, ...others] = states as [Local, ...Local[]];
    for (const state of others) w.get(first).get(state).op(this.#op).set(first);
    for (let half = this.#lanes.count / 2; half >= 1; half /= 2) {
      const upper = this.#lanes.shifted(planes[0]!.type, first, half);
      w.get(first).get(upper).op(this.#op).set(first);
    }
    return first;
  }
}
