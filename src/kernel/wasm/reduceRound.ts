// What happens to one value (a lane, or a vector of lanes) in one round: it is lifted, combined, stored. In: where
// the operands are in this round. Out: locals that hold the parts of the state, as many as there are planes.

import { infoOf } from "../../core/dtype.ts";
import type { ScalarProgram } from "../program.ts";
import type { Local } from "./assembler.ts";
import type { LanePlace, Lanes, LaneWalk } from "./laneCode.ts";
import type { ReduceFrame } from "./reduceFrame.ts";

/** The parts of a state. */
export type StateLocals = readonly Local[];

export interface RoundPrograms {
  readonly lift: ScalarProgram;
  readonly combine: ScalarProgram;
  readonly walks: readonly LaneWalk[];
}

export class RoundCode {
  readonly #frame: ReduceFrame;
  readonly #programs: RoundPrograms;
  readonly #strides: readonly Local[];

  constructor(frame: ReduceFrame, programs: RoundPrograms) {
    const { w, operands, words } = frame;
    this.#frame = frame;
    this.#programs = programs;
    this.#strides = operands.map(({ rowStride, columnStride }) => {
      const stride = w.local("i32");
      w.get(columnStride).get(rowStride).get(words.lanesTogether).i32(1).op("i32.eq");
      w.select("i32").set(stride);
      return stride;
    });
  }

  /** The v-th value from the operands' cursors on. */
  lifted(lanes: Lanes, cursors: readonly Local[], v: number): StateLocals {
    const { lift, walks } = this.#programs;
    return lanes.compute(lift, (operand, type, part) => {
      const { slots } = infoOf(lift.operands[operand]!);
      const place = { address: cursors[operand]!, walk: walks[operand]!, slots };
      lanes.load({ ...place, stride: this.#strides[operand]!, ahead: v * lanes.count }, type, part);
    });
  }

  combined(lanes: Lanes, a: StateLocals, b: StateLocals): StateLocals {
    const { w, planes } = this.#frame;
    const { combine } = this.#programs;
    const components = combine.operands.length / 2;
    return lanes.compute(combine, (operand, _type, part) => {
      const component = operand % components;
      const k = planes.findIndex((plane) => plane.component === component && plane.part === part);
      w.get((operand < components ? a : b)[k]!);
    });
  }

  /** The v-th value of what is kept from these addresses on. */
  load(lanes: Lanes, kept: readonly Local[], v: number): StateLocals {
    const { w, planes } = this.#frame;
    return planes.map(({ type }, k) => {
      const local = lanes.local(type);
      lanes.load(keptPlace(kept[k]!, v * lanes.count), type, 0);
      w.set(local);
      return local;
    });
  }

  store(lanes: Lanes, kept: readonly Local[], v: number, state: StateLocals): void {
    const { planes } = this.#frame;
    state.forEach((local, k) => lanes.store(keptPlace(kept[k]!, v * lanes.count), planes[k]!.type, local));
  }

  /** A new home for a state that changes. */
  variables(lanes: Lanes): StateLocals {
    return this.#frame.planes.map(({ type }) => lanes.local(type));
  }

  assign(into: StateLocals, state: StateLocals): void {
    state.forEach((local, k) => this.#frame.w.get(local).set(into[k]!));
  }

  /** Leaves the bytes from one lane of an operand to the next on the stack. */
  pushStride(operand: number): void {
    const { w } = this.#frame;
    const walk = this.#programs.walks[operand]!;
    if (walk === "strided") w.get(this.#strides[operand]!);
    else w.i32(walk === "fixed" ? 0 : infoOf(this.#programs.lift.operands[operand]!).bytes);
  }

  moveOn(operand: number, cursor: Local, lanes: number): void {
    if (this.#programs.walks[operand] === "fixed") return;
    this.pushStride(operand);
    this.#frame.w.i32(lanes).op("i32.mul").get(cursor).op("i32.add").set(cursor);
  }
}

const keptPlace = (address: Local, ahead: number): LanePlace => ({ address, walk: "unit", slots: 1, ahead });
