// How elements are stored. In: the names that Zarr v2 ("<f8") and v3 ("float64") use. Out: one record. Everything else is a typed "not supported".

import { describe } from "../../core/chunks.ts";
import {
  DTYPES,
  type DType,
  infoOf,
  isDType,
  isTime,
  isWide,
  TIME_UNITS,
  type TimeDType,
  unitOf,
} from "../../core/dtype.ts";
import { halfOf, numberOfHalf } from "../../core/half.ts";
import { Complex, fitScalar, isScalar, type Scalar } from "../../core/numbers.ts";
import { closest } from "../../core/suggest.ts";
import { NO_TIME, storedTime } from "../../core/times.ts";
import { MetadataError, NotSupportedError } from "../errors.ts";
import { isObject, type Json, type JsonObject } from "./zarrJson.ts";

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
  if (isDType(value) && !isTime(value)) return storedType(value);
  const time = isObject(value) ? timeFromV3(value, where) : null;
  if (time !== null) return time;
  if (value === undefined) throw new MetadataError({ what: "data_type is missing", where });
  const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : describe(value);
  throw new NotSupportedError({
    what: `the data type ${shown} is not supported`,
    where,
    cure: typeof value === "string" ? closest(value, DTYPES) : `Known are ${DTYPES.join(", ")}`,
  });
}

// Dates and times, as NumPy has them: v2's "<M8[ns]", v3's {"name": "numpy.datetime64", "configuration": {"unit": "ns"}}.

const NUMPY_TIMES: { readonly [name: string]: string } = {
  "numpy.datetime64": "datetime64",
  "numpy.timedelta64": "timedelta64",
};

/** Steps of several units each ("25s") are a dtype that there is none of here. */
function timeNamed(name: string, unit: unknown, count: unknown, where: string): StoredType {
  const dtype = `${name}[${unit === "μs" ? "us" : String(unit)}]`;
  if (count === 1 && isDType(dtype)) return storedType(dtype);
  throw new NotSupportedError({
    what: `${name} in steps of ${String(count)} ${String(unit)} is not supported`,
    where,
    cure: `Supported are steps of one ${TIME_UNITS.join(", ")}`,
  });
}

function timeFromV3({ name, configuration }: JsonObject, where: string): StoredType | null {
  const kind = typeof name === "string" ? NUMPY_TIMES[name] : undefined;
  if (kind === undefined) return null;
  const { unit, scale_factor: count = 1 } = isObject(configuration) ? configuration : {};
  return timeNamed(kind, unit, count, where);
}

function timeToV3(dtype: TimeDType): JsonObject {
  const name = dtype.startsWith("datetime64") ? "numpy.datetime64" : "numpy.timedelta64";
  return { name, configuration: { unit: unitOf(dtype), scale_factor: 1 } };
}

/** As v3's metadata name it. */
export const typeToV3 = ({ name }: StoredType): Json => (isTime(name) ? timeToV3(name) : name);

const V2_TIME = /^([<>])([Mm])8\[(\d*)([A-Za-zμ]{1,2})\]$/;

const V2_KINDS: { readonly [code: string]: readonly [prefix: string, sizes: readonly number[]] } = {
  b: ["bool", [1]],
  i: ["int", [1, 2, 4, 8]],
  u: ["uint", [1, 2, 4, 8]],
  f: ["float", [2, 4, 8]],
  c: ["complex", [8, 16]],
};

export function typeFromV2(value: Json | undefined, where: string): { type: StoredType; endian: Endian } {
  const [, end, letter, count, unit] = (typeof value === "string" && V2_TIME.exec(value)) || [];
  if (letter !== undefined) {
    const name = letter === "M" ? "datetime64" : "timedelta64";
    const type = timeNamed(name, unit, count === "" ? 1 : Number(count), where);
    return { type, endian: end === ">" ? "big" : "little" };
  }
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
      ? `the date or time dtype ${value.slice(0, 30)}, which has no unit,`
      : `the dtype ${typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : describe(value)}`;
  return new NotSupportedError({
    what: `${kind} is not supported`,
    where,
    cure: "Supported are b1, i1 to i8, u1 to u8, f2, f4, f8, c8, c16, M8 and m8 with a unit",
  });
}

