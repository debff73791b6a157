// cast: the elementwise op that every call may need, because operands of several dtypes meet in one.

import type { Attrs } from "../core/block.ts";
import { type DType, infoOf, isComplex, isTime } from "../core/dtype.ts";
import { DTypeError } from "../core/errors.ts";
import { broadcastType, type ElementwiseOp } from "../expr/op.ts";
import { nonZero as complexNonZero } from "../kernel/complex/arithmetic.ts";
import * as s from "../kernel/scalar.ts";

/** attrs.dtype: what to become. */
export const cast: ElementwiseOp = {
  name: "cast",
  class: "elementwise",
  keepsMeaning: true,
  infer([input], attrs) {
    const dtype = attrs["dtype"] as DType;
    if (isComplex(input!.dtype) && !isComplex(dtype) && dtype !== "bool") {
      throw new DTypeError({
        what: `${input!.dtype} cannot become ${dtype}: the imaginary part would be lost`,
        cure: "Take real, imag or abs first",
      });
    }
    const [from, to] = [input!.dtype, dtype];
    // Steps are counted by whole numbers of 64 bits, and by nothing else.
    if ((isTime(from) && to !== "int64") || (isTime(to) && from !== "int64")) {
      throw new DTypeError({ what: `${from} cannot become ${to}`, cure: "Use astype, and int64 in between" });
    }
    return broadcastType([input!], dtype);
  },
  body: ([x], attrs) => castValue(x!, attrs["dtype"] as DType),
  // What a number has no imaginary part for is dropped.
  pullback: ({ inputs: [x], cotangent }, use) => {
    const isNarrower = isComplex(cotangent.dtype) && !isComplex(x!.dtype);
    return [use.cast(isNarrower ? use.real(cotangent) : cotangent, x!.dtype)];
  },
};

export function castValue(x: s.Value, dtype: DType): s.Value {
  const { part } = infoOf(dtype);
  if (s.isComplexTerm(x)) {
    return dtype === "bool" ? complexNonZero(x) : { re: s.convert(x.re, part), im: s.convert(x.im, part) };
  }
  return isComplex(dtype) ? { re: s.convert(x, part), im: s.zero(part) } : s.convert(x, part);
}

export const castAttrs = (dtype: DType): Attrs => ({ dtype });
