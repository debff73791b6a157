// Steps that are not elementwise: reads, moves, reductions, scans, routines. Each becomes kernel steps that
// fill the step's box.

import { type Box, isEmptyBox, placeOf, sizeOf, stridesOf } from "../../core/chunks.ts";
import type { DType } from "../../core/dtype.ts";
import { fitScalar } from "../../core/numbers.ts";
import type { ReduceOp, ScanOp } from "../../expr/op.ts";
import type { Piece } from "../../expr/pieces.ts";
import type { Access, KernelStep, ReduceStep, RoutineStep } from "../../kernel/blockProgram.ts";
import { programOf, type ScalarProgram } from "../../kernel/program.ts";
import * as s from "../../kernel/scalar.ts";
import { constantValue } from "../../lazy/lazyArray.ts";
import { demandOf, inputTypes, outputAxes, pieceSource, spanOf } from "../demand.ts";
import type { OpStep, ReadStep, ReduceTreeStep, ScanTreeStep } from "../plan.ts";
import { countsPlaces, LoopBody, type StepOf, type TaskWriter } from "./programWriter.ts";
import {
  accessFrom,
  fixAxes,
  listedAxis,
  type Placed,
  sourceOfPiece,
  type TaskLayout,
  targetOfPiece,
  viewOfPieces,
} from "./taskLayout.ts";

export function emitStep(task: TaskWriter, at: number): void {
  const step = task.operation.steps[at]!;
  switch (step.kind) {
    case "read":
      return task.read(at, step.array);
    case "move":
      return emitMove(task, at, step);
    case "reduce":
      return emitReduce(task, at, step);
    case "scan":
      return emitScan(task, at, step);
    case "contract":
    case "routine":
      return emitRoutine(task, at, step);
    case "source":
    case "elementwise":
      throw new Error(`${step.kind} steps are compiled in loops`);
    case "ragged":
      throw new Error("partitions have no block programs");
    default:
      step satisfies never;
  }
}

function emitMove(task: TaskWriter, at: number, step: OpStep<"move">): void {
  const box = task.boxes[at]!;
  const pieces = task.layout.pieces.get(at)!;
  const sources = pieces.map((piece, i) => sourceOf(task, at, step, piece, i));
  const view = task.isOutput(at) ? null : viewOfPieces(pieces, sources[0] ?? null, box);
  if (view !== null) return task.setPlaced(at, 0, { box, access: view });
  const out = task.allocate(at, 0);
  pieces.forEach((piece, i) => copyPiece(task, piece, sources[i] ?? null, out, step.types[0]!.dtype));
}

/** Where a piece is copied from: its input's box, or a window of its own. Null for a fill. */
function sourceOf(
  task: TaskWriter,
  at: number,
  step: OpStep<"move">,
  piece: Piece,
  i: number,
): Placed | null {
  if ("fill" in piece.from) return null;
  const value = step.inputs[piece.from.input]!;
  const dims = task.typeOf(value).shape.length;
  if (!task.isPieced(value)) return task.placed(value, pieceSource(piece, dims));
  const { array } = task.stepAt(value) as ReadStep;
  return task.window(value.step, array, ({ pieces }) => pieceSource(pieces.get(at)![i]!, dims));
}

function copyPiece(task: TaskWriter, piece: Piece, source: Placed | null, out: Placed, dtype: DType): void {
  const { from } = piece;
  const listed = listedAxis(piece);
  if (listed >= 0 && source !== null) return task.push(copyPlaces(piece, listed, source, out), null);
  const isFill = "fill" in from;
  const step: KernelStep = {
    kind: "loop",
    domain: piece.axes.map(({ length }) => length),
    operands: source === null ? [] : [sourceOfPiece(piece, source)],
    program: isFill
      ? programOf([], () => [constantValue(from.fill, dtype)])
      : programOf([dtype], (x) => [x!]),
    results: [targetOfPiece(piece, out)],
    from: [],
  };
  task.push(step, null);
}

