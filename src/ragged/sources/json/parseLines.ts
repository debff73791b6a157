// Lines of JSON as layouts, and their type found from some of them. In: whole lines. Out: a layout of the narrowed form.
// Must hold: a line that is no JSON or does not fit is a LineMisfit that says where the line begins.

import { everything, type Form, withChildren } from "../../../core/form/form.ts";
import { integerRange } from "../../../core/numbers.ts";
import { Slot } from "../../io/builder.ts";
import { formOf, type Layout } from "../../layout/layout.ts";
import { type Numbered, numbered } from "../source.ts";
import { Cursor, Misfit } from "./cursor.ts";
import type { ColumnOptions } from "./jsonColumn.ts";
import { columnFor } from "./jsonColumns.ts";
import { forEachLine } from "./lines.ts";

/** What is wrong with the line that begins at an offset of the bytes. */
export class LineMisfit extends Misfit {
  readonly offset: number;

  constructor(cause: Misfit, offset: number) {
    super(cause.message, cause.path);
    this.offset = offset;
  }
}

export function parseLines(bytes: Uint8Array, node: Numbered, options: ColumnOptions): Layout {
  const column = columnFor(node, options);
  const cursor = new Cursor(bytes);
  forEachLine(bytes, (start, end) => {
    cursor.line(start, end);
    try {
      column.take(cursor);
      cursor.finish();
    } catch (cause) {
      throw cause instanceof Misfit ? new LineMisfit(cause, start) : cause;
    }
    return undefined;
  });
  return column.finish();
}

const decoder = new TextDecoder();

/** The form of the first lines; null when there are none. */
export function inferForm(bytes: Uint8Array, rows: number): Form | null {
  const slot = new Slot(0);
  forEachLine(bytes, (start, end) => {
    try {
      slot.push(JSON.parse(decoder.decode(bytes.subarray(start, end))));
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      throw new LineMisfit(new Misfit(`this is no JSON: ${cause.message}`), start);
    }
    return slot.length < rows;
  });
  return slot.length === 0 ? null : withPoints(formOf(slot.finish()), bytes);
}

/**
 * Numbers of which one is written as 2.0 are floats, whether or not all are whole; and whole numbers are integers,
 * however long, as long as 64 bits hold them.
 */
function withPoints(form: Form, bytes: Uint8Array): Form {
  const tree = numbered(form);
  const floats = new Set<number>();
  const onNumber: ColumnOptions["onNumber"] = ({ at }, cursor, start) => {
    if (cursor.hasPoint || !fitsInteger(cursor.wholeFrom(start))) floats.add(at);
  };
  try {
    parseLines(bytes, tree, { need: everything(form), isStrict: false, onNumber });
  } catch (cause) {
    // Lines after those that the type was found from need not fit.
    if (!(cause instanceof LineMisfit)) throw cause;
  }
  const visit = ({ form: node, at, children }: Numbered): Form =>
    node.kind === "numpy" && node.dtype !== "bool"
      ? { ...node, dtype: floats.has(at) ? "float64" : "int64" }
      : withChildren(node, children.map(visit));
  return visit(tree);
}

const [LEAST, MOST] = integerRange("int64");

const fitsInteger = (whole: bigint | null): boolean => whole !== null && whole >= LEAST && whole <= MOST;
