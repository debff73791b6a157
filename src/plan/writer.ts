// The plan under construction: arrays and operations in order, and where each expression's value is.

import type { Resource } from "../core/attrs.ts";
import { type ChunkShape, gridOf } from "../core/chunks.ts";
import { chunksOf } from "../expr/chunks.ts";
import type { Expr } from "../expr/expr.ts";
import type { ArrayType } from "../expr/op.ts";
import { type Origin, originOf, type SiteOf, siteOfNode } from "./origin.ts";
import type { Operation, OperationOutput, OpStep, PlanArray, PlanData, PlanStep, ValueRef } from "./plan.ts";

export interface Lowered {
  readonly data: PlanData;
  readonly sources: ReadonlyMap<string, Resource>;
}

/** What lowering may know of the run: none of it changes what is computed, but for the order of sums. */
export interface LowerSettings {
  /** Bytes that one task may use. */
  readonly allowedMem?: number | undefined;
  /** How many tasks can run at once. */
  readonly workers?: number | undefined;
  /** How many states of a reduction one task combines; chosen where it is not said. */
  readonly splitEvery?: number | undefined;
}

/** Collects arrays and operations, and knows where each expression's value is. */
export class PlanWriter {
  readonly #arrays: PlanArray[] = [];
  readonly #operations: Operation[] = [];
  readonly #places = new Map<Expr, string>();
  readonly #types = new Map<string, PlanArray>();
  readonly #sources = new Map<string, Resource>();

  readonly #siteOf: SiteOf;

  readonly settings: LowerSettings;

  constructor(siteOf: SiteOf = siteOfNode, settings: LowerSettings = {}) {
    this.#siteOf = siteOf;
    this.settings = settings;
  }

  originOf(node: Expr): Origin {
    return originOf(this.#siteOf(node));
  }

  source(node: Expr, resource: Resource): void {
    const name = this.array(node.type, chunksOf(node), "source");
    this.#places.set(node, name);
    this.#sources.set(name, resource);
  }

  array(type: ArrayType, chunks: ChunkShape, role: PlanArray["role"], inner?: ChunkShape): string {
    const name = `a${this.#arrays.length}`;
    const parts = inner === undefined ? {} : { inner };
    const array: PlanArray = { name, dtype: type.dtype, shape: type.shape, chunks, role, ...parts };
    this.#arrays.push(array);
    this.#types.set(array.name, array);
    return array.name;
  }

  arrayNamed(name: string): PlanArray {
    return this.#types.get(name)!;
  }

  place(node: Expr, array: string): void {
    this.#places.set(node, array);
  }

  /** An operation with one step of the table, reading its inputs. */
  single(node: Expr, kind: OpStep["kind"], role: PlanArray["role"]): void {
    const steps = new StepList(this);
    const inputs = node.inputs.map((input) => steps.valueOf(input));
    const { op, attrs, type } = node;
    const value = steps.add({ kind, op: op.name, attrs, inputs, types: [type], ...this.originOf(node) });
    const array = this.array(type, chunksOf(node), role);
    this.place(node, array);
    this.operation(steps, [{ array, value }]);
  }

  /** A source that is asked for as it is. */
  result(node: Expr): void {
    const steps = new StepList(this);
    const value = steps.valueOf(node);
    const array = this.array(node.type, chunksOf(node), "result");
    this.operation(steps, [{ array, value }]);
    this.place(node, array);
  }

  operation(steps: StepList, outputs: readonly OperationOutput[]): void {
    const { shape, chunks } = this.arrayNamed(outputs[0]!.array);
    const name = `op-${String(this.#operations.length + 1).padStart(3, "0")}`;
    this.#operations.push({ name, grid: gridOf(shape, chunks), steps: steps.steps, outputs });
  }

  placeOf(node: Expr): string | undefined {
    return this.#places.get(node);
  }

  finish(roots: readonly Expr[]): Lowered {
    const results = roots.map((root) => this.#places.get(root)!);
    return { data: { arrays: this.#arrays, operations: this.#operations, results }, sources: this.#sources };
  }
}

/** The steps of one operation under construction. */
export class StepList {
  readonly steps: PlanStep[] = [];
  readonly #writer: PlanWriter;

  constructor(writer: PlanWriter) {
    this.#writer = writer;
  }

  add(step: PlanStep): ValueRef {
    return { step: this.steps.push(step) - 1, component: 0 };
  }

  read(array: string): ValueRef {
    const { dtype, shape } = this.#writer.arrayNamed(array);
    return this.add({ kind: "read", array, inputs: [], types: [{ dtype, shape }] });
  }

  /** A stored array is read, anew for every use: each has its own window. A source without storage is computed here. */
  valueOf(node: Expr): ValueRef {
    const array = this.#writer.placeOf(node);
    return array === undefined ? this.#source(node) : this.read(array);
  }

  #source(node: Expr): ValueRef {
    const { op, attrs, type } = node;
    return this.add({
      kind: "source",
      op: op.name,
      attrs,
      inputs: [],
      types: [type],
      ...this.#writer.originOf(node),
    });
  }
}
