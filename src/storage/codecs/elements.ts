// Codecs of elements: delta, fixedscaleoffset, quantize, bitround, packbits, astype of numcodecs, scale_offset and cast_value of Zarr
// v3. In: the bytes of elements of a dtype. Out: bytes of as many elements of another, or of the same. They stand before the codecs
// that know nothing of elements. Must hold: what numcodecs makes of the same elements, bit for bit (test/storage/elements.test.ts).

import { describe } from "../../core/chunks.ts";
import { halfOf, numberOfHalf } from "../../core/half.ts";
import { MetadataError, NotSupportedError } from "../errors.ts";
import type { Json, JsonObject } from "../zarr/zarrJson.ts";
import {
  type BytesCodec,
  type CodecEntry,
  type CodecSpec,
  corrupt,
  type Fields,
  type SizeBound,
} from "./codec.ts";

type Numbers =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

interface NumbersOf {
  new (buffer: ArrayBufferLike, at: number, length: number): Numbers;
  new (length: number): Numbers;
  readonly BYTES_PER_ELEMENT: number;
}

const ARRAYS: { readonly [code: string]: NumbersOf } = {
  ...{ b1: Uint8Array, i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array },
  ...{ i4: Int32Array, u4: Uint32Array, i8: BigInt64Array, u8: BigUint64Array },
  ...{ f2: Uint16Array, f4: Float32Array, f8: Float64Array },
};

/** A dtype as NumPy writes it: "<f4". */
interface ElementType {
  readonly code: string;
  readonly isBig: boolean;
  readonly bytes: number;
}

function elementType(text: Json | undefined, codec: string, where: string): ElementType {
  const [, order, code] = (typeof text === "string" && /^([<>|]?)([biuf]\d)$/.exec(text)) || [];
  if (code !== undefined && Object.hasOwn(ARRAYS, code))
    return { code, isBig: order === ">", bytes: ARRAYS[code]!.BYTES_PER_ELEMENT };
  throw new NotSupportedError({
    what: `the codec ${codec} of the dtype ${describe(text)} is not supported`,
    where,
    cure: "Known are whole and floating numbers and truth: b1, i1 to i8, u1 to u8, f2 to f8",
  });
}

const isFloat = ({ code }: ElementType): boolean => code.startsWith("f");
const isWide = ({ code }: ElementType): boolean => code === "i8" || code === "u8";

function turned(bytes: Uint8Array, size: number): Uint8Array {
  for (let at = 0; at < bytes.length; at += size) bytes.subarray(at, at + size).reverse();
  return bytes;
}

/** The elements, in an array of their own. */
function read(bytes: Uint8Array, type: ElementType): Numbers {
  const copy = new Uint8Array(bytes);
  if (type.isBig) turned(copy, type.bytes);
  return new ARRAYS[type.code]!(copy.buffer, 0, Math.floor(copy.length / type.bytes));
}

function written(numbers: Numbers, type: ElementType): Uint8Array {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  return type.isBig ? turned(bytes, type.bytes) : bytes;
}

/** Element by element: what a number becomes, for numbers that a float64 holds; halves by their values. */
function mapped(bytes: Uint8Array, from: ElementType, to: ElementType, f: (x: number) => number): Uint8Array {
  const source = read(bytes, from);
  const target = new ARRAYS[to.code]!(source.length);
  const isHalf = from.code === "f2";
  for (let i = 0; i < source.length; i++) {
    const x = f(isHalf ? numberOfHalf(source[i] as number) : Number(source[i]));
    target[i] = isWide(to) ? BigInt(Math.trunc(x)) : to.code === "f2" ? halfOf(x) : x;
  }
  return written(target, to);
}

/** The nearest whole number, of two the even one. */
function nearest(x: number): number {
  const low = Math.floor(x);
  const rest = x - low;
  return rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1;
}

interface Typed {
  readonly from: ElementType;
  readonly to: ElementType;
}

interface Coding {
  encode(bytes: Uint8Array): Uint8Array;
  decode(bytes: Uint8Array, where: string): Uint8Array;
}

/** Each number and its difference from the one before. */
function delta({ from, to }: Typed): Coding {
  const moved = (bytes: Uint8Array, source: ElementType, target: ElementType, isSum: boolean): Uint8Array => {
    const values = read(bytes, source);
    const result = new ARRAYS[target.code]!(values.length);
    let last: number | bigint = isWide(source) ? 0n : 0;
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      const sum = isSum
        ? isWide(target)
          ? BigInt(last) + BigInt(value)
          : Number(last) + Number(value)
        : (((value as number) - (last as number)) as number | bigint);
      result[i] = isWide(target) ? BigInt(sum) : Number(sum);
      last = isSum ? result[i]! : value;
    }
    return written(result, target);
  };
  return {
    encode: (bytes) => moved(bytes, from, to, false),
    decode: (bytes) => moved(bytes, to, from, true),
  };
}

