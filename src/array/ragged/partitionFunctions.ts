// Partitions in users' hands: cut anew, and worked on by functions of their own. A function that can be traced (called
// once with lazy arrays of no rows) says which columns it needs; one that cannot is given all of its arguments.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import type { Form } from "../../core/form/form.ts";
import { parseElementType } from "../../core/form/parseType.ts";
import { typeText } from "../../core/form/typeText.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import { raggedOf } from "../../expr/op.ts";
import { userCall } from "../../lazy/call.ts";
import { plainForm, plainProbe, probeOf } from "../../ragged/index.ts";
import { areKnown, rowsOfExpr } from "../../ragged/lazy/partitionRows.ts";
import type { TracedCall } from "../../ragged/lazy/project.ts";
import { MemorySource } from "../../ragged/sources/memorySource.ts";
import { type FunctionReference, FunctionResource, type UserFunction } from "../../runtime/userFunctions.ts";
import { ModuleFunction } from "../functions/userFunction.ts";
import { aligned, recut } from "./apply.ts";
import { mapOp } from "./mapOp.ts";
import {
  asLazyRagged,
  asRagged,
  LazyRagged,
  lazyOf,
  type Ragged,
  RaggedArray,
  type RaggedInput,
} from "./raggedArrays.ts";

export type { PartitionInfo } from "./mapOp.ts";

/** A function of one partition of each array. In memory it gets arrays in memory; while it is traced, lazy ones. */
export type PartitionFunction = (...args: never[]) => unknown;

/** Options of `rg.mapPartitions`. */
export interface MapPartitionsOptions {
  /** The type of a row of the result, as "var * float64", or its form. Found by tracing unless given. */
  readonly type?: string | Form | undefined;
}

/** A user's function with what tracing found out. */
class TracedFunction extends FunctionResource {
  readonly traced: TracedCall;

  constructor(run: UserFunction | null, source: FunctionReference | null, traced: TracedCall) {
    super(run, source, null);
    this.traced = traced;
  }
}

/**
 * Applies a function to each partition of the arrays: `rg.mapPartitions((part: rg.RaggedArray) => part.multiply(2),
 * x)`.
 */
export const mapPartitions: (
  fn: PartitionFunction | ModuleFunction,
  arrays: RaggedInput | readonly RaggedInput[],
  options?: MapPartitionsOptions,
) => LazyRagged = userCall(
  "mapPartitions",
  (
    fn: PartitionFunction | ModuleFunction,
    arrays: RaggedInput | readonly RaggedInput[],
    options: MapPartitionsOptions = {},
  ) => {
    const isList = Array.isArray(arrays) && arrays.some((array) => array instanceof LazyRagged);
    const list = (isList ? (arrays as readonly RaggedInput[]) : [arrays as RaggedInput])
      .map(asRagged)
      .map(asLazyRagged);
    const inputs = aligned(list);
    const traced = tracedCall(fn, inputs);
    const form = formGiven(options.type) ?? traced.form ?? probedForm(fn, inputs, traced.failure);
    const resource =
      fn instanceof ModuleFunction
        ? new TracedFunction(null, fn.source, traced)
        : new TracedFunction(fn as UserFunction, null, traced);
    return new LazyRagged(makeExpr(mapOp, inputs, { function: resource, type: typeText(plainForm(form)) }));
  },
  [2, "type"],
);

function formGiven(type: string | Form | undefined): Form | null {
  if (type === undefined) return null;
  return typeof type === "string" ? parseElementType(type) : type;
}

