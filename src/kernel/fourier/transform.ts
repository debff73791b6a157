// The discrete Fourier transform of lines of any length: X[k] = Σ x[j]·e^(−2πi·jk/n). In: complex numbers, real and imaginary parts in turn.
// Out: their transform, not scaled. Stockham's way through the prime factors, two 2s at a time; how long lines and other lengths go,
// lengths.ts says.
// Must hold: the same line gives the same bits, whatever lines are transformed beside it, and as kernels do (wasm/fourierKernel.ts).

import { type Convolution, type FourSteps, type Passes, planOf, type TransformPlan } from "./lengths.ts";
import { chirpOf, filterOf, twoTables, unitRoots } from "./roots.ts";

/** How a length is transformed: made once for all lines. */
export type Transform = (line: Float64Array) => void;

export const transformOf = (n: number): Transform => (n <= 1 ? () => undefined : transformBy(planOf(n)));

function transformBy(plan: TransformPlan): Transform {
  switch (plan.kind) {
    case "passes":
      return byPasses(plan);
    case "fourSteps":
      return byFourSteps(plan);
    case "convolution":
      return byConvolution(plan);
    default:
      throw plan satisfies never;
  }
}

function byPasses({ n, factors }: Passes): Transform {
  const roots = unitRoots(n);
  const other = new Float64Array(2 * n);
  const terms = new Float64Array(4 * Math.max(...factors, 1));
  return (line) => {
    let [from, to]: [Float64Array, Float64Array] = [line, other];
    let [length, stride] = [n, 1];
    for (const p of factors) {
      if (p === 4) passOf4(from, to, roots, length, stride);
      else if (p === 2) passOf2(from, to, roots, length, stride);
      else passOfOdd(from, to, roots, terms, p, length, stride);
      length /= p;
      stride *= p;
      [from, to] = [to, from];
    }
    if (from !== line) line.set(from);
  };
}

/**
 * x as a table of `first.n` rows: its columns are transformed, element (k, c) is turned by e^(−2πi·kc/n), and the rows are transformed:
 * X[k + first.n·j] is element j of row k.
 */
function byFourSteps({ n, first, second }: FourSteps): Transform {
  const [columns, rows] = [byPasses(first), byPasses(second)];
  const { shift, low, high } = twoTables(n);
  const table = new Float64Array(2 * n);
  const [column, row] = [new Float64Array(2 * first.n), new Float64Array(2 * second.n)];
  return (line) => {
    for (let c = 0; c < second.n; c++) {
      for (let k = 0; k < first.n; k++) copyOne(line, k * second.n + c, column, k);
      columns(column);
      for (let k = 0; k < first.n; k++) {
        const [l, h] = [(c * k) % 2 ** shift, Math.floor((c * k) / 2 ** shift)];
        const [a, b, d, e] = [low[2 * l]!, low[2 * l + 1]!, high[2 * h]!, high[2 * h + 1]!];
        const [re, im] = [a * d - b * e, a * e + b * d];
        const [x, y] = [column[2 * k]!, column[2 * k + 1]!];
        const to = 2 * (k * second.n + c);
        table[to] = x * re - y * im;
        table[to + 1] = x * im + y * re;
      }
    }
    for (let k = 0; k < first.n; k++) {
      row.set(table.subarray(2 * k * second.n, 2 * (k + 1) * second.n));
      rows(row);
      for (let j = 0; j < second.n; j++) copyOne(row, j, line, k + first.n * j);
    }
  };
}

function copyOne(from: Float64Array, i: number, to: Float64Array, j: number): void {
  to[2 * j] = from[2 * i]!;
  to[2 * j + 1] = from[2 * i + 1]!;
}

/** y[q + s(2j + r)] = w^(jr) · Σ (−1)^(rt) x[q + s(j + tm)], w = e^(−2πi/length), m = length / 2. */
function passOf2(x: Float64Array, y: Float64Array, roots: Float64Array, length: number, s: number): void {
  const m = length / 2;
  for (let j = 0; j < m; j++) {
    const [c, d] = [roots[2 * j * s]!, roots[2 * j * s + 1]!];
    for (let q = 0; q < s; q++) {
      const [a, b, to] = [2 * (q + s * j), 2 * (q + s * (j + m)), 2 * (q + s * 2 * j)];
      const re = x[a]! - x[b]!;
      const im = x[a + 1]! - x[b + 1]!;
      y[to] = x[a]! + x[b]!;
      y[to + 1] = x[a + 1]! + x[b + 1]!;
      turned(y, to + 2 * s, re, im, c, d, j);
    }
  }
}

/** Times a root of one, which the first is. */
function turned(y: Float64Array, to: number, re: number, im: number, c: number, d: number, j: number): void {
  y[to] = j === 0 ? re : re * c - im * d;
  y[to + 1] = j === 0 ? im : re * d + im * c;
}