/** round((x − offset) · scale), computed in the precision of the elements. */
function fixedScaleOffset({ from, to }: Typed, fields: JsonObject): Coding {
  const [scale, offset] = [numberField(fields, "scale", 1), numberField(fields, "offset", 0)];
  const own = from.code === "f4" ? Math.fround : (x: number): number => x;
  return {
    encode: (bytes) => mapped(bytes, from, to, (x) => nearest(own(own(x - own(offset)) * own(scale)))),
    decode: (bytes) => mapped(bytes, to, from, (x) => x / scale + offset),
  };
}

/** Digits behind the point that are kept: 2^bits, the least power of two that tells them apart. */
function quantize({ from, to }: Typed, fields: JsonObject): Coding {
  const digits = numberField(fields, "digits", 0);
  const power = Math.log10(10 ** -digits);
  const exponent = power < 0 ? Math.floor(power) : Math.ceil(power);
  const scale = 2 ** Math.ceil(Math.log2(10 ** -exponent));
  const own = from.code === "f4" ? Math.fround : (x: number): number => x;
  return {
    encode: (bytes) => mapped(bytes, from, to, (x) => own(nearest(own(scale * x)) / scale)),
    decode: (bytes) => mapped(bytes, to, from, (x) => x),
  };
}

const MANTISSA: { readonly [code: string]: number } = { f2: 10, f4: 23, f8: 52 };

/** Mantissas rounded to so many bits, ties to even; what is decoded is what was encoded. */
function bitround({ from }: Typed, fields: JsonObject, where: string): Coding {
  const bits = MANTISSA[from.code];
  const keep = numberField(fields, "keepbits", -1);
  if (bits === undefined || keep < 0 || keep > bits)
    throw new MetadataError({ what: `keepbits of the codec bitround is ${keep} for ${from.code}`, where });
  const cut = BigInt(bits - keep);
  const words = { f2: "u2", f4: "u4", f8: "u8" }[from.code as "f2"]!;
  const encode = (bytes: Uint8Array): Uint8Array => {
    if (cut === 0n) return bytes;
    const numbers = read(bytes, { ...from, code: words });
    const size = 8 * from.bytes;
    const mask = BigInt.asUintN(size, -1n << cut);
    for (let i = 0; i < numbers.length; i++) {
      const x = BigInt(numbers[i]!);
      const rounded = BigInt.asUintN(size, x + ((x >> cut) & 1n) + ((1n << (cut - 1n)) - 1n)) & mask;
      numbers[i] = size === 64 ? rounded : Number(rounded);
    }
    return written(numbers, { ...from, code: words });
  };
  return { encode, decode: (bytes) => bytes };
}

/** Eight truths in a byte, the first in the highest bit; before them how many bits of the last are of no use. */
function packbits(): Coding {
  return {
    encode(bytes) {
      const packed = new Uint8Array(1 + Math.ceil(bytes.length / 8));
      packed[0] = (8 - (bytes.length % 8)) % 8;
      bytes.forEach((byte, i) => {
        if (byte !== 0) packed[1 + (i >> 3)]! |= 128 >> (i & 7);
      });
      return packed;
    },
    decode(bytes, where) {
      const count = 8 * (bytes.length - 1) - (bytes[0] ?? 0);
      if (bytes.length < 1 || bytes[0]! > 7 || count < 0)
        throw corrupt("packbits data without a count", where);
      return Uint8Array.from({ length: count }, (_, i) => (bytes[1 + (i >> 3)]! >> (7 - (i & 7))) & 1);
    },
  };
}

/** Zarr v3: (x − offset) · scale, in the dtype of the elements. */
function scaleOffset({ from }: Typed, fields: JsonObject): Coding {
  const [scale, offset] = [numberField(fields, "scale", 1), numberField(fields, "offset", 0)];
  return {
    encode: (bytes) => mapped(bytes, from, from, (x) => (x - offset) * scale),
    decode: (bytes) => mapped(bytes, from, from, (x) => x / scale + offset),
  };
}

const ROUNDING: { readonly [name: string]: (x: number) => number } = {
  "nearest-even": nearest,
  "towards-zero": Math.trunc,
  "towards-positive": Math.ceil,
  "towards-negative": Math.floor,
  "nearest-away": (x) => Math.sign(x) * Math.floor(Math.abs(x) + 0.5),
};

/** Zarr v3: elements in another dtype, some of them mapped by name. */
function castValue({ from, to }: Typed, fields: JsonObject, where: string): Coding {
  const { rounding = "nearest-even", out_of_range: outside = null, scalar_map: map = {} } = fields;
  const round = ROUNDING[String(rounding)];
  if (round === undefined || ![null, "clamp", "wrap"].includes(outside as null))
    throw new NotSupportedError({
      what: `cast_value with ${describe(rounding)} and ${describe(outside)}`,
      where,
    });
  const cast = (pairs: ReadonlyMap<number, number>, target: ElementType) => {
    return (x: number): number => {
      const known = pairs.get(x);
      if (known !== undefined) return known;
      return isFloat(target) ? x : within(round(x), target, outside, where);
    };
  };
  const [there, back] = ["encode", "decode"].map((way) => scalarMap((map as JsonObject)[way], where));
  return {
    encode: (bytes) => mapped(bytes, from, to, cast(there!, to)),
    decode: (bytes) => mapped(bytes, to, from, cast(back!, from)),
  };
}

