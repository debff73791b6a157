// What the stored numbers and bytes of a column mean. In: the two ways in which a footer says it (a logical type, or
// the older converted type). Out: one of `Logical`, or null for plain values. And back, for writing both ways.

import { CONVERTED, type Converted } from "./names.ts";
import { flagAt, intAt, structAt, type ThriftStruct } from "./thrift.ts";
import { i8, i32, Struct } from "./thriftWriter.ts";

export type TimeUnit = "ms" | "us" | "ns";

export type Logical =
  | { readonly kind: "string" | "enum" | "json" | "bson" | "uuid" | "date" | "float16" | "interval" | "null" }
  | { readonly kind: "time" | "timestamp"; readonly unit: TimeUnit; readonly utc: boolean }
  | { readonly kind: "decimal"; readonly precision: number; readonly scale: number }
  | { readonly kind: "int"; readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean };

/** What a group is, beside a plain struct. */
export type GroupKind = "list" | "map" | null;

const UNITS: readonly TimeUnit[] = ["ms", "us", "ns"];
/** Logical types without parameters, by their field in the union. */
const SIMPLE = {
  1: "string",
  4: "enum",
  6: "date",
  11: "null",
  12: "json",
  13: "bson",
  14: "uuid",
  15: "float16",
} as const;
type Simple = (typeof SIMPLE)[keyof typeof SIMPLE];

/** `union`: field 10 of a schema element. */
export function logicalOf(
  union: ThriftStruct | undefined,
  converted: Converted | undefined,
  element: ThriftStruct,
): Logical | null {
  return (union === undefined ? null : fromUnion(union)) ?? fromConverted(converted, element);
}

function fromUnion(union: ThriftStruct): Logical | null {
  for (const [id, kind] of Object.entries(SIMPLE))
    if (structAt(union, Number(id)) !== undefined) return { kind };
  const decimal = structAt(union, 5);
  if (decimal !== undefined)
    return { kind: "decimal", scale: intAt(decimal, 1) ?? 0, precision: intAt(decimal, 2) ?? 0 };
  const integer = structAt(union, 10);
  if (integer !== undefined) return integerOf(intAt(integer, 1) ?? 0, flagAt(integer, 2) ?? true);
  return timeOf(structAt(union, 7), "time") ?? timeOf(structAt(union, 8), "timestamp");
}

function integerOf(bits: number, signed: boolean): Logical | null {
  return bits === 8 || bits === 16 || bits === 32 || bits === 64 ? { kind: "int", bits, signed } : null;
}

function timeOf(struct: ThriftStruct | undefined, kind: "time" | "timestamp"): Logical | null {
  const unit = struct === undefined ? undefined : structAt(struct, 2);
  const index = unit === undefined ? -1 : [1, 2, 3].findIndex((id) => structAt(unit, id) !== undefined);
  return index < 0 ? null : { kind, unit: UNITS[index]!, utc: flagAt(struct!, 1) ?? false };
}

function fromConverted(converted: Converted | undefined, element: ThriftStruct): Logical | null {
  if (converted === undefined) return null;
  const integer = /^(u?)int(\d+)$/.exec(converted);
  if (integer !== null) return integerOf(Number(integer[2]), integer[1] === "");
  const time = /^(time|timestamp)(Millis|Micros)$/.exec(converted);
  if (time !== null)
    return { kind: time[1] as "time" | "timestamp", unit: time[2] === "Millis" ? "ms" : "us", utc: true };
  switch (converted) {
    case "utf8":
      return { kind: "string" };
    case "enum":
    case "date":
    case "json":
    case "bson":
    case "interval":
      return { kind: converted };
    case "decimal":
      return { kind: "decimal", scale: intAt(element, 7) ?? 0, precision: intAt(element, 8) ?? 0 };
    default:
      return null;
  }
}

export function groupKindOf(union: ThriftStruct | undefined, converted: Converted | undefined): GroupKind {
  if (converted === "list" || (union !== undefined && structAt(union, 3) !== undefined)) return "list";
  const isMap = converted === "map" || converted === "mapKeyValue";
  return isMap || (union !== undefined && structAt(union, 2) !== undefined) ? "map" : null;
}

/** The logical type as the union that a footer holds; undefined for interval, which has only a converted type. */
export function unionOf(logical: Logical | null): Struct | undefined {
  if (logical === null || logical.kind === "interval") return undefined;
  switch (logical.kind) {
    case "decimal":
      return new Struct([5, new Struct([1, i32(logical.scale)], [2, i32(logical.precision)])]);
    case "int":
      return new Struct([10, new Struct([1, i8(logical.bits)], [2, logical.signed])]);
    case "time":
    case "timestamp": {
      const unit = new Struct([1 + UNITS.indexOf(logical.unit), new Struct()]);
      return new Struct([logical.kind === "time" ? 7 : 8, new Struct([1, logical.utc], [2, unit])]);
    }
    default:
      return new Struct([simpleId(logical.kind), new Struct()]);
  }
}

const simpleId = (kind: Simple): number =>
  Number(Object.keys(SIMPLE).find((id) => SIMPLE[Number(id) as keyof typeof SIMPLE] === kind));

export function convertedOf(logical: Logical | null): number | undefined {
  const name = logical === null ? undefined : convertedName(logical);
  return name === undefined ? undefined : CONVERTED.indexOf(name);
}

function convertedName(logical: Logical): Converted | undefined {
  switch (logical.kind) {
    case "string":
      return "utf8";
    case "int":
      return `${logical.signed ? "" : "u"}int${logical.bits}` as Converted;
    case "time":
    case "timestamp":
      // The older types mean UTC, and know no nanoseconds.
      if (logical.unit === "ns" || !logical.utc) return undefined;
      return `${logical.kind}${logical.unit === "ms" ? "Millis" : "Micros"}` as Converted;
    case "uuid":
    case "float16":
    case "null":
      return undefined;
    default:
      return logical.kind;
  }
}
