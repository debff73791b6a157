// What the code of one row works with: the row's place, its keys, buffers and counters, all in locals.
// An entry is what is moved about: sort moves keys, argsort a key of 32 bits above a position of 32 bits.
// Comparing entries as whole numbers without sign thus orders stably.

import { infoOf, isFloat, kindOf, type RealDType } from "../../../core/dtype.ts";
import type { FunctionWriter, Local } from "../assembler.ts";
import type { RunArguments } from "../module.ts";

export type SortKind = "sort" | "argsort";

/** Tables of counters: so many, each for a digit of at most so many bits. They stay in the fastest cache. */
export const TABLES = 3;
export const MAX_WIDTH = 11;
export const TABLE_BYTES: number = 4 << MAX_WIDTH;
/** They lie where the thread's scratch begins; buffers follow. */
export const COUNTER_BYTES: number = TABLES * TABLE_BYTES;

export interface Row {
  readonly w: FunctionWriter;
  readonly run: RunArguments;
  readonly kind: SortKind;
  readonly dtype: RealDType;
  /** Rows are segments of the input, each as long as it is. */
  readonly isSegmented: boolean;
  /** Bytes of an element of the input. */
  readonly bytes: number;
  readonly isFloat: boolean;
  readonly isSigned: boolean;
  /** The machine type that holds a key, and the one that holds an entry. */
  readonly keyType: "i32" | "i64";
  readonly entryType: "i32" | "i64";
  readonly entryBytes: 4 | 8;
  /** The first bit of the key in an entry. */
  readonly keyShift: 0 | 32;
  readonly at: RowLocals;
}

const I32_LOCALS = [
  "length", "input", "inputStride", "output", "outputStride",
  "offsets", "unit", "counters", "descending", "work", "workStride", "firstRow", "entries", "spare",
  "read", "write", "left", "place", "numbers", "isUnsorted", "hasNegativeZero",
  "bits",
  "widest", "drop", "low", "width", "mask", "passes", "pass", "shift", "slot", "table",
  "sum", "isSingle", "moves", "budget", "stage", "temporary",
] as const; // biome-ignore format: a list
const KEY_LOCALS = ["flip", "raw", "key", "least", "all", "some"] as const;
const ENTRY_LOCALS = ["entry", "last", "other"] as const;

export type RowLocals = {
  readonly [N in
    | (typeof I32_LOCALS)[number]
    | (typeof KEY_LOCALS)[number]
    | (typeof ENTRY_LOCALS)[number]]: Local;
};

export function newRow(
  w: FunctionWriter,
  run: RunArguments,
  kind: SortKind,
  dtype: RealDType,
  isSegmented: boolean,
): Row {
  const { bytes } = infoOf(dtype);
  const keyType = bytes === 8 ? "i64" : "i32";
  const entryType = kind === "argsort" ? "i64" : keyType;
  const locals = (names: readonly string[], type: "i32" | "i64"): [string, Local][] =>
    names.map((name) => [name, w.local(type)]);
  const at = Object.fromEntries([
    ...locals(I32_LOCALS, "i32"),
    ...locals(KEY_LOCALS, keyType),
    ...locals(ENTRY_LOCALS, entryType),
  ]) as RowLocals;
  return {
    ...{ w, run, kind, dtype, isSegmented, bytes, keyType, entryType, at },
    isFloat: isFloat(dtype),
    isSigned: kindOf(dtype) === "int",
    entryBytes: entryType === "i64" ? 8 : 4,
    keyShift: kind === "argsort" ? 32 : 0,
  };
}

/** A number of the keys' type. */
export function keyConstant({ w, keyType }: Row, value: bigint): FunctionWriter {
  return keyType === "i64" ? w.i64(value) : w.i32(Number(BigInt.asIntN(32, value)));
}

export const keyBits = ({ keyType }: Row): number => (keyType === "i64" ? 64 : 32);
export const signBit = (row: Row): bigint => 1n << BigInt(keyBits(row) - 1);

/** Loads the entry at an address that is on the stack. */
export const loadEntry = ({ w, entryType }: Row, offset = 0): FunctionWriter =>
  w.memory(`${entryType}.load`, offset);
/** Stores the entry on the stack at the address below it. */
export const storeEntry = ({ w, entryType }: Row): FunctionWriter => w.memory(`${entryType}.store`);
