// What stored numbers mean, by the CF conventions as xarray reads them: missing values, scale and offset, counted times. In: an
// array as it is stored, with its attributes. Out: what it means, without the attributes that said so. Lazy, as all is.

import { type CountedTime, countedTime } from "../../core/cfTimes.ts";
import { type DType, infoOf, isFloat, isInteger, isTime, type TimeDType } from "../../core/dtype.ts";
import type { Json, JsonObject } from "../../core/labels.ts";
import { Complex, type Scalar } from "../../core/numbers.ts";
import { NO_TIME, stepsIn } from "../../core/times.ts";
import { type Built, castTo } from "../../lazy/build.ts";
import type { LazyArray, Operand } from "../../lazy/lazyArray.ts";
import { add, equal, isnan, logicalOr, multiply, round, where } from "../../ops/elementwise/index.ts";
import { withAttributes } from "../functions/naming.ts";

/** What a store's attributes say of how values are packed. */
interface Packing {
  /** What stands for a missing element. */
  readonly missing: readonly Scalar[];
  readonly scale: number | null;
  readonly offset: number | null;
  readonly time: CountedTime | null;
}

const numberIn = (value: Json | undefined): number | null => {
  const one = Array.isArray(value) && value.length === 1 ? (value[0] as Json) : value;
  return typeof one === "number" || typeof one === "bigint" ? Number(one) : null;
};

/** xarray writes floats of Zarr v3 as base64 of their eight bytes. */
function fillIn(value: Json | undefined, dtype: DType): Scalar[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => fillIn(item, dtype));
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return [value];
  if (typeof value !== "string" || !isFloat(dtype)) return [];
  if (value === "NaN") return [Number.NaN];
  const bytes = /^[A-Za-z0-9+/]{11}=$/.test(value)
    ? Uint8Array.from(atob(value), (c) => c.charCodeAt(0))
    : new Uint8Array(0);
  return bytes.length === 8 ? [new DataView(bytes.buffer).getFloat64(0, true)] : [];
}

const PACKING = ["_FillValue", "missing_value", "scale_factor", "add_offset"] as const;
const TIMES = ["units", "calendar", "dtype"] as const;

function packingOf(dtype: DType, attributes: JsonObject, stored: Scalar | null): Packing {
  const { units, calendar } = attributes;
  const said = [...fillIn(attributes["_FillValue"], dtype), ...fillIn(attributes["missing_value"], dtype)];
  const missing = stored === null || stored instanceof Complex ? said : [...said, stored];
  return {
    missing,
    scale: numberIn(attributes["scale_factor"]),
    offset: numberIn(attributes["add_offset"]),
    time:
      typeof units === "string" && (isInteger(dtype) || isFloat(dtype))
        ? countedTime(units, typeof calendar === "string" ? calendar : "standard")
        : null,
  };
}

const without = (attributes: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => !names.includes(name)));

/** What the array means; itself where nothing is said. `stored`: what the format says stands for missing elements. */
export function decoded(x: LazyArray, stored: Scalar | null): LazyArray {
  const { attributes } = x;
  if (isTime(x.dtype) || !(isInteger(x.dtype) || isFloat(x.dtype))) return x;
  // xarray stores truth as small integers, and says so.
  if (x.dtype === "int8" && attributes["dtype"] === "bool")
    return withAttributes(castTo(x, "bool"), without(attributes, ["dtype"]));
  const packing = packingOf(x.dtype, attributes, stored);
  if (packing.time !== null)
    return withAttributes(timesOf(x, packing, packing.time), without(attributes, [...PACKING, ...TIMES]));
  const values = scaled(unmasked(x, packing), packing);
  return values === x ? x : withAttributes(values, without(attributes, PACKING));
}

/** Floats that hold the stored values, for those with a missing one: of up to 16 bits float32, of more float64. */
const maskedDType = (dtype: DType): DType =>
  isFloat(dtype) ? dtype : infoOf(dtype).bytes <= 2 ? "float32" : "float64";

function unmasked(x: LazyArray, { missing }: Packing): LazyArray {
  const others = missing.filter((value) => !(typeof value === "number" && Number.isNaN(value)));
  if (others.length === 0) return x;
  const dtype = maskedDType(x.dtype);
  return where(isAny(x, others), Number.NaN, castTo(x, dtype)).astype(dtype);
}

/** One of these values; a value that the dtype cannot hold is none of its elements. */
function isAny(x: LazyArray, values: readonly Scalar[]): LazyArray {
  const tests = values.flatMap((value) => {
    try {
      return [equal(x, value as Operand)];
    } catch {
      return [];
    }
  });
  return tests.length === 0 ? equal(x, x).logicalNot() : tests.reduce((a, b) => logicalOr(a, b));
}

/** As xarray: small integers and floats stay float32, but for integers with an offset. */
function scaledDType(dtype: DType, hasOffset: boolean): DType {
  const { bytes } = infoOf(dtype);
  if (isFloat(dtype)) return bytes <= 4 ? "float32" : "float64";
  return bytes <= 2 && !hasOffset ? "float32" : "float64";
}

/** x · scale_factor + add_offset */
function scaled(x: LazyArray, { scale, offset }: Packing): LazyArray {
  if (scale === null && offset === null) return x;
  const values = castTo(x, scaledDType(x.dtype, offset !== null));
  const stretched = scale === null ? values : multiply(values, scale);
  return castTo(offset === null ? stretched : add(stretched, offset), values.dtype);
}

function timesOf(x: LazyArray, packing: Packing, { kind, unit, factor, offset }: CountedTime): LazyArray {
  const name = kind === "instant" ? "datetime64" : "timedelta64";
  const isWhole = isInteger(x.dtype) && packing.scale === null && packing.offset === null;
  if (isWhole) {
    const steps = add(multiply(castTo(x, "int64"), factor), offset);
    const kept = packing.missing.length === 0 ? steps : where(isAny(x, packing.missing), NO_TIME, steps);
    return castTo(kept, `${name}[${unit}]` as TimeDType);
  }
  return fractions(scaled(unmasked(x, packing), packing), name, { unit, factor, offset });
}

/** Of counts with fractions microseconds are told, or what is finer. */
function fractions(
  x: LazyArray,
  name: string,
  { unit, factor, offset }: Pick<CountedTime, "unit" | "factor" | "offset">,
): Built {
  const fine = unit === "ns" ? "ns" : "us";
  const per = stepsIn(unit, fine)!;
  const values = castTo(x, "float64");
  const steps = castTo(round(multiply(values, Number(factor * per))), "int64");
  const kept = where(isnan(values), NO_TIME, add(steps, offset * per));
  return castTo(kept, `${name}[${fine}]` as TimeDType) as Built;
}
