// where: the op that chooses between values, and, as in NumPy, with a condition alone the places where it holds.

import { userCall } from "../../lazy/call.ts";
import { type LazyArray, type Operand, otherAmong } from "../../lazy/lazyArray.ts";
import type { OutputsOf } from "../../lazy/operandTypes.ts";
import { where as choose } from "../../ops/elementwise/index.ts";
import { nonzero } from "./sets.ts";

type PlacesFunction = <const C extends Operand>(condition: C) => LazyArray<"int64", OutputsOf<C>>[];

/**
 * x1 where the condition holds, else x2: `cw.where([true, false], 1, 2)` is [1, 2]. Of a condition alone the places where it holds, for
 * each axis an array: `const [rows, columns] = cw.where(x.greater(0))`.
 */
export const where: typeof choose & PlacesFunction = userCall(
  "where",
  (condition: Operand, ...values: readonly [] | readonly [x1: Operand, x2: Operand]) =>
    values.length === 0 ? nonzero(condition) : choose(condition, ...values),
  [3],
  otherAmong,
) as unknown as typeof choose & PlacesFunction;
