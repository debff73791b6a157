// Compiling a task: an operation and one of its places → a block program, what it reads and what it
// writes. Neighbouring elementwise steps become one loop; moves become views where one regular walk does;
// a loop that only feeds a reduction becomes part of it.

import { type Box, isEmptyBox } from "../../core/box.ts";
import { chunkBox } from "../../core/chunks.ts";
import type { DType } from "../../core/dtype.ts";
import { sameShape } from "../../core/shape.ts";
import type { BlockProgram, Buffer, KernelStep } from "../../kernel/blockProgram.ts";
import { joinReductions } from "../../kernel/join.ts";
import { programOf } from "../../kernel/program.ts";
import { taskBoxes } from "../demand.ts";
import type { Operation, PlanArray, PlanStep, ValueRef } from "../plan.ts";
import { accessFrom, identityAccess, type Placed } from "./access.ts";
import { emitLoops, emitSource } from "./loops.ts";
import { emitStep } from "./steps.ts";
import { unitsOf } from "./units.ts";

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

export function compileTask(
  operation: Operation,
  arrays: ReadonlyMap<string, PlanArray>,
  place: readonly number[],
): TaskProgram {
  const outputs = operation.outputs.map(({ array }) => {
    const { shape, chunks } = arrays.get(array)!;
    return chunkBox(shape, chunks, place);
  });
  const task = new TaskWriter(operation, taskBoxes(operation, outputs), outputs);
  for (const unit of unitsOf(operation, task.boxes)) {
    if (unit.kind === "loop") emitLoops(task, unit.steps);
    else emitStep(task, unit.step);
  }
  task.copyOutputs();
  return task.finish();
}

/** The block program under construction. */
export class TaskWriter {
  readonly operation: Operation;
  readonly boxes: readonly (Box | null)[];
  /** Loops that wait for the reduction they become part of, by the reduction's step. */
  readonly pending: Map<number, readonly number[]> = new Map();
  /** The steps of this task that use each step's value. */
  readonly consumers: readonly (readonly number[])[];
  readonly #outputBoxes: readonly Box[];
  readonly #buffers: Buffer[] = [];
  readonly #steps: KernelStep[] = [];
  readonly #placed = new Map<string, Placed>();
  readonly #reads: Window[] = [];
  readonly #writes: Window[];

  constructor(operation: Operation, boxes: readonly (Box | null)[], outputBoxes: readonly Box[]) {
    this.operation = operation;
    this.boxes = boxes;
    this.consumers = consumersOf(operation.steps, boxes);
    this.#outputBoxes = outputBoxes;
    this.#writes = operation.outputs.map(({ array, value }, i) => ({
      array,
      box: outputBoxes[i]!,
      buffer: this.#buffer("output", this.stepAt(value).types[value.component]!.dtype, outputBoxes[i]!),
    }));
  }

  stepAt({ step }: ValueRef): PlanStep {
    return this.operation.steps[step]!;
  }

  #buffer(role: Buffer["role"], dtype: DType, box: Box): number {
    return this.#buffers.push({ role, dtype, shape: box.shape }) - 1;
  }

  /** Appends a step; a reduction over the places of the one before becomes part of it. */
  push(step: KernelStep): void {
    const last = this.#steps.at(-1);
    const joined = step.kind === "reduce" && last?.kind === "reduce" ? joinReductions(last, step) : null;
    if (joined === null) this.#steps.push(step);
    else this.#steps[this.#steps.length - 1] = joined;
  }

  /** Room for a step's value: the output itself where the value is one, else a temporary. */
  allocate(at: number, component: number): Placed {
    const box = this.boxes[at]!;
    const { dtype } = this.operation.steps[at]!.types[component]!;
    const output = this.operation.outputs.findIndex(
      ({ value }, i) =>
        value.step === at && value.component === component && sameBox(box, this.#outputBoxes[i]!),
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
    if (!isPieced) this.setPlaced(at, 0, this.window(at, array, this.boxes[at]!));
  }

  /** A window of a stored array; an equal one is read once. */
  window(at: number, array: string, box: Box): Placed {
    const known = this.#reads.find((read) => read.array === array && sameBox(read.box, box));
    const buffer = known?.buffer ?? this.#buffer("input", this.operation.steps[at]!.types[0]!.dtype, box);
    if (known === undefined) this.#reads.push({ array, box, buffer });
    return { box, access: identityAccess(buffer, box.shape.length) };
  }

  /** True when a value is a stored array that a move reads piece by piece. */
  isPieced({ step, component }: ValueRef): boolean {
    return this.operation.steps[step]!.kind === "read" && !this.#placed.has(`${step}.${component}`);
  }

  /** Where a value is; a source that nobody has computed yet is computed now. */
  placed(value: ValueRef): Placed {
    const key = `${value.step}.${value.component}`;
    if (!this.#placed.has(key)) emitSource(this, value.step);
    return this.#placed.get(key)!;
  }

  /** Outputs whose value lies elsewhere (a view, or a part of something larger) are copied. */
  copyOutputs(): void {
    this.operation.outputs.forEach(({ value }, i) => {
      const box = this.#outputBoxes[i]!;
      const { buffer } = this.#writes[i]!;
      const from = this.placed(value);
      if (from.access.buffer === buffer || isEmptyBox(box)) return;
      const { dtype } = this.stepAt(value).types[value.component]!;
      this.push({
        kind: "loop",
        domain: box.shape,
        operands: [accessFrom(from, box.start)],
        program: programOf([dtype], (x) => [x!]),
        results: [identityAccess(buffer, box.shape.length)],
        from: box.start,
      });
    });
  }

  finish(): TaskProgram {
    const program = { buffers: this.#buffers, steps: this.#steps };
    return { program, reads: this.#reads, writes: this.#writes };
  }
}

function consumersOf(steps: readonly PlanStep[], boxes: readonly (Box | null)[]): number[][] {
  const consumers: number[][] = steps.map(() => []);
  steps.forEach((step, at) => {
    if (boxes[at] === null) return;
    for (const { step: input } of step.inputs)
      if (consumers[input]!.at(-1) !== at) consumers[input]!.push(at);
  });
  return consumers;
}

export const sameBox = (a: Box, b: Box): boolean =>
  sameShape(a.shape, b.shape) && sameShape(a.start, b.start);
