// Whether a rewritten value may stand for the original one, by the safety class of the rule.
// In: all values of both expressions. Out: null, or where and how they differ.
// - exact: the same bits (any NaN is like any other)
// - zeroSign: the same but for the sign of zero
// - rounding: NaN and infinities in the same places, numbers up to the rounding of the largest number under way
// - nan: compared where both are finite; domain: where the original is
// - stabilize: close where the original is finite, and no NaN where the original had none
// Integers and bools must always be the same.

import type { Block } from "../../src/core/block.ts";
import { type Shape, sameShape } from "../../src/core/chunks.ts";
import { infoOf, isFloat } from "../../src/core/dtype.ts";
import { toContiguous } from "../../src/kernel/routines/stridedWalk.ts";
import type { Change, Rule } from "../../src/rewrite/rule.ts";
import { slotsOf } from "../property/compare.ts";

export interface Allowed {
  readonly changes: readonly Change[];
  readonly stabilizes: boolean;
  /** Values are of about 1, so that nothing overflows on the way: no NaN may appear. */
  readonly isTame: boolean;
}

export const isExact = ({ changes, stabilizes }: Allowed): boolean => changes.length === 0 && !stabilizes;

export const allowedBy = (rules: readonly Rule[], isTame: boolean): Allowed => ({
  changes: [...new Set(rules.flatMap((rule) => rule.changes))],
  stabilizes: rules.some((rule) => rule.tags.includes("stabilize")),
  isTame,
});

export interface Difference {
  /** Row-major number of the slot: two a complex number. */
  readonly slot: number;
  readonly before: number | bigint;
  readonly after: number | bigint;
}

/** `under` are values that lead to both: how large numbers get on the way says how far rounding goes. */
export function differenceOf(
  before: Block,
  after: Block,
  allowed: Allowed,
  under: readonly Block[] = [],
): Difference | null {
  const [a, b] = [toContiguous(before) as Float64Array, toContiguous(after) as Float64Array];
  const { part, slots } = infoOf(before.dtype);
  const isSame = isExact(allowed) || !isFloat(part) ? Object.is : null;
  const scales = isSame === null ? scalesOf(before.shape, under) : null;
  for (let i = 0; i < a.length; i++) {
    const scale = scales?.(Math.floor(i / slots)) ?? 0;
    const fits = isSame?.(a[i], b[i]) ?? isClose(a[i]!, b[i]!, allowed, scale * UNIT[part as "float64"]);
    if (!fits) return { slot: i, before: a[i]!, after: b[i]! };
  }
  return null;
}

/** What counts as rounding of a number of about 1. */
const UNIT = { float64: 1e-10, float32: 1e-3 };

function isClose(before: number, after: number, allowed: Allowed, tolerance: number): boolean {
  if (Object.is(before, after)) return true;
  const { changes, stabilizes, isTame } = allowed;
  const may = (change: Change): boolean => stabilizes || changes.includes(change);
  const mayMakeNaN = changes.includes("nan") && !isTame;
  if (Number.isNaN(after) && !Number.isNaN(before)) return mayMakeNaN;
  if (!Number.isFinite(before)) return may("nan") || may("domain");
  if (!Number.isFinite(after)) return mayMakeNaN;
  if (before === after) return may("zeroSign") || may("rounding");
  return may("rounding") && Math.abs(before - after) <= tolerance * Math.max(1, Math.abs(before));
}

/** The largest finite number that leads to an element, as far as shapes tell; at least 1. */
function scalesOf(shape: Shape, under: readonly Block[]): (element: number) => number {
  const readers = under.filter(({ dtype }) => dtype !== "bool").map((block) => magnitudes(block, shape));
  return (element) => readers.reduce((most, read) => Math.max(most, read(element)), 1);
}

function magnitudes(block: Block, shape: Shape): (element: number) => number {
  const values = slotsOf(block).map((x) => Math.abs(Number(x)));
  const finite = values.map((x) => (Number.isFinite(x) ? x : 0));
  const { slots } = infoOf(block.dtype);
  if (sameShape(block.shape, shape))
    return (element) => Math.max(finite[element * slots]!, finite[(element + 1) * slots - 1]!);
  const most = finite.reduce((a, b) => Math.max(a, b), 0);
  return () => most;
}
