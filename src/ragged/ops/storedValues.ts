// One value as a user writes it, beside values that mean something: a text among dates, a number among decimals. In: the value and
// their logical type. Out: a leaf of one row of that type; null where the value is of another kind.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { LOGICAL_TYPES, type Logical, logicalText, measureOf, withLogical } from "../../core/form/logical.ts";
import { exactOfValue, storedOfExact, uuidOfText } from "../../core/form/logicalValues.ts";
import type { Scalar } from "../../core/numbers.ts";
import { type NumpyLayout, type StringLayout, stringOf } from "../layout/layout.ts";
import { storedWholes } from "./exactOps.ts";
import { stringsOf } from "./strings.ts";

export function storedValue(value: Scalar | string, logical: Logical): NumpyLayout | StringLayout | null {
  const measure = measureOf(logical);
  if (measure === null) return typeof value === "string" ? namedText(value, logical) : null;
  if (typeof value === "boolean" || typeof value === "object") return null;
  const exact = exactOfValue(measure.dimension, value);
  if (exact === null) return null;
  const stored = storedOfExact(exact, measure);
  if (stored !== null) return storedWholes([stored], logical);
  throw new ValueError({
    what: `${describe(value)} is no whole number of units of ${logicalText(logical)}`,
    cure: "Use a finer type: valuesAstype",
  });
}

/** Text with a name for what it is, and uuids. */
function namedText(value: string, logical: Logical): StringLayout | null {
  if (LOGICAL_TYPES[logical.kind].storage(logical) === "utf8")
    return withLogical(stringsOf([value]), logical);
  const bytes = logical.kind === "uuid" ? uuidOfText(value) : null;
  return bytes === null
    ? null
    : withLogical(stringOf(Int32Array.of(0, bytes.length), bytes, "bytes"), logical);
}
