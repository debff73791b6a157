// A task's block program under construction: its buffers, where values lie, its steps, what it reads and writes.

import { type Box, isEmptyBox, isInside, sameBox, sameShape } from "../../core/chunks.ts";
import type { DType } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import { type DenseType, denseOf } from "../../expr/op.ts";
import type { Access, BlockProgram, Buffer, KernelStep, LoopStep } from "../../kernel/blockProgram.ts";
import { joinReductions, sameAccess } from "../../kernel/joinedReductions.ts";
import { ProgramWriter, programOf, type ScalarProgram } from "../../kernel/program.ts";
import * as s from "../../kernel/scalar.ts";
import {
  firstOf,
  type Operation,
  type OpStep,
  type PlanStep,
  type ReduceTreeStep,
  type ValueRef,
} from "../plan.ts";
import { accessFrom, broadcastAccess, identityAccess, type Placed, type TaskLayout } from "./taskLayout.ts";

/** A window of a stored array, and the buffer it goes into or comes from. */
export interface Window {
  readonly array: string;
  readonly box: Box;
  readonly buffer: number;
}

export interface TaskProgram {
  readonly program: BlockProgram;
  readonly reads: readonly Window[];
  readonly writes: readonly Window[];
}

/** Where a window lies in a task of the same kind. */
export type BoxOf = (layout: TaskLayout) => Box;
/** A kernel step as a task of the same kind has it. */
export type StepOf = (step: KernelStep, layout: TaskLayout) => KernelStep;

/** A task's program, and how those of its kind differ from it. */
export interface TaskKind {
  readonly task: TaskProgram;
  readonly readBoxes: readonly BoxOf[];
  /** Null for steps that are the same in all. */
  readonly placedSteps: readonly (StepOf | null)[];
}

type EmitSource = (task: TaskWriter, at: number) => void;

/** Plans that are made here have a few dozen. */
const MOST_STEPS = 100_000;

/** The block program under construction. */
export class TaskWriter {
  readonly operation: Operation;
  readonly layout: TaskLayout;
  /** Loops that wait for the reduction they become part of, by the reduction's step. */
  readonly pending: Map<number, readonly number[]> = new Map();
  /** The steps of this task that use each step's value. */
  readonly consumers: readonly (readonly number[])[];
  readonly #buffers: Buffer[] = [];
  readonly #steps: KernelStep[] = [];
  readonly #placed = new Map<string, Placed>();
  readonly #placedSteps: (StepOf | null)[] = [];
  /** The windows of reads that several steps use. */
  readonly #parts = new Map<number, readonly Placed[]>();
  readonly #reads: Window[] = [];
  readonly #readBoxes: BoxOf[] = [];
  readonly #writes: Window[];

  /** Makes a block of a source that nobody has placed yet. */
  readonly #emitSource: EmitSource;

