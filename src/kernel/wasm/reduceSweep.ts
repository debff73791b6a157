// The first half of a block: its rows into lanes. In: a block's first row and length. Out: in scratch, for each
// lane the combination of its rows in order. A pass takes one round or a few of lanes that are neighbours in
// memory. Memory is read in order wherever it can be: what reads ahead of us gives up on anything else.

import { REDUCE_LANES } from "../interpret/reduce.ts";
import type { Local } from "./assembler.ts";
import type { Lanes, VectorLanes } from "./body.ts";
import { ExtremeRounds, extremeOf, type Rounds } from "./extremeRounds.ts";
import { increase, repeat, setMin } from "./module.ts";
import { type ReduceFrame, RoundCode, type RoundPrograms, type StateLocals, setRow } from "./reduceLayout.ts";

// Rows of one column into lanes that all stay in registers: memory is read once, in order, and nothing is written
// until the block is done. In: how many whole rounds a block has, and the rows beyond. Out: in scratch, the lanes, or
// the block's value if the lanes are complete and could be folded here.

class RegisterRounds implements Rounds {
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

function registerRounds(
  frame: ReduceFrame,
  { component, lanes, lift, combine }: RegisterUnit,
  walks: SweepCode["walks"],
): Rounds {
  const planes = frame.planes.filter((plane) => plane.component === component);
  const own = { ...frame, planes: planes.map((plane) => ({ ...plane, component: 0 })) };
  const code = new RoundCode(own, { lift, combine, walks });
  const rounds = new RegisterRounds(own, code, lanes);
  const extreme = walks.every((walk) => walk === "unit") ? extremeOf(lift, combine) : null;
  return extreme === null ? rounds : new ExtremeRounds(own, code, lanes, extreme, rounds);
}

const LANE_BITS: number = Math.log2(REDUCE_LANES);

/** What is written out at once: so many rounds of so many values. */
export interface SweepUnit {
  readonly lanes: Lanes;
  readonly rounds: number;
  readonly values: number;
}

/** A component of the state that is reduced by itself, and its programs. */
export interface RegisterUnit extends Pick<RoundPrograms, "lift" | "combine"> {
  readonly component: number;
  readonly lanes: VectorLanes;
}

export interface SweepCode extends RoundPrograms {
  /** Where lanes are rows of one column, and the states of each component fit in registers; none elsewhere. */
  readonly registers: readonly RegisterUnit[];
  /** Several rounds of several values at once, the most first. */
  readonly wide: readonly SweepUnit[];
  /** One round of one value, for what is left: vectors, then single lanes. */
  readonly narrow: readonly SweepUnit[];
}

/** What a lane is after the first round of a unit: made of what was kept (loaded when asked for) and what is lifted. */
type Begin = (kept: () => StateLocals, lifted: StateLocals) => StateLocals;

export class Sweep {
  readonly #frame: ReduceFrame;
  readonly #units: Pick<SweepCode, "wide" | "narrow">;
  /** What one value goes through in a round. */
  readonly code: RoundCode;
  readonly #registers: readonly Rounds[];
  readonly #bases: readonly Local[];
  /** The block's first row; lanes and rounds count from there. */
  readonly #row: Local;
  readonly #lane: Local;
  readonly #round: Local;
  readonly #end: Local;
  /** Lanes × columns of a pass, and how many are done. */
  readonly #count: Local;
  readonly #done: Local;

