// Logical types: what stored numbers and bytes mean. In: the parameter of a form. Out: for each type one entry of the table:
// how its type is written and read, as what it is stored, which numbers it stands for, and by what arithmetic it goes. All
// that looks at logical types (type strings, toList, arithmetic, Parquet, Arrow) asks the table; what a value looks like is in
// logicalValues.ts. Must hold: a type's text, read again, is the type.

import type { Json, Parameters } from "./form.ts";

export type TimeUnit = "s" | "ms" | "us" | "ns";

/** What a form's numbers, bytes or lists mean. */
export type Logical =
  /** Whole numbers of 10^−scale, of so many digits. */
  | { readonly kind: "decimal"; readonly precision: number; readonly scale: number }
  /** Days since 1970-01-01. */
  | { readonly kind: "date" }
  /** Since midnight, or since 1970-01-01; with a zone they are instants, told in UTC. */
  | { readonly kind: "time" | "timestamp"; readonly unit: TimeUnit; readonly zone: string | null }
  | { readonly kind: "duration"; readonly unit: TimeUnit }
  /** 16 bytes; months, days and nanoseconds in 16 bytes; text; text or bytes. */
  | { readonly kind: "uuid" | "interval" | "json" | "enum" | "categorical" | "bson" }
  /** Values that each say what they are, as JSON. */
  | { readonly kind: "variant" }
  /** Well-known binary, in a coordinate system (longitude and latitude where none is named): on a plane, or on the globe. */
  | { readonly kind: "geometry" | "geography"; readonly crs: string | null }
  /** Lists of records of a key and a value. */
  | { readonly kind: "map" };

/** The parameter of a form that holds its logical type. */
export const LOGICAL = "__logical__";

interface Described {
  readonly parameters: Parameters;
}

export const logicalOf = ({ parameters }: Described): Logical | null =>
  (parameters[LOGICAL] as unknown as Logical | undefined) ?? null;

export const parametersOf = (logical: Logical | null): Parameters =>
  logical === null ? {} : { [LOGICAL]: logical as unknown as Json };

/** The same node, with another meaning or none. */
export function withLogical<N extends Described>(node: N, logical: Logical | null): N {
  const { [LOGICAL]: _, ...others } = node.parameters;
  return { ...node, parameters: { ...others, ...parametersOf(logical) } };
}

/** As what values are stored: numbers of a dtype, text, or bytes (so many of them, or any number). */
export type LogicalStorage = "int32" | "int64" | "utf8" | "bytes" | "lists";

/** What is added to what: numbers, points in time, spans of time, times of a day. */
export type Dimension = "number" | "instant" | "span" | "timeOfDay";

/** Stored whole numbers n stand for n · factor · 10^−exponent, in seconds where they are times. */
export interface Measure {
  readonly dimension: Dimension;
  readonly exponent: number;
  readonly factor: number;
}

type Argument = string | number;

interface LogicalEntry {
  /** What is written behind the name: "(10, 2)". */
  readonly argumentsText: (logical: Logical) => string;
  /** Of what is written there; null where it is not such a type. */
  readonly ofArguments: (args: readonly Argument[]) => Logical | null;
  readonly storage: (logical: Logical) => LogicalStorage;
  /** Null for what is no number: there is equality and nothing else. */
  readonly measure: ((logical: Logical) => Measure) | null;
}

/** Digits that 64 bits hold, and that any decimal may have. */
export const NARROW_DIGITS = 18;
export const MOST_DIGITS = 38;

export const EXPONENTS: { readonly [U in TimeUnit]: number } = { s: 0, ms: 3, us: 6, ns: 9 };
const isUnit = (value: unknown): value is TimeUnit =>
  typeof value === "string" && Object.hasOwn(EXPONENTS, value);

type Of<K extends Logical["kind"]> = Extract<Logical, { readonly kind: K }>;

const decimal: LogicalEntry = {
  argumentsText: (logical) =>
    `(${(logical as Of<"decimal">).precision}, ${(logical as Of<"decimal">).scale})`,
  ofArguments: ([precision, scale = 0, ...more]) =>
    typeof precision === "number" && typeof scale === "number" && more.length === 0
      ? checkedDecimal(precision, scale)
      : null,
  storage: (logical) => ((logical as Of<"decimal">).precision <= NARROW_DIGITS ? "int64" : "bytes"),
  measure: (logical) => ({ dimension: "number", exponent: (logical as Of<"decimal">).scale, factor: 1 }),
};

const checkedDecimal = (precision: number, scale: number): Logical | null =>
  precision >= 1 && precision <= MOST_DIGITS && scale <= precision
    ? { kind: "decimal", precision, scale }
    : null;

