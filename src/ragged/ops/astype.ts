// valuesAstype: numbers in another dtype, and in and out of logical types. In: leaves, and a dtype or the text of a logical type.
// Out: leaves of it. Decimals are their value; whole numbers become times by the count of units that they are stored as, and
// back; texts are read as people write them; times and decimals of fewer digits are rounded down, decimals to the nearest.

import { describe } from "../../core/chunks.ts";
import { DTYPES, type DType, isDType, isFloat } from "../../core/dtype.ts";
import { DTypeError, ValueError } from "../../core/errors.ts";
import { type Exact, exactOfNumber, textOfExact } from "../../core/form/exactNumbers.ts";
import {
  LOGICAL_TYPES,
  type Logical,
  logicalOf,
  logicalText,
  type Measure,
  measureOf,
  withLogical,
} from "../../core/form/logical.ts";
import { exactOfValue, uuidOfText } from "../../core/form/logicalValues.ts";
import { parseElementType } from "../../core/form/parseType.ts";
import { closest } from "../../core/suggest.ts";
import { COMPUTED } from "../demand/outline.ts";
import { toList } from "../io/nestedLists.ts";
import { castFlat } from "../layout/flat.ts";
import { offsetsOfCounts } from "../layout/indices.ts";
import {
  type Leaf,
  type NumpyLayout,
  numpyOf,
  type Plain,
  type StringLayout,
  stringOf,
} from "../layout/layout.ts";
import { mapLeaves } from "./axis.ts";
import { always } from "./broadcast.ts";
import { asFloats, storedWholes, storedWholesOf } from "./exactOps.ts";
import { type RaggedOp, raggedOp } from "./op.ts";
import { stringsOf } from "./strings.ts";

export interface AstypeAttrs {
  /** A dtype, "string", or a logical type as it stands in types. */
  readonly dtype: string;
}

type Target = DType | "string" | Logical;

/** What values are to become; an error for what is no type of single values. */
export function targetOf(text: unknown): Target {
  if (isDType(text) || text === "string") return text;
  if (typeof text === "string" && /^[a-z]/.test(text)) {
    const logical = logicalIn(text);
    if (logical !== null) return logical;
  }
  throw new DTypeError({
    what: `${describe(text)} is not a dtype`,
    cure:
      typeof text === "string"
        ? closest(text, [...DTYPES, "string", ...Object.keys(LOGICAL_TYPES)])
        : 'Name one, as "float64" or "date"',
  });
}

function logicalIn(text: string): Logical | null {
  try {
    const logical = logicalOf(parseElementType(text));
    return logical?.kind === "map" ? null : logical;
  } catch (error) {
    // Of a logical type with wrong arguments the error says more.
    if (/^(decimal|time|timestamp|duration)\b/.test(text)) throw error;
    return null;
  }
}

/** All numbers in another dtype, or all values in another logical type; texts that need not be read stay. */
export const valuesAstype: RaggedOp<AstypeAttrs> = raggedOp(
  "valuesAstype",
  always,
  COMPUTED,
  ([input], { dtype }) => {
    const to = targetOf(dtype);
    return mapLeaves(input!, (leaf) => converted(leaf as Leaf, to));
  },
);

function converted(leaf: Leaf, to: Target): Plain {
  if (typeof to === "object") return meant(leaf, to);
  if (to === "string") return texts(leaf);
  if (leaf.kind === "empty") return numpyOf(castFlat(numpyOf(new Float64Array(0)), to).data, to);
  if (logicalOf(leaf)?.kind === "decimal") return numbersOfDecimals(leaf, to);
  return leaf.kind === "numpy" ? withLogical(castFlat(leaf, to), null) : leaf;
}

/** Towards 0, where they become whole numbers. */
function numbersOfDecimals(leaf: NumpyLayout | StringLayout, to: DType): NumpyLayout {
  const isWhole = !isFloat(to) && !to.startsWith("complex");
  if (!isWhole) return castFlat(asFloats(leaf) as NumpyLayout, to);
  const one = 10n ** BigInt(measureOf(logicalOf(leaf)!)!.exponent);
  return castFlat(numpyOf(BigInt64Array.from(storedWholesOf(leaf), (value) => value / one)), to);
}

/** Each value as it is shown; a decimal with all its digits. */
function texts(leaf: Leaf): Plain {
  if (leaf.kind === "string" && leaf.encoding === "utf8") return withLogical(leaf, null);
  const logical = leaf.kind === "empty" ? null : logicalOf(leaf);
  if (logical?.kind === "decimal")
    return stringsOf(
      storedWholesOf(leaf as NumpyLayout).map((digits) => textOfExact({ digits, exponent: logical.scale })),
    );
  if (logical !== null) return stringsOf(toList(leaf).map(String));
  if (leaf.kind === "empty") return stringsOf([]);
  if (leaf.kind === "numpy") return stringsOf(toList(leaf).map(String));
  throw new DTypeError({ what: "bytes are no text", cure: "Decode them first" });
}

