// Rows of one column into lanes that all stay in registers: memory is read once, in order, and nothing is written
// until the block is done. In: how many whole rounds a block has, and the rows beyond. Out: in scratch, the lanes, or
// the block's value if the lanes are complete and could be folded here.

import { REDUCE_LANES } from "../interpret/reduce.ts";
import type { Local } from "./assembler.ts";
import { repeat } from "./counting.ts";
import type { VectorLanes } from "./laneCode.ts";
import type { ReduceFrame } from "./reduceFrame.ts";
import type { RoundCode, StateLocals } from "./reduceRound.ts";

export class RegisterRounds {
  readonly #frame: ReduceFrame;
  readonly #code: RoundCode;
  readonly #lanes: VectorLanes;

  constructor(frame: ReduceFrame, code: RoundCode, lanes: VectorLanes) {
    this.#frame = frame;
    this.#code = code;
    this.#lanes = lanes;
  }

  /** `cursors` are at the first row; `whole` is not 0; `laneCount` becomes 1 if the lanes are folded. */
  write(cursors: readonly Local[], whole: Local, rest: Local, laneCount: Local): void {
    const { w, planes } = this.#frame;
    const states = this.#added(cursors, whole);
    const kept = planes.map(({ base }) => base);
    w.get(rest).either(
      () => states.forEach((state, v) => this.#code.store(this.#lanes, kept, v, state)),
      () => {
        this.#code.store(this.#lanes, kept, 0, this.#folded(states));
        w.i32(1).set(laneCount);
      },
    );
  }

  #added(cursors: readonly Local[], whole: Local): StateLocals[] {
    const { w } = this.#frame;
    const code = this.#code;
    const round = w.local("i32");
    const values = REDUCE_LANES / this.#lanes.count;
    const states = Array.from({ length: values }, () => code.variables(this.#lanes));
    const lifted = (v: number): StateLocals => code.lifted(this.#lanes, cursors, v);
    const moveOn = (): void => cursors.forEach((cursor, k) => code.moveOn(k, cursor, REDUCE_LANES));
    states.forEach((state, v) => code.assign(state, lifted(v)));
    moveOn();
    w.i32(1).set(round);
    repeat(w, round, whole, 1, () => {
      states.forEach((state, v) => code.assign(state, code.combined(this.#lanes, state, lifted(v))));
      moveOn();
    });
    return states;
  }

  /** Lower half ⊕ upper half: of the values, then of the lanes of the last one, of which the first counts. */
  #folded(states: readonly StateLocals[]): StateLocals {
    const { planes } = this.#frame;
    const lanes = this.#lanes;
    let left = states;
    while (left.length > 1) {
      const half = left.length / 2;
      left = left.slice(0, half).map((state, v) => this.#code.combined(lanes, state, left[half + v]!));
    }
    let [state] = left as [StateLocals];
    for (let half = lanes.count / 2; half >= 1; half /= 2) {
      const upper = state.map((local, k) => lanes.shifted(planes[k]!.type, local, half));
      state = this.#code.combined(lanes, state, upper);
    }
    return state;
  }
}
