// Fusion: an operation whose one output is read by a single other operation, there element for element,
// becomes part of that one, so that its output is never stored. Diamonds fuse too: what matters is that all
// readers end in one operation. A result that is asked for stays an output of the fused operation where the
// tasks are the same, so that the data is passed over once. In: a plan. Out: a plan with the same results and fewer operations.
// Linear: operations are assigned to clusters from the last to the first, then each is written once.

import { attrsText } from "../core/attrs.ts";
import { sameShape } from "../core/shape.ts";
import type { MoveOp } from "../expr/op.ts";
import { opNamed } from "../ops/index.ts";
import { memoryOf, totalMemory } from "./memory.ts";
import type { Operation, PlanArray, PlanData, PlanStep, ValueRef } from "./plan.ts";

/** A task with more steps than this compiles slower than it saves. */
export const MAX_FUSED_STEPS = 256;

export function fuse(plan: PlanData): PlanData {
  const arrays = new Map(plan.arrays.map((array) => [array.name, array]));
  const clusters = assignClusters(plan, arrays);
  const members = new Map<number, Operation[]>();
  plan.operations.forEach((operation, at) => {
    const cluster = clusters[at]!;
    const list = members.get(cluster);
    if (list === undefined) members.set(cluster, [operation]);
    else list.push(operation);
  });
  const isResult = (name: string): boolean => arrays.get(name)!.role === "result";
  const operations = [...members.entries()]
    .sort((a, b) => a[0] - b[0])
    .flatMap(([, list]) => fused(list, isResult, arrays));
  const used = new Set([...plan.results, ...operations.flatMap(arraysOf)]);
  return { ...plan, operations, arrays: plan.arrays.filter(({ name }) => used.has(name)) };
}

/** Together, unless that needs more memory than the parts: windows far apart would be joined to one large box. */
function fused(
  list: readonly Operation[],
  isResult: (array: string) => boolean,
  arrays: ReadonlyMap<string, PlanArray>,
): readonly Operation[] {
  if (list.length === 1) return list;
  const merged = merge(list, isResult);
  if (merged.steps.every(({ kind }) => STREAMED.has(kind))) return [merged];
  const bytesOf = (operation: Operation): number => totalMemory(memoryOf(operation, arrays));
  const apart = list.reduce((sum, operation) => sum + bytesOf(operation), 0);
  return bytesOf(merged) > apart ? list : [merged];
}

const arraysOf = ({ steps, outputs }: Operation): string[] => [
  ...outputs.map(({ array }) => array),
  ...steps.flatMap((step) => (step.kind === "read" ? [step.array] : [])),
];

/** For every operation the number of the operation that it becomes part of: itself, or a later one. */
function assignClusters({ operations }: PlanData, arrays: ReadonlyMap<string, PlanArray>): number[] {
  const clusters = operations.map((_, at) => at);
  const sizes = operations.map(({ steps }) => steps.length);
  const readers = readersOf(operations);
  for (let at = operations.length - 1; at >= 0; at--) {
    const target = onlyReader(operations[at]!, readers, arrays, clusters, operations);
    if (target === null || sizes[target]! + sizes[at]! > MAX_FUSED_STEPS) continue;
    clusters[at] = target;
    sizes[target]! += sizes[at]!;
  }
  return clusters;
}

function readersOf(operations: readonly Operation[]): Map<string, number[]> {
  const readers = new Map<string, number[]>();
  operations.forEach(({ steps }, at) => {
    for (const step of steps) {
      if (step.kind !== "read") continue;
      const known = readers.get(step.array);
      if (known === undefined) readers.set(step.array, [at]);
      else if (known.at(-1) !== at) known.push(at);
    }
  });
  return readers;
}

/** Steps that read of each input just what their own chunk is made of: fused, they need no more than apart. */
const STREAMED: ReadonlySet<PlanStep["kind"]> = new Set(["read", "source", "elementwise"]);

