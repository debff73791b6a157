// How values are stored that JSON and integers must say: the CF conventions as xarray reads them. In: an array that means
// something, and how it is to be packed. Out: an array of numbers, and the attributes that say what they mean. Lazy.

import { type CountedTime, countedTime } from "../../core/cfTimes.ts";
import { type DType, isFloat, isTime, type TimeUnit, unitOf } from "../../core/dtype.ts";
import { DTypeError, ValueError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/labels.ts";
import { integerRange } from "../../core/numbers.ts";
import { NO_TIME, stepsIn } from "../../core/times.ts";
import { castTo } from "../../lazy/build.ts";
import type { LazyArray } from "../../lazy/lazyArray.ts";
import {
  clip,
  divide,
  equal,
  floorDivide,
  isnan,
  multiply,
  round,
  subtract,
  where,
} from "../../ops/elementwise/index.ts";
import { withAttributes } from "../functions/naming.ts";

/** How an array is packed into a store: `x.toZarr(path, {encode: {dtype: "int16", scaleFactor: 0.01, fillValue: -32768}})`. */
export interface Encoding {
  /** Of the stored numbers. */
  readonly dtype?: DType | undefined;
  /** What a stored number is multiplied with when it is read; 1 unless given. */
  readonly scaleFactor?: number | undefined;
  /** What is added to it then; 0 unless given. */
  readonly addOffset?: number | undefined;
  /** What stands for NaN, or for no time. */
  readonly fillValue?: number | bigint | undefined;
  /** Of times: "days since 1850-01-01". */
  readonly units?: string | undefined;
  /** Of times: "proleptic_gregorian" unless given. */
  readonly calendar?: string | undefined;
}

/** An array of numbers, what says what they mean, and what is stored for missing ones. */
export interface Encoded {
  readonly array: LazyArray;
  readonly attributes: JsonObject;
  readonly fillValue: number | bigint | null;
}

/** An array as it is to be stored, with the attributes and the fill value that say what it means. */
export function packedFor<T extends PackedTarget>(x: LazyArray, target: T): { array: LazyArray; target: T } {
  const { encode, zarrFormat } = target;
  if (encode === undefined || encode === false) return { array: x, target };
  const { array, attributes, fillValue } = encoded(x, encode === true ? {} : encode);
  const said = withAttributes(array, metadataFor(attributes, zarrFormat ?? 3));
  const fill = fillValue === null ? {} : { fillValue };
  return { array: said, target: { ...fill, ...target, encode: undefined } };
}

interface PackedTarget {
  readonly encode?: Encoding | boolean | undefined;
  readonly zarrFormat?: 2 | 3 | undefined;
}

/** In v2 the fill value says what is missing, and an attribute that says it too is an error to xarray. */
export function metadataFor(attributes: JsonObject, zarrFormat: 2 | 3): JsonObject {
  if (zarrFormat === 3) return attributes;
  const { _FillValue: _, ...others } = attributes;
  return others;
}

const WORDS: { readonly [U in TimeUnit]?: string } = {
  ...{ D: "days", h: "hours", m: "minutes", s: "seconds" },
  ...{ ms: "milliseconds", us: "microseconds", ns: "nanoseconds" },
};

/** What is to be stored. Numbers go as they are, unless told otherwise; times are counted. */
export function encoded(x: LazyArray, encoding: Encoding = {}): Encoded {
  if (isTime(x.dtype)) return encodedTimes(x, encoding);
  const { dtype = x.dtype, scaleFactor, addOffset, fillValue } = encoding;
  const isPlain = scaleFactor === undefined && addOffset === undefined && fillValue === undefined;
  if (isPlain) return { array: castTo(x, dtype), attributes: x.attributes, fillValue: null };
  const moved = addOffset === undefined ? x : subtract(x, addOffset);
  const scaled = scaleFactor === undefined ? moved : divide(moved, scaleFactor);
  const attributes: JsonObject = {
    ...x.attributes,
    ...(scaleFactor === undefined ? {} : { scale_factor: scaleFactor }),
    ...(addOffset === undefined ? {} : { add_offset: addOffset }),
    ...(fillValue === undefined ? {} : { _FillValue: fillValue }),
  };
  return { array: packed(scaled, dtype, fillValue), attributes, fillValue: fillValue ?? null };
}

/** Whole numbers are the nearest ones; NaN becomes the fill value, which must be there for it. */
function packed(x: LazyArray, dtype: DType, fillValue: number | bigint | undefined): LazyArray {
  if (!isFloat(x.dtype)) return castTo(x, dtype);
  if (isFloat(dtype))
    return fillValue === undefined ? castTo(x, dtype) : castTo(where(isnan(x), Number(fillValue), x), dtype);
  const [low, high] = integerRange(dtype);
  const whole = clip(round(x), Number(low), Number(high));
  return castTo(fillValue === undefined ? whole : where(isnan(x), Number(fillValue), whole), dtype);
}

function encodedTimes(
  x: LazyArray,
  { units, calendar = "proleptic_gregorian", fillValue, dtype }: Encoding,
): Encoded {
  const isInstant = x.dtype.startsWith("datetime64");
  const own = WORDS[unitOf(x.dtype as Parameters<typeof unitOf>[0])];
  if (own === undefined && units === undefined)
    throw new DTypeError({
      what: `${x.dtype} are no counts of a fixed step`,
      cure: 'Bring them to days first: x.astype("datetime64[D]")',
    });
  const said = units ?? (isInstant ? `${own} since 1970-01-01` : own!);
  const time = countedTime(said, calendar);
  if (time === null || (time.kind === "instant") !== isInstant)
    throw new ValueError({
      what: `the units ${JSON.stringify(said)} of the calendar ${JSON.stringify(calendar)} cannot tell ${x.dtype}`,
      cure: isInstant ? 'Write "days since 1850-01-01"' : 'Write "days"',
    });
  const missing = fillValue ?? NO_TIME;
  const counts = where(equal(castTo(x, "int64"), NO_TIME), BigInt(missing), countsOf(x, time));
  const attributes: JsonObject = {
    ...x.attributes,
    units: said,
    ...(isInstant ? { calendar } : {}),
    ...(fillValue === undefined ? {} : { _FillValue: fillValue }),
  };
  return { array: castTo(counts, dtype ?? "int64"), attributes, fillValue: fillValue ?? null };
}

/** (t − offset) / factor, in whole steps. */
function countsOf(x: LazyArray, { unit, factor, offset }: CountedTime): LazyArray {
  const own = unitOf(x.dtype as Parameters<typeof unitOf>[0]);
  const steps = castTo(x, "int64");
  const fine = stepsIn(own, unit);
  if (fine !== null) return overFactor(subtract(scaledBy(steps, fine), offset), factor);
  // The array's unit is finer than the counted one's.
  const coarse = stepsIn(unit, own);
  if (coarse === null)
    throw new DTypeError({ what: `${x.dtype} cannot be counted in ${unit}`, cure: "Use days, or less" });
  return overFactor(subtract(steps, offset * coarse), factor * coarse);
}

const scaledBy = (x: LazyArray, by: bigint): LazyArray => (by === 1n ? x : multiply(x, by));
const overFactor = (x: LazyArray, by: bigint): LazyArray => (by === 1n ? x : floorDivide(x, by));

/** Missing values are NaN in floats. */
export const missingFill = (dtype: DType): number | null => (isFloat(dtype) ? Number.NaN : null);
