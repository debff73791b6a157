// Reductions of decimals, dates, times and spans. In: a reduction's record and a leaf with a meaning. Out: the record and the
// numbers by which it is done, and what the result means. The largest of dates is a date, a sum of decimals is exact or an
// error, places and counts mean nothing more; other reductions of decimals are of float64, and of what is no number there are none.

import { DTypeError, ValueError } from "../../core/errors.ts";
import {
  type Logical,
  logicalOf,
  logicalText,
  MOST_DIGITS,
  measureOf,
  NARROW_DIGITS,
  withLogical,
} from "../../core/form/logical.ts";
import { bytesOfWhole, WIDE_BYTES } from "../../core/form/logicalValues.ts";
import * as s from "../../kernel/scalar.ts";
import type { ReduceRecord } from "../../ops/define.ts";
import { sum } from "../../ops/reductions.ts";
import { regularOffsets } from "../layout/indices.ts";
import { type Leaf, type NumpyLayout, numpyOf, type StringLayout, stringOf } from "../layout/layout.ts";
import { asFloats, isMeasured, storedWholesOf } from "./exactOps.ts";

export interface Taken {
  readonly op: ReduceRecord;
  readonly leaf: NumpyLayout;
  /** Of the result. */
  readonly logical: Logical | null;
}

// Sums of decimals of more than 18 digits. In: their 16 bytes. Out: four sums of 32 bits each, which cannot overflow on the way;
// and of these the sum. Equation: Σx = Σᵢ 2³²ⁱ · Σ limbᵢ(x), where the highest limb has the sign.

const LIMBS = 4;
const LIMB_BITS = 32n;

/** The limbs of each value, the lowest first; null for what is no such decimal. */
export function limbsOf(op: ReduceRecord, leaf: Leaf): readonly NumpyLayout[] | null {
  if (op.name !== "sum" || leaf.kind !== "string" || logicalOf(leaf)?.kind !== "decimal") return null;
  const limbs = Array.from({ length: LIMBS }, () => new BigInt64Array(leaf.length));
  storedWholesOf(leaf).forEach((whole, i) => {
    for (let k = 0; k < LIMBS; k++) {
      const part = whole >> (LIMB_BITS * BigInt(k));
      limbs[k]![i] = k + 1 === LIMBS ? part : BigInt.asUintN(32, part);
    }
  });
  return limbs.map((data) => numpyOf(data));
}

/** Four sums, as the states of such a sum are. */
export const isWideSum = (op: ReduceRecord, components: number): boolean =>
  op.name === "sum" && components === LIMBS;

const wideSum: ReduceRecord = {
  ...(sum as unknown as ReduceRecord),
  state: () => new Array<"int64">(LIMBS).fill("int64"),
  combine: (a, b) => a.map((x, k) => s.add(x as s.Term, b[k] as s.Term)),
  identity: () => new Array<number>(LIMBS).fill(0),
};

/** The decimals that sums of limbs are, of 38 digits; an error for one that has more. */
export function wideOfLimbs(sums: readonly NumpyLayout[], logical: Logical): StringLayout {
  const { length } = sums[0]!;
  const bytes = new Uint8Array(WIDE_BYTES * length);
  for (let g = 0; g < length; g++) {
    const whole = sums.reduce(
      (total, { data }, k) => total + ((data as BigInt64Array)[g]! << (LIMB_BITS * BigInt(k))),
      0n,
    );
    if (whole >= MOST_WHOLE || whole <= -MOST_WHOLE)
      throw new ValueError({
        what: `a sum of ${logicalText(logical)} has more than ${MOST_DIGITS} digits`,
        cure: 'Use valuesAstype(x, "float64")',
      });
    bytes.set(bytesOfWhole(whole, WIDE_BYTES), WIDE_BYTES * g);
  }
  const layout = stringOf(regularOffsets(length, WIDE_BYTES), bytes, "bytes");
  const { scale } = logical as Extract<Logical, { kind: "decimal" }>;
  return withLogical(layout, { kind: "decimal", precision: MOST_DIGITS, scale });
}

const MOST_WHOLE = 10n ** BigInt(MOST_DIGITS);

const SHIFT = s.constant("int64", 32);
const LOW = s.constant("int64", 2n ** 32n - 1n);
/** No number of 18 digits: what does not fit. */
const TOO_LARGE = -(2n ** 63n);

/** Σx of whole numbers, in two halves that cannot overflow: h · 2³² + l. What does not fit in 64 bits is −2⁶³. */
export const exactSum: ReduceRecord = {
  ...(sum as unknown as ReduceRecord),
  state: () => ["int64", "int64"],
  lift: (x) => [s.shr(x as s.Term, SHIFT), s.and(x as s.Term, LOW)],
  combine: ([h, l], [high, low]) => [s.add(h as s.Term, high as s.Term), s.add(l as s.Term, low as s.Term)],
  identity: () => [0, 0],
  finish: ([high, low]) => {
    const carried = s.add(high as s.Term, s.shr(low as s.Term, SHIFT));
    const value = s.or(s.shl(carried, SHIFT), s.and(low as s.Term, LOW));
    const fits = s.eq(s.shr(value, SHIFT), carried);
    return s.select(fits, value, s.constant("int64", TOO_LARGE));
  },
};

/** Those whose result is one of the elements. */
const CHOOSES: ReadonlySet<string> = new Set(["max", "min"]);

/** Null for leaves that mean what they are. */
export function takenExactly(op: ReduceRecord, leaf: Leaf): Taken | null {
  if (leaf.kind === "empty" || !isMeasured(leaf)) return null;
  const logical = logicalOf(leaf)!;
  const { dimension } = measureOf(logical)!;
  const stored = leaf.kind === "numpy" ? withLogical(leaf, null) : null;
  const isOrdered = CHOOSES.has(op.name) || op.place !== undefined;
  if (stored !== null && isOrdered)
    return { op, leaf: stored, logical: CHOOSES.has(op.name) ? logical : null };
  if (stored !== null && op.name === "sum" && (dimension === "number" || dimension === "span"))
    return { op: exactSum, leaf: stored, logical: sumOf(logical) };
  if (dimension === "number" && !isOrdered && op.name !== "sum")
    return { op, leaf: asFloats(leaf) as NumpyLayout, logical: null };
  throw new DTypeError({
    what: `there is no ${op.name} of ${logicalText(logical)}`,
    cure:
      dimension === "number"
        ? `Decimals of up to ${NARROW_DIGITS} digits have one: valuesAstype(x, "decimal(18, 2)"), or "float64"`
        : "Use valuesAstype with a dtype first",
  });
}

const sumOf = (logical: Logical): Logical =>
  logical.kind === "decimal" ? { ...logical, precision: NARROW_DIGITS } : logical;

/** Sums that do not fit are an error, and what is left means what it should. */
export function meaning(values: NumpyLayout, op: ReduceRecord, logical: Logical | null): NumpyLayout {
  if (logical === null) return values;
  if (op === exactSum && (values.data as BigInt64Array).includes(TOO_LARGE))
    throw new ValueError({
      what: `a sum of ${logicalText(logical)} does not fit in 64 bits`,
      cure: 'Use valuesAstype(x, "float64")',
    });
  return withLogical(values, logical);
}

/** The record that states of so many components are of. */
export const recordOfStates = (op: ReduceRecord, components: number): ReduceRecord =>
  isWideSum(op, components) ? wideSum : op.name === "sum" && components === 2 ? exactSum : op;
