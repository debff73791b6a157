// Reads the fixtures of test/oracle/fixtures and compares results with them.
// In: a fixture's name, or JSON text. Out: plain objects; arrays are {dtype, shape, data}, data little-endian decoded.
// Must hold: NaN equals NaN; signed zeros are never equal to each other; the first difference is named.

import { readdirSync, readFileSync } from "node:fs";
import { numberOfHalf } from "../../src/core/half.ts";

export type TypedArray =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

export type DecodedArray = { dtype: string; shape: number[]; data: TypedArray };
export type DecodedComplex = { complex: [number, number] };
export type DecodedSlice = { slice: [number | null, number | null, number | null] };
export type DecodedList = { list: FixtureValue[] };
/** finfo and iinfo expect an object. */
export type DecodedRecord = { [key: string]: FixtureValue };

export type FixtureValue =
  | DecodedArray
  | DecodedComplex
  | DecodedSlice
  | DecodedList
  | DecodedRecord
  | FixtureValue[]
  | number
  | bigint
  | boolean
  | string
  | null;

export type FixtureCase = {
  args: FixtureValue[];
  options: { [name: string]: FixtureValue };
  expect: FixtureValue;
  note?: string;
};
export type Fixture = { function: string; numpy: string; note?: string; cases: FixtureCase[] };

const FOLDER: URL = new URL("./fixtures/", import.meta.url);

/** The names of all fixtures, sorted. */
export function fixtureNames(): string[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".json"));
  return files.map((file) => file.slice(0, -".json".length)).sort();
}

export function readFixture(name: string): Fixture {
  return decodeFixture(readFileSync(new URL(`${name}.json`, FOLDER), "utf8"));
}

export function decodeFixture(text: string): Fixture {
  const raw = asRecord(JSON.parse(text) as unknown, "a fixture");
  const fixture: Fixture = {
    function: asString(raw.function),
    numpy: asString(raw.numpy),
    cases: asList(raw.cases).map(decodeCase),
  };
  if (raw.note !== undefined) fixture.note = asString(raw.note);
  return fixture;
}

function decodeCase(value: unknown): FixtureCase {
  const raw = asRecord(value, "a case");
  const options = Object.entries(asRecord(raw.options, "options"));
  const decoded: FixtureCase = {
    args: asList(raw.args).map(decodeValue),
    options: Object.fromEntries(options.map(([name, option]) => [name, decodeValue(option)])),
    expect: decodeValue(raw.expect),
  };
  if (raw.note !== undefined) decoded.note = asString(raw.note);
  return decoded;
}

/** The value encodings of README.md. */
export function decodeValue(value: unknown): FixtureValue {
  if (
    value === null ||
    typeof value === "number" ||
    typeof value === "boolean" ||
    typeof value === "string"
  ) {
    return value;
  }
  if (Array.isArray(value)) return value.map(decodeValue);
  const raw = asRecord(value, "a value");
  if ("data" in raw) return decodeArray(raw);
  if ("float" in raw) return decodeFloat(asString(raw.float));
  if ("bigint" in raw) return BigInt(asString(raw.bigint));
  if ("complex" in raw) return { complex: asList(raw.complex).map(Number) as [number, number] };
  if ("slice" in raw) return { slice: asList(raw.slice) as DecodedSlice["slice"] };
  if ("list" in raw) return { list: asList(raw.list).map(decodeValue) };
  return Object.fromEntries(Object.entries(raw).map(([key, item]) => [key, decodeValue(item)]));
}

function decodeFloat(text: string): number {
  if (text === "nan") return Number.NaN;
  if (text === "inf") return Number.POSITIVE_INFINITY;
  if (text === "-inf") return Number.NEGATIVE_INFINITY;
  throw new TypeError(`unknown float ${text}`);
}

const ARRAYS: { [dtype: string]: new (buffer: ArrayBuffer) => TypedArray } = {
  bool: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
  complex64: Float32Array,
  complex128: Float64Array,
};

function decodeArray(raw: { [key: string]: unknown }): DecodedArray {
  const dtype = asString(raw.dtype);
  const ArrayOf = ARRAYS[dtype];
  if (ArrayOf === undefined) throw new TypeError(`unknown dtype ${dtype}`);
  const bytes = Uint8Array.from(Buffer.from(asString(raw.data), "base64")); // its own, aligned buffer
  return { dtype, shape: asList(raw.shape).map(Number), data: new ArrayOf(bytes.buffer) };
}

export function isDecodedArray(value: FixtureValue): value is DecodedArray {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    "data" in value &&
    "dtype" in value
  );
}

function asRecord(value: unknown, what: string): { [key: string]: unknown } {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as { [key: string]: unknown };
  throw new TypeError(`${what} has to be an object, got ${JSON.stringify(value)}`);
}

function asList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`expected a list, got ${JSON.stringify(value)}`);
}

function asString(value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError(`expected a string, got ${JSON.stringify(value)}`);
}

// Comparison.

export type FloatName = "float16" | "float32" | "float64";
export type ComparableArray = {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: TypedArray;
};

const view = new DataView(new ArrayBuffer(8));

