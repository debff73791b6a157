// IEEE 754 functions that JavaScript lacks or defines otherwise.

const view = new DataView(new ArrayBuffer(8));

/** Ties go to the even neighbour; the sign of zero is kept. */
export function roundToEven(x: number): number {
  const down = Math.floor(x);
  const rest = x - down;
  if (rest < 0.5 || x === down) return copysign(down, x);
  if (rest > 0.5) return copysign(down + 1, x);
  return copysign(down % 2 === 0 ? down : down + 1, x);
}

export function copysign(x: number, y: number): number {
  view.setFloat64(0, y);
  const negative = view.getUint8(0) >= 128;
  return negative ? -Math.abs(x) : Math.abs(x);
}

/** C's pow: 1 to any power, and −1 to an infinite one, are 1. JavaScript says NaN. */
export function power(x: number, y: number): number {
  return x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y;
}

/** The next double from x towards y. */
export function nextafter64(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if (x === y) return y;
  if (x === 0) return y > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE;
  view.setFloat64(0, x);
  const bits = view.getBigInt64(0);
  view.setBigInt64(0, y > x === x > 0 ? bits + 1n : bits - 1n);
  return view.getFloat64(0);
}

/** The next float from x towards y; both are floats. */
export function nextafter32(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if (x === y) return y;
  if (x === 0) return y > 0 ? 2 ** -149 : -(2 ** -149);
  view.setFloat32(0, x);
  const bits = view.getInt32(0);
  view.setInt32(0, y > x === x > 0 ? bits + 1 : bits - 1);
  return view.getFloat32(0);
}
