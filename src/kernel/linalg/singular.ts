// The singular value decomposition, by one-sided Jacobi after QR (Drmač and Veselić, 2008, in its plain form): pairs of columns are turned
// until all are orthogonal; their lengths are the singular values. In: an m × n matrix as float64, row after row, m ≥ n. Out: U
// (m × n), s descending, V (n × n), with A = U·diag(s)·Vᵀ. Null where it does not converge.
// Must hold: small singular values are as accurate, relative to themselves, as the matrix allows.

import { qr } from "./orthogonal.ts";

const MOST_SWEEPS = 60;

export interface Singular {
  readonly u: Float64Array;
  readonly s: Float64Array;
  /** Rows are the right singular vectors. */
  readonly vt: Float64Array;
}

export function svd(a: Float64Array, m: number, n: number): Singular | null {
  const scale = a.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  if (!Number.isFinite(scale)) return null;
  // Powers of two, so that squares neither overflow nor vanish.
  const unit = scale === 0 ? 1 : 2 ** Math.floor(Math.log2(scale));
  const r = a.map((x) => x / unit);
  const q = qr(r, m, n, n);
  // Columns of Rᵀ: rows of R. R = (turned rows), Rᵀ W = V diag(s): R = W diag(s) Vᵀ.
  const rows = r.slice(0, n * n);
  const turns = new Float64Array(n * n);
  for (let i = 0; i < n; i++) turns[i * n + i] = 1;
  if (!orthogonalise(rows, turns, n)) return null;
  return inOrder(rows, turns, q, m, n, unit);
}

/** Turns pairs of rows of x until they are orthogonal, and those of `turns` with them. */
function orthogonalise(x: Float64Array, turns: Float64Array, n: number): boolean {
  const limit = Number.EPSILON * Math.sqrt(n);
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    let isDone = true;
    for (let i = 0; i < n - 1; i++)
      for (let j = i + 1; j < n; j++) {
        let [p, q, both] = [0, 0, 0];
        for (let a = i * n, b = j * n, end = a + n; a < end; a++, b++) {
          p += x[a]! * x[a]!;
          q += x[b]! * x[b]!;
          both += x[a]! * x[b]!;
        }
        if (both === 0 || Math.abs(both) <= limit * Math.sqrt(p) * Math.sqrt(q)) continue;
        isDone = false;
        const zeta = (q - p) / (2 * both);
        const t = (zeta > 0 ? 1 : -1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
        const c = 1 / Math.sqrt(1 + t * t);
        turn(x, n, i, j, c, c * t);
        turn(turns, n, i, j, c, c * t);
      }
    if (isDone) return true;
  }
  return false;
}

function turn(x: Float64Array, n: number, i: number, j: number, c: number, s: number): void {
  for (let a = i * n, b = j * n, end = a + n; a < end; a++, b++) {
    const [first, second] = [x[a]!, x[b]!];
    x[a] = c * first - s * second;
    x[b] = s * first + c * second;
  }
}

/** Rows of x are s·v, rows of `turns` are the columns of W: U = Q·W. */
function inOrder(
  x: Float64Array,
  turns: Float64Array,
  q: Float64Array,
  m: number,
  n: number,
  unit: number,
): Singular {
  const lengths = Float64Array.from({ length: n }, (_, i) => Math.sqrt(dot(x, x, i * n, i * n, n)));
  const order = Array.from({ length: n }, (_, i) => i).sort((a, b) => lengths[b]! - lengths[a]!);
  const s = Float64Array.from(order, (i) => lengths[i]! * unit);
  const vt = new Float64Array(n * n);
  const most = lengths[order[0] ?? 0] ?? 0;
  let known = 0;
  order.forEach((from, to) => {
    const length = lengths[from]!;
    // What is left of nothing but rounding has no direction.
    if (length <= most * Number.EPSILON * Number.EPSILON || length === 0) return;
    for (let k = 0; k < n; k++) vt[to * n + k] = x[from * n + k]! / length;
    known = to + 1;
  });
  completeRows(vt, n, n, known);
  const u = new Float64Array(m * n);
  for (let i = 0; i < m; i++)
    order.forEach((from, to) => {
      u[i * n + to] = dot(q, turns, i * n, from * n, n);
    });
  return { u, s, vt };
}

function dot(x: Float64Array, y: Float64Array, at: number, from: number, count: number): number {
  let sum = 0;
  for (let k = 0; k < count; k++) sum += x[at + k]! * y[from + k]!;
  return sum;
}

/** Rows from `known` on become orthonormal to those before them and to one another. */
export function completeRows(x: Float64Array, rows: number, length: number, known: number): void {
  if (known >= rows) return;
  const columns = new Float64Array(length * known);
  for (let i = 0; i < known; i++)
    for (let k = 0; k < length; k++) columns[k * known + i] = x[i * length + k]!;
  const basis = qr(columns, length, known, length);
  for (let i = known; i < rows; i++)
    for (let k = 0; k < length; k++) x[i * length + k] = basis[k * length + i]!;
}
