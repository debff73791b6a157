// Householder's QR, and bases that are completed with it. In: matrices as float64, row after row. Out: Q with orthonormal columns,
// and R. Must hold: ‖A − QR‖ and ‖QᵀQ − 1‖ are a few ε·n.

/** R in place of the m × n matrix, and above it, column by column in `heads`, the reflections that made it. */
function reflect(
  a: Float64Array,
  m: number,
  n: number,
): { readonly vectors: Float64Array[]; readonly scales: number[] } {
  const [vectors, scales]: [Float64Array[], number[]] = [[], []];
  const sums = new Float64Array(n);
  for (let k = 0; k < Math.min(m, n); k++) {
    const v = new Float64Array(m - k);
    for (let i = k; i < m; i++) v[i - k] = a[i * n + k]!;
    const scale = reflection(v);
    vectors.push(v);
    scales.push(scale);
    if (scale === 0) continue;
    applyReflection(a, n, v, scale, k, k, sums);
    for (let i = k + 1; i < m; i++) a[i * n + k] = 0;
  }
  return { vectors, scales };
}

/** v becomes the vector, with head 1, of the reflection 1 − s·v·vᵀ that maps it to ±‖v‖ e₁; gives s, 0 where nothing is to be done. */
function reflection(v: Float64Array): number {
  let largest = 0;
  for (let i = 1; i < v.length; i++) largest = Math.max(largest, Math.abs(v[i]!));
  if (largest === 0) return 0;
  largest = Math.max(largest, Math.abs(v[0]!));
  if (!Number.isFinite(largest)) return Number.NaN;
  let sum = 0;
  for (let i = 0; i < v.length; i++) sum += (v[i]! / largest) ** 2;
  const norm = largest * Math.sqrt(sum);
  const head = v[0]! > 0 ? v[0]! + norm : v[0]! - norm;
  const scale = Math.abs(head) / norm;
  for (let i = 1; i < v.length; i++) v[i]! /= head;
  v[0] = 1;
  return scale;
}

/** A ← (1 − s·v·vᵀ) A for rows from k on, columns from `begin` on. */
function applyReflection(
  a: Float64Array,
  n: number,
  v: Float64Array,
  scale: number,
  k: number,
  begin: number,
  sums: Float64Array,
): void {
  sums.fill(0);
  for (let i = 0; i < v.length; i++) {
    const [row, factor] = [(k + i) * n, v[i]!];
    for (let j = begin; j < n; j++) sums[j]! += factor * a[row + j]!;
  }
  for (let i = 0; i < v.length; i++) {
    const [row, factor] = [(k + i) * n, scale * v[i]!];
    for (let j = begin; j < n; j++) a[row + j]! -= factor * sums[j]!;
  }
}

/** R in place of a (its first rows); Q as m × columns, where columns is min(m, n), or m for a whole basis. */
export function qr(a: Float64Array, m: number, n: number, columns: number): Float64Array {
  const { vectors, scales } = reflect(a, m, n);
  const q = new Float64Array(m * columns);
  for (let i = 0; i < Math.min(m, columns); i++) q[i * columns + i] = 1;
  const sums = new Float64Array(columns);
  for (let k = vectors.length - 1; k >= 0; k--)
    if (scales[k] !== 0) applyReflection(q, columns, vectors[k]!, scales[k]!, k, 0, sums);
  return q;
}