function meant(leaf: Leaf, to: Logical): Plain {
  const storage = LOGICAL_TYPES[to.kind].storage(to);
  const measure = measureOf(to);
  if (leaf.kind === "empty")
    return measure === null ? named(stringsOf([]), to, storage) : storedWholes([], to);
  if (measure !== null) return measured(leaf, to, measure);
  if (leaf.kind === "string") return named(leaf, to, storage);
  throw cannot(leaf, to);
}

/** Text and bytes with a name for what they are. */
function named(leaf: StringLayout, to: Logical, storage: string): StringLayout {
  if (to.kind === "uuid" && leaf.encoding === "utf8") return withLogical(uuidsOf(leaf), to);
  if (leaf.encoding !== storage || to.kind === "interval") throw cannot(leaf, to);
  return withLogical(leaf, to);
}

function uuidsOf(leaf: StringLayout): StringLayout {
  const rows = (toList(withLogical(leaf, null)) as string[]).map(
    (text, row) => uuidOfText(text) ?? unreadable(text, row, { kind: "uuid" }),
  );
  const bytes = new Uint8Array(16 * rows.length);
  rows.forEach((row, i) => bytes.set(row, 16 * i));
  return stringOf(offsetsOfCounts(new Int32Array(rows.length).fill(16)), bytes, "bytes");
}

function measured(leaf: NumpyLayout | StringLayout, to: Logical, measure: Measure): Plain {
  const from = logicalOf(leaf);
  const own = from === null ? null : measureOf(from);
  if (own !== null) {
    if (own.dimension !== measure.dimension) throw cannot(leaf, to);
    return rescaled(storedWholesOf(leaf), own, to, measure);
  }
  if (leaf.kind === "string") {
    if (leaf.encoding !== "utf8") throw cannot(leaf, to);
    const rows = toList(withLogical(leaf, null)) as string[];
    return ofExact(
      rows,
      (text, row) => exactOfValue(measure.dimension, text) ?? unreadable(text, row, to),
      to,
      measure,
    );
  }
  if (isFloat(leaf.dtype)) {
    if (measure.dimension !== "number") throw cannot(leaf, to);
    const rows = toList(leaf) as number[];
    return ofExact(rows, (value, row) => exactOfNumber(value) ?? unreadable(value, row, to), to, measure);
  }
  const wholes = storedWholesOf(leaf);
  const scale = measure.dimension === "number" ? 10n ** BigInt(measure.exponent) : 1n;
  return storedWholes(scale === 1n ? wholes : wholes.map((value) => value * scale), to);
}

function ofExact<T>(
  rows: readonly T[],
  read: (value: T, row: number) => Exact,
  to: Logical,
  measure: Measure,
): Plain {
  const stored = rows.map((value, row) => {
    const { digits, exponent } = read(value, row);
    return inUnits(digits, { dimension: measure.dimension, exponent, factor: 1 }, measure);
  });
  return storedWholes(stored, to);
}

const rescaled = (wholes: readonly bigint[], from: Measure, to: Logical, measure: Measure): Plain =>
  storedWholes(
    wholes.map((value) => inUnits(value, from, measure)),
    to,
  );

/** A count of one unit as a count of another. */
function inUnits(value: bigint, from: Measure, to: Measure): bigint {
  const at = Math.max(from.exponent, to.exponent);
  const digits = value * BigInt(from.factor) * 10n ** BigInt(at - from.exponent);
  const unit = BigInt(to.factor) * 10n ** BigInt(at - to.exponent);
  const rest = ((digits % unit) + unit) % unit;
  const down = (digits - rest) / unit;
  // Halves away from 0.
  const isUp = to.dimension === "number" && (digits < 0n ? 2n * rest > unit : 2n * rest >= unit);
  return isUp ? down + 1n : down;
}

function unreadable(value: unknown, row: number, to: Logical): never {
  throw new ValueError({
    what: `value ${row}, ${describe(value)}, is no ${logicalText(to)}`,
    cure: 'Write "2024-02-29", "2024-02-29T12:34:56Z", "12:34:56", "P1DT2H", "1.05"',
  });
}

function cannot(leaf: NumpyLayout | StringLayout, to: Logical): DTypeError {
  const logical = logicalOf(leaf);
  const found = leaf.kind === "numpy" ? leaf.dtype : leaf.encoding === "utf8" ? "string" : "bytes";
  return new DTypeError({
    what: `${logical === null ? found : logicalText(logical)} cannot become ${logicalText(to)}`,
    cure: "Use texts, whole numbers, or values of the same kind",
  });
}