const GROUPED: ReadonlySet<PlanStep["kind"]> = new Set(["reduce", "scan", "contract", "routine"]);

/** The cluster that alone reads an operation's output, if it may be computed there. */
function onlyReader(
  { outputs, grid, steps }: Operation,
  readers: ReadonlyMap<string, readonly number[]>,
  arrays: ReadonlyMap<string, PlanArray>,
  clusters: readonly number[],
  operations: readonly Operation[],
): number | null {
  const [output] = outputs;
  if (outputs.length !== 1) return null;
  const reading = readers.get(output!.array) ?? [];
  const targets = new Set(reading.map((at) => clusters[at]!));
  const [target] = targets;
  if (targets.size !== 1 || !reading.every((at) => readsOnce(operations[at]!, output!.array))) return null;
  const isStored = arrays.get(output!.array)!.role === "result";
  // Work on whole groups of elements would be done again for every smaller chunk of the reader.
  const isGrouped = steps.some(({ kind }) => GROUPED.has(kind));
  return (!isStored && !isGrouped) || sameShape(grid, operations[target!]!.grid) ? target! : null;
}

/** True when no element of the array is needed by two tasks, and no task needs more than its own chunk's worth. */
function readsOnce({ steps }: Operation, array: string): boolean {
  return steps.every((step) =>
    step.inputs.every((input) => {
      const source = steps[input.step]!;
      return source.kind !== "read" || source.array !== array || keepsApart(step, source);
    }),
  );
}

function keepsApart(step: PlanStep, source: PlanStep): boolean {
  switch (step.kind) {
    case "elementwise":
      return sameShape(step.types[0]!.shape, source.types[0]!.shape);
    case "move":
      return (opNamed(step.op) as MoveOp).injective;
    case "reduce":
      return step.lifts;
    case "scan":
      // The scan of all chunks' totals would pull every chunk into one task.
      return !step.exclusive && step.inputs.length === 1;
    case "read":
    case "source":
    case "contract":
    case "routine":
      return false;
    default:
      step satisfies never;
      return false;
  }
}

/** One operation of several: reads of what a member computes become that value, equal formulas one step. */
function merge(members: readonly Operation[], isResult: (array: string) => boolean): Operation {
  const last = members.at(-1)!;
  if (members.length === 1) return last;
  const steps: PlanStep[] = [];
  const computed = new Map<string, ValueRef>();
  for (const member of members) {
    const moved: ValueRef[] = [];
    for (const step of member.steps) moved.push(appendStep(step, steps, moved, computed));
    for (const { array, value } of member.outputs) computed.set(array, shift(value, moved));
  }
  const kept = members.flatMap(({ outputs }, i) =>
    outputs.filter(({ array }) => i === members.length - 1 || isResult(array)),
  );
  return { ...last, steps, outputs: kept.map(({ array }) => ({ array, value: computed.get(array)! })) };
}

const shift = ({ step, component }: ValueRef, moved: readonly ValueRef[]): ValueRef => ({
  step: moved[step]!.step,
  component: moved[step]!.component + component,
});

function appendStep(
  step: PlanStep,
  steps: PlanStep[],
  moved: readonly ValueRef[],
  computed: Map<string, ValueRef>,
): ValueRef {
  // Reads of one array stay apart: each has its own window, and equal windows are read once.
  const name = step.kind === "read" ? step.array : nameOf(step);
  const known = name === undefined ? undefined : computed.get(name);
  if (known !== undefined) return known;
  const value = {
    step: steps.push({ ...step, inputs: step.inputs.map((input) => shift(input, moved)) }) - 1,
    component: 0,
  };
  if (name !== undefined && step.kind !== "read") computed.set(name, value);
  return value;
}

/** What makes two steps the same without looking at inputs: the formula they are. */
function nameOf(step: PlanStep): string | undefined {
  return step.kind === "source"
    ? `${step.op} ${attrsText(step.attrs, (resource) => `#${resource.id}`)}`
    : undefined;
}
