// Half-precision floats, as their bits. In: numbers, or bits. Out: the other. Must hold: as IEEE 754 and NumPy have it: a
// number is rounded once, to nearest, ties to even; subnormals are exact. What kernels do with halves is in kernel/halves.ts.

/** The number that bits stand for. */
export function numberOfHalf(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const [exponent, mantissa] = [(bits >>> 10) & 31, bits & 0x3ff];
  if (exponent === 31) return mantissa === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (1024 + mantissa) * 2 ** (exponent - 25);
}

/** Numbers from here on are rounded to infinity. */
const TOO_LARGE = 65520;

/** The bits of the nearest half. */
export function halfOf(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size >= TOO_LARGE) return sign | 0x7c00;
  // A carry out of the mantissa goes into the exponent: that is the next number.
  if (size < 2 ** -14) return sign | nearestEven(size * 2 ** 24);
  const exponent = exponentOf(size);
  return sign | (((exponent + 14) << 10) + nearestEven(size * 2 ** (10 - exponent)));
}

/** Of a number below 2⁵²: adding leaves no room for a fraction. */
const nearestEven = (x: number): number => x + 2 ** 52 - 2 ** 52;

function exponentOf(size: number): number {
  const near = Math.floor(Math.log2(size));
  return 2 ** near > size ? near - 1 : 2 ** (near + 1) <= size ? near + 1 : near;
}
