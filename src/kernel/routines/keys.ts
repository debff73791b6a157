// Sort keys. In: elements of any dtype, in rows that lie one after another. Out: the numbers that a row is to be
// ordered by, the least significant first, so that ordering stably by one after the other orders the row.
// Every key is exact as a float64: a 64 bit integer gives two, a complex number its parts.

import { type DType, isComplex, isWide, type TypedArray } from "../../core/dtype.ts";
import { HIGH_WORD, LOW_WORD, wordsOf } from "./bits.ts";

/** The key of a row's element i is `sign` times the value at `first + stride * i`. */
export interface KeyPart {
  readonly values: Float64Array | Uint32Array | Int32Array;
  readonly first: number;
  readonly stride: 1 | 2;
  readonly sign: 1 | -1;
}

/** The key parts of the row that starts at the element `start`. */
export type RowKeys = (start: number) => readonly KeyPart[];

/** Scratch memory is shared by all rows: the parts of a row hold until the next is asked for. */
export function rowKeys(dtype: DType, data: TypedArray, length: number, sign: 1 | -1): RowKeys {
  if (isComplex(dtype)) return complexKeys(data as Float32Array | Float64Array, length, sign);
  if (isWide(dtype)) return wideKeys(dtype, wordsOf(data), sign);
  if (data instanceof Float64Array) return (first) => [{ values: data, first, stride: 1, sign }];
  const values = new Float64Array(length);
  return (start) => {
    values.set(data.subarray(start, start + length) as Float32Array);
    return [{ values, first: 0, stride: 1, sign }];
  };
}

function wideKeys(dtype: "int64" | "uint64", words: Uint32Array, sign: 1 | -1): RowKeys {
  const signed = new Int32Array(words.buffer, words.byteOffset, words.length);
  const high = dtype === "int64" ? signed : words;
  return (start) => [
    { values: words, first: 2 * start + LOW_WORD, stride: 2, sign },
    { values: high, first: 2 * start + HIGH_WORD, stride: 2, sign },
  ];
}

/** NumPy's order: by real part, then by imaginary part, and those with a NaN behind the others. */
function complexKeys(data: Float32Array | Float64Array, length: number, sign: 1 | -1): RowKeys {
  const values = new Float64Array(2 * length);
  const ranks = new Float64Array(length);
  return (start) => {
    values.set(data.subarray(2 * start, 2 * (start + length)));
    for (let i = 0; i < length; i++) ranks[i] = nanRank(values[2 * i]!, values[2 * i + 1]!);
    return [
      { values, first: 1, stride: 2, sign },
      { values, first: 0, stride: 2, sign },
      { values: ranks, first: 0, stride: 1, sign: 1 },
    ];
  };
}

/** Numbers, then a NaN in the imaginary part only, in the real part only, in both. */
const nanRank = (re: number, im: number): number => (Number.isNaN(re) ? 2 : 0) + (Number.isNaN(im) ? 1 : 0);
