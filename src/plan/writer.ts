// The plan under construction: arrays and operations in order, and where each expression's value is.

import type { Attrs, Resource } from "../core/block.ts";
import { type ChunkShape, type Shape, sameShape } from "../core/chunks.ts";
import type { Scalar } from "../core/numbers.ts";
import type { Transfer } from "../core/transfer.ts";
import { chunksOf, type Expr } from "../expr/expr.ts";
import { type ArrayType, denseOf, type SourceOp } from "../expr/op.ts";
import type { Site } from "../expr/site.ts";
import { full } from "../lazy/lazyArray.ts";
import { PartitionResource } from "../ops/partitions.ts";
import { type Origin, originOf, type SiteOf, siteOfNode } from "./origin.ts";
import {
  type DensePlanArray,
  firstOf,
  gridOfArray,
  type Operation,
  type OperationOutput,
  type OpStep,
  type PlanArray,
  type PlanData,
  type PlanStep,
  type ValueRef,
} from "./plan.ts";
import { isRechunk } from "./taskMemory.ts";

// Results that are one value everywhere, as far as a plan shows it without being run: a store can keep such a value in
// place of chunks. In: a plan. Out: the values, by the results' names; and the plan without what computes them.

export function uniformResults({ operations, results }: PlanData): Map<string, Scalar> {
  const found = new Map<string, Scalar>();
  const asked = new Set(results);
  for (const operation of operations)
    for (const { array, value } of operation.outputs) {
      const uniform = asked.has(array) ? uniformValue(operation.steps, value) : null;
      if (uniform !== null) found.set(array, uniform);
    }
  return found;
}

/** How an array is cut does not change it. */
function uniformValue(steps: readonly PlanStep[], { step: at }: ValueRef): Scalar | null {
  const step = steps[at]!;
  if (step.kind === "source" && step.op === full) return step.attrs["value"] as Scalar;
  return isRechunk(step) ? uniformValue(steps, step.inputs[0]!) : null;
}

/** What is left to do when these results are there: operations that make others as well stay as they are. */
export function withoutResults(data: PlanData, names: ReadonlySet<string>): PlanData {
  // The same object: what is kept for a plan is known by it.
  if (names.size === 0) return data;
  const operations = data.operations.filter(({ outputs }) => !outputs.every(({ array }) => names.has(array)));
  const made = new Set(operations.flatMap(({ outputs }) => outputs.map(({ array }) => array)));
  const isLeft = (name: string): boolean => !names.has(name) || made.has(name);
  return {
    arrays: data.arrays.filter(({ name }) => isLeft(name)),
    operations,
    results: data.results.filter(isLeft),
  };
}

export interface Lowered {
  readonly data: PlanData;
  readonly sources: ReadonlyMap<string, Resource>;
}

/** Where a plan's arrays may come to lie, as far as memory is concerned. */
export interface PlanStorage {
  /** Says all that the rest depends on. */
  readonly key: string;
  /** Of an intermediate that memory has no room for. */
  intermediate(array: Pick<DensePlanArray, "dtype" | "chunks">): Transfer;
  /** Of the results, in their order; null for those that stay in memory. */
  readonly results: readonly (Transfer | null)[];
}

/** What lowering may know of the run: none of it changes what is computed, but for the order of sums. */
export interface LowerSettings {
  readonly storage?: PlanStorage | undefined;
  /** Bytes that one task may use. */
  readonly allowedMem?: number | undefined;
  /** How many tasks can run at once. */
  readonly workers?: number | undefined;
  /** How many states of a reduction one task combines; chosen where it is not said. */
  readonly splitEvery?: number | undefined;
}

const NOWHERE: Origin = {};

/** About what a value of a few numbers takes. */
const SMALL_BYTES = 256;

/** Collects arrays and operations, and knows where each expression's value is. */
export class PlanWriter {
  readonly #arrays: PlanArray[] = [];
  readonly #operations: Operation[] = [];
  readonly #places = new Map<Expr, string>();
  /** What steps that read an array have as their types. */
  readonly #types: (readonly [ArrayType])[] = [];
  readonly #sources = new Map<string, Resource>();

  /** The last line of each function: calls one after another often are on one. */
  readonly #origins = new Map<string, { readonly site: Site; readonly origin: Origin }>();

  /** That of the last operation. */
  #grid: Shape = [];

  readonly #siteOf: SiteOf;

  readonly settings: LowerSettings;

  constructor(siteOf: SiteOf = siteOfNode, settings: LowerSettings = {}) {
    this.#siteOf = siteOf;
    this.settings = settings;
  }

  originOf(node: Expr): Origin {
    const site = this.#siteOf(node);
    if (site === null) return NOWHERE;
    const known = this.#origins.get(site.call);
    if (known?.site === site) return known.origin;
    const origin = originOf(site);
    this.#origins.set(site.call, { site, origin });
    return origin;
  }

