// Reductions and scans over chunked axes, as trees of operations. A reduction: each chunk to a state,
// groups of states to one, the last group to the result. A scan: each chunk's total, a scan of the totals,
// each chunk again with what came before it.

import type { ChunkShape } from "../core/chunks.ts";
import type { Shape } from "../core/shape.ts";
import { chunksOf } from "../expr/chunks.ts";
import type { Expr } from "../expr/expr.ts";
import type { ArrayType, ReduceOp } from "../expr/op.ts";
import { reduceAttrs } from "../ops/reductions.ts";
import type { OperationOutput, PlanArray, ReduceTreeStep, ValueRef } from "./plan.ts";
import { type PlanWriter, StepList } from "./writer.ts";

/** How many states one task combines: enough to make the tree shallow, few enough to bound its memory. */
export const SPLIT_EVERY = 8;

export function lowerReduction(node: Expr, op: ReduceOp, writer: PlanWriter, role: PlanArray["role"]): void {
  const input = node.inputs[0]!;
  const { axes } = reduceAttrs(node.attrs);
  const chunks = chunksOf(input);
  const common = {
    kind: "reduce",
    op: op.name,
    attrs: node.attrs,
    axes,
    whole: input.type,
    ...writer.originOf(node),
  } as const;
  const states = op.state(input.dtype, node.attrs);
  const lastLevel = (steps: StepList, inputs: readonly ValueRef[], counts: Shape, lifts: boolean): void => {
    const value = steps.add({ ...common, group: counts, lifts, finishes: true, inputs, types: [node.type] });
    const array = writer.array(node.type, chunksOf(node), role);
    writer.place(node, array);
    writer.operation(steps, [{ array, value }]);
  };

  let counts = axes.map((axis) => input.shape[axis]!);
  const steps = new StepList(writer);
  const value = steps.valueOf(input);
  if (axes.every((axis) => input.shape[axis]! <= chunks[axis]!))
    return lastLevel(steps, [value], counts, true);

  const level = (
    from: StepList,
    inputs: readonly ValueRef[],
    group: readonly number[],
    lifts: boolean,
  ): string[] => {
    counts = counts.map((n, k) => Math.ceil(n / group[k]!));
    const shape = replaceAt(input.shape, axes, counts);
    const cut = replaceAt(
      chunks,
      axes,
      counts.map(() => 1),
    );
    const types = states.map((dtype) => ({ dtype, shape }));
    return writeStates(from, { ...common, group, lifts, finishes: false, inputs, types }, cut, writer);
  };
  let arrays = level(
    steps,
    [value],
    axes.map((axis) => chunks[axis]!),
    true,
  );
  const split = Math.max(2, Math.floor(SPLIT_EVERY ** (1 / axes.length)));
  while (counts.some((count) => count > split)) {
    const next = new StepList(writer);
    arrays = level(
      next,
      arrays.map((name) => next.read(name)),
      counts.map((count) => Math.max(1, Math.min(split, count))),
      false,
    );
  }
  const last = new StepList(writer);
  lastLevel(
    last,
    arrays.map((name) => last.read(name)),
    counts,
    false,
  );
}

const replaceAt = (list: readonly number[], axes: readonly number[], values: readonly number[]): number[] =>
  list.map((x, axis) => (axes.includes(axis) ? values[axes.indexOf(axis)]! : x));

function writeStates(
  steps: StepList,
  step: ReduceTreeStep,
  chunks: ChunkShape,
  writer: PlanWriter,
): string[] {
  const { step: at } = steps.add(step);
  const outputs: OperationOutput[] = step.types.map((type, component) => ({
    array: writer.array(type, chunks, "intermediate"),
    value: { step: at, component },
  }));
  writer.operation(steps, outputs);
  return outputs.map(({ array }) => array);
}

export function lowerScan(node: Expr, writer: PlanWriter, role: PlanArray["role"]): void {
  const input = node.inputs[0]!;
  const axis = node.attrs["axis"] as number;
  const length = input.shape[axis]!;
  const chunk = chunksOf(input)[axis]!;
  const common = {
    kind: "scan",
    op: node.op.name,
    attrs: node.attrs,
    axis,
    ...writer.originOf(node),
  } as const;
  const before = length > chunk ? scanTotals(node, writer, Math.ceil(length / chunk)) : null;
  const steps = new StepList(writer);
  const inputs = [steps.valueOf(input), ...(before === null ? [] : [steps.read(before)])];
  const value = steps.add({
    ...common,
    group: Math.max(1, chunk),
    exclusive: false,
    inputs,
    types: [node.type],
  });
  const array = writer.array(node.type, chunksOf(node), role);
  writer.place(node, array);
  writer.operation(steps, [{ array, value }]);
}

/** The array that says, for each chunk along the axis, the total of all chunks before it. */
function scanTotals(node: Expr, writer: PlanWriter, blocks: number): string {
  const input = node.inputs[0]!;
  const axis = node.attrs["axis"] as number;
  const chunks = chunksOf(input);
  const type: ArrayType = { dtype: input.dtype, shape: replaceAt(input.shape, [axis], [blocks]) };
  const common = { op: node.op.name, attrs: node.attrs, ...writer.originOf(node), types: [type] };
  const steps = new StepList(writer);
  const [totals] = writeStates(
    steps,
    {
      ...common,
      ...{ kind: "reduce", axes: [axis], group: [chunks[axis]!], whole: input.type },
      ...{ lifts: true, finishes: false, inputs: [steps.valueOf(input)] },
    },
    replaceAt(chunks, [axis], [1]),
    writer,
  );
  const scan = new StepList(writer);
  const inputs = [scan.read(totals!)];
  const value = scan.add({ ...common, kind: "scan", axis, group: blocks, exclusive: true, inputs });
  const array = writer.array(type, replaceAt(chunks, [axis], [blocks]), "intermediate");
  writer.operation(scan, [{ array, value }]);
  return array;
}
