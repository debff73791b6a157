// Plan: how a computation is done. Arrays (where they lie, how they are cut) and operations (a grid of
// tasks; what one task reads, computes and writes). All of it is data: task i follows from i, so a plan
// for 10⁹ chunks is as small as one for 10, and the steps say for any box of the output what they need.
// Must hold: a step's inputs are earlier steps; an operation's inputs are outputs of earlier ones or sources.

import type { Attrs } from "../core/block.ts";
import { type Box, type ChunkShape, chunkBox, gridOf, type Shape } from "../core/chunks.ts";
import type { Transfer } from "../core/transfer.ts";
import {
  type ArrayType,
  type DenseType,
  extentOf,
  type Op,
  type RaggedType,
  type ReduceOp,
  type ScanOp,
} from "../expr/op.ts";

interface ArrayBase {
  readonly name: string;
  /** Of a ragged array: single partitions. */
  readonly chunks: ChunkShape;
  readonly role: "source" | "intermediate" | "result";
}

export interface DensePlanArray extends ArrayBase, DenseType {
  /** Parts of chunks that should be readable by themselves, as inner chunks of a shard; the whole chunk where not said. */
  readonly inner?: ChunkShape | undefined;
  /** What its storage needs while it is read and written; nothing for arrays in memory. */
  readonly transfer?: Transfer | undefined;
}

export interface RaggedPlanArray extends ArrayBase, RaggedType {
  /** About how many bytes the largest partition has. */
  readonly partitionBytes: number;
}

export type PlanArray = DensePlanArray | RaggedPlanArray;

/** How many chunks an array has along each axis. */
export const gridOfArray = (array: PlanArray): Shape => gridOf(extentOf(array), array.chunks);

/** The chunk at a place of the grid. */
export const chunkOfArray = (array: PlanArray, place: readonly number[]): Box =>
  chunkBox(extentOf(array), array.chunks, place);

/** Works on partitions of nested data: no block program is made of it. */
export const isRagged = ({ steps }: Operation): boolean =>
  steps.some(({ kind, types }) => kind === "ragged" || types[0]!.kind === "ragged");

/** A component of an earlier step's value: reductions can have several. */
export interface ValueRef {
  readonly step: number;
  readonly component: number;
}

const MOST_SHARED = 256;
const FIRSTS: readonly ValueRef[] = Array.from({ length: MOST_SHARED }, (_, step) => ({
  step,
  component: 0,
}));

/** The first component of a step, one object for each small number: plans have many. */
export const firstOf = (step: number): ValueRef => FIRSTS[step] ?? { step, component: 0 };

interface StepBase<Type extends ArrayType> {
  readonly inputs: readonly ValueRef[];
  /** Types of the components, as whole arrays. */
  readonly types: readonly Type[];
  /** The public function that the user called, and `file:line:column` of the call, where known. */
  readonly call?: string | undefined;
  readonly line?: string | undefined;
}

/** A window of a stored array. */
export interface ReadStep extends StepBase<ArrayType> {
  readonly kind: "read";
  readonly array: string;
  /** What several steps use of it is read in one window where it lies together, and in several where it lies apart. */
  readonly isShared?: true | undefined;
}

type StepClass = "source" | "elementwise" | "move" | "contract" | "routine" | "ragged";

interface StepOfClass<C extends StepClass> extends StepBase<C extends "ragged" ? ArrayType : DenseType> {
  readonly kind: C;
  readonly op: Extract<Op, { readonly class: C }>;
  readonly attrs: Attrs;
}

/** An op, by its class. As JSON it is its name. */
export type OpStep<C extends StepClass = StepClass> = { readonly [K in C]: StepOfClass<K> }[C];

/** One level of a reduction's tree: `group[k]` places along `axes[k]` become one. */
export interface ReduceTreeStep extends StepBase<DenseType> {
  readonly kind: "reduce";
  readonly op: ReduceOp | ScanOp;
  readonly attrs: Attrs;
  readonly axes: readonly number[];
  readonly group: readonly number[];
  /** The first level makes states of elements, the last makes results of states. */
  readonly lifts: boolean;
  readonly finishes: boolean;
  /** The reduction's own input, from which positions and counts are taken. */
  readonly whole: DenseType;
}

/** A scan that begins anew every `group` places, each time with what `inputs[1]` says came before. */
export interface ScanTreeStep extends StepBase<DenseType> {
  readonly kind: "scan";
  readonly op: ScanOp;
  readonly attrs: Attrs;
  readonly axis: number;
  readonly group: number;
  readonly exclusive: boolean;
}

export type PlanStep = ReadStep | OpStep | ReduceTreeStep | ScanTreeStep;

export interface OperationOutput {
  readonly array: string;
  readonly value: ValueRef;
}

/** Tasks: one per chunk of the outputs, which all have the same grid. */
export interface Operation {
  readonly name: string;
  readonly grid: Shape;
  readonly steps: readonly PlanStep[];
  readonly outputs: readonly OperationOutput[];
}

export interface PlanData {
  readonly arrays: readonly PlanArray[];
  readonly operations: readonly Operation[];
  /** Names of the arrays that are asked for, in the order they were asked for. */
  readonly results: readonly string[];
}

/** The arrays an operation reads, each once. */
export function readsOf(operation: Operation): string[] {
  const names = new Set<string>();
  for (const step of operation.steps) if (step.kind === "read") names.add(step.array);
  return [...names];
}
