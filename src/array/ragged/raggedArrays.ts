// Ragged arrays in users' hands: in memory (RaggedArray), and lazy, in partitions (LazyRagged). Every function takes
// both: in memory it works at once, on anything lazy it gives a lazy array. Methods are installed by methods.ts.

import { countText } from "../../core/counts.ts";
import { ValueError } from "../../core/errors.ts";
import type { Form } from "../../core/form/form.ts";
import { typeText } from "../../core/form/typeText.ts";
import type { Expr } from "../../expr/expr.ts";
import { type RaggedType, raggedOf } from "../../expr/op.ts";
import { exprText } from "../../expr/print.ts";
import { currentSite, type Site } from "../../expr/site.ts";
import type { OtherArray } from "../../lazy/lazyArray.ts";

import {
  fieldsOf,
  formOf,
  type Layout,
  type Plain,
  plain,
  plainForm,
  plainProbe,
  toList,
} from "../../ragged/index.ts";
import { areKnown, rowsOfExpr } from "../../ragged/lazy/partitionRows.ts";

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
