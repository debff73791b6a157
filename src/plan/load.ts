// Plans from JSON, checked all the way: every name, every number, every reference. In: anything. Out: a plan that is
// as good as one made here, or an error that says where it is not. Nothing in it is ever evaluated as code.

import type { Attr, Attrs } from "../core/block.ts";
import { describe, isLength, type Shape, sameShape, sizeOf } from "../core/chunks.ts";
import { type DType, isDType } from "../core/dtype.ts";
import { ChunkwiseError, ValueError } from "../core/errors.ts";
import { formOfJson } from "../core/form/formJson.ts";
import { Complex } from "../core/numbers.ts";
import type { Transfer } from "../core/transfer.ts";
import {
  type ArrayType,
  arrayTypeText,
  assertDense,
  type DenseType,
  denseType,
  extentOf,
  inferType,
  itemType,
  type Op,
  type RaggedType,
  raggedType,
  sameType,
} from "../expr/op.ts";
import type { OpTable } from "../ops/table.ts";
import {
  type DensePlanArray,
  gridOfArray,
  type Operation,
  type OperationOutput,
  type OpStep,
  type PlanArray,
  type PlanData,
  type PlanStep,
  type ValueRef,
} from "./plan.ts";
import type { FindResource, Json } from "./planJson.ts";
import { memoryOf, totalMemory } from "./taskMemory.ts";

/** A plan that cannot be one. */
export class PlanError extends ChunkwiseError {}

type Fields = { readonly [name: string]: Json };

function wrong(where: string, what: string): PlanError {
  return new PlanError({ where, what, cure: "Load a plan that was saved by this version, unchanged" });
}

function fields(json: Json | undefined, where: string): Fields {
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as Fields;
  throw wrong(where, `${describe(json)} is not an object`);
}

function list(json: Json | undefined, where: string): readonly Json[] {
  if (Array.isArray(json)) return json as readonly Json[];
  throw wrong(where, `${describe(json)} is not a list`);
}

function text(json: Json | undefined, where: string): string {
  if (typeof json === "string") return json;
  throw wrong(where, `${describe(json)} is not a text`);
}

function flag(json: Json | undefined, where: string): boolean {
  if (typeof json === "boolean") return json;
  throw wrong(where, `${describe(json)} is neither true nor false`);
}

function whole(json: Json | undefined, where: string, below = Number.MAX_SAFE_INTEGER): number {
  if (isLength(json) && json < below) return json;
  throw wrong(where, `${describe(json)} is not a whole number from 0 to ${below - 1}`);
}

const lengths = (json: Json | undefined, where: string): Shape =>
  list(json, where).map((item) => whole(item, where));

function typeOf(json: Json | undefined, where: string): ArrayType {
  const given = fields(json, where);
  switch (given["kind"]) {
    case "dense":
      return denseTypeOf(given, where);
    case "ragged":
      return raggedTypeOf(given, where);
    default:
      throw wrong(where, `${describe(given["kind"])} is not a kind of array`);
  }
}

function denseTypeOf({ dtype, shape }: Fields, where: string): DenseType {
  if (!isDType(dtype)) throw wrong(where, `${describe(dtype)} is not a data type`);
  const checked = lengths(shape, where);
  if (!Number.isSafeInteger(sizeOf(checked))) throw wrong(where, `the shape [${checked}] is too large`);
  return denseType(dtype as DType, checked);
}

function raggedTypeOf({ form, isItem, partitions }: Fields, where: string): RaggedType {
  const read = meaningful(where, () => formOfJson(form));
  const count = whole(partitions, where);
  if (!flag(isItem, where)) return raggedType(read, count);
  if (count !== 1) throw wrong(where, `one value is in ${count} partitions`);
  return itemType(read);
}

/** What a plan in JSON names: ops, and things in memory that steps need. */
export interface PlanNames {
  readonly ops: Pick<OpTable, "named">;
  readonly find: FindResource;
}

