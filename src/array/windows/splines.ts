// Cubic splines as matrices. In: places, and where samples are. Out: what each sample weighs at each place. The spline is not-a-knot: its
// third derivative has no jump at the second sample and at the last but one, as SciPy's CubicSpline. Beyond the ends its cubics go on.

import { describe } from "../../core/chunks.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";

/** Weights take a number for each place and sample. */
const MOST_WEIGHTS = 1 << 24;

/** Row-major, a row for each place. */
export function splineWeights(x: Float64Array, knots: Float64Array): Float64Array {
  const n = knots.length;
  if (n < 4) throw new ShapeError({ what: `there are ${n} samples`, cure: "Splines need at least 4" });
  if (x.length * n > MOST_WEIGHTS)
    throw new ShapeError({
      what: `${x.length} places and ${n} samples: too many weights`,
      cure: 'Interpolate in parts, or use method "linear"',
    });
  const wrong = knots.findIndex((knot, i) => i > 0 && !(knot > knots[i - 1]!));
  if (wrong > 0)
    throw new ValueError({
      what: `the samples' places do not rise at ${describe(wrong)}`,
      cure: "Sort them first",
    });
  const slopes = slopeWeights(knots);
  const weights = new Float64Array(x.length * n);
  x.forEach((place, row) => hermite(place, knots, slopes, weights.subarray(row * n, (row + 1) * n)));
  return weights;
}

/** f(x) = h₀₀(t)·f[j] + h₁₀(t)·h·s[j] + h₀₁(t)·f[j + 1] + h₁₁(t)·h·s[j + 1], t = (x − x[j]) / h. */
function hermite(
  place: number,
  knots: Float64Array,
  slopes: readonly Float64Array[],
  row: Float64Array,
): void {
  const n = knots.length;
  let j = 0;
  for (let high = n - 1; high - j > 1; ) {
    const middle = (j + high) >> 1;
    if (place >= knots[middle]!) j = middle;
    else high = middle;
  }
  const h = knots[j + 1]! - knots[j]!;
  const t = (place - knots[j]!) / h;
  const s = 1 - t;
  row[j]! += (1 + 2 * t) * s * s;
  row[j + 1]! += t * t * (3 - 2 * t);
  for (let k = 0; k < n; k++) row[k]! += h * (t * s * s * slopes[j]![k]! - t * t * s * slopes[j + 1]![k]!);
}

/** The slope at each sample, as weights of all samples: the solution of a banded system, one right side for each sample. */
function slopeWeights(x: Float64Array): Float64Array[] {
  const n = x.length;
  const h = Float64Array.from({ length: n - 1 }, (_, i) => x[i + 1]! - x[i]!);
  const rows = Array.from({ length: n }, () => new Float64Array(n));
  const [low, middle, high] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  const difference = (row: Float64Array, i: number, factor: number): void => {
    row[i + 1]! += factor / h[i]!;
    row[i]! -= factor / h[i]!;
  };
  for (let i = 1; i < n - 1; i++) {
    [low[i], middle[i], high[i]] = [h[i]!, 2 * (h[i - 1]! + h[i]!), h[i - 1]!];
    difference(rows[i]!, i - 1, 3 * h[i]!);
    difference(rows[i]!, i, 3 * h[i - 1]!);
  }
  // Not a knot: the first two pieces are one cubic, and the last two.
  const first = h[0]! + h[1]!;
  [middle[0], high[0]] = [h[1]!, first];
  difference(rows[0]!, 0, ((h[0]! + 2 * first) * h[1]!) / first);
  difference(rows[0]!, 1, (h[0]! * h[0]!) / first);
  const [d, e] = [h[n - 2]!, h[n - 3]!];
  const last = d + e;
  [middle[n - 1], low[n - 1]] = [e, last];
  difference(rows[n - 1]!, n - 3, (d * d) / last);
  difference(rows[n - 1]!, n - 2, ((2 * last + d) * e) / last);
  return solved(low, middle, high, rows);
}

/** Thomas's way for three diagonals, of many right sides. */
function solved(
  low: Float64Array,
  middle: Float64Array,
  high: Float64Array,
  rows: Float64Array[],
): Float64Array[] {
  const n = middle.length;
  const less = (to: number, from: number, factor: number): void => {
    for (let k = 0; k < n; k++) rows[to]![k]! -= factor * rows[from]![k]!;
  };
  for (let i = 1; i < n; i++) {
    const factor = low[i]! / middle[i - 1]!;
    middle[i]! -= factor * high[i - 1]!;
    less(i, i - 1, factor);
  }
  for (let i = n - 1; i >= 0; i--) {
    if (i < n - 1) less(i, i + 1, high[i]!);
    for (let k = 0; k < n; k++) rows[i]![k]! /= middle[i]!;
  }
  return rows;
}
