// Data-type functions, constants and inspection.

import { checkScalar } from "../../core/check.ts";
import { describe } from "../../core/chunks.ts";
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
import { Complex, canPromote, integerRange, isScalar, resultDType, type Scalar } from "../../core/numbers.ts";
import { closest } from "../../core/suggest.ts";
import { type Built, castTo, checkDType } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { OutputsOf } from "../../lazy/operandTypes.ts";
import { timesAs } from "../../ops/timeOps.ts";

/** π: `cw.pi` is 3.141592653589793. */
export const pi: number = Math.PI;
/** The base of the natural logarithm: `cw.e` is 2.718281828459045. */
export const e: number = Math.E;
/** Infinity: `cw.isinf([cw.inf])` is [true]. */
export const inf: number = Infinity;
/** Not a number: `cw.isnan([cw.nan])` is [true]. */
export const nan: number = Number.NaN;
/** A new axis in a selection: `x.get(":", cw.newaxis)` makes a column of a row. */
export const newaxis: null = null;

/** A complex scalar: `cw.complex(1, 2)` prints as 1+2j. */
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
  (x: Operand, dtype: DType): Built => {
    const [array, to] = [asLazy(x), checkDType(dtype)];
    return (timesAs(array, to) ?? castTo(array, to)) as Built;
  },
  [2, "copy"],
);

/** By the promotion rules, would every value of `from` become `to`? `cw.canCast("int32", "float64")` is true. */
export const canCast: (from: DType | Operand, to: DType) => boolean = userCall(
  "canCast",
  (from: DType | Operand, to: DType) =>
    canPromote(typeof from === "string" ? checkDType(from) : asLazy(from).dtype, checkDType(to)),
);

/** The dtype that arrays, dtypes and scalars meet in: `cw.resultType("int32", "float32")` is "float64". */
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

/**
 * Is a dtype of a kind: a dtype, a kind's name, or a list of these. `cw.isdtype("float32", "real floating")` is true.
 */
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

/** The limits of a floating dtype, as `cw.finfo` gives them. */
export interface FloatInfo {
  /** How many bits an element has. */
  readonly bits: number;
  /** From 1 to the next larger number. */
  readonly eps: number;
  /** The largest finite number. */
  readonly max: number;
  /** The smallest finite number: −max. */
  readonly min: number;
  /** The smallest number above 0 with all its digits. */
  readonly smallestNormal: number;
  /** float32 or float64. */
  readonly dtype: DType;
}

/** The largest exponent of a float of so many bytes. */
const EXPONENTS: { readonly [bytes: number]: number } = { 2: 15, 4: 127, 8: 1023 };

const dtypeOf = (type: DType | Operand): DType =>
  typeof type === "string" ? checkDType(type) : asLazy(type).dtype;

/** The limits of a floating dtype; for a complex one those of its parts: `cw.finfo("float32").eps`. */
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

/** The limits of an integer dtype, as `cw.iinfo` gives them. */
export interface IntegerInfo {
  /** How many bits an element has. */
  readonly bits: number;
  /** A number, or a bigint for 64-bit dtypes. */
  readonly max: number | bigint;
  /** A number, or a bigint for 64-bit dtypes. */
  readonly min: number | bigint;
  /** The dtype itself. */
  readonly dtype: DType;
}

/** The limits of an integer dtype: `cw.iinfo("int8").max` is 127. */
export const iinfo: (type: DType | Operand) => IntegerInfo = userCall("iinfo", (type: DType | Operand) => {
  const dtype = dtypeOf(type);
  if (!isInteger(dtype))
    throw new DTypeError({ what: `${dtype} is not an integer dtype`, cure: "Use finfo for floats" });
  const bits = 8 * infoOf(dtype).bytes;
  const [min, max] = integerRange(dtype).map((limit) => (bits === 64 ? limit : Number(limit)));
  return { bits, min: min!, max: max!, dtype };
});

/** What the array standard lets programs ask of a library, as `cw.arrayNamespaceInfo()` gives it. */
export interface NamespaceInfo {
  /** What there is and what not: boolean indexing, shapes that depend on data. */
  capabilities(): {
    readonly "boolean indexing": boolean;
    readonly "data-dependent shapes": boolean;
    readonly "max dimensions": null;
  };
  /** Where arrays are: "cpu". */
  defaultDevice(): string;
  /** The dtype of each kind that functions use where none is said. */
  defaultDtypes(): { readonly [kind: string]: DType };
  /** All devices: ["cpu"]. */
  devices(): readonly string[];
  /** All dtypes, or those of a kind: `dtypes({kind: "integral"})`. */
  dtypes(options?: { readonly kind?: string | readonly string[] }): readonly DType[];
}

/** The standard's inspection API: `cw.arrayNamespaceInfo().dtypes({kind: "integral"})`. */
export const arrayNamespaceInfo: () => NamespaceInfo = () => ({
  capabilities: () => ({ "boolean indexing": true, "data-dependent shapes": true, "max dimensions": null }),
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
