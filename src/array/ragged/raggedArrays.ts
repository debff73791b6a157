// Ragged arrays in users' hands: in memory (RaggedArray), and lazy, in partitions (LazyRagged). Every function takes
// both: in memory it works at once, on anything lazy it gives a lazy array. Methods are installed by methods.ts.

import { describe, type Shape } from "../../core/chunks.ts";
import { countText } from "../../core/counts.ts";
import { isTypedArray } from "../../core/dtype.ts";
import { DTypeError, ShapeError, ValueError } from "../../core/errors.ts";
import type { Form } from "../../core/form/form.ts";
import { logicalOf, logicalText } from "../../core/form/logical.ts";
import { typeText } from "../../core/form/typeText.ts";
import { isScalar, type Scalar } from "../../core/numbers.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import { type RaggedType, raggedOf } from "../../expr/op.ts";
import { exprText } from "../../expr/print.ts";
import { currentSite, type Site } from "../../expr/site.ts";
import { LazyArray, type OtherArray } from "../../lazy/lazyArray.ts";
import { NDArray } from "../../lazy/ndarray.ts";
import { partitioned } from "../../ops/partitions.ts";
import {
  fieldsOf,
  formOf,
  fromIter,
  fromNumpy,
  get,
  type Layout,
  layouts,
  type Plain,
  plain,
  plainForm,
  plainProbe,
  toList,
} from "../../ragged/index.ts";
import { denseOfUncounted, denseRows, fromDense } from "../../ragged/lazy/dense.ts";
import { areKnown, rowsOfExpr } from "../../ragged/lazy/partitionRows.ts";
import { nodeOfRecord, Reading } from "../../ragged/lazy/placewise.ts";
import { MemorySource } from "../../ragged/sources/memorySource.ts";
import type { RaggedSource } from "../../ragged/sources/source.ts";

/** What `toList` and single values give. */
export type RaggedValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | object
  | readonly RaggedValue[];

/** What functions of the op table give when they are called with nested arrays (twins.ts). */
interface TwinResults {
  readonly array: RaggedArray;
  readonly value: RaggedValue;
  readonly lazy: { readonly array: LazyRagged; readonly value: LazyItem };
}

/**
 * Rows of nested data in memory, as `rg.fromIter([[1, 2], []])` gives: a `RaggedArray`, with `x.type`, `x.toList()` and
 * methods such as `x.sum({axis: 1})`.
 */
export class RaggedArray {
  readonly layout: Plain;

  /** From a layout; functions such as fromIter make one of data. */
  constructor(layout: Layout) {
    this.layout = plain(layout);
  }

  get length(): number {
    return this.layout.length;
  }
  get form(): Form {
    return formOf(this.layout);
  }
  /** As text: `3 * var * {pt: float32, q: ?int64}`. */
  get type(): string {
    return `${this.length} * ${typeText(this.form)}`;
  }
  /** Names of the fields of records, at whatever depth they begin. */
  get fields(): readonly string[] {
    return fieldsOf(plainProbe(this.form));
  }

  /** Nested lists, objects for records. */
  toList(): RaggedValue[] {
    return toList(this.layout) as RaggedValue[];
  }

  /** JSON.stringify writes its values. */
  toJSON(): RaggedValue[] {
    return this.toList();
  }
  toString(): string {
    return `RaggedArray ${this.type}`;
  }
}

/**
 * Rows of nested data that are computed when they are asked for, partition by partition; or one value. `rg.lazy(x)` and
 * `await rg.fromParquet("events.parquet")` give a `LazyRagged`.
 */
export class LazyRagged {
  readonly expr: Expr;
  /** The expression's. */
  readonly #type: RaggedType;
  /** The user's call that made it. */
  readonly site: Site | null;

  /** Expressions come from this library only. */
  constructor(expr: Expr) {
    if (expr.type.kind === "dense")
      throw new ValueError({
        where: "LazyRagged",
        what: "this is no ragged expression",
        cure: "Use fromParquet, fromIter or lazy",
      });
    this.expr = expr;
    this.#type = expr.type;
    this.site = currentSite();
  }

  get form(): Form {
    return this.#type.form;
  }
  /** True when it is one value, and not rows. */
  get isItem(): boolean {
    return this.#type.isItem;
  }
  get npartitions(): number {
    return this.#type.partitions;
  }
  /** Rows before each partition and in all, where they are known before computing; else null. */
  get divisions(): readonly number[] | null {
    const rows = rowsOfExpr(this.expr);
    if (!areKnown(rows)) return null;
    let total = 0;
    return [0, ...rows.map((n) => (total += n))];
  }
  /** As text; `?` where the number of rows is not known. */
  get type(): string {
    const text = typeText(plainForm(this.form));
    return this.isItem ? text : `${this.divisions?.at(-1) ?? "?"} * ${text}`;
  }
  get fields(): readonly string[] {
    return fieldsOf(plainProbe(this.form));
  }

  /** Its type and the operations. Computes nothing. */
  toString(): string {
    const cut = this.isItem ? "" : ` in ${countText(this.npartitions, "partition")}`;
    return `LazyRagged ${this.type}${cut}\n${exprText([this.expr], { indent: "  " })}`;
  }
  toJSON(): string {
    return this.toString();
  }
}

/**
 * One value that is computed when it is asked for: `rg.lazy(x).sum()` is a `LazyItem`, and `await
 * rg.lazy(x).sum().compute()` a number.
 */
export class LazyItem extends LazyRagged {
  override get isItem(): true {
    return true;
  }
}

/** The array, or the value, of an expression. */
export const lazyFrom = (expr: Expr): LazyRagged =>
  raggedOf(expr.type).isItem ? new LazyItem(expr) : new LazyRagged(expr);