/** Along one axis place by place, as the piece lists them. */
function copyPlaces(piece: Piece, axis: number, source: Placed, out: Placed): RoutineStep {
  const places = piece.axes[axis]!.places!;
  const viewed = (span: number): number[] => piece.axes.map(({ length }, k) => (k === axis ? span : length));
  const from = piece.axes.map(() => 0);
  return {
    kind: "routine",
    routine: "movePlaces",
    attrs: { axis, from: places.in, to: places.out },
    origin: 0,
    inputs: [{ access: sourceOfPiece(piece, source), shape: viewed(spanOf(places.in)), from }],
    outputs: [{ access: targetOfPiece(piece, out), shape: viewed(spanOf(places.out)), from }],
  };
}

/** What a scan's totals and a reduction have in common. */
function reductionOf(op: ReduceOp | ScanOp, input: DType): ReduceOp {
  if (op.class === "reduce") return op;
  return {
    ...{ name: op.name, class: "reduce", infer: op.infer },
    state: () => [input],
    lift: (x) => [x],
    combine: ([a], [b]) => [op.combine(a!, b!)],
    identity: () => [op.identity],
    finish: ([total]) => total!,
  };
}

function emitReduce(task: TaskWriter, at: number, step: ReduceTreeStep): void {
  const box = task.boxes[at]!;
  const outs = step.types.map((_, component) => task.allocate(at, component));
  if (isEmptyBox(box)) return;
  const kept = outputAxes(step.axes, step.whole.shape.length, box.shape.length);
  const along = step.axes.map((axis) => (kept[axis]! < 0 ? 1 : box.shape[kept[axis]!]!));
  // One kernel step per place along the reduced axes: usually just one.
  for (let k = 0; k < sizeOf(along); k++) {
    const offsets = placeOf(k, along);
    const start = [...box.start];
    const shape = [...box.shape];
    step.axes.forEach((axis, i) => {
      if (kept[axis]! < 0) return;
      start[kept[axis]!] = box.start[kept[axis]!]! + offsets[i]!;
      shape[kept[axis]!] = 1;
    });
    emitGroup(task, at, step, { start, shape }, outs, kept);
  }
}

function emitGroup(
  task: TaskWriter,
  at: number,
  step: ReduceTreeStep,
  out: Box,
  outs: readonly Placed[],
  kept: readonly number[],
): void {
  const op = reductionOf(step.op, step.whole.dtype);
  const [domain] = demandOf(step, out, inputTypes(task.operation.steps, step));
  const states = op.state(step.whole.dtype, step.attrs);
  const { operands, program } = liftBody(task, at, step, op, domain!);
  const reduction: ReduceStep = {
    kind: "reduce",
    domain: domain!.shape,
    axes: step.axes,
    operands,
    lift: program,
    combine: programOf([...states, ...states], (...v) =>
      op.combine(v.slice(0, states.length), v.slice(states.length)),
    ),
    identity: op.identity(step.whole.dtype, step.attrs).map((value, i) => fitScalar(value, states[i]!)),
    absorbing: op.absorbing ?? null,
    finish: step.finishes ? programOf(states, (...state) => [op.finish(state, endOf(step))]) : null,
    results: outs.map((placed) => resultAccess(placed, out, step, kept)),
    from: domain!.start,
  };
  task.push(reduction, countsPlaces(program) ? fromDemand(task, at, domain!) : null);
}

/** A reduction that counts coordinates begins at a place of what it needs. */
function fromDemand({ layout }: TaskWriter, at: number, { start }: Box): StepOf {
  const offset = start.map((x, axis) => x - layout.demands[at]![0]!.start[axis]!);
  return (step, { demands }) => ({
    ...(step as ReduceStep),
    from: demands[at]![0]!.start.map((x, axis) => x + offset[axis]!),
  });
}

const endOf = ({ axes, whole, attrs, types }: ReduceTreeStep): Parameters<ReduceOp["finish"]>[1] => ({
  count: (type) => s.constant(type, sizeOf(axes.map((axis) => whole.shape[axis]!))),
  attrs,
  dtype: types[0]!.dtype,
});