  /** `bases` will be the addresses of the operands' first rows, `row` the block's first row. */
  constructor(frame: ReduceFrame, code: SweepCode, bases: readonly Local[], row: Local) {
    const { w } = frame;
    this.#frame = frame;
    this.#units = code;
    this.code = new RoundCode(frame, code);
    this.#registers = code.registers.map((unit) => registerRounds(frame, unit, code.walks));
    this.#bases = bases;
    this.#row = row;
    [this.#lane, this.#round, this.#end] = [w.local("i32"), w.local("i32"), w.local("i32")];
    [this.#count, this.#done] = [w.local("i32"), w.local("i32")];
  }

  /** All lanes of a block of so many rows; `lanes` becomes how many are there to be folded. */
  write(rows: Local, lanes: Local): void {
    const { w, words } = this.#frame;
    const [whole, rest] = [w.local("i32"), w.local("i32")];
    w.get(rows).i32(LANE_BITS).op("i32.shr_u").set(whole);
    w.get(rows)
      .i32(REDUCE_LANES - 1)
      .op("i32.and")
      .set(rest);
    const most = (): void => void w.i32(REDUCE_LANES);
    setMin(w, lanes, () => w.get(rows), most);
    w.i32(0).set(this.#lane);
    w.loop((again) => {
      w.i32(0).set(this.#round).i32(0).set(this.#done);
      this.#wholeRounds(whole, rest, lanes);
      w.get(this.#lane)
        .get(rest)
        .op("i32.lt_u")
        .when(() => this.#lastRound(rest));
      increase(w, this.#lane, words.lanesTogether);
      w.get(this.#lane).get(lanes).op("i32.lt_u").branchIf(again);
    });
  }

  #wholeRounds(whole: Local, rest: Local, lanes: Local): void {
    const { w } = this.#frame;
    if (this.#registers.length === 0) this.#roundsInPasses(whole);
    else
      w.get(whole).when(() => {
        // A block is in the fastest cache when it is gone through for the next component.
        for (const registers of this.#registers) {
          const [cursors] = this.#cursors(1);
          registers.write(cursors!, whole, rest, lanes);
        }
      });
    w.get(whole).set(this.#round);
  }

  /** Many at a time while there are enough of them, then fewer. */
  #roundsInPasses(whole: Local): void {
    const { w, words, width } = this.#frame;
    w.get(words.lanesTogether).get(width).op("i32.mul").set(this.#count);
    for (const unit of this.#units.wide)
      repeat(w, this.#round, whole, unit.rounds, () => {
        w.get(this.#round).i32(unit.rounds).op("i32.add").set(this.#end);
        w.i32(0).set(this.#done);
        this.#pass(unit);
        this.#narrowRounds();
      });
    w.get(whole).set(this.#end);
    w.i32(0).set(this.#done);
    this.#narrowRounds();
  }

  /** The incomplete round, for the lanes that it has. */
  #lastRound(rest: Local): void {
    const { w, words, width } = this.#frame;
    const left = (): void => void w.get(rest).get(this.#lane).op("i32.sub");
    setMin(w, this.#count, () => w.get(words.lanesTogether), left);
    w.get(this.#count).get(width).op("i32.mul").set(this.#count);
    w.get(this.#round).i32(1).op("i32.add").set(this.#end);
    w.i32(0).set(this.#done);
    this.#narrowRounds();
  }

  /** Rounds up to `end`, one by one, of what is not done; `round` is left as it was. */
  #narrowRounds(): void {
    const { w } = this.#frame;
    const [first, done] = [w.local("i32"), w.local("i32")];
    w.get(this.#done).get(this.#count).op("i32.lt_u");
    w.when(() => {
      w.get(this.#round).set(first);
      w.get(this.#done).set(done);
      repeat(w, this.#round, this.#end, 1, () => {
        w.get(done).set(this.#done);
        for (const unit of this.#units.narrow) this.#pass(unit);
      });
      w.get(first).set(this.#round);
    });
  }

  /** Goes on from `done`, as far as whole units go. */
  #pass(unit: SweepUnit): void {
    const { w, planes } = this.#frame;
    const cursors = this.#cursors(unit.rounds);
    const kept = planes.map((plane) => {
      const address = w.local("i32");
      setRow(this.#frame, plane, this.#lane, address);
      w.get(this.#done).i32(plane.bytes).op("i32.mul").get(address).op("i32.add").set(address);
      return address;
    });
    const units = (begin: Begin): void => this.#repeatUnit(unit, cursors, kept, begin);
    // Several values are worth code of their own for the very first round.
    if (unit.values === 1) units((state, lifted) => this.#keptOrLifted(unit.lanes, state, lifted));
    else
      w.get(this.#round).either(
        () => units((state, lifted) => this.code.combined(unit.lanes, state(), lifted)),
        () => units((_, lifted) => lifted),
      );
  }

  #repeatUnit(unit: SweepUnit, cursors: readonly Local[][], kept: readonly Local[], begin: Begin): void {
    const { w, planes } = this.#frame;
    const step = unit.lanes.count * unit.values;
    repeat(w, this.#done, this.#count, step, () => {
      for (let v = 0; v < unit.values; v++) this.#value(unit, cursors, kept, v, begin);
      for (const list of cursors) list.forEach((cursor, k) => this.code.moveOn(k, cursor, step));
      planes.forEach(({ bytes }, k) => increase(w, kept[k]!, step * bytes));
    });
  }

  /** Per round and operand: the address of lane `done`. */
  #cursors(rounds: number): Local[][] {
    const { w, operands } = this.#frame;
    return Array.from({ length: rounds }, (_, r) => {
      const row = w.local("i32");
      w.get(this.#round).i32(r).op("i32.add").i32(LANE_BITS).op("i32.shl");
      w.get(this.#lane).op("i32.add").get(this.#row).op("i32.add").set(row);
      return operands.map(({ rowStride }, k) => {
        const cursor = w.local("i32");
        w.get(this.#done);
        this.code.pushStride(k);
        w.op("i32.mul").get(row).get(rowStride).op("i32.mul").op("i32.add");
        w.get(this.#bases[k]!).op("i32.add").set(cursor);
        return cursor;
      });
    });
  }

  /** One value over the rounds of a unit. Stored at once: the engine puts off what is not, and runs out of registers. */
  #value(
    { lanes, rounds }: SweepUnit,
    cursors: readonly Local[][],
    kept: readonly Local[],
    v: number,
    begin: Begin,
  ): void {
    const code = this.code;
    let state = begin(() => code.load(lanes, kept, v), code.lifted(lanes, cursors[0]!, v));
    for (let r = 1; r < rounds; r++) state = code.combined(lanes, state, code.lifted(lanes, cursors[r]!, v));
    code.store(lanes, kept, v, state);
  }

  /** In the very first round a lane is what is lifted; from then on that is combined with what is kept. */
  #keptOrLifted(lanes: Lanes, kept: () => StateLocals, lifted: StateLocals): StateLocals {
    const code = this.code;
    const state = code.variables(lanes);
    this.#frame.w.get(this.#round).either(
      () => code.assign(state, code.combined(lanes, kept(), lifted)),
      () => code.assign(state, lifted),
    );
    return state;
  }
}
