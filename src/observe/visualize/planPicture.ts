// A plan as a graph to draw. In: plan data, and the bytes that a task may use, where that is said. Out: nodes for
// operations and arrays with the lines of their labels, and edges from what is read to who reads it. Large plans are
// cut: the operations nearest to the results are shown.

import { shapeText, sizeOf } from "../../core/chunks.ts";
import { bytesText, countText } from "../../core/counts.ts";
import { typeText } from "../../core/form/typeText.ts";
import { arrayTypeText } from "../../expr/op.ts";
import { gridOfArray, type Operation, type PlanArray, type PlanData, readsOf } from "../../plan/plan.ts";
import { arrayBytes, memoryOf, totalMemory } from "../../plan/taskMemory.ts";
import { trafficOf } from "../../plan/traffic.ts";

export type NodeKind = "operation" | "over" | "more" | PlanArray["role"];

export interface GraphNode {
  readonly id: string;
  /** "over": an operation whose tasks need more memory than is allowed. */
  readonly kind: NodeKind;
  readonly lines: readonly string[];
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
}

export interface PlanGraph {
  readonly title: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphOptions {
  /** Bytes that one task may use; null where nothing is said. */
  readonly budget: number | null;
  /** At most so many operations are shown. */
  readonly limit: number;
}

type Arrays = ReadonlyMap<string, PlanArray>;

export function planGraph(plan: PlanData, { budget, limit }: GraphOptions): PlanGraph {
  const arrays: Arrays = new Map(plan.arrays.map((array) => [array.name, array]));
  const shown = plan.operations.slice(Math.max(0, plan.operations.length - limit));
  const hidden = plan.operations.length - shown.length;
  const touched = new Set(shown.flatMap((operation) => [...readsOf(operation), ...writesOf(operation)]));
  const made = new Set(shown.flatMap(writesOf));
  const cut = plan.arrays.filter(
    ({ name, role }) => touched.has(name) && !made.has(name) && role !== "source",
  );
  return {
    title: titleOf(plan, budget),
    nodes: [
      ...(hidden > 0
        ? [{ id: MORE, kind: "more", lines: [`${countText(hidden, "operation")} more`] } as const]
        : []),
      ...plan.arrays.filter(({ name }) => touched.has(name)).map(arrayNode),
      ...shown.map((operation) => operationNode(operation, arrays, budget)),
    ],
    edges: [
      ...cut.map(({ name }) => ({ from: MORE, to: name })),
      ...shown.flatMap((operation) => edgesOf(operation)),
    ],
  };
}

const MORE = "more";

const writesOf = ({ outputs }: Operation): string[] => outputs.map(({ array }) => array);

function edgesOf(operation: Operation): GraphEdge[] {
  const { name } = operation;
  return [
    ...readsOf(operation).map((array) => ({ from: array, to: name })),
    ...writesOf(operation).map((array) => ({ from: name, to: array })),
  ];
}

function titleOf({ operations, arrays }: PlanData, budget: number | null): string {
  const tasks = operations.reduce((sum, { grid }) => sum + sizeOf(grid), 0);
  const stored = arrays.filter(({ role }) => role === "intermediate");
  const bytes = stored.reduce((sum, array) => sum + arrayBytes(array), 0);
  const allowed = budget === null ? "" : `, a task may use ${bytesText(budget)}`;
  return `${countText(operations.length, "operation")}, ${countText(tasks, "task")}, ${bytesText(bytes)} in between${allowed}`;
}

function arrayNode(array: PlanArray): GraphNode {
  const { name, role } = array;
  const lines = [`${name}: ${role}`, ...typeLines(array), bytesText(arrayBytes(array))];
  return { id: name, kind: role, lines };
}

/** Of what it is, and how it is cut. */
function typeLines(array: PlanArray): readonly [string, string] {
  switch (array.kind) {
    case "dense": {
      const cut = `${countText(sizeOf(gridOfArray(array)), "chunk")} of ${shapeText(array.chunks)}`;
      return [arrayTypeText(array), cut];
    }
    case "ragged":
      return [typeText(array.form), countText(array.partitions, "partition")];
    default:
      throw array satisfies never;
  }
}

function operationNode(operation: Operation, arrays: Arrays, budget: number | null): GraphNode {
  const { name, grid } = operation;
  const memory = totalMemory(memoryOf(operation, arrays));
  const { read, written } = trafficOf(operation, arrays);
  const isOver = budget !== null && memory > budget;
  const line = lineOf(operation);
  return {
    id: name,
    kind: isOver ? "over" : "operation",
    lines: [
      `${name}: ${stepsText(operation)}`,
      ...(line === undefined ? [] : [line]),
      `${countText(sizeOf(grid), "task")}${grid.length === 0 ? "" : ` in ${shapeText(grid)}`}`,
      `reads ${bytesText(read)}, writes ${bytesText(written)}`,
      `memory ${bytesText(memory)}${isOver ? `, more than ${bytesText(budget)}` : ""}`,
    ],
  };
}

const MOST_STEPS = 6;

/** The ops of a task in their order; what is only read is an edge. */
function stepsText({ steps }: Operation): string {
  const names = steps.flatMap((step) => (step.kind === "read" || isScalar(step) ? [] : [step.op.name]));
  const more = names.length - MOST_STEPS;
  if (names.length === 0) return "copy";
  return `${names.slice(0, MOST_STEPS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

const isScalar = ({ kind, types }: Operation["steps"][number]): boolean =>
  kind === "source" && types[0]!.shape.length === 0;

/** The call that asked for the operation, and its place without folders. */
function lineOf({ steps }: Operation): string | undefined {
  const step = steps.findLast(({ kind, line }) => kind !== "read" && line !== undefined);
  const place = step?.line?.split(/[\\/]/).at(-1)?.replace(/:\d+$/, "");
  return place === undefined ? undefined : `${step!.call ?? "made"} at ${place}`;
}
