// One row of a layout as what it is: a list becomes an array, anything else is one value. In: a layout of one row (of
// none, when it is a probe). Out: an array or an item. Which of them depends on the form alone: a list that may be
// null is an item.

import { AxisError } from "../../core/errors.ts";
import { isList, type Plain } from "../layout/layout.ts";
import { viewOf } from "../layout/lists.ts";
import { Item } from "./op.ts";

export function unwrapRow(rows: Plain): Plain | Item {
  return isList(rows) ? viewOf(rows).content : new Item(rows);
}

/** Whole numbers of lists, negative ones counted from the end; an error where there is no such axis. */
export function checkCount(value: unknown, name: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new AxisError({ what: `${name} is ${String(value)}`, cure: "Use a whole number, 0 or more" });
}
