// Whether a result is what NumPy says. In: both, as bytes of one type and shape, and what is asked of them: the same bits, but
// for which NaN it is (and, where said, the sign of zero), or closeness. Out: null, or where they differ. Where closeness
// is not enough, `judge` looks at what may be expected: NumPy's own distance from the true value, and how far results
// move when every rounding is another.

import type { ProgramDType, RandomProgram } from "./program.ts";

export interface ProgramResult {
  readonly dtype: ProgramDType;
  readonly shape: readonly number[];
  readonly values: readonly (number | bigint)[];
}

const CLOSE = { float64: 1e-12, float32: 1e-5 };

export const closenessOf = (dtype: ProgramDType): number => CLOSE[dtype as "float64"] ?? 0;

export function differenceFrom(
  found: ProgramResult,
  wanted: ProgramResult,
  { isClose, hasAnyZero }: Pick<RandomProgram, "isClose" | "hasAnyZero">,
): string | null {
  if (found.dtype !== wanted.dtype) return `${found.dtype} and not ${wanted.dtype}`;
  if (found.shape.join() !== wanted.shape.join()) return `shape [${found.shape}] and not [${wanted.shape}]`;
  const limit = isClose ? closenessOf(found.dtype) : 0;
  const isFine = (value: number | bigint, was: number | bigint): boolean =>
    Object.is(value, was) ||
    (hasAnyZero && value === was) ||
    (isClose && Math.abs(Number(value) - Number(was)) <= limit * Math.abs(Number(was)));
  const at = found.values.findIndex((value, i) => !isFine(value, wanted.values[i]!));
  return at < 0 ? null : `${found.values[at]} and not ${wanted.values[at]} at ${at}`;
}

/** What may be expected of an element: its true value, and how far from it. */
export interface Expectation {
  readonly truth: readonly number[];
  readonly spread: readonly number[];
  /** Results of other roundings were NaN or infinite, or NumPy's is. */
  readonly isUndecided: readonly boolean[];
}

/** Is a result that is not near NumPy's as good? */
export function judge(found: ProgramResult, wanted: ProgramResult, expected: Expectation): string | null {
  if (found.shape.join() !== wanted.shape.join()) return "the shape";
  const bad = found.values.findIndex((value, i) => {
    const [is, was, truth] = [Number(value), Number(wanted.values[i]!), expected.truth[i]!];
    if (Object.is(is, was) || Object.is(is, truth) || expected.isUndecided[i]!) return false;
    const limit = expected.spread[i]! + 64 * closenessOf(found.dtype) * Math.abs(truth);
    return !(Math.abs(is - truth) <= limit || Math.abs(is - was) <= limit);
  });
  if (bad < 0) return null;
  return `${found.values[bad]}, NumPy ${wanted.values[bad]}, true ${expected.truth[bad]} ± ${expected.spread[bad]} at ${bad}`;
}
