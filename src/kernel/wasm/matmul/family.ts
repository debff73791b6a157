// How each dtype is multiplied: what a packed element is, which instructions do it, how large a tile of results
// stays in registers. In: a dtype, and whether fused multiply-add may be used. Out: the family, or null (bool).
// Integers wrap, so signed and unsigned are one family; narrow ones are packed as int32, whose low bits are theirs.

import type { DType } from "../../../core/dtype.ts";
import type { ValueType } from "../instructions.ts";

type Lanes = "f64x2" | "f32x4" | "i64x2" | "i32x4";

export interface Family {
  /** Names the family in the keys of kernels. */
  readonly name: string;
  readonly lanes: Lanes;
  /** The type of one lane. */
  readonly scalar: ValueType;
  readonly laneBytes: 4 | 8;
  /** 2 for complex numbers, whose parts are packed apart. */
  readonly parts: 1 | 2;
  /** One element, and one part of it, outside of the packed panels. */
  readonly elementBytes: number;
  readonly partBytes: number;
  readonly load: string;
  readonly store: string;
  /** The results that a micro-kernel holds: so many rows, of so many vectors each. */
  readonly rows: number;
  readonly vectors: number;
  readonly fma: boolean;
}

/** Columns of a tile of results. */
export const columnsOf = ({ vectors, laneBytes }: Family): number => (vectors * 16) / laneBytes;

/** Bytes of an element in a packed panel. */
export const packedBytes = ({ parts, laneBytes }: Family): number => parts * laneBytes;

/** Elements lie outside as they are packed, so that vectors of them can be copied. */
export const isPlain = ({ parts, partBytes, laneBytes }: Family): boolean =>
  parts === 1 && partBytes === laneBytes;

const SCALARS: { readonly [L in Lanes]: "f64" | "f32" | "i64" | "i32" } = {
  f64x2: "f64",
  f32x4: "f32",
  i64x2: "i64",
  i32x4: "i32",
};

function family(name: string, lanes: Lanes, tile: readonly [rows: number, vectors: number]): Family {
  const scalar = SCALARS[lanes];
  const laneBytes = scalar.endsWith("64") ? 8 : 4;
  return {
    name,
    lanes,
    scalar,
    laneBytes,
    parts: 1,
    elementBytes: laneBytes,
    partBytes: laneBytes,
    load: `${scalar}.load`,
    store: `${scalar}.store`,
    rows: tile[0],
    vectors: tile[1],
    fma: false,
  };
}

const complex = (name: string, lanes: "f64x2" | "f32x4"): Family => {
  const real = family(name, lanes, [2, 1]);
  return { ...real, parts: 2, elementBytes: 2 * real.laneBytes };
};

const narrow = (name: string, bits: 8 | 16): Family => ({
  ...family(name, "i32x4", [4, 2]),
  elementBytes: bits / 8,
  partBytes: bits / 8,
  load: `i32.load${bits}_s`,
  store: `i32.store${bits}`,
});

const FLOAT64 = family("float64", "f64x2", [4, 2]);
const FLOAT32 = family("float32", "f32x4", [4, 2]);
const COMPLEX128 = complex("complex128", "f64x2");
const COMPLEX64 = complex("complex64", "f32x4");
const INT64 = family("int64", "i64x2", [2, 2]);
const INT32 = family("int32", "i32x4", [4, 2]);
const INT16 = narrow("int16", 16);
const INT8 = narrow("int8", 8);

const fused = (exact: Family): Family => ({ ...exact, name: `${exact.name} fma`, fma: true });

const EXACT: { readonly [D in DType]?: Family } = {
  int8: INT8,
  uint8: INT8,
  int16: INT16,
  uint16: INT16,
  int32: INT32,
  uint32: INT32,
  int64: INT64,
  uint64: INT64,
  float32: FLOAT32,
  float64: FLOAT64,
  complex64: COMPLEX64,
  complex128: COMPLEX128,
};

const FUSED: { readonly [D in DType]?: Family } = {
  float32: fused(FLOAT32),
  float64: fused(FLOAT64),
  complex64: fused(COMPLEX64),
  complex128: fused(COMPLEX128),
};

export const familyOf = (dtype: DType, fma: boolean): Family | null =>
  (fma ? FUSED[dtype] : undefined) ?? EXACT[dtype] ?? null;