const SECONDS_OF_DAY = 86_400;

const date: LogicalEntry = {
  argumentsText: () => "",
  ofArguments: (args) => (args.length === 0 ? { kind: "date" } : null),
  storage: () => "int32",
  measure: () => ({ dimension: "instant", exponent: 0, factor: SECONDS_OF_DAY }),
};

/** A unit, and the name of a zone behind it. */
function zoned(kind: "time" | "timestamp", dimension: Dimension): LogicalEntry {
  return {
    argumentsText(logical) {
      const { unit, zone } = logical as Of<"time" | "timestamp">;
      return zone === null
        ? `[${unit}]`
        : `[${unit}, ${/^[A-Za-z_]\w*$/.test(zone) ? zone : JSON.stringify(zone)}]`;
    },
    ofArguments: ([unit, zone = null, ...more]) =>
      isUnit(unit) && typeof zone !== "number" && more.length === 0 ? { kind, unit, zone } : null,
    storage(logical) {
      const { unit } = logical as Of<"time" | "timestamp">;
      return kind === "time" && EXPONENTS[unit] <= 3 ? "int32" : "int64";
    },
    measure: (logical) => ({
      dimension,
      exponent: EXPONENTS[(logical as Of<"time" | "timestamp">).unit],
      factor: 1,
    }),
  };
}

const duration: LogicalEntry = {
  argumentsText: (logical) => `[${(logical as Of<"duration">).unit}]`,
  ofArguments: ([unit, ...more]) => (isUnit(unit) && more.length === 0 ? { kind: "duration", unit } : null),
  storage: () => "int64",
  measure: (logical) => ({
    dimension: "span",
    exponent: EXPONENTS[(logical as Of<"duration">).unit],
    factor: 1,
  }),
};

type Plainly = "uuid" | "interval" | "json" | "enum" | "categorical" | "bson" | "variant";

const named = (kind: Plainly, storage: LogicalStorage): LogicalEntry => ({
  argumentsText: () => "",
  ofArguments: (args) => (args.length === 0 ? { kind } : null),
  storage: () => storage,
  measure: null,
});

const shape = (kind: "geometry" | "geography"): LogicalEntry => ({
  argumentsText(logical) {
    const { crs } = logical as Of<"geometry">;
    return crs === null ? "" : `[${JSON.stringify(crs)}]`;
  },
  ofArguments: ([crs = null, ...more]) =>
    typeof crs !== "number" && more.length === 0 ? { kind, crs } : null,
  storage: () => "bytes",
  measure: null,
});

/** Its text is that of its keys and values: typeText.ts writes it. */
const map: LogicalEntry = {
  argumentsText: () => "",
  ofArguments: () => null,
  storage: () => "lists",
  measure: null,
};

export const LOGICAL_TYPES: { readonly [K in Logical["kind"]]: LogicalEntry } = {
  ...{ decimal, date, duration, map },
  time: zoned("time", "timeOfDay"),
  timestamp: zoned("timestamp", "instant"),
  uuid: named("uuid", "bytes"),
  interval: named("interval", "bytes"),
  json: named("json", "utf8"),
  enum: named("enum", "utf8"),
  categorical: named("categorical", "utf8"),
  variant: named("variant", "utf8"),
  bson: named("bson", "bytes"),
  geometry: shape("geometry"),
  geography: shape("geography"),
};

export const measureOf = (logical: Logical): Measure | null =>
  LOGICAL_TYPES[logical.kind].measure?.(logical) ?? null;

/** As it stands in types: "decimal(10, 2)", "timestamp[us, UTC]". */
export const logicalText = (logical: Logical): string =>
  `${logical.kind}${LOGICAL_TYPES[logical.kind].argumentsText(logical)}`;

/** Of a name and what is behind it; null where that is no logical type. */
export const logicalNamed = (name: string, args: readonly Argument[]): Logical | null =>
  Object.hasOwn(LOGICAL_TYPES, name) ? LOGICAL_TYPES[name as Logical["kind"]].ofArguments(args) : null;

/** The brackets that a type's arguments stand in, and whether it may stand without; null for a name that has none, or that is no logical type. */
export function bracketsOf(
  name: string,
): { readonly open: string; readonly close: string; readonly isOptional: boolean } | null {
  if (name === "decimal") return { open: "(", close: ")", isOptional: false };
  const isOptional = name === "geometry" || name === "geography";
  const isKnown = isOptional || ["time", "timestamp", "duration"].includes(name);
  return isKnown ? { open: "[", close: "]", isOptional } : null;
}