function scalarMap(pairs: Json | undefined, where: string): ReadonlyMap<number, number> {
  if (pairs === undefined) return new Map();
  const isList = Array.isArray(pairs) && pairs.every((pair) => Array.isArray(pair) && pair.length === 2);
  if (!isList) throw new MetadataError({ what: "scalar_map of cast_value is no list of pairs", where });
  return new Map((pairs as Json[][]).map(([a, b]) => [Number(a), Number(b)]));
}

/** A whole number of a type; one that lies outside is cut, wraps, or is an error. */
function within(x: number, { code, bytes }: ElementType, outside: Json, where: string): number {
  const signed = code.startsWith("i");
  const [low, high] = signed
    ? [-(2 ** (8 * bytes - 1)), 2 ** (8 * bytes - 1) - 1]
    : [0, 2 ** (8 * bytes) - 1];
  if (x >= low && x <= high) return x;
  if (outside === "clamp" && !Number.isNaN(x)) return x < low ? low : high;
  if (outside === "wrap" && Number.isFinite(x)) {
    const wrapped = BigInt(x);
    return Number(signed ? BigInt.asIntN(8 * bytes, wrapped) : BigInt.asUintN(8 * bytes, wrapped));
  }
  throw corrupt(`cast_value: ${x} does not fit ${code}`, where);
}

function numberField(fields: JsonObject, name: string, otherwise: number): number {
  const value = fields[name] ?? otherwise;
  if (typeof value === "number" || typeof value === "bigint") return Number(value);
  throw new MetadataError({
    what: `${name} of a codec is ${describe(value)}`,
    where: "codecs",
    cure: "It must be a number",
  });
}

// Which dtype each is given. In: codecs in the order of encoding, and the dtype of the array's elements as they are stored. Out: the
// same with that said in their configurations, under a name that no metadata have.

const FROM = "~from";
const TO = "~to";
/** Set by `typedElements` alone; never written. */
type Make = (typed: Typed, fields: JsonObject, where: string) => Coding;

const CODINGS: { readonly [name: string]: Make } = {
  delta,
  fixedscaleoffset: fixedScaleOffset,
  quantize,
  bitround,
  packbits,
  astype: ({ from, to }) => ({
    encode: (bytes) => mapped(bytes, from, to, (x) => x),
    decode: (bytes) => mapped(bytes, to, from, (x) => x),
  }),
  scale_offset: scaleOffset,
  cast_value: castValue,
};

export const isOfElements = (name: string): boolean => Object.hasOwn(CODINGS, name);

const V3_CODES: { readonly [name: string]: string } = {
  ...{ bool: "b1", int8: "i1", uint8: "u1", int16: "i2", uint16: "u2", int32: "i4", uint32: "u4" },
  ...{ int64: "i8", uint64: "u8", float16: "f2", float32: "f4", float64: "f8" },
};

/** What a codec's configuration says that it makes of elements of a dtype. */
function resultOf({ name, configuration }: CodecSpec, from: string): string {
  const { astype, encode_dtype: encoded, data_type: cast } = configuration;
  if (name === "cast_value") return `${from[0]}${V3_CODES[String(cast)] ?? String(cast)}`;
  const said = name === "astype" ? encoded : astype;
  return typeof said === "string" ? said : from;
}

/** `dtype`: of the array's elements in the store, "<f8". */
export function typedElements(specs: readonly CodecSpec[], dtype: string): CodecSpec[] {
  let from = dtype;
  return specs.map((spec) => {
    if (!isOfElements(spec.name)) return spec;
    const to = resultOf(spec, from);
    const typed = { ...spec, configuration: { ...spec.configuration, [FROM]: from, [TO]: to } };
    from = spec.name === "packbits" ? "|u1" : to;
    return typed;
  });
}

function elementsCodec(name: string, fields: JsonObject): BytesCodec {
  const where = "codecs";
  const from = elementType(fields[FROM] ?? fields["dtype"] ?? "|u1", name, where);
  const to = elementType(fields[TO] ?? fields["astype"] ?? fields["dtype"] ?? "|u1", name, where);
  const coding = CODINGS[name]!({ from, to }, fields, where);
  return {
    name,
    encode: (bytes) => coding.encode(bytes),
    decode(bytes, bound, at) {
      if (name !== "packbits" && bytes.length % to.bytes !== 0)
        throw corrupt(`${name} data of ${bytes.length} bytes, in elements of ${to.bytes}`, at);
      const decoded = coding.decode(bytes, at);
      if (bound.exact ? decoded.length === bound.max : decoded.length <= bound.max) return decoded;
      throw corrupt(`${name} data of ${decoded.length} bytes, where ${bound.max} bytes belong`, at);
    },
    encodedBound: ({ max, exact }): SizeBound =>
      name === "packbits"
        ? { max: 1 + Math.ceil(max / 8), exact }
        : { max: (max / from.bytes) * to.bytes, exact },
  };
}

export const ELEMENT_CODECS: readonly CodecEntry[] = Object.keys(CODINGS).map((name) => ({
  name,
  make: (fields: Fields) => elementsCodec(name, fields.all),
}));
