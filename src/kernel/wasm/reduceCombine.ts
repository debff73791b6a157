// The second half of a block: its lanes to one value, and that value into the binary counter. Row 0 of each plane
// ends up with the value that the counter left: to be kept at a level, or the total after the last block.
// One loop does both, for both are row 0 ⊕= rows or row 0 = level ⊕ row 0; so the combination is written once.

import type { ScalarProgram } from "../program.ts";
import type { Local } from "./assembler.ts";
import { increase, repeat } from "./counting.ts";
import type { Lanes } from "./laneCode.ts";
import { type Plane, type ReduceFrame, setRow } from "./reduceFrame.ts";
import { FIRST_LEVEL } from "./reduceLayout.ts";
import { loadName, pushConstant, storeName } from "./scalarCode.ts";

export interface CombineCode {
  readonly combine: ScalarProgram;
  /** What rows are gone through with, widest first. */
  readonly steps: readonly Lanes[];
  /** A value of the first component that nothing changes any more. */
  readonly absorbing: number | bigint | null;
}

export class Combining {
  readonly #frame: ReduceFrame;
  readonly #code: CombineCode;
  /** Rows of the left and right arguments, and how many rows' values. */
  readonly #left: Local;
  readonly #right: Local;
  readonly #count: Local;

  constructor(frame: ReduceFrame, code: CombineCode) {
    this.#frame = frame;
    this.#code = code;
    const { w } = frame;
    [this.#left, this.#right, this.#count] = [w.local("i32"), w.local("i32"), w.local("i32")];
  }

  /**
   * After the rows of a block are in so many lanes. `blocks` came before; `isLast` ends the counter's work, and is
   * set where a value absorbs all that may come.
   */
  write(lanes: Local, blocks: Local, isLast: Local): void {
    const { w } = this.#frame;
    const [levels, level] = [w.local("i32"), w.local("i32")];
    w.get(blocks).set(levels);
    w.i32(FIRST_LEVEL).set(level);
    w.block((done) => {
      w.loop((again) => {
        w.get(lanes)
          .i32(1)
          .op("i32.gt_u")
          .either(
            () => this.#foldStep(lanes),
            () => this.#carryStep(levels, level, isLast, done, again),
          );
        this.#combineRows();
        w.branch(again);
      });
    });
    w.get(isLast)
      .op("i32.eqz")
      .when(() => this.#keep(level));
  }

  /** Lower half ⊕ upper half; a middle lane waits for the next time. */
  #foldStep(lanes: Local): void {
    const { w } = this.#frame;
    w.i32(0).set(this.#left);
    w.get(lanes).i32(1).op("i32.add").i32(1).op("i32.shr_u").set(this.#right);
    w.get(lanes).get(this.#right).op("i32.sub").set(this.#count);
    w.get(this.#right).set(lanes);
  }

  /** level ⊕ value while levels are full; after the last block all that are full. */
  #carryStep(levels: Local, level: Local, isLast: Local, done: number, again: number): void {
    const { w } = this.#frame;
    this.#checkAbsorbed(isLast, done);
    const isFull = w.local("i32");
    w.get(levels).i32(1).op("i32.and").set(isFull);
    w.get(isFull).get(isLast).op("i32.or").op("i32.eqz").branchIf(done);
    w.get(levels).op("i32.eqz").branchIf(done);
    w.get(levels).i32(1).op("i32.shr_u").set(levels);
    w.get(level).set(this.#left);
    increase(w, level, 1);
    w.get(isFull).op("i32.eqz").branchIf(again);
    w.i32(0).set(this.#right);
    w.i32(1).set(this.#count);
  }

  /** Ends the reduction if the first component has the absorbing value in every column. */
  #checkAbsorbed(isLast: Local, done: number): void {
    if (this.#code.absorbing === null) return;
    const { w, width, planes } = this.#frame;
    const { base, bytes, type } = planes[0]!;
    const column = w.local("i32");
    w.i32(0).set(column);
    w.block((mixed) => {
      repeat(w, column, width, 1, () => {
        w.get(column).i32(bytes).op("i32.mul").get(base).op("i32.add").memory(loadName(type));
        pushConstant(w, type, this.#code.absorbing!);
        w.op(`${loadName(type).slice(0, 3)}.ne`).branchIf(mixed);
      });
      w.i32(1).set(isLast);
      w.branch(done);
    });
  }

  /** row 0… = row left… ⊕ row right…, for `count` rows. */
  #combineRows(): void {
    const { w, planes, width } = this.#frame;
    const [left, right, into] = [this.#addresses(), this.#addresses(), this.#addresses()];
    planes.forEach((plane, k) => {
      setRow(this.#frame, plane, this.#left, left[k]!);
      setRow(this.#frame, plane, this.#right, right[k]!);
      w.get(plane.base).set(into[k]!);
    });
    const values = w.local("i32");
    const done = w.local("i32");
    w.get(this.#count).get(width).op("i32.mul").set(values);
    w.i32(0).set(done);
    for (const lanes of this.#code.steps) {
      repeat(w, done, values, lanes.count, () => {
        this.#combineLanes(lanes, left, right, into);
        for (const list of [left, right, into])
          planes.forEach(({ bytes }, k) => increase(w, list[k]!, lanes.count * bytes));
      });
    }
  }

  #addresses(): Local[] {
    return this.#frame.planes.map(() => this.#frame.w.local("i32"));
  }

  #combineLanes(lanes: Lanes, left: readonly Local[], right: readonly Local[], into: readonly Local[]): void {
    const { planes } = this.#frame;
    const { combine } = this.#code;
    const components = combine.operands.length / 2;
    const place = (address: Local) => ({ address, walk: "unit", slots: 1, ahead: 0 }) as const;
    const results = lanes.compute(combine, (operand, type, part) => {
      const from = operand < components ? left : right;
      const component = operand % components;
      const k = planes.findIndex((plane) => plane.component === component && plane.part === part);
      lanes.load(place(from[k]!), type, 0);
    });
    results.forEach((local, k) => lanes.store(place(into[k]!), planes[k]!.type, local));
  }

  /** Row 0 to a level's row. */
  #keep(level: Local): void {
    const { w, planes } = this.#frame;
    for (const plane of planes) {
      const into = w.local("i32");
      setRow(this.#frame, plane, level, into);
      this.copyRow(plane, into, plane.bytes);
    }
  }

  /** Row 0 of a plane to an address, `stride` bytes from one value to the next. */
  copyRow({ base, type, bytes }: Plane, into: Local, stride: number): void {
    const { w, width } = this.#frame;
    const from = w.local("i32");
    const column = w.local("i32");
    w.get(base).set(from);
    w.i32(0).set(column);
    repeat(w, column, width, 1, () => {
      w.get(into).get(from).memory(loadName(type)).memory(storeName(type));
      increase(w, from, bytes);
      increase(w, into, stride);
    });
  }
}
