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