/** Floats as integers in the order of the floats, neighbours one apart; both zeros are 0. */
function ordered(value: number, dtype: FloatName): bigint {
  // Halves are as many singles apart as they have fewer digits.
  if (dtype === "float16") return ordered(value, "float32") >> 13n;
  if (dtype === "float32") {
    view.setFloat32(0, value);
    const bits = view.getInt32(0);
    return BigInt(bits < 0 ? -(bits & 0x7fffffff) : bits);
  }
  view.setFloat64(0, value);
  const bits = view.getBigInt64(0);
  return bits < 0n ? -(bits & 0x7fffffffffffffffn) : bits;
}

/**
 * How many floats apart a and b are. 0 for two NaNs, Infinity when only one is NaN or infinite.
 * +0 and -0 are 0 apart: who distinguishes them asks Object.is, as compareArrays does.
 */
export function ulpDistance(a: number, b: number, dtype: FloatName): number {
  if (Object.is(a, b)) return 0;
  if (!Number.isFinite(a) || !Number.isFinite(b)) return Number.POSITIVE_INFINITY;
  const distance = ordered(a, dtype) - ordered(b, dtype);
  return Number(distance < 0n ? -distance : distance);
}

/** The gap between |value| and the next larger float. */
function ulpOf(value: number, dtype: "float32" | "float64"): number {
  const [digits, smallest] = dtype === "float32" ? [23, 2 ** -149] : [52, 2 ** -1074];
  view.setFloat64(0, Math.abs(value));
  const exponent = (view.getUint16(0) >> 4) - 1023;
  return Math.max(2 ** (exponent - digits), smallest);
}

/** Null when equal within `ulps`; otherwise what differs first: where, both values, how far apart. */
export function compareArrays(
  actual: ComparableArray,
  expected: ComparableArray,
  ulps: number,
): string | null {
  if (actual.dtype !== expected.dtype) return `dtype is ${actual.dtype}, expected ${expected.dtype}`;
  if (actual.shape.join() !== expected.shape.join() || actual.shape.length !== expected.shape.length) {
    return `shape is [${actual.shape.join(", ")}], expected [${expected.shape.join(", ")}]`;
  }
  if (actual.data.length !== expected.data.length) {
    return `${actual.data.length} slots of data, expected ${expected.data.length}`;
  }
  const differ = differenceOf(expected.dtype, actual.data, expected.data, ulps);
  const slots = expected.dtype.startsWith("complex") ? 2 : 1;
  for (let element = 0; element * slots < expected.data.length; element++) {
    const difference = differ(element);
    if (difference !== null) return `at [${indexOf(element, expected.shape).join(", ")}]: ${difference}`;
  }
  return null;
}

function differenceOf(
  dtype: string,
  actual: TypedArray,
  expected: TypedArray,
  ulps: number,
): (element: number) => string | null {
  if (dtype === "float32" || dtype === "float64") {
    return (i) => floatDifference(Number(actual[i]), Number(expected[i]), ulps, dtype);
  }
  if (dtype === "float16") {
    const at = (data: TypedArray, i: number): number => numberOfHalf(Number(data[i]));
    return (i) => floatDifference(at(actual, i), at(expected, i), ulps, dtype);
  }
  if (dtype === "complex64" || dtype === "complex128") {
    const part = dtype === "complex64" ? "float32" : "float64";
    return (i) => complexDifference(pairAt(actual, i), pairAt(expected, i), ulps, part);
  }
  return (i) => (actual[i] === expected[i] ? null : `${actual[i]}, expected ${expected[i]}`);
}

const pairAt = (data: TypedArray, i: number): [number, number] => [
  Number(data[2 * i]),
  Number(data[2 * i + 1]),
];
const text = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));
const complexText = ([re, im]: [number, number]): string => `(${text(re)}, ${text(im)}j)`;
const oppositeZeros = (a: number, b: number): boolean => a === 0 && b === 0 && !Object.is(a, b);

function floatDifference(actual: number, expected: number, ulps: number, dtype: FloatName): string | null {
  const distance = ulpDistance(actual, expected, dtype);
  if (distance <= ulps && !oppositeZeros(actual, expected)) return null;
  return `${text(actual)}, expected ${text(expected)} (${distance} ulps apart)`;
}

/** Parts are measured in ulps of the larger finite part of the expected number. */
function complexDifference(
  actual: [number, number],
  expected: [number, number],
  ulps: number,
  dtype: "float32" | "float64",
): string | null {
  const sizes = expected.filter(Number.isFinite).map(Math.abs);
  const unit = ulpOf(Math.max(0, ...sizes), dtype);
  const distances = expected.map((part, i) => partDistance(actual[i] as number, part, unit));
  if (distances.every((distance) => distance <= ulps)) return null;
  return `${complexText(actual)}, expected ${complexText(expected)} (${distances.join(" and ")} ulps apart)`;
}

function partDistance(actual: number, expected: number, unit: number): number {
  if (Object.is(actual, expected)) return 0;
  if (!Number.isFinite(actual) || !Number.isFinite(expected)) return Number.POSITIVE_INFINITY;
  return oppositeZeros(actual, expected) ? Number.POSITIVE_INFINITY : Math.abs(actual - expected) / unit;
}

/** The coordinates of the n-th element in C order. */
function indexOf(element: number, shape: readonly number[]): number[] {
  const index: number[] = [];
  let rest = element;
  for (const size of [...shape].reverse()) {
    index.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return index;
}
