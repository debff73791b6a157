// Eigenvalues and eigenvectors of symmetric matrices: to tridiagonal form by Householder, then QL with implicit shifts (EISPACK's
// tred2 and tql2, Bowdler, Martin, Reinsch, Wilkinson, 1968). In: a matrix as float64, row after row, whose lower triangle is
// read. Vectors are rows until the end, so that all long loops run along rows. Out: eigenvalues, ascending, and in its place the eigenvectors, as columns. False where it does not converge.

const MOST_TURNS = 60;

export function eigh(v: Float64Array, n: number, values: Float64Array): boolean {
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) v[i * n + j] = v[j * n + i]!;
  if (!v.every(Number.isFinite)) return false;
  const beside = new Float64Array(n);
  tridiagonal(v, n, values, beside);
  if (!ql(v, n, values, beside)) return false;
  ascending(v, n, values);
  return true;
}

function tridiagonal(v: Float64Array, n: number, d: Float64Array, e: Float64Array): void {
  for (let j = 0; j < n; j++) d[j] = v[j * n + n - 1]!;
  for (let i = n - 1; i > 0; i--) {
    let [scale, h] = [0, 0];
    for (let k = 0; k < i; k++) scale += Math.abs(d[k]!);
    if (scale === 0) {
      e[i] = d[i - 1]!;
      for (let j = 0; j < i; j++) {
        d[j] = v[j * n + i - 1]!;
        v[j * n + i] = 0;
        v[i * n + j] = 0;
      }
    } else h = reduceRow(v, n, d, e, i, scale);
    d[i] = h;
  }
  accumulate(v, n, d);
  e[0] = 0;
}

/** A similarity by one reflection, which makes row i tridiagonal. */
function reduceRow(
  v: Float64Array,
  n: number,
  d: Float64Array,
  e: Float64Array,
  i: number,
  scale: number,
): number {
  let h = 0;
  for (let k = 0; k < i; k++) {
    d[k]! /= scale;
    h += d[k]! * d[k]!;
  }
  let f = d[i - 1]!;
  let g = f > 0 ? -Math.sqrt(h) : Math.sqrt(h);
  e[i] = scale * g;
  h -= f * g;
  d[i - 1] = f - g;
  e.fill(0, 0, i);
  for (let j = 0; j < i; j++) {
    f = d[j]!;
    v[i * n + j] = f;
    g = e[j]! + v[j * n + j]! * f;
    for (let k = j + 1; k <= i - 1; k++) {
      g += v[j * n + k]! * d[k]!;
      e[k]! += v[j * n + k]! * f;
    }
    e[j] = g;
  }
  f = 0;
  for (let j = 0; j < i; j++) {
    e[j]! /= h;
    f += e[j]! * d[j]!;
  }
  const hh = f / (h + h);
  for (let j = 0; j < i; j++) e[j]! -= hh * d[j]!;
  for (let j = 0; j < i; j++) {
    [f, g] = [d[j]!, e[j]!];
    for (let k = j; k <= i - 1; k++) v[j * n + k]! -= f * e[k]! + g * d[k]!;
    d[j] = v[j * n + i - 1]!;
    v[j * n + i] = 0;
  }
  return h;
}

/** All reflections together. */
function accumulate(v: Float64Array, n: number, d: Float64Array): void {
  for (let i = 0; i < n - 1; i++) {
    v[i * n + n - 1] = v[i * n + i]!;
    v[i * n + i] = 1;
    const h = d[i + 1]!;
    if (h !== 0) {
      for (let k = 0; k <= i; k++) d[k] = v[(i + 1) * n + k]! / h;
      for (let j = 0; j <= i; j++) {
        let g = 0;
        for (let k = 0; k <= i; k++) g += v[(i + 1) * n + k]! * v[j * n + k]!;
        for (let k = 0; k <= i; k++) v[j * n + k]! -= g * d[k]!;
      }
    }
    for (let k = 0; k <= i; k++) v[(i + 1) * n + k] = 0;
  }
  for (let j = 0; j < n; j++) {
    d[j] = v[j * n + n - 1]!;
    v[j * n + n - 1] = 0;
  }
  if (n > 0) v[n * n - 1] = 1;
}

function ql(v: Float64Array, n: number, d: Float64Array, e: Float64Array): boolean {
  e.copyWithin(0, 1);
  if (n > 0) e[n - 1] = 0;
  let [shifted, size] = [0, 0];
  for (let l = 0; l < n; l++) {
    size = Math.max(size, Math.abs(d[l]!) + Math.abs(e[l]!));
    let m = l;
    while (m < n - 1 && Math.abs(e[m]!) > Number.EPSILON * size) m++;
    for (let turn = 0; m > l && Math.abs(e[l]!) > Number.EPSILON * size; turn++) {
      if (turn > MOST_TURNS) return false;
      shifted += shift(d, e, n, l);
      sweep(v, n, d, e, l, m);
    }
    d[l]! += shifted;
    e[l] = 0;
  }
  return true;
}

/** Moves the spectrum, so that QL converges. */
function shift(d: Float64Array, e: Float64Array, n: number, l: number): number {
  const g = d[l]!;
  const p = (d[l + 1]! - g) / (2 * e[l]!);
  const r = p < 0 ? -Math.sqrt(p * p + 1) : Math.sqrt(p * p + 1);
  d[l] = e[l]! / (p + r);
  d[l + 1] = e[l]! * (p + r);
  const h = g - d[l]!;
  for (let i = l + 2; i < n; i++) d[i]! -= h;
  return h;
}

function sweep(v: Float64Array, n: number, d: Float64Array, e: Float64Array, l: number, m: number): void {
  const after = d[l + 1]!;
  const besideAfter = e[l + 1]!;
  let p = d[m]!;
  let [c, c2, c3, s, s2] = [1, 1, 1, 0, 0];
  for (let i = m - 1; i >= l; i--) {
    [c3, c2, s2] = [c2, c, s];
    const g = c * e[i]!;
    const h = c * p;
    const r = Math.sqrt(p * p + e[i]! * e[i]!);
    e[i + 1] = s * r;
    s = e[i]! / r;
    c = p / r;
    p = c * d[i]! - s * g;
    d[i + 1] = h + s * (c * g + s * d[i]!);
    rotateRows(v, n, i, c, s);
  }
  p = (-s * s2 * c3 * besideAfter * e[l]!) / after;
  e[l] = s * p;
  d[l] = c * p;
}

/** Two eigenvectors in their making, which are rows. */
function rotateRows(v: Float64Array, n: number, i: number, c: number, s: number): void {
  for (let at = i * n, end = at + n; at < end; at++) {
    const h = v[at + n]!;
    v[at + n] = s * v[at]! + c * h;
    v[at] = c * v[at]! - s * h;
  }
}

/** In order, and vectors as columns. */
function ascending(v: Float64Array, n: number, d: Float64Array): void {
  const order = Array.from({ length: n }, (_, i) => i).sort((a, b) => d[a]! - d[b]!);
  const [values, vectors] = [d.slice(), v.slice()];
  order.forEach((from, to) => {
    d[to] = values[from]!;
    for (let i = 0; i < n; i++) v[i * n + to] = vectors[from * n + i]!;
  });
}
