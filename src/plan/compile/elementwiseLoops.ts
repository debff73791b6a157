// Loops: a unit of elementwise steps as one scalar program. Values from other units are loaded, sources
// are computed in the loop, and what somebody outside needs is stored.

import { type Box, sameBox } from "../../core/chunks.ts";
import { sameShape } from "../../core/shape.ts";
import type { Access, LoopStep } from "../../kernel/blockProgram.ts";
import { sameAccess } from "../../kernel/joinedReductions.ts";
import { ProgramWriter, type ScalarProgram } from "../../kernel/program.ts";
import * as s from "../../kernel/scalar.ts";
import type { OpStep, ReduceTreeStep, ValueRef } from "../plan.ts";
import type { StepOf, TaskWriter } from "./programWriter.ts";
import { accessFrom, broadcastAccess, type Placed } from "./taskLayout.ts";

export function emitLoops(task: TaskWriter, members: readonly number[]): void {
  const inside = new Set(members);
  const needed = members.filter((at) => isNeededOutside(task, at, inside));
  const reductions = onlyReductions(task, needed, inside);
  for (const reduction of reductions) task.pending.set(reduction, members);
  if (reductions.length > 0) return;
  const box = task.boxes[members[0]!]!;
  const body = new LoopBody(task, box);
  body.addSteps(members);
  const results = needed.map((at) => {
    body.program.result(body.valueOfStep(at));
    return task.allocate(at, 0).access;
  });
  const program = body.program.finish();
  const loop = { kind: "loop", domain: box.shape, operands: body.operands, program, results } as const;
  task.push({ ...loop, from: box.start }, fromBox(program, members[0]!));
}

/** A loop that counts coordinates begins where its box does; others do not care. */
const fromBox = (program: ScalarProgram, at: number): StepOf | null =>
  countsPlaces(program) ? (step, { boxes }) => ({ ...(step as LoopStep), from: boxes[at]!.start }) : null;

export const countsPlaces = ({ instructions }: ScalarProgram): boolean =>
  instructions.some(({ prim }) => prim === "index");

function isNeededOutside(task: TaskWriter, at: number, members: ReadonlySet<number>): boolean {
  return task.isOutput(at) || task.consumers[at]!.some((i) => !members.has(i));
}

/** The reductions that alone use a loop's results, if they all run over the same places: they become one pass. */
function onlyReductions(
  task: TaskWriter,
  needed: readonly number[],
  members: ReadonlySet<number>,
): readonly number[] {
  const outside = (at: number): number[] => task.consumers[at]!.filter((i) => !members.has(i));
  const consumers = [...new Set(needed.flatMap(outside))];
  const steps = consumers.map((at) => task.operation.steps[at]!);
  const isAlone = needed.every(
    (at) => !task.isOutput(at) && outside(at).every((i) => canTakeIn(task, i, at)),
  );
  const axes = steps.map((step) => (step.kind === "reduce" ? step.axes : null));
  const isOnePass = axes.every((list) => list !== null && sameShape(list, axes[0]!));
  return isAlone && isOnePass ? consumers : [];
}

/** The step is a reduction of all of a value at once. */
function canTakeIn(task: TaskWriter, consumer: number, at: number): boolean {
  const step = task.operation.steps[consumer]!;
  if (step.kind !== "reduce" || !step.lifts) return false;
  const box = task.boxes[consumer]!;
  const isOneGroup = step.axes.every((axis) => (placesAlong(step, box, axis) ?? 1) === 1);
  const [demand] = task.layout.demands[consumer]!;
  return isOneGroup && sameBox(demand!, task.boxes[at]!);
}

/** How many places a reduction's box has along a reduced axis; undefined where the axis is dropped. */
function placesAlong(step: ReduceTreeStep, box: Box, axis: number): number | undefined {
  return step.types[0]!.shape.length === step.whole.shape.length ? box.shape[axis] : undefined;
}

/** A source that is needed as a block of its own. */
export function emitSource(task: TaskWriter, at: number): void {
  const box = task.boxes[at]!;
  const body = new LoopBody(task, box);
  body.program.result(body.valueOf({ step: at, component: 0 }));
  const { access } = task.allocate(at, 0);
  const program = body.program.finish();
  const loop = { kind: "loop", domain: box.shape, operands: [], program, results: [access] } as const;
  task.push({ ...loop, from: box.start }, fromBox(program, at));
}

/** The scalar program of a loop over a box, and what it loads. */
export class LoopBody {
  readonly program: ProgramWriter = new ProgramWriter();
  readonly operands: Access[] = [];
  /** The operands' values. */
  readonly #loaded: s.Value[] = [];
  readonly #task: TaskWriter;
  readonly #box: Box;
  readonly #values = new Map<string, s.Value>();

  constructor(task: TaskWriter, box: Box) {
    this.#task = task;
    this.#box = box;
  }

  addSteps(members: readonly number[]): void {
    for (const at of members) {
      const step = this.#task.operation.steps[at] as OpStep<"elementwise">;
      const inputs = step.inputs.map((input) => this.valueOf(input));
      const value = step.op.body(inputs, step.attrs);
      this.#values.set(`${at}.0`, this.program.emit(value, at));
    }
  }

  valueOfStep(at: number): s.Value {
    return this.#values.get(`${at}.0`)!;
  }

  /** A value in this loop: computed here before, a source computed now, or loaded. */
  valueOf(ref: ValueRef): s.Value {
    const key = `${ref.step}.${ref.component}`;
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const step = this.#task.stepAt(ref);
    const value = step.kind === "source" ? this.#source(step, ref.step) : this.#load(ref);
    this.#values.set(key, value);
    return value;
  }

  #source({ op, attrs, types }: OpStep<"source">, at: number): s.Value {
    const [type] = types;
    const lead = this.#box.shape.length - type!.shape.length;
    // A stretched axis stays at its one coordinate.
    const index = (axis: number): s.Term =>
      type!.shape[axis] === 1 ? s.constant("int64", 0n) : s.index(axis + lead);
    return this.program.emit(op.body!(attrs, type!, index), at);
  }

  #load(ref: ValueRef): s.Value {
    const { dtype, shape } = this.#task.typeOf(ref);
    const access = operandAccess(this.#task.placed(ref), shape, this.#box);
    const known = this.operands.findIndex((other) => sameAccess(other, access));
    if (known >= 0) return this.#loaded[known]!;
    this.operands.push(access);
    const value = this.program.operand(dtype, ref.step);
    this.#loaded.push(value);
    return value;
  }
}

/** How a loop over `box` walks an operand of shape `shape`. */
function operandAccess(placed: Placed, shape: readonly number[], box: Box): Access {
  const lead = box.shape.length - shape.length;
  const at = shape.map((length, axis) => (length === 1 ? 0 : box.start[axis + lead]!));
  return broadcastAccess(accessFrom(placed, at), shape, box.shape.length);
}