export function planFromJson(json: unknown, names: PlanNames): PlanData {
  const { arrays, operations, results } = fields(json as Json, "plan");
  const loaded = list(arrays, "plan.arrays").map(arrayFrom);
  const byName = new Map(loaded.map((array) => [array.name, array]));
  if (byName.size !== loaded.length) throw wrong("plan.arrays", "two arrays have one name");
  const loader = new OperationLoader(byName, names);
  const made = list(operations, "plan.operations").map((operation, i) =>
    meaningful(`plan.operations[${i}]`, () => loader.load(operation, `plan.operations[${i}]`)),
  );
  const asked = list(results, "plan.results").map((name, i) => {
    const result = byName.get(text(name, `plan.results[${i}]`));
    if (result?.role === "result") return result.name;
    throw wrong(`plan.results[${i}]`, `${describe(name)} is no result`);
  });
  return { arrays: loaded, operations: made, results: asked };
}

/** A plan that somebody else may have written: its tasks can be made, too. That of the own process can. */
export function foreignPlan(json: unknown, names: PlanNames): PlanData {
  const plan = planFromJson(json, names);
  const byName = new Map(plan.arrays.map((array) => [array.name, array]));
  for (const operation of plan.operations) checkCompiles(operation, byName);
  return plan;
}

/** Attributes mean something to their ops alone: what they cannot make tasks of is not a plan. */
function checkCompiles(operation: Operation, arrays: ReadonlyMap<string, PlanArray>): void {
  const bytes = meaningful(operation.name, () => totalMemory(memoryOf(operation, arrays)));
  if (!Number.isFinite(bytes)) throw wrong(operation.name, "its tasks have no size");
}

function meaningful<T>(where: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof PlanError ? error : wrong(where, `it makes no sense: ${(error as Error).message}`);
  }
}

function arrayFrom(json: Json, i: number): PlanArray {
  const where = `plan.arrays[${i}]`;
  const given = fields(json, where);
  const { role } = given;
  const type = typeOf(given, where);
  const chunks = lengths(given["chunks"], where);
  const shape = extentOf(type);
  if (chunks.length !== shape.length || chunks.some((length) => length < 1))
    throw wrong(where, `chunks [${chunks}] do not fit the shape [${shape}]`);
  if (role !== "source" && role !== "intermediate" && role !== "result")
    throw wrong(where, `${describe(role)} is not a role`);
  const base = { name: text(given["name"], where), chunks, role } as const;
  switch (type.kind) {
    case "dense":
      return { ...base, ...type, ...storageFrom(given, chunks, where) };
    case "ragged":
      if (chunks[0] !== 1) throw wrong(where, `${chunks[0]} partitions are taken together`);
      return { ...base, ...type, partitionBytes: whole(given["partitionBytes"], where) };
    default:
      throw type satisfies never;
  }
}

function storageFrom(
  { inner, transfer }: Fields,
  chunks: Shape,
  where: string,
): Pick<DensePlanArray, "inner" | "transfer"> {
  const parts = inner === undefined ? {} : { inner: lengths(inner, where) };
  if (
    "inner" in parts &&
    (parts.inner.length !== chunks.length || parts.inner.some((n, axis) => n < 1 || n > chunks[axis]!))
  )
    throw wrong(where, `parts [${parts.inner}] do not fit chunks [${chunks}]`);
  const stored = transfer === undefined ? {} : { transfer: transferFrom(transfer, chunks.length, where) };
  return { ...parts, ...stored };
}

function transferFrom(json: Json, dims: number, where: string): Transfer {
  const { unit, atOnce, ...bytes } = fields(json, where);
  const lengthsOfUnit = lengths(unit, where);
  if (lengthsOfUnit.length !== dims || lengthsOfUnit.some((n) => n < 1) || whole(atOnce, where) < 1)
    throw wrong(where, "the transfer of its storage makes no sense");
  const known = Object.fromEntries(TRANSFER_BYTES.map((name) => [name, whole(bytes[name], where)]));
  const strange = Object.keys(bytes).find((name) => !(name in known));
  if (strange !== undefined) throw wrong(where, `there is no field ${strange}`);
  return { unit: lengthsOfUnit, atOnce: whole(atOnce, where), ...known } as unknown as Transfer;
}

