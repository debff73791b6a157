// Data-type functions, constants and inspection.

import { checkScalar } from "../../core/check.ts";
import {
  DEFAULT_COMPLEX,
  DEFAULT_FLOAT,
  DEFAULT_INT,
  DTYPES,
  type DType,
  INDEX_DTYPE,
  infoOf,
  isComplex,
  isDType,
  isFloat,
  isInteger,
  type Kind,
  kindOf,
} from "../../core/dtype.ts";
import { DTypeError, ValueError } from "../../core/errors.ts";
import { Complex, integerRange, isScalar, type Scalar } from "../../core/numbers.ts";
import { canPromote, resultDType } from "../../core/promotion.ts";
import { describe } from "../../core/shape.ts";
import { closest } from "../../core/suggest.ts";
import { type Built, castTo, checkDType } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { OutputsOf } from "../../lazy/operandTypes.ts";

export const pi: number = Math.PI;
export const e: number = Math.E;
export const inf: number = Infinity;
export const nan: number = Number.NaN;
/** A new axis in a selection. */
export const newaxis: null = null;

/** A complex scalar. */
export const complex: (re: number, im: number) => Complex = userCall(
  "complex",
  (re: number, im: number) => checkScalar(new Complex(re, im), "the complex number") as Complex,
);

interface AstypeFunction {
  <const A extends Operand, E extends DType>(
    x: A,
    dtype: E,
    options?: { readonly copy?: boolean | undefined },
  ): LazyArray<E, OutputsOf<A>>;
  readonly "~method"?: <O, E extends DType>(
    this: LazyArray<DType, O>,
    dtype: E,
    options?: { readonly copy?: boolean | undefined },
  ) => LazyArray<E, O>;
}

/** In another dtype: `cw.astype(x, "float32")`. */
export const astype: AstypeFunction = userCall(
  "astype",
  (x: Operand, dtype: DType): Built => castTo(asLazy(x), checkDType(dtype)) as Built,
  [2, "copy"],
);

/** By the promotion rules, would every value of `from` become `to`? */
export const canCast: (from: DType | Operand, to: DType) => boolean = userCall(
  "canCast",
  (from: DType | Operand, to: DType) =>
    canPromote(typeof from === "string" ? checkDType(from) : asLazy(from).dtype, checkDType(to)),
);

/** The dtype that arrays, dtypes and scalars meet in. */
export const resultType: (...operands: readonly (DType | Operand)[]) => DType = userCall(
  "resultType",
  (...operands: readonly (DType | Operand)[]) => {
    const dtypes: DType[] = [];
    const scalars: Scalar[] = [];
    for (const operand of operands) {
      if (typeof operand === "string") dtypes.push(checkDType(operand));
      else if (isScalar(operand)) scalars.push(operand);
      else dtypes.push(asLazy(operand).dtype);
    }
    return resultDType(dtypes, scalars);
  },
);

const KIND_NAMES: { readonly [name: string]: readonly Kind[] } = Object.assign(Object.create(null), {
  bool: ["bool"],
  "signed integer": ["int"],
  "unsigned integer": ["uint"],
  integral: ["int", "uint"],
  "real floating": ["float"],
  "complex floating": ["complex"],
  numeric: ["int", "uint", "float", "complex"],
});

/** Is a dtype of a kind: a dtype, a kind's name, or a list of these. */
export const isdtype: (dtype: DType, kind: string | readonly string[]) => boolean = userCall(
  "isdtype",
  (dtype: DType, kind: string | readonly string[]) => {
    const own = checkDType(dtype);
    const kinds = Array.isArray(kind) ? Array.from<unknown>(kind) : [kind];
    return kinds.some((name) => {
      if (isDType(name)) return name === own;
      const members = typeof name === "string" ? KIND_NAMES[name] : undefined;
      if (members !== undefined) return members.includes(kindOf(own));
      throw new ValueError({
        what: `${describe(name)} is not a kind of dtype`,
        cure: closest(String(name), Object.keys(KIND_NAMES)),
      });
    });
  },
);

export interface FloatInfo {
  readonly bits: number;
  readonly eps: number;
  readonly max: number;
  readonly min: number;
  readonly smallestNormal: number;
  readonly dtype: DType;
}

/** The largest exponent of a float of so many bytes. */
const EXPONENTS: { readonly [bytes: number]: number } = { 2: 15, 4: 127, 8: 1023 };

const dtypeOf = (type: DType | Operand): DType =>
  typeof type === "string" ? checkDType(type) : asLazy(type).dtype;

/** The limits of a floating dtype; for a complex one those of its parts. */
export const finfo: (type: DType | Operand) => FloatInfo = userCall("finfo", (type: DType | Operand) => {
  const dtype = dtypeOf(type);
  if (!isFloat(dtype) && !isComplex(dtype))
    throw new DTypeError({ what: `${dtype} is not a floating dtype`, cure: "Use iinfo for integers" });
  const { part } = infoOf(dtype);
  const { bytes, digits } = infoOf(part);
  const [exponent, eps] = [EXPONENTS[bytes]!, 2 ** (1 - digits)];
  const max = (2 - eps) * 2 ** exponent;
  return { bits: 8 * bytes, eps, max, min: -max, smallestNormal: 2 ** (1 - exponent), dtype: part };
});

export interface IntegerInfo {
  readonly bits: number;
  /** A number, or a bigint for 64-bit dtypes. */
  readonly max: number | bigint;
  readonly min: number | bigint;
  readonly dtype: DType;
}

/** The limits of an integer dtype. */
export const iinfo: (type: DType | Operand) => IntegerInfo = userCall("iinfo", (type: DType | Operand) => {
  const dtype = dtypeOf(type);
  if (!isInteger(dtype))
    throw new DTypeError({ what: `${dtype} is not an integer dtype`, cure: "Use finfo for floats" });
  const bits = 8 * infoOf(dtype).bytes;
  const [min, max] = integerRange(dtype).map((limit) => (bits === 64 ? limit : Number(limit)));
  return { bits, min: min!, max: max!, dtype };
});

export interface NamespaceInfo {
  capabilities(): {
    readonly "boolean indexing": boolean;
    readonly "data-dependent shapes": boolean;
    readonly "max dimensions": null;
  };
  defaultDevice(): string;
  defaultDtypes(): { readonly [kind: string]: DType };
  devices(): readonly string[];
  dtypes(options?: { readonly kind?: string | readonly string[] }): readonly DType[];
}

/** The standard's inspection API. */
export const arrayNamespaceInfo: () => NamespaceInfo = () => ({
  capabilities: () => ({ "boolean indexing": false, "data-dependent shapes": false, "max dimensions": null }),
  defaultDevice: () => "cpu",
  defaultDtypes: () => ({
    "real floating": DEFAULT_FLOAT,
    "complex floating": DEFAULT_COMPLEX,
    integral: DEFAULT_INT,
    indexing: INDEX_DTYPE,
  }),
  devices: () => ["cpu"],
  dtypes: ({ kind } = {}) => (kind === undefined ? DTYPES : DTYPES.filter((dtype) => isdtype(dtype, kind))),
});
