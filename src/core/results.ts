// What dtype a function gives for one it computes in: one table of named rules, read at run time and by the compiler
// alike. In: a dtype and a rule's name. Out: the result's dtype. Which dtypes a function takes is not said here.

import type { DType } from "./dtype.ts";

/**
 * same: its own. bool: truth. real: the parts of a complex number, else its own. floating: integers as the default
 * float. total: small integers as 64 bits of their sign. index: a place or a count.
 */
// biome-ignore format: a table
export const RESULTS = {
  bool: { same: "bool", bool: "bool", real: "bool", floating: "bool", total: "bool", index: "int64" },
  int8: { same: "int8", bool: "bool", real: "int8", floating: "float64", total: "int64", index: "int64" },
  int16: { same: "int16", bool: "bool", real: "int16", floating: "float64", total: "int64", index: "int64" },
  int32: { same: "int32", bool: "bool", real: "int32", floating: "float64", total: "int64", index: "int64" },
  int64: { same: "int64", bool: "bool", real: "int64", floating: "float64", total: "int64", index: "int64" },
  uint8: { same: "uint8", bool: "bool", real: "uint8", floating: "float64", total: "uint64", index: "int64" },
  uint16: { same: "uint16", bool: "bool", real: "uint16", floating: "float64", total: "uint64", index: "int64" },
  uint32: { same: "uint32", bool: "bool", real: "uint32", floating: "float64", total: "uint64", index: "int64" },
  uint64: { same: "uint64", bool: "bool", real: "uint64", floating: "float64", total: "uint64", index: "int64" },
  float16: { same: "float16", bool: "bool", real: "float16", floating: "float16", total: "float16", index: "int64" },
  float32: { same: "float32", bool: "bool", real: "float32", floating: "float32", total: "float32", index: "int64" },
  float64: { same: "float64", bool: "bool", real: "float64", floating: "float64", total: "float64", index: "int64" },
  complex64: { same: "complex64", bool: "bool", real: "float32", floating: "complex64", total: "complex64", index: "int64" },
  complex128: { same: "complex128", bool: "bool", real: "float64", floating: "complex128", total: "complex128", index: "int64" },
} as const;

/**
 * How a function's result gets its dtype from the operands': "same", "bool", "real", "floating", "total" or "index".
 */
export type ResultRule = keyof (typeof RESULTS)["bool"];

/**
 * The dtype that a rule gives: `Result<"complex64", "real">` is `"float32"`. Of a union all that may come; of a dtype
 * that nobody knows `DType`, unless the rule gives one for all.
 */
export type Result<D extends DType, R extends ResultRule> = R extends "bool" | "index"
  ? (typeof RESULTS)[D][R]
  : DType extends D
    ? DType
    : (typeof RESULTS)[D][R];

export const resultOf = (dtype: DType, rule: ResultRule): DType => RESULTS[dtype][rule];
