// Factors that are triangular: Cholesky, LU with row pivoting, and what is solved with them. In: matrices as float64, row after row.
// Out: their factors in place. All loops run along rows.
// Must hold: ‖A − LLᵀ‖ and ‖PA − LU‖ are a few ε·n·‖A‖, as LAPACK's are.

/** The lower factor of a symmetric matrix, of which the lower triangle is read; false where it is not positive definite. */
export function cholesky(a: Float64Array, n: number): boolean {
  for (let i = 0; i < n; i++) {
    const row = i * n;
    for (let j = 0; j <= i; j++) {
      const other = j * n;
      let sum = a[row + j]!;
      for (let k = 0; k < j; k++) sum -= a[row + k]! * a[other + k]!;
      if (j < i) a[row + j] = sum / a[other + j]!;
      else if (!(sum > 0)) return false;
      else a[row + j] = Math.sqrt(sum);
    }
    a.fill(0, row + i + 1, row + n);
  }
  return true;
}

/**
 * L below the diagonal, U on and above it, of a matrix with at least as many rows as columns; `order[i]`: which row of the matrix became
 * row i. Gives the sign of the order.
 */
export function lu(a: Float64Array, n: number, order: Int32Array, rows: number = n): number {
  let sign = 1;
  for (let i = 0; i < rows; i++) order[i] = i;
  for (let begin = 0; begin < n; begin += PANEL) {
    const end = Math.min(n, begin + PANEL);
    for (let k = begin; k < end; k++) sign *= pivoted(a, n, rows, k, end, order);
    // What is behind the panel, row by row: all its columns at once, in their order.
    for (let i = begin + 1; i < rows; i++)
      subtractRows(a, i * n, a, n, a, i * n, begin, Math.min(i, end), end, n);
  }
  return sign;
}

/** Columns that are eliminated before what is behind them is looked at. */
const PANEL = 32;

/** Eliminates column k, up to the panel's end; −1 where two rows change places. */
function pivoted(
  a: Float64Array,
  n: number,
  rows: number,
  k: number,
  end: number,
  order: Int32Array,
): 1 | -1 {
  const best = largestBelow(a, rows, n, k);
  if (best !== k) {
    swapRows(a, n, k, best);
    [order[k], order[best]] = [order[best]!, order[k]!];
  }
  const pivot = a[k * n + k]!;
  for (let i = k + 1; pivot !== 0 && i < rows; i++) {
    const factor = a[i * n + k]! / pivot;
    a[i * n + k] = factor;
    for (let c = k + 1; c < end; c++) a[i * n + c]! -= factor * a[k * n + c]!;
  }
  return best === k ? 1 : -1;
}

function largestBelow(a: Float64Array, rows: number, n: number, k: number): number {
  let best = k;
  for (let i = k + 1; i < rows; i++) if (Math.abs(a[i * n + k]!) > Math.abs(a[best * n + k]!)) best = i;
  return best;
}

function swapRows(a: Float64Array, n: number, i: number, j: number): void {
  for (let k = 0; k < n; k++) {
    const kept = a[i * n + k]!;
    a[i * n + k] = a[j * n + k]!;
    a[j * n + k] = kept;
  }
}

/** x[at + c] −= Σ factors[place + k]·y[k·width + c] for first ≤ k < last and begin ≤ c < end, k by k; four rows in one go. */
function subtractRows(
  x: Float64Array,
  at: number,
  y: Float64Array,
  width: number,
  factors: Float64Array,
  place: number,
  first: number,
  last: number,
  begin: number,
  end: number,
): void {
  let k = first;
  for (; k + 4 <= last; k += 4) {
    const [f, g, h, l] = [
      factors[place + k]!,
      factors[place + k + 1]!,
      factors[place + k + 2]!,
      factors[place + k + 3]!,
    ];
    const [p, q, r, s] = [k * width, (k + 1) * width, (k + 2) * width, (k + 3) * width];
    for (let c = begin; c < end; c++)
      x[at + c] = x[at + c]! - f * y[p + c]! - g * y[q + c]! - h * y[r + c]! - l * y[s + c]!;
  }
  for (; k < last; k++) {
    const factor = factors[place + k]!;
    for (let c = begin; c < end; c++) x[at + c]! -= factor * y[k * width + c]!;
  }
}

/** Solves with the factors that `lu` gave, for `columns` right sides, which become the solution; false where a pivot is 0. */
export function solveWithLu(
  factors: Float64Array,
  n: number,
  order: Int32Array,
  right: Float64Array,
  columns: number,
): boolean {
  for (let i = 0; i < n; i++) if (factors[i * n + i] === 0) return false;
  const given = right.slice();
  for (let i = 0; i < n; i++)
    right.set(given.subarray(order[i]! * columns, (order[i]! + 1) * columns), i * columns);
  solveLower(factors, n, right, columns, true);
  return solveUpper(factors, n, right, columns);
}

/** Y with L·Y = B, of a lower factor, whose diagonal is 1 where `isUnit`; B becomes Y. False where a pivot is 0. */
export function solveLower(
  l: Float64Array,
  n: number,
  right: Float64Array,
  columns: number,
  isUnit: boolean,
): boolean {
  for (let i = 0; i < n; i++) {
    subtractRows(right, i * columns, right, columns, l, i * n, 0, i, 0, columns);
    if (isUnit) continue;
    if (l[i * n + i] === 0) return false;
    for (let c = 0; c < columns; c++) right[i * columns + c]! /= l[i * n + i]!;
  }
  return true;
}

/** X with U·X = B, of an upper factor; B becomes X. False where a pivot is 0. */
export function solveUpper(u: Float64Array, n: number, right: Float64Array, columns: number): boolean {
  for (let i = n - 1; i >= 0; i--) {
    if (u[i * n + i] === 0) return false;
    subtractRows(right, i * columns, right, columns, u, i * n, i + 1, n, 0, columns);
    for (let c = 0; c < columns; c++) right[i * columns + c]! /= u[i * n + i]!;
  }
  return true;
}