  source(node: Expr, resource: Resource): void {
    const bytes = resource instanceof PartitionResource ? resource.largest() : undefined;
    const name = this.array(node.type, chunksOf(node), "source", undefined, bytes);
    this.#places.set(node, name);
    this.#sources.set(name, resource);
  }

  array(
    type: ArrayType,
    chunks: ChunkShape,
    role: PlanArray["role"],
    inner?: ChunkShape,
    partitionBytes = 0,
  ): string {
    const name = `a${this.#arrays.length}`;
    const base = { name, ...type, chunks, role };
    const isWhole = inner === undefined;
    this.#arrays.push(
      base.kind === "ragged" ? { ...base, partitionBytes } : isWhole ? base : { ...base, inner },
    );
    this.#types.push([type]);
    return name;
  }

  arrayNamed(name: string): PlanArray {
    return this.#arrays[numberIn(name)]!;
  }

  typesOf(name: string): readonly [ArrayType] {
    return this.#types[numberIn(name)]!;
  }

  place(node: Expr, array: string): void {
    this.#places.set(node, array);
  }

  /** An operation with one step of the table, reading its inputs. */
  single(node: Expr, kind: OpStep["kind"], role: PlanArray["role"], attrs: Attrs = node.attrs): void {
    const steps = new StepList(this);
    const inputs = node.inputs.map((input) => steps.valueOf(input));
    const { op, type } = node;
    const { call, line } = this.originOf(node);
    const value = steps.add({ kind, op, attrs, inputs, types: [type], call, line } as OpStep);
    const array = this.array(type, chunksOf(node), role, undefined, this.#partitionBytes(node));
    this.place(node, array);
    this.operation(steps, [{ array, value }]);
  }

  /** A source that is asked for as it is. */
  result(node: Expr): void {
    this.copy(node, "result");
  }

  /** A source in an array of its own. */
  copy(node: Expr, role: PlanArray["role"] = "intermediate"): void {
    if (role === "intermediate" && this.#places.has(node)) return;
    const steps = new StepList(this);
    const value = steps.valueOf(node);
    const array = this.array(node.type, chunksOf(node), role, undefined, this.#partitionBytes(node));
    this.operation(steps, [{ array, value }]);
    this.place(node, array);
  }

  /** A partition is made of its inputs': nobody knows more before the run. */
  #partitionBytes(node: Expr): number | undefined {
    const { op, attrs, type } = node;
    if (type.kind === "dense") return undefined;
    if (type.isItem || (op.class === "ragged" && op.isSmall?.(attrs) === true)) return SMALL_BYTES;
    const parts = [node, ...node.inputs].map((input) => this.#places.get(input));
    return Math.max(...parts.map((name) => (name === undefined ? 0 : this.#bytesOfPartition(name))));
  }

  #bytesOfPartition(name: string): number {
    const array = this.arrayNamed(name);
    return array.kind === "ragged" ? array.partitionBytes : 0;
  }

  operation(steps: StepList, outputs: readonly OperationOutput[]): void {
    const grid = gridOfArray(this.arrayNamed(outputs[0]!.array));
    // Often the same as before: one object then, and less to keep.
    if (!sameShape(grid, this.#grid)) this.#grid = grid;
    const name = `op-${String(this.#operations.length + 1).padStart(3, "0")}`;
    this.#operations.push({ name, grid: this.#grid, steps: steps.steps, outputs });
  }

  placeOf(node: Expr): string | undefined {
    return this.#places.get(node);
  }

  finish(roots: readonly Expr[]): Lowered {
    const results = roots.map((root) => this.#places.get(root)!);
    return { data: { arrays: this.#arrays, operations: this.#operations, results }, sources: this.#sources };
  }
}

/** Arrays are numbered in the order they are written. */
const numberIn = (name: string): number => Number(name.slice(1));

const NO_INPUTS: readonly ValueRef[] = [];

/** The steps of one operation under construction. */
export class StepList {
  readonly steps: PlanStep[] = [];
  readonly #writer: PlanWriter;

  constructor(writer: PlanWriter) {
    this.#writer = writer;
  }

  add(step: PlanStep): ValueRef {
    return firstOf(this.steps.push(step) - 1);
  }

  read(array: string): ValueRef {
    return this.add({ kind: "read", array, inputs: NO_INPUTS, types: this.#writer.typesOf(array) });
  }

  /** A stored array is read, anew for every use: each has its own window. A source without storage is computed here. */
  valueOf(node: Expr): ValueRef {
    const array = this.#writer.placeOf(node);
    return array === undefined ? this.#source(node) : this.read(array);
  }

  #source(node: Expr): ValueRef {
    const { op, attrs, type } = node;
    const { call, line } = this.#writer.originOf(node);
    return this.add({
      kind: "source",
      op: op as SourceOp,
      attrs,
      inputs: NO_INPUTS,
      types: [denseOf(type)],
      call,
      line,
    });
  }
}