/** A reduction's result stands still along the reduced axes. */
function resultAccess(placed: Placed, out: Box, { axes }: ReduceTreeStep, kept: readonly number[]): Access {
  const access = accessFrom(placed, out.start);
  const moving = kept.map((to, axis) => (to < 0 || axes.includes(axis) ? -1 : access.axes[to]!));
  return {
    ...access,
    axes: moving,
    steps: moving.map((axis, d) => (axis < 0 ? 0 : access.steps[kept[d]!]!)),
  };
}

/** Elements (or, further up the tree, states) as the state a reduction works on. */
function liftBody(
  task: TaskWriter,
  at: number,
  step: ReduceTreeStep,
  op: ReduceOp,
  domain: Box,
): { operands: readonly Access[]; program: ScalarProgram } {
  const body = new LoopBody(task, domain);
  body.addSteps(task.pending.get(at) ?? []);
  const values = step.inputs.map((input) => body.valueOf(input));
  const lifted = step.lifts ? op.lift(values[0]!, () => positionTerm(step), step.attrs) : values;
  for (const value of lifted) body.program.result(body.program.emit(value, at));
  return { operands: body.operands, program: body.program.finish() };
}

/** The row-major number of an element within the reduced axes. */
function positionTerm({ axes, whole }: ReduceTreeStep): s.Term {
  const strides = stridesOf(axes.map((axis) => whole.shape[axis]!));
  const terms = axes.map((axis, k) => s.mul(s.index(axis), s.constant("int64", strides[k]!)));
  return terms.length === 0 ? s.zero("int64") : terms.reduce(s.add);
}

/** One kernel step per group: each begins anew. */
function emitScan(task: TaskWriter, at: number, step: ScanTreeStep): void {
  const box = task.boxes[at]!;
  const out = task.allocate(at, 0);
  if (isEmptyBox(box)) return;
  const op = step.op;
  const { dtype } = step.types[0]!;
  const { axis, group } = step;
  const end = box.start[axis]! + box.shape[axis]!;
  for (let first = box.start[axis]!; first < end; first += group) {
    const start = box.start.map((x, a) => (a === axis ? first : x));
    const [x, before] = step.inputs.map((input, i) => task.placed(input, task.layout.demands[at]![i]!));
    const beforeAt = start.map((place, a) => (a === axis ? Math.floor(first / group) : place));
    const scan: KernelStep = {
      kind: "scan",
      domain: box.shape.map((n, a) => (a === axis ? Math.min(group, end - first) : n)),
      axis,
      operand: accessFrom(x!, start),
      combine: programOf([dtype, dtype], (a, b) => [op.combine(a!, b!)]),
      identity: fitScalar(op.identity, dtype),
      before: before === undefined ? null : fixAxes(accessFrom(before, beforeAt), [axis]),
      exclusive: step.exclusive,
      result: accessFrom(out, start),
    };
    task.push(scan, null);
  }
}

function emitRoutine(task: TaskWriter, at: number, step: OpStep<"routine" | "contract">): void {
  const box = task.boxes[at]!;
  const op = step.op;
  const boxes = task.layout.demands[at]!;
  const inputs = step.inputs.map((input, i) => task.placed(input, boxes[i]!));
  const out = task.allocate(at, 0);
  const routine: RoutineStep = {
    kind: "routine",
    routine: op.routine,
    attrs: step.attrs,
    origin: at,
    inputs: inputs.map((placed, i) => ({
      access: accessFrom(placed, boxes[i]!.start),
      shape: boxes[i]!.shape,
      from: boxes[i]!.start,
    })),
    outputs: [{ access: out.access, shape: box.shape, from: box.start }],
  };
  task.push(routine, (other, layout) => routineAt(other as RoutineStep, at, layout));
}

function routineAt(step: RoutineStep, at: number, { boxes, demands }: TaskLayout): RoutineStep {
  return {
    ...step,
    inputs: step.inputs.map((view, i) => ({ ...view, from: demands[at]![i]!.start })),
    outputs: step.outputs.map((view) => ({ ...view, from: boxes[at]!.start })),
  };
}