/** The function on lazy arrays of no rows: the expression it makes, or why it makes none. */
function tracedCall(
  fn: PartitionFunction | ModuleFunction,
  inputs: readonly Expr[],
): TracedCall & { form: Form | null } {
  const none = { placeholders: [], result: null, form: null };
  if (fn instanceof ModuleFunction)
    return { ...none, failure: "functions of modules are not called before the run" };
  if (typeof fn !== "function")
    throw new ValueError({
      what: `${describe(fn)} is not a function`,
      cure: "Pass a function of partitions, or moduleFunction(url, name)",
    });
  const placeholders = inputs.map(({ type }) =>
    lazyOf(new MemorySource([probeOf(plainForm(raggedOf(type).form))])),
  );
  try {
    const result = (fn as (...args: unknown[]) => unknown)(...placeholders, { partition: 0 });
    if (!(result instanceof LazyRagged))
      return { ...none, failure: `it gives ${describe(result)} for lazy arrays` };
    return {
      ...{ placeholders: placeholders.map(({ expr }) => expr), result: result.expr },
      ...{ form: plainForm(result.form), failure: null },
    };
  } catch (error) {
    return { ...none, failure: error };
  }
}

/** By calling it with arrays of no rows. */
function probedForm(fn: PartitionFunction | ModuleFunction, inputs: readonly Expr[], failure: unknown): Form {
  try {
    if (fn instanceof ModuleFunction) throw failure;
    const arrays = inputs.map(({ type }) => new RaggedArray(plainProbe(raggedOf(type).form)));
    const given = (fn as (...args: unknown[]) => unknown)(...arrays, { partition: 0 });
    if (given instanceof RaggedArray) return given.form;
    throw new ValueError({ what: `it gives ${describe(given)}` });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ValueError({
      what: `nobody can foretell what the function gives: ${why}`,
      cure: 'Say it: mapPartitions(fn, x, {type: "var * float64"})',
    });
  }
}

/** Options of `rg.repartition`: so many partitions, partitions of so many rows, or cuts at these rows. */
export type RepartitionOptions =
  | { readonly npartitions: number }
  | { readonly rows: number }
  | { readonly divisions: readonly number[] };

/**
 * Cuts an array anew: into so many partitions, into partitions of so many rows, or at these rows: `rg.repartition(x,
 * {rows: 100_000})`.
 */
export const repartition: (array: Ragged, options: RepartitionOptions) => LazyRagged = userCall(
  "repartition",
  (input: Ragged, options: RepartitionOptions) => {
    const array = asLazyRagged(asRagged(input));
    const rows = rowsOfExpr(array.expr);
    if (!areKnown(rows))
      throw new ValueError({
        what: "nobody knows how many rows the partitions have before computing",
        cure: "Repartition before rows are dropped, or write the array and open it again",
      });
    const total = rows.reduce((sum, n) => sum + n, 0);
    const to = cutsOf(total, options);
    const isSame = to.length === rows.length && to.every((n, i) => n === rows[i]);
    return isSame ? array : new LazyRagged(recut(array.expr, rows, to));
  },
  [1, "npartitions", "rows", "divisions"],
);

function cutsOf(total: number, options: RepartitionOptions): number[] {
  const given = Object.entries(options ?? {}).filter(([, value]) => value !== undefined);
  if (given.length !== 1)
    throw new ValueError({
      what: `${describe(options)} does not say how`,
      cure: "Use one of npartitions, rows and divisions",
    });
  const [[name, value]] = given as [[string, unknown]];
  if (name === "divisions") return divided(total, value);
  if (!Number.isSafeInteger(value) || (value as number) < 1)
    throw new ValueError({ what: `${name} is ${describe(value)}`, cure: "Use a whole number of 1 or more" });
  const count =
    name === "npartitions" ? (value as number) : Math.max(1, Math.ceil(total / (value as number)));
  const bound = (i: number): number =>
    name === "npartitions" ? Math.floor((i * total) / count) : Math.min(total, i * (value as number));
  return Array.from({ length: count }, (_, i) => bound(i + 1) - bound(i));
}

function divided(total: number, value: unknown): number[] {
  const bounds = value as readonly number[];
  const isRight =
    Array.isArray(value) &&
    value.length >= 2 &&
    value.every((n, i) => Number.isSafeInteger(n) && (i === 0 ? n === 0 : n >= value[i - 1])) &&
    value.at(-1) === total;
  if (isRight) return bounds.slice(1).map((stop, i) => stop - bounds[i]!);
  throw new ValueError({
    what: `divisions are ${describe(value)}`,
    cure: `They go from 0 to ${total}, and never back`,
  });
}