function passOf4(x: Float64Array, y: Float64Array, roots: Float64Array, length: number, s: number): void {
  const m = length / 4;
  for (let j = 0; j < m; j++) {
    const at = 2 * j * s;
    const [c1, d1, c2, d2] = [roots[at]!, roots[at + 1]!, roots[2 * at]!, roots[2 * at + 1]!];
    const [c3, d3] = [roots[3 * at]!, roots[3 * at + 1]!];
    for (let q = 0; q < s; q++) {
      const a = 2 * (q + s * j);
      const step = 2 * s * m;
      const [b, c, d] = [a + step, a + 2 * step, a + 3 * step];
      const acRe = x[a]! + x[c]!;
      const acIm = x[a + 1]! + x[c + 1]!;
      const lessRe = x[a]! - x[c]!;
      const lessIm = x[a + 1]! - x[c + 1]!;
      const bdRe = x[b]! + x[d]!;
      const bdIm = x[b + 1]! + x[d + 1]!;
      // −i·(b − d)
      const turnRe = x[b + 1]! - x[d + 1]!;
      const turnIm = x[d]! - x[b]!;
      const to = 2 * (q + s * 4 * j);
      y[to] = acRe + bdRe;
      y[to + 1] = acIm + bdIm;
      turned(y, to + 2 * s, lessRe + turnRe, lessIm + turnIm, c1, d1, j);
      turned(y, to + 4 * s, acRe - bdRe, acIm - bdIm, c2, d2, j);
      turned(y, to + 6 * s, lessRe - turnRe, lessIm - turnIm, c3, d3, j);
    }
  }
}

/** Terms t and p − t together: sums meet cosines, differences sines. */
function passOfOdd(
  x: Float64Array,
  y: Float64Array,
  roots: Float64Array,
  terms: Float64Array,
  p: number,
  length: number,
  s: number,
): void {
  const m = length / p;
  const half = (p - 1) / 2;
  const n = length * s;
  const turn = n / p;
  for (let j = 0; j < m; j++)
    for (let q = 0; q < s; q++) {
      const first = 2 * (q + s * j);
      const to = 2 * (q + s * p * j);
      let [sumRe, sumIm] = [x[first]!, x[first + 1]!];
      for (let t = 1; t <= half; t++) {
        const [a, b] = [first + 2 * s * m * t, first + 2 * s * m * (p - t)];
        terms[4 * t] = x[a]! + x[b]!;
        terms[4 * t + 1] = x[a + 1]! + x[b + 1]!;
        terms[4 * t + 2] = x[a]! - x[b]!;
        terms[4 * t + 3] = x[a + 1]! - x[b + 1]!;
        sumRe += terms[4 * t]!;
        sumIm += terms[4 * t + 1]!;
      }
      y[to] = sumRe;
      y[to + 1] = sumIm;
      for (let r = 1; r <= half; r++) {
        let [evenRe, evenIm, oddRe, oddIm] = [x[first]!, x[first + 1]!, 0, 0];
        for (let t = 1; t <= half; t++) {
          const root = 2 * ((r * t) % p) * turn;
          const [c, d] = [roots[root]!, roots[root + 1]!];
          evenRe += c * terms[4 * t]!;
          evenIm += c * terms[4 * t + 1]!;
          oddRe -= d * terms[4 * t + 3]!;
          oddIm += d * terms[4 * t + 2]!;
        }
        const [one, other] = [2 * j * s * r, 2 * j * s * (p - r)];
        turned(y, to + 2 * s * r, evenRe + oddRe, evenIm + oddIm, roots[one]!, roots[one + 1]!, j);
        turned(y, to + 2 * s * (p - r), evenRe - oddRe, evenIm - oddIm, roots[other]!, roots[other + 1]!, j);
      }
    }
}

/** jk = (j² + k² − (k − j)²) / 2: a convolution with e^(πi·j²/n), of a length that is easy. */
function byConvolution({ n, inner }: Convolution): Transform {
  const length = inner.n;
  const transform = transformBy(inner);
  const chirp = chirpOf(n);
  const filter = filterOf(chirp, n, length);
  transform(filter);
  const work = new Float64Array(2 * length);
  return (line) => {
    work.fill(0);
    for (let j = 0; j < n; j++) multiplied(work, j, line, j, chirp, j, 1);
    transform(work);
    // The inverse is the transform of the conjugate, conjugated.
    for (let j = 0; j < length; j++) multiplied(work, j, work, j, filter, j, -1);
    transform(work);
    for (let j = 0; j < n; j++) {
      work[2 * j + 1] = -work[2 * j + 1]!;
      multiplied(line, j, work, j, chirp, j, 1);
    }
  };
}

/** to[i] = x[j]·y[k], or its conjugate. */
function multiplied(
  to: Float64Array,
  i: number,
  x: Float64Array,
  j: number,
  y: Float64Array,
  k: number,
  sign: 1 | -1,
): void {
  const [a, b, c, d] = [x[2 * j]!, x[2 * j + 1]!, y[2 * k]!, y[2 * k + 1]!];
  to[2 * i] = a * c - b * d;
  to[2 * i + 1] = sign * (a * d + b * c);
}
