// Roots of one: e^(−2πi·k/n). In: k and n. Out: real and imaginary parts in turn.

/** From an angle of at most an eighth of a turn. */
export function unitRoot(k: number, n: number): readonly [re: number, im: number] {
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

/** The first `count` of them, `step` apart. */
export function unitRoots(n: number, count: number = n, step = 1): Float64Array {
  const roots = new Float64Array(2 * count);
  for (let k = 0; k < count; k++) [roots[2 * k], roots[2 * k + 1]] = unitRoot(k * step, n);
  return roots;
}

/** Any root as the product of two of two short tables: e = low + 2^shift · high. */
export interface TwoTables {
  readonly shift: number;
  readonly low: Float64Array;
  readonly high: Float64Array;
}

export function twoTables(n: number): TwoTables {
  const shift = Math.ceil(Math.log2(n) / 2);
  const step = 2 ** shift;
  return { shift, low: unitRoots(n, step), high: unitRoots(n, Math.ceil(n / step), step) };
}

/** Beyond, sines and cosines take longer than they are worth: transforms of such lengths have larger errors of their own. */
const MOST_EXACT = 1 << 16;

/** e^(−πi·j²/n) of a convolution: j² mod 2n, exactly; of long ones the roots of two tables. */
export function chirpOf(n: number): Float64Array {
  const chirp = new Float64Array(2 * n);
  if (n <= MOST_EXACT) {
    for (let j = 0, square = 0; j < n; square = (square + 2 * j + 1) % (2 * n), j++)
      [chirp[2 * j], chirp[2 * j + 1]] = unitRoot(square, 2 * n);
    return chirp;
  }
  const { shift, low, high } = twoTables(2 * n);
  const step = 2 ** shift;
  for (let j = 0, square = 0; j < n; square = (square + 2 * j + 1) % (2 * n), j++) {
    const [l, h] = [2 * (square % step), 2 * Math.floor(square / step)];
    chirp[2 * j] = low[l]! * high[h]! - low[l + 1]! * high[h + 1]!;
    chirp[2 * j + 1] = low[l]! * high[h + 1]! + low[l + 1]! * high[h]!;
  }
  return chirp;
}

/** What is convolved with, before it is transformed: e^(πi·j²/n) / length, forth and back. */
export function filterOf(chirp: Float64Array, n: number, length: number): Float64Array {
  const filter = new Float64Array(2 * length);
  for (let j = 0; j < n; j++) {
    filter[2 * j] = chirp[2 * j]! / length;
    filter[2 * j + 1] = -chirp[2 * j + 1]! / length;
  }
  for (let j = 1; j < n; j++) {
    filter[2 * (length - j)] = filter[2 * j]!;
    filter[2 * (length - j) + 1] = filter[2 * j + 1]!;
  }
  return filter;
}
