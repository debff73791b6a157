// What formulas of vectors call of an array: its fields, and arithmetic. Arrays in memory and lazy ones both have it, so that
// one text of a formula is for both. Formulas are independent of how arrays are made.

import type { NestedReduceOptions } from "../../../lazy/functionTypes.ts";

/** An array of numbers, or a number that goes with all of its elements. */
export type Operand = Column | number;

export interface Column {
  readonly fields: readonly string[];
  field(...path: readonly string[]): Column;
  valuesAstype(dtype: "float64"): Column;
  add(other: Operand): Column;
  subtract(other: Operand): Column;
  multiply(other: Operand): Column;
  divide(other: Operand): Column;
  remainder(other: Operand): Column;
  hypot(other: Operand): Column;
  atan2(other: Operand): Column;
  copysign(other: Operand): Column;
  maximum(other: Operand): Column;
  negative(): Column;
  reciprocal(): Column;
  sqrt(): Column;
  square(): Column;
  abs(): Column;
  exp(): Column;
  log(): Column;
  sin(): Column;
  cos(): Column;
  tan(): Column;
  atan(): Column;
  acos(): Column;
  sinh(): Column;
  cosh(): Column;
  asinh(): Column;
  atanh(): Column;
  sum(options?: NestedReduceOptions): Column;
}

/** Makes records of columns, with a name: arrays have it. */
export const MADE: unique symbol = Symbol("made");
