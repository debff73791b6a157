// cast and where: the two elementwise ops whose inputs have dtypes of their own.

import type { Attrs } from "../../core/attrs.ts";
import { type DType, infoOf, isComplex } from "../../core/dtype.ts";
import { DTypeError } from "../../core/errors.ts";
import type { ElementwiseOp } from "../../expr/op.ts";
import * as s from "../../kernel/scalar.ts";
import { nonZero as complexNonZero } from "../complex/arithmetic.ts";
import { typeOf } from "./define.ts";

/** attrs.dtype: what to become. */
export const cast: ElementwiseOp = {
  name: "cast",
  class: "elementwise",
  infer([input], attrs) {
    const dtype = attrs["dtype"] as DType;
    if (isComplex(input!.dtype) && !isComplex(dtype) && dtype !== "bool") {
      throw new DTypeError({
        what: `${input!.dtype} cannot become ${dtype}: the imaginary part would be lost`,
        cure: "Take real, imag or abs first",
      });
    }
    return typeOf([input!], dtype);
  },
  body: ([x], attrs) => castValue(x!, attrs["dtype"] as DType),
};

export function castValue(x: s.Value, dtype: DType): s.Value {
  const { part } = infoOf(dtype);
  if (s.isComplexTerm(x)) {
    return dtype === "bool" ? complexNonZero(x) : { re: s.convert(x.re, part), im: s.convert(x.im, part) };
  }
  return isComplex(dtype) ? { re: s.convert(x, part), im: s.zero(part) } : s.convert(x, part);
}

/** where(condition, x, y) */
export const where: ElementwiseOp = {
  name: "where",
  class: "elementwise",
  infer(inputs) {
    const [condition, x, y] = inputs;
    if (condition!.dtype !== "bool" || x!.dtype !== y!.dtype) {
      throw new DTypeError({
        what: `takes a bool condition and two arrays of one dtype, not ${inputs.map((i) => i.dtype).join(", ")}`,
        cure: "Compare to get a condition; cast the values to one dtype",
      });
    }
    return typeOf(inputs, x!.dtype);
  },
  body: ([condition, x, y]) => s.selectValue(condition as s.Term, x!, y!),
};

export const castAttrs = (dtype: DType): Attrs => ({ dtype });