export function typeToV2(type: StoredType, endian: Endian): string {
  const order = type.wordBytes === 1 ? "|" : endian === "big" ? ">" : "<";
  if (isTime(type.name))
    return `${order}${type.name.startsWith("datetime64") ? "M" : "m"}8[${unitOf(type.name)}]`;
  const code = type.name.startsWith("uint") ? "u" : type.name[0]!;
  return `${order}${code}${type.bytes}`;
}

// Fill values, exact to the bit. In: JSON of Zarr v2 or v3, or what a user gives. Out: the bytes of one
// element in memory (little-endian, of the dtype in memory), because a JavaScript number cannot carry the
// payload of a NaN; and the way back to JSON.

export interface Fill {
  /** One element as it lies in memory. */
  readonly element: Uint8Array;
  /** The same as a value; NaN stands for all NaNs. */
  readonly value: Scalar;
  /** v2's null: what is not stored reads as 0 here, and as anything elsewhere. */
  readonly isNull: boolean;
}

/** What a user may give: a scalar, "NaN", "-Infinity", bits as "0x7fc00001", or a pair for complex numbers. */
export type FillArgument = Scalar | string | readonly (number | string)[];

const SPECIAL: { readonly [text: string]: number } = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

export function zeroFill(type: StoredType): Fill {
  return fillOf(new Uint8Array(infoOf(type.dtype).bytes), type);
}

/** Of an array of v2 that has no fill value. */
export const nullFill = (type: StoredType): Fill => ({ ...zeroFill(type), isNull: true });

/** No time at all: what is not stored of dates and times. */
export const noTimeFill = (type: StoredType): Fill => parseFill(NO_TIME, type, "fillValue");

export function parseFill(json: Json, type: StoredType, where: string): Fill {
  const element = new Uint8Array(infoOf(type.dtype).bytes);
  const view = new DataView(element.buffer);
  const { kind } = infoOf(type.dtype);
  if (kind === "complex") writeComplex(json, type, view, where);
  else if (kind === "float") writeFloat(json, type, view, 0, where);
  else if (kind === "bool") element[0] = parseBool(json, where);
  else if (isTime(type.dtype)) view.setBigInt64(0, timeFrom(json, type.dtype, where), true);
  else writeInteger(json, type, view, where);
  return fillOf(element, type);
}

function fillOf(element: Uint8Array, type: StoredType): Fill {
  return { element, value: scalarOf(new DataView(element.buffer), type), isNull: false };
}

/** A fill value from a user: scalars as they are, the rest as Zarr writes it. */
export function fillFromUser(value: FillArgument, type: StoredType): Fill {
  if (!isScalar(value)) return parseFill(value, type, "fillValue");
  const fitted = fitScalar(value, type.dtype);
  return parseFill(fitted instanceof Complex ? [fitted.re, fitted.im] : fitted, type, "fillValue");
}

function timeFrom(json: Json, dtype: TimeDType, where: string): bigint {
  try {
    if (typeof json === "string" || typeof json === "number" || typeof json === "bigint")
      return BigInt.asIntN(64, storedTime(json, dtype));
  } catch (cause) {
    throw new MetadataError(
      { what: `the fill value ${describe(json)} is not a value of ${dtype}`, where },
      { cause },
    );
  }
  throw wrong(json, dtype, where);
}

function parseBool(json: Json, where: string): 0 | 1 {
  if (json === true || json === 1) return 1;
  if (json === false || json === 0) return 0;
  throw wrong(json, "bool", where);
}

function writeInteger(json: Json, type: StoredType, view: DataView, where: string): void {
  const whole = typeof json === "bigint" || (typeof json === "number" && Number.isInteger(json));
  if (!whole) throw wrong(json, type.name, where);
  let value: Scalar;
  try {
    value = fitScalar(json, type.dtype);
  } catch (cause) {
    throw new MetadataError({ what: `the fill value ${json} does not fit ${type.name}`, where }, { cause });
  }
  if (isWide(type.dtype)) view.setBigInt64(0, BigInt(value as bigint), true);
  else if (type.bytes === 1) view.setInt8(0, Number(value));
  else if (type.bytes === 2) view.setInt16(0, Number(value), true);
  else view.setInt32(0, Number(value), true);
}

function writeComplex(json: Json, type: StoredType, view: DataView, where: string): void {
  const pair = Array.isArray(json) ? json : [json, 0];
  if (pair.length !== 2) throw wrong(json, type.name, where);
  writeFloat(pair[0]!, type, view, 0, where);
  writeFloat(pair[1]!, type, view, type.wordBytes, where);
}