  constructor(operation: Operation, layout: TaskLayout, emitSource: EmitSource) {
    this.#emitSource = emitSource;
    this.operation = operation;
    this.layout = layout;
    this.consumers = consumersOf(operation.steps, layout.boxes);
    this.#writes = operation.outputs.map(({ array, value }, i) => ({
      array,
      box: layout.outputs[i]!,
      buffer: this.#buffer("output", this.typeOf(value).dtype, layout.outputs[i]!),
    }));
  }

  get boxes(): readonly (Box | null)[] {
    return this.layout.boxes;
  }

  stepAt({ step }: ValueRef): PlanStep {
    return this.operation.steps[step]!;
  }

  typeOf(value: ValueRef): DenseType {
    return denseOf(this.stepAt(value).types[value.component]!);
  }

  #buffer(role: Buffer["role"], dtype: DType, box: Box): number {
    return this.#buffers.push({ role, dtype, shape: box.shape }) - 1;
  }

  /** Appends a step; a reduction over the places of the one before becomes part of it. `placed`: it depends on them. */
  push(step: KernelStep, placed: StepOf | null): void {
    // A text from elsewhere may ask for any number.
    if (this.#steps.length >= MOST_STEPS)
      throw new InvariantError({
        what: `a task of more than ${MOST_STEPS} steps`,
        where: this.operation.name,
      });
    const at = this.#steps.length - 1;
    const last = this.#steps[at];
    const joined = step.kind === "reduce" && last?.kind === "reduce" ? joinReductions(last, step) : null;
    if (joined !== null) {
      this.#steps[at] = joined;
      this.#placedSteps[at] ??= placed;
      return;
    }
    this.#steps.push(step);
    this.#placedSteps.push(placed);
  }

  /** Room for a step's value: the output itself where the value is one, else a temporary. */
  allocate(at: number, component: number): Placed {
    const box = this.boxes[at]!;
    const { dtype } = this.typeOf({ step: at, component });
    const output = this.operation.outputs.findIndex(
      ({ value }, i) =>
        value.step === at && value.component === component && sameBox(box, this.layout.outputs[i]!),
    );
    const buffer = output < 0 ? this.#buffer("temporary", dtype, box) : this.#writes[output]!.buffer;
    const placed = { box, access: identityAccess(buffer, box.shape.length) };
    this.setPlaced(at, component, placed);
    return placed;
  }

  setPlaced(at: number, component: number, placed: Placed): void {
    this.#placed.set(`${at}.${component}`, placed);
  }

  isOutput(at: number): boolean {
    return this.operation.outputs.some(({ value }) => value.step === at);
  }

  read(at: number, array: string): void {
    // A move of several pieces reads each piece where it uses it: they may lie far apart.
    const [only, ...others] = this.consumers[at]!;
    const isPieced =
      others.length === 0 && !this.isOutput(at) && this.operation.steps[only ?? -1]?.kind === "move";
    const windows = this.layout.windows.get(at) ?? [];
    if (windows.length > 0)
      this.#parts.set(
        at,
        windows.map((_, i) => this.window(at, array, (layout) => layout.windows.get(at)![i]!)),
      );
    else if (!isPieced)
      this.setPlaced(
        at,
        0,
        this.window(at, array, ({ boxes }) => boxes[at]!),
      );
  }

  /** A window of a stored array; an equal one is read once. */
  window(at: number, array: string, boxOf: BoxOf): Placed {
    const box = boxOf(this.layout);
    const known = this.#reads.find((read) => read.array === array && sameBox(read.box, box));
    const buffer = known?.buffer ?? this.#buffer("input", this.typeOf(firstOf(at)).dtype, box);
    if (known === undefined) {
      this.#reads.push({ array, box, buffer });
      this.#readBoxes.push(boxOf);
    }
    return { box, access: identityAccess(buffer, box.shape.length) };
  }

  /** True when a value is a stored array that a move reads piece by piece. */
  isPieced({ step, component }: ValueRef): boolean {
    const isPlaced = this.#placed.has(`${step}.${component}`) || this.#parts.has(step);
    return this.operation.steps[step]!.kind === "read" && !isPlaced;
  }

  /** Where a box of a value is; a source that nobody has computed yet is computed now. */
  placed(value: ValueRef, asked: Box): Placed {
    const parts = this.#parts.get(value.step);
    // A box without elements is nowhere, and never looked at.
    if (parts !== undefined) return parts.find(({ box }) => isInside(asked, box)) ?? parts[0]!;
    const key = `${value.step}.${value.component}`;
    if (!this.#placed.has(key)) this.#emitSource(this, value.step);
    return this.#placed.get(key)!;
  }

  /** Outputs whose value lies elsewhere (a view, or a part of something larger) are copied. */
  copyOutputs(): void {
    this.operation.outputs.forEach(({ value }, i) => {
      const box = this.layout.outputs[i]!;
      const { buffer } = this.#writes[i]!;
      const from = this.placed(value, box);
      if (from.access.buffer === buffer || isEmptyBox(box)) return;
      const { dtype } = this.typeOf(value);
      const access = accessFrom(from, box.start);
      this.push(copyStep(dtype, box, access, identityAccess(buffer, box.shape.length)), null);
    });
  }

  finish(): TaskKind {
    const program = { buffers: this.#buffers, steps: this.#steps };
    return {
      task: { program, reads: this.#reads, writes: this.#writes },
      readBoxes: this.#readBoxes,
      placedSteps: this.#placedSteps,
    };
  }
}

const copyStep = (dtype: DType, { shape, start }: Box, operand: Access, result: Access): KernelStep => ({
  kind: "loop",
  domain: shape,
  operands: [operand],
  program: programOf([dtype], (x) => [x!]),
  results: [result],
  from: start,
});

function consumersOf(steps: readonly PlanStep[], boxes: readonly (Box | null)[]): number[][] {
  const consumers: number[][] = steps.map(() => []);
  steps.forEach((step, at) => {
    if (boxes[at] === null) return;
    for (const { step: input } of step.inputs)
      if (consumers[input]!.at(-1) !== at) consumers[input]!.push(at);
  });
  return consumers;
}

// Loops: a unit of elementwise steps as one scalar program. Values from other units are loaded, sources
// are computed in the loop, and what somebody outside needs is stored.

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
    const asked = seenOf(shape, this.#box);
    const access = broadcastAccess(
      accessFrom(this.#task.placed(ref, asked), asked.start),
      shape,
      this.#box.shape.length,
    );
    const known = this.operands.findIndex((other) => sameAccess(other, access));
    if (known >= 0) return this.#loaded[known]!;
    this.operands.push(access);
    const value = this.program.operand(dtype, ref.step);
    this.#loaded.push(value);
    return value;
  }
}

/** What a loop over a box sees of an operand of a shape: along axes of length 1 the one place there is. */
function seenOf(shape: readonly number[], box: Box): Box {
  const lead = box.shape.length - shape.length;
  return {
    start: shape.map((length, axis) => (length === 1 ? 0 : box.start[axis + lead]!)),
    shape: shape.map((length, axis) => (length === 1 ? 1 : box.shape[axis + lead]!)),
  };
}