/** Something else that is computed as rows, and is not an array: a histogram. */
export interface LazyResult<R> {
  readonly rows: LazyRagged;
  /** Of the rows that were computed. */
  resultOf(rows: RaggedArray): R;
}

interface Twins extends OtherArray {
  /** For types only. */
  readonly "~called"?: TwinResults;
}
export interface RaggedArray extends Twins {}
export interface LazyRagged extends Twins {}

for (const { prototype } of [RaggedArray, LazyRagged])
  Object.defineProperty(prototype, Symbol.for("nodejs.util.inspect.custom"), {
    value(this: { toString(): string }): string {
      return this.toString();
    },
  });

/** A ragged array, in memory or lazy. */
export type Ragged = RaggedArray | LazyRagged;

// Dense lazy arrays ⇄ lazy ragged ones.

/** Partitions are the chunks along the first axis. */
export function lazyFromDense(array: LazyArray): LazyRagged {
  if (array.ndim === 0)
    throw new ShapeError({ what: "an array without axes has no rows", cure: "Reshape it to [1]" });
  return new LazyRagged(makeExpr(fromDense, [array.expr], { rows: array.chunks[0]! }));
}

/** Of forms that are regular all the way down. Rows that nobody has counted are counted by a stage. */
export function lazyToDense(array: LazyRagged): LazyArray {
  const { shape: inner, leaf } = denseParts(plainForm(array.form));
  const rows = rowsOfExpr(array.expr);
  return new LazyArray(
    areKnown(rows) ? denseRows(array.expr, rows, leaf, inner) : denseOfUncounted(array.expr, leaf, inner),
  );
}

function denseParts(form: Form): { shape: Shape; leaf: import("../../core/dtype.ts").DType } {
  const logical = logicalOf(form);
  if (logical !== null)
    throw new ShapeError({
      what: `there are values of type ${logicalText(logical)}, which no dtype says`,
      cure: 'Use valuesAstype(x, "float64"), or "int64" for times as counts of their units',
    });
  if (form.kind === "numpy") return { shape: form.innerShape, leaf: form.dtype };
  if (form.kind === "regular") {
    const { shape, leaf } = denseParts(form.content);
    return { shape: [form.size, ...shape], leaf };
  }
  throw new ShapeError({
    what: `there are ${form.kind === "listOffset" ? "lists of any length" : `${form.kind} values`}`,
    cure: "Take fields that hold numbers; use toRegular for lists that are equally long, fillNone for nulls",
  });
}

// What may stand where a ragged array is expected: ragged arrays of both kinds, dense ones of both kinds, typed arrays
// and plain nested lists. In: what the user wrote. Out: ragged arrays.

/** What functions take for an array. */
export type RaggedInput = Ragged | NDArray | LazyArray | readonly unknown[] | ArrayBufferView;
/** The same, or a number that goes with every element. */
export type RaggedOperand = RaggedInput | Scalar | string | Date;

export function asRagged(value: unknown): Ragged {
  if (value instanceof RaggedArray || value instanceof LazyRagged) return value;
  if (value instanceof LazyArray) return lazyFromDense(value);
  if (value instanceof NDArray) return new RaggedArray(fromNumpy(value));
  if (isTypedArray(value)) return new RaggedArray(layouts.numpyOf(value));
  if (Array.isArray(value)) return new RaggedArray(fromIter(value));
  throw new DTypeError({
    what: `${describe(value)} is no array`,
    cure: "Pass a ragged array, a dense array or nested lists",
  });
}

export const isConstant = (value: unknown): value is Scalar | string =>
  typeof value === "string" || isScalar(value);

/** A Date as the text of its instant; anything else as it is. */
const asText = (value: unknown): unknown =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value;

/** A value of any type as one row, a tuple of it; beside a lazy array one value, which goes to all partitions. */
export function constantBeside(array: Ragged, value: unknown): Ragged {
  if (value === null || value === undefined)
    throw new ValueError({
      what: `the value is ${describe(value)}`,
      cure: "Use a number, a text, a list, a record",
    });
  const content =
    value instanceof RaggedArray
      ? layouts.listOf<Plain>(Int32Array.of(0, value.length), value.layout)
      : fromIter([value]);
  const row = new RaggedArray(layouts.recordOf<Layout>(null, [content], 1));
  if (array instanceof RaggedArray) return row;
  return new LazyItem(makeExpr(nodeOfRecord(get), [asLazyRagged(row).expr], { items: [0] }));
}

/** The partitions of a source, lazily. */
export const lazyOf = (source: RaggedSource): LazyRagged =>
  new LazyRagged(makeExpr(partitioned, [], { data: Reading.of(source) }));

const wrapped = new WeakMap<Layout, MemorySource>();

/** In one partition. The same array is the same source. */
export function asLazyRagged(array: Ragged): LazyRagged {
  if (array instanceof LazyRagged) return array;
  const source = wrapped.get(array.layout) ?? new MemorySource([array.layout]);
  wrapped.set(array.layout, source);
  return lazyOf(source);
}

/** Arrays and constants in the order of the arguments: null stands for the next array. */
export function splitOperands(given: readonly unknown[]): {
  arrays: Ragged[];
  operands: (ReturnType<typeof constantOf> | null)[];
} {
  const values = given.map(asText);
  const arrays = values.filter((value) => !isConstant(value)).map(asRagged);
  if (arrays.length > 0) return { arrays, operands: values.map(constantOf) };
  throw new ValueError({
    what: "there is no array among the arguments",
    cure: "Pass one ragged array at least",
  });
}

const constantOf = (value: unknown): Scalar | string | null => (isConstant(value) ? value : null);