function writeFloat(json: Json, type: StoredType, view: DataView, at: number, where: string): void {
  if (typeof json === "string" && json.startsWith("0x")) return writeBits(json, type, view, at, where);
  const value = typeof json === "bigint" ? Number(json) : typeof json === "string" ? SPECIAL[json] : json;
  if (typeof value !== "number") throw wrong(json, type.name, where);
  if (Number.isNaN(value)) writeBits(CANONICAL_NAN[type.wordBytes]!, type, view, at, where);
  else if (type.wordBytes === 8) view.setFloat64(at, value, true);
  else if (type.wordBytes === 4) view.setFloat32(at, value, true);
  else view.setUint16(at, halfOf(value), true);
}

const CANONICAL_NAN: { readonly [bytes: number]: string } = {
  2: "0x7e00",
  4: "0x7fc00000",
  8: "0x7ff8000000000000",
};

function writeBits(text: string, type: StoredType, view: DataView, at: number, where: string): void {
  if (!/^0x[0-9a-fA-F]+$/.test(text) || text.length !== 2 + 2 * type.wordBytes)
    throw wrong(text, `${type.name} (${2 * type.wordBytes} hexadecimal digits after 0x)`, where);
  if (type.wordBytes === 8) view.setBigUint64(at, BigInt(text), true);
  else if (type.wordBytes === 4) view.setUint32(at, Number(text), true);
  else view.setUint16(at, Number(text), true);
}

function wrong(json: Json, name: string, where: string): MetadataError {
  return new MetadataError({ what: `the fill value ${describe(json)} is not a value of ${name}`, where });
}

function scalarOf(view: DataView, type: StoredType): Scalar {
  if (isTime(type.dtype)) return view.getBigInt64(0, true);
  switch (type.dtype) {
    case "bool":
      return view.getUint8(0) !== 0;
    case "int8":
      return view.getInt8(0);
    case "int16":
      return view.getInt16(0, true);
    case "int32":
      return view.getInt32(0, true);
    case "int64":
      return view.getBigInt64(0, true);
    case "uint8":
      return view.getUint8(0);
    case "uint16":
      return view.getUint16(0, true);
    case "uint32":
      return view.getUint32(0, true);
    case "uint64":
      return view.getBigUint64(0, true);
    case "float16":
      return numberOfHalf(view.getUint16(0, true));
    case "float32":
      return view.getFloat32(0, true);
    case "float64":
      return view.getFloat64(0, true);
    case "complex64":
      return new Complex(view.getFloat32(0, true), view.getFloat32(4, true));
    case "complex128":
      return new Complex(view.getFloat64(0, true), view.getFloat64(8, true));
    default:
      return type.dtype satisfies never;
  }
}

export function fillJson(fill: Fill, type: StoredType, format: 2 | 3, where: string): Json {
  const { value } = fill;
  if (fill.isNull && format === 2) return null;
  const view = new DataView(fill.element.buffer, fill.element.byteOffset);
  if (value instanceof Complex)
    return [
      floatJson(value.re, view, 0, type, format, where),
      floatJson(value.im, view, type.wordBytes, type, format, where),
    ];
  if (format === 3 && isTime(type.dtype) && value === NO_TIME) return "NaT";
  if (infoOf(type.dtype).kind !== "float") return value;
  return floatJson(value as number, view, 0, type, format, where);
}

function floatJson(
  value: number,
  view: DataView,
  at: number,
  type: StoredType,
  format: 2 | 3,
  where: string,
): Json {
  if (Number.isFinite(value)) return value;
  if (!Number.isNaN(value)) return value > 0 ? "Infinity" : "-Infinity";
  const bits = bitsText(view, at, type);
  if (bits === CANONICAL_NAN[type.wordBytes]) return "NaN";
  if (format === 3) return bits;
  throw new MetadataError({
    what: `Zarr v2 cannot store the fill value NaN with the bits ${bits}`,
    where,
    cure: "Use the plain NaN, or zarrFormat: 3",
  });
}

function bitsText(view: DataView, at: number, type: StoredType): string {
  if (type.wordBytes === 8) return `0x${view.getBigUint64(at, true).toString(16).padStart(16, "0")}`;
  if (type.wordBytes === 4) return `0x${view.getUint32(at, true).toString(16).padStart(8, "0")}`;
  return `0x${view.getUint16(at, true).toString(16).padStart(4, "0")}`;
}
