// How elements are stored. In: the names that Zarr v2 ("<f8") and v3 ("float64") use. Out: one record. Everything else is a typed "not supported".

import { DTYPES, type DType, infoOf, isDType } from "../../core/dtype.ts";
import { describe } from "../../core/shape.ts";
import { closest } from "../../core/suggest.ts";
import { MetadataError, NotSupportedError } from "../errors.ts";
import type { Json } from "./zarrJson.ts";

/** The name of a stored dtype. */
export type StoredName = DType;
/** Which byte of an element comes first: the lowest ("little") or the highest. */
export type Endian = "little" | "big";

export interface StoredType {
  readonly name: StoredName;
  /** What the elements are in memory. */
  readonly dtype: DType;
  /** Bytes of a stored element. */
  readonly bytes: number;
  /** Bytes that change places between the two orders: half of a complex number's. */
  readonly wordBytes: number;
}

export function storedType(name: StoredName): StoredType {
  const { bytes, slots } = infoOf(name);
  return { name, dtype: name, bytes, wordBytes: bytes / slots };
}

export function typeFromV3(value: Json | undefined, where: string): StoredType {
  if (isDType(value)) return storedType(value);
  if (value === undefined) throw new MetadataError({ what: "data_type is missing", where });
  const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : describe(value);
  throw new NotSupportedError({
    what: `the data type ${shown} is not supported`,
    where,
    cure: typeof value === "string" ? closest(value, DTYPES) : `Known are ${DTYPES.join(", ")}`,
  });
}

const V2_KINDS: { readonly [code: string]: readonly [prefix: string, sizes: readonly number[]] } = {
  b: ["bool", [1]],
  i: ["int", [1, 2, 4, 8]],
  u: ["uint", [1, 2, 4, 8]],
  f: ["float", [2, 4, 8]],
  c: ["complex", [8, 16]],
};

export function typeFromV2(value: Json | undefined, where: string): { type: StoredType; endian: Endian } {
  const [, order, code, digits] =
    (typeof value === "string" && /^([<>|])([biufc])(\d{1,2})$/.exec(value)) || [];
  const size = Number(digits);
  const [prefix, sizes] = V2_KINDS[code ?? ""] ?? ["", []];
  if (value === undefined) throw new MetadataError({ what: "dtype is missing", where });
  if (!sizes.includes(size)) throw notSupportedV2(value, where);
  if (order === "|" && size > 1)
    throw new MetadataError({
      what: `the dtype ${value} does not say its byte order`,
      where,
      cure: 'Use "<" or ">"',
    });
  const name = prefix === "bool" ? "bool" : `${prefix}${8 * size}`;
  return { type: storedType(name as StoredName), endian: order === ">" ? "big" : "little" };
}

function notSupportedV2(value: Json, where: string): NotSupportedError {
  const kind = Array.isArray(value)
    ? "a structured dtype"
    : typeof value === "string" && /^[<>|][Mm]8/.test(value)
      ? `the date or time dtype ${value.slice(0, 30)}`
      : `the dtype ${typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : describe(value)}`;
  return new NotSupportedError({
    what: `${kind} is not supported`,
    where,
    cure: "Supported are b1, i1 to i8, u1 to u8, f2, f4, f8, c8 and c16",
  });
}

export function typeToV2(type: StoredType, endian: Endian): string {
  const order = type.wordBytes === 1 ? "|" : endian === "big" ? ">" : "<";
  const code = type.name.startsWith("uint") ? "u" : type.name[0]!;
  return `${order}${code}${type.bytes}`;
}