const TRANSFER_BYTES = ["encoded", "aside", "decoding", "encoding", "padded"] as const;

class OperationLoader {
  readonly #arrays: ReadonlyMap<string, PlanArray>;
  readonly #names: PlanNames;
  /** Arrays that can be read so far: sources, and what operations before this one made. */
  readonly #readable: Set<string>;

  constructor(arrays: ReadonlyMap<string, PlanArray>, names: PlanNames) {
    this.#arrays = arrays;
    this.#names = names;
    this.#readable = new Set(
      [...arrays.values()].flatMap(({ name, role }) => (role === "source" ? [name] : [])),
    );
  }

  load(json: Json, where: string): Operation {
    const { name, grid, steps, outputs, ...rest } = fields(json, where);
    const loaded: PlanStep[] = [];
    for (const [i, step] of list(steps, `${where}.steps`).entries())
      loaded.push(this.#step(fields(step, `${where}.steps[${i}]`), loaded, `${where}.steps[${i}]`));
    const made = list(outputs, `${where}.outputs`).map((output, i) =>
      this.#output(output, loaded, `${where}.outputs[${i}]`),
    );
    if (made.length === 0) throw wrong(where, "it has no outputs");
    const places = lengths(grid, `${where}.grid`);
    for (const { array } of made) this.#checkGrid(array, places, where);
    for (const { array } of made) this.#readable.add(array);
    if (Object.keys(rest).length > 0) throw wrong(where, `there is no field ${Object.keys(rest)[0]}`);
    return { name: text(name, where), grid: places, steps: loaded, outputs: made };
  }

  #checkGrid(name: string, places: Shape, where: string): void {
    const grid = gridOfArray(this.#arrays.get(name)!);
    if (sameShape(grid, places)) return;
    throw wrong(where, `the grid [${places}] is not that of ${name}, [${grid}]`);
  }

  #output(json: Json, steps: readonly PlanStep[], where: string): OperationOutput {
    const { array, value } = fields(json, where);
    const found = this.#arrays.get(text(array, where));
    if (found === undefined || found.role === "source" || this.#readable.has(found.name))
      throw wrong(where, `${describe(array)} cannot be written here`);
    const ref = refFrom(value, steps, where);
    checkSame(steps[ref.step]!.types[ref.component]!, found, where);
    return { array: found.name, value: ref };
  }

  #step(json: Fields, steps: readonly PlanStep[], where: string): PlanStep {
    const { kind, call, line, inputs: refs, types: listed } = json;
    const inputs = list(refs, where).map((ref) => refFrom(ref, steps, where));
    const types = list(listed, where).map((type) => typeOf(type, where));
    if (types.length === 0) throw wrong(where, "it has no types");
    const origin = {
      ...(call === undefined ? {} : { call: text(call, where) }),
      ...(line === undefined ? {} : { line: text(line, where) }),
    };
    if (kind === "read") {
      const isShared = json["isShared"] !== undefined && flag(json["isShared"], where);
      const read = { kind, array: this.#read(json, types[0]!, where), inputs, types, ...origin } as const;
      return isShared ? { ...read, isShared } : read;
    }
    const op = this.#names.ops.named(text(json["op"], where));
    const attrs = this.#attrs(json["attrs"], where);
    const common = { attrs, inputs, ...origin };
    switch (kind) {
      case "source":
      case "elementwise":
      case "move":
      case "contract":
      case "routine":
      case "ragged": {
        if (op.class !== kind) throw wrongClass(where, op, kind);
        const given = inputs.map(({ step, component }) => steps[step]!.types[component]!);
        checkSame(types[0]!, inferType(op, given, attrs), where);
        return { kind, op, ...common, types } as OpStep;
      }
      case "reduce":
        if (op.class !== "reduce" && op.class !== "scan") throw wrongClass(where, op, kind);
        assertDense(types);
        return { kind, op, ...common, types, ...reduceFields(json, where) };
      case "scan":
        if (op.class !== "scan") throw wrongClass(where, op, kind);
        assertDense(types);
        return {
          ...{ kind, op, ...common, types, exclusive: flag(json["exclusive"], where) },
          axis: whole(json["axis"], where, types[0]!.shape.length),
          group: groupFrom(json["group"], where),
        };
      default:
        throw wrong(where, `${describe(kind)} is not a kind of step`);
    }
  }

  #read(json: Fields, type: ArrayType, where: string): string {
    const name = text(json["array"], where);
    if (!this.#readable.has(name)) throw wrong(where, `${describe(name)} cannot be read here`);
    checkSame(type, this.#arrays.get(name)!, where);
    return name;
  }

  #attrs(json: Json | undefined, where: string): Attrs {
    const entries = Object.entries(fields(json, where));
    return Object.fromEntries(entries.map(([name, value]) => [name, this.#attr(value, `${where}.${name}`)]));
  }

  #attr(json: Json, where: string): Attr {
    if (Array.isArray(json)) return (json as readonly Json[]).map((item) => this.#attr(item, where));
    if (typeof json !== "object" || json === null) return json as Attr;
    const entries = Object.entries(json as Fields);
    const [[tag, value] = ["", null]] = entries;
    if (entries.length !== 1) throw wrong(where, `${describe(json)} is not an attribute`);
    if (tag === "$number") return numberFrom(value, where);
    if (tag === "$bigint" && /^-?\d{1,40}$/.test(String(value))) return BigInt(String(value));
    if (tag === "$complex") {
      const [re, im] = list(value, where).map((part) => numberFrom(part, where));
      return new Complex(re ?? 0, im ?? 0);
    }
    if (tag === "$reference") return this.#names.find(value);
    throw wrong(where, `${describe(json)} is not an attribute`);
  }
}

/** One of no places would never end. */
function groupFrom(json: Json | undefined, where: string): number {
  const group = whole(json, where);
  if (group < 1) throw wrong(where, "a group is empty");
  return group;
}

const wrongClass = (where: string, op: Op, kind: string): PlanError =>
  wrong(where, `${op.name} is of class ${op.class}, not ${kind}`);

function numberFrom(json: Json, where: string): number {
  const known = /^(-?Infinity|NaN|-?\d+(\.\d+)?(e[+-]?\d+)?)$/.test(String(json));
  if (known) return Number(json);
  throw wrong(where, `${describe(json)} is not a number`);
}

function reduceFields(
  json: Fields,
  where: string,
): { axes: number[]; group: number[]; lifts: boolean; finishes: boolean; whole: DenseType } {
  const type = denseTypeOf(fields(json["whole"], where), where);
  const axes = list(json["axes"], where).map((axis) => whole(axis, where, type.shape.length));
  const group = list(json["group"], where).map((size) => whole(size, where));
  if (axes.length !== group.length) throw wrong(where, "axes and groups are not as many");
  if (group.some((size, k) => size === 0 && type.shape[axes[k]!]! > 0))
    throw wrong(where, "a group is empty");
  const flags = { lifts: flag(json["lifts"], where), finishes: flag(json["finishes"], where) };
  return { axes, group, ...flags, whole: type };
}

function refFrom(json: Json | undefined, steps: readonly PlanStep[], where: string): ValueRef {
  const { step, component } = fields(json, where);
  const at = whole(step, where, steps.length);
  return { step: at, component: whole(component, where, steps[at]!.types.length) };
}

function checkSame(a: ArrayType, b: ArrayType, where: string): void {
  if (sameType(a, b)) return;
  throw wrong(where, `${arrayTypeText(a)} stands where ${arrayTypeText(b)} belongs`);
}

/** For plans whose steps refer to nothing outside. */
export const noResources: FindResource = (reference) => {
  throw new ValueError({ where: "plan", what: `there is nothing for the reference ${describe(reference)}` });
};
