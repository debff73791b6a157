// Elements of typed arrays as numbers: what lies in a slot, and what it stands for. In: typed arrays and the dtype of their
// slots. Out: numbers and bigints. Whoever looks at single elements comes through here; kernels have their own loads.

import { type DType, infoOf, isWide, type RealDType, type TypedArray } from "./dtype.ts";
import { halfOf, numberOfHalf } from "./half.ts";
import { Complex, fitScalar, type Scalar } from "./numbers.ts";

/** The number in a slot: a bigint of a 64-bit integer. */
export function slotAt(data: TypedArray, part: RealDType, at: number): number | bigint {
  return part === "float16" ? numberOfHalf(data[at] as number) : data[at]!;
}

/** What a slot holds for a number that fits. */
export function slotOf(value: number | bigint | boolean, part: RealDType): number | bigint {
  if (part === "float16") return halfOf(Number(value));
  return isWide(part) ? BigInt(value) : Number(value);
}

/** An element of elements that follow each other. */
export function elementAt(data: TypedArray, dtype: DType, at: number): Scalar {
  const { part, slots } = infoOf(dtype);
  if (slots === 2) return new Complex(Number(data[2 * at]), Number(data[2 * at + 1]));
  return dtype === "bool" ? data[at] !== 0 : slotAt(data, part, at);
}

/** Stores one value as the dtype holds it; an error where it does not fit. */
export function storeElement(data: TypedArray, dtype: DType, at: number, value: Scalar): void {
  const fitted = fitScalar(value, dtype);
  if (fitted instanceof Complex) {
    data[2 * at] = fitted.re;
    data[2 * at + 1] = fitted.im;
  } else data[at] = slotOf(fitted, infoOf(dtype).part);
}

/** Stores one value everywhere. */
export function fillElements(data: TypedArray, dtype: DType, value: Scalar): void {
  const fitted = fitScalar(value, dtype);
  if (fitted instanceof Complex)
    for (let at = 0; at < data.length / 2; at++) storeElement(data, dtype, at, fitted);
  else (data as Float64Array).fill(slotOf(fitted, infoOf(dtype).part) as number);
}
