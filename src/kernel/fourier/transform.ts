// The discrete Fourier transform of lines of any length: X[k] = Σ x[j]·e^(−2πi·jk/n). In: complex numbers, real and imaginary parts in turn.
// Out: their transform, not scaled. Stockham's way through the prime factors, two 2s at a time; lengths with a prime above 50
// by Bluestein's convolution of a length that is a power of two.
// Must hold: the same line gives the same bits, whatever lines are transformed beside it.

/** Beyond it a pass of p² products takes longer than a convolution. */
const MOST_PRIME = 50;

/** How a length is transformed: made once for all lines. */
export type Transform = (line: Float64Array) => void;

/** So many complex numbers a transform keeps, and works with: plan/compile/scratch.ts. */
export function workLength(n: number): number {
  const passes = 2 * n + MOST_PRIME;
  return factorsOf(n) === null ? 3 * n + 5 * convolutionLength(n) : passes;
}

const convolutionLength = (n: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, 2 * n - 1)));

/** 4s before a 2, then the odd ones; null where one is too large. */
function factorsOf(n: number): number[] | null {
  const factors: number[] = [];
  let rest = n;
  const divide = (p: number): void => {
    factors.push(p);
    rest /= p;
  };
  while (rest > 0 && rest % 4 === 0) divide(4);
  if (rest > 0 && rest % 2 === 0) divide(2);
  for (let p = 3; rest > 1; p += 2) {
    if (p > MOST_PRIME) return null;
    while (rest % p === 0) divide(p);
  }
  return factors;
}

/** e^(−2πi·k/n), from an angle of at most an eighth of a turn. */
function unitRoot(k: number, n: number): readonly [re: number, im: number] {
  const eighth = Math.floor((8 * k) / n);
  const place = 8 * k - eighth * n;
  const angle = (Math.PI / 4) * ((eighth % 2 === 0 ? place : n - place) / n);
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  switch (eighth) {
    case 0:
      return [c, -s];
    case 1:
      return [s, -c];
    case 2:
      return [-s, -c];
    case 3:
      return [-c, -s];
    case 4:
      return [-c, s];
    case 5:
      return [-s, c];
    case 6:
      return [s, c];
    default:
      return [c, s];
  }
}

function unitRoots(n: number): Float64Array {
  const roots = new Float64Array(2 * n);
  for (let k = 0; k < n; k++) [roots[2 * k], roots[2 * k + 1]] = unitRoot(k, n);
  return roots;
}

export function transformOf(n: number): Transform {
  if (n <= 1) return () => undefined;
  const factors = factorsOf(n);
  return factors === null ? byConvolution(n) : byPasses(n, factors);
}

function byPasses(n: number, factors: readonly number[]): Transform {
  const roots = unitRoots(n);
  const other = new Float64Array(2 * n);
  const terms = new Float64Array(2 * MOST_PRIME);
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
      y[to + 2 * s] = re * c - im * d;
      y[to + 2 * s + 1] = re * d + im * c;
    }
  }
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
      const oneRe = lessRe + turnRe;
      const oneIm = lessIm + turnIm;
      y[to + 2 * s] = oneRe * c1 - oneIm * d1;
      y[to + 2 * s + 1] = oneRe * d1 + oneIm * c1;
      const twoRe = acRe - bdRe;
      const twoIm = acIm - bdIm;
      y[to + 4 * s] = twoRe * c2 - twoIm * d2;
      y[to + 4 * s + 1] = twoRe * d2 + twoIm * c2;
      const threeRe = lessRe - turnRe;
      const threeIm = lessIm - turnIm;
      y[to + 6 * s] = threeRe * c3 - threeIm * d3;
      y[to + 6 * s + 1] = threeRe * d3 + threeIm * c3;
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
        put(y, to + 2 * s * r, evenRe + oddRe, evenIm + oddIm, roots, 2 * j * s * r);
        put(y, to + 2 * s * (p - r), evenRe - oddRe, evenIm - oddIm, roots, 2 * j * s * (p - r));
      }
    }
}

function put(y: Float64Array, to: number, re: number, im: number, roots: Float64Array, at: number): void {
  const [c, d] = [roots[at]!, roots[at + 1]!];
  y[to] = re * c - im * d;
  y[to + 1] = re * d + im * c;
}

/** jk = (j² + k² − (k − j)²) / 2: a convolution with e^(πi·j²/n), of a length that is easy. */
function byConvolution(n: number): Transform {
  const length = convolutionLength(n);
  const transform = transformOf(length);
  const chirp = new Float64Array(2 * n);
  // j² mod 2n, exactly.
  for (let j = 0, square = 0; j < n; square = (square + 2 * j + 1) % (2 * n), j++)
    [chirp[2 * j], chirp[2 * j + 1]] = unitRoot(square, 2 * n);
  const filter = new Float64Array(2 * length);
  for (let j = 0; j < n; j++)
    for (const at of j === 0 ? [0] : [j, length - j]) {
      filter[2 * at] = chirp[2 * j]! / length;
      filter[2 * at + 1] = -chirp[2 * j + 1]! / length;
    }
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
