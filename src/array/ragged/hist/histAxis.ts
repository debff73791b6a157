// Axes of histograms in users' hands. In: bins, edges, labels, as people write them. Out: checked axes, with their edges, centers,
// widths and the place of a value.

import { describe, isLength } from "../../../core/chunks.ts";
import { ValueError } from "../../../core/errors.ts";
import { instantOfText, instantText, valueOfExact } from "../../../core/form/exactNumbers.ts";
import { userCall } from "../../../lazy/call.ts";
import {
  type AxisSpec,
  binsOf,
  type CategoryAxis,
  edgesOf,
  extentOf,
  isEdged,
  underOf,
} from "../../../ragged/hist/axes.ts";
import { edgedPlacing, Labels, labelPlaces } from "../../../ragged/hist/binPlacing.ts";

/** What every axis of a histogram takes. */
export interface AxisNames {
  /** What `fill`, `get` and `project` call it: "axis0" and so on unless given. */
  readonly name?: string | undefined;
  /** What is written at the axis: its name unless given. */
  readonly label?: string | undefined;
}
/** Options of axes with edges. */
export interface EdgedOptions extends AxisNames {
  /** false: what lies below all bins is not counted. */
  readonly underflow?: boolean | undefined;
  /** false: what lies above all bins, and NaN, is not counted. */
  readonly overflow?: boolean | undefined;
}
/** Options of `rg.axis.regular`. */
export interface RegularOptions extends EdgedOptions {
  /** Bins of one width of the values' logarithms or roots. */
  readonly transform?: "log" | "sqrt" | undefined;
  /** Values outside come in again at the other end, as angles do. */
  readonly circular?: boolean | undefined;
}
/** Options of axes of labels. */
export interface CategoryOptions extends AxisNames {
  /** Values without a bin get one. */
  readonly growth?: boolean | undefined;
  /** false: values without a bin are not counted. */
  readonly overflow?: boolean | undefined;
}

/** An axis of a histogram, as `rg.axis.regular(50, 0, 200, { name: "met" })` gives: a `HistAxis`. */
export class HistAxis {
  readonly spec: AxisSpec;

  /** From a record of the engine's; `rg.axis` makes axes of bins, edges and labels. */
  constructor(spec: AxisSpec) {
    this.spec = spec;
  }
  get name(): string {
    return this.spec.name;
  }
  get label(): string {
    return this.spec.label;
  }
  /** How many bins there are, without the flow. */
  get size(): number {
    return binsOf(this.spec);
  }
  /** How many there are with it. */
  get extent(): number {
    return extentOf(this.spec);
  }
  /** One more than bins; of labels 0, 1, 2, …; of time milliseconds since 1970. */
  get edges(): Float64Array {
    return isEdged(this.spec)
      ? edgesOf(this.spec)
      : Float64Array.from({ length: this.size + 1 }, (_, i) => i);
  }
  /** The middle of each bin. */
  get centers(): Float64Array {
    const { edges } = this;
    return edges.subarray(1).map((edge, i) => (edge + edges[i]!) / 2);
  }
  /** How wide each bin is. */
  get widths(): Float64Array {
    const { edges } = this;
    return edges.subarray(1).map((edge, i) => edge - edges[i]!);
  }
  /** What each bin is called: its label, or from where to where it goes. */
  get labels(): string[] {
    const { spec } = this;
    if (!isEdged(spec)) return [...spec.labels];
    const texts = Array.from(this.edges, (edge) => edgeText(spec, edge));
    if (spec.kind === "integer") return texts.slice(0, -1);
    return texts.slice(1).map((text, i) => `[${texts[i]}, ${text})`);
  }
  /** In which bin a value lies: −1 below all, `size` above all. */
  index(value: number | string | boolean | Date): number {
    const given = value instanceof Date ? value.toISOString() : value;
    const { spec } = this;
    if (!isEdged(spec)) {
      const at = labelPlaces(spec, given, new Labels({ ...spec, growth: false, overflow: true }), 1);
      return at[0]!;
    }
    const place = Int32Array.of(0);
    const open = { ...spec, underflow: true, overflow: true };
    edgedPlacing(open, given)(0, place);
    return place[0]! - underOf(open);
  }
  toString(): string {
    const { spec } = this;
    const inner = isEdged(spec)
      ? `${this.size}, ${edgeText(spec, this.edges[0]!)}, ${edgeText(spec, this.edges[this.size]!)}`
      : spec.labels.map((label) => JSON.stringify(label)).join(", ");
    return `${spec.kind}(${inner}, name: ${JSON.stringify(spec.name)})`;
  }
}

/** A number as short as it can be told from others of its axis; a time as such. */
export function edgeText({ kind }: AxisSpec, edge: number): string {
  if (kind !== "datetime") return String(Number(edge.toPrecision(12)));
  const text = instantText({ digits: BigInt(Math.round(edge)), exponent: 3 });
  return text.replace(/T00:00:00(\.0+)?Z?$/, "").replace(/\.000Z?$/, "");
}

function names(given: AxisNames): { name: string; label: string } {
  const { name = "", label = name } = given;
  if (typeof name === "string" && typeof label === "string" && name !== "weight") return { name, label };
  throw new ValueError({
    what: `the axis is called ${describe(name)}`,
    cure: name === "weight" ? '"weight" is what fill takes besides axes' : "Use a text",
  });
}

const flow = ({
  underflow = true,
  overflow = true,
}: EdgedOptions): { underflow: boolean; overflow: boolean } => ({
  underflow,
  overflow,
});

function checkRange(start: unknown, stop: unknown): void {
  if (Number.isFinite(start) && Number.isFinite(stop) && (start as number) < (stop as number)) return;
  throw new ValueError({
    what: `the axis goes from ${describe(start)} to ${describe(stop)}`,
    cure: "Give two finite numbers, the lower one first",
  });
}

function checkBins(bins: unknown): number {
  if (isLength(bins) && (bins as number) >= 1) return bins as number;
  throw new ValueError({
    what: `there are ${describe(bins)} bins`,
    cure: "Give a whole number of 1 or more",
  });
}

const FLOW = ["underflow", "overflow", "name", "label"] as const;

const regular: (bins: number, start: number, stop: number, options?: RegularOptions) => HistAxis = userCall(
  "axis.regular",
  (bins: number, start: number, stop: number, options: RegularOptions = {}) => {
    checkRange(start, stop);
    const { transform = null, circular = false } = options;
    if (transform !== null && transform !== "log" && transform !== "sqrt")
      throw new ValueError({ what: `transform is ${describe(transform)}`, cure: 'Use "log" or "sqrt"' });
    if ((transform === "log" && start <= 0) || (transform === "sqrt" && start < 0))
      throw new ValueError({ what: `${transform} of ${start} is no edge`, cure: "Begin above 0" });
    return new HistAxis({
      ...{ kind: "regular", bins: checkBins(bins), start, stop, transform, circular },
      ...{
        ...flow(circular ? { underflow: false, overflow: true, ...options } : options),
        ...names(options),
      },
    });
  },
  [3, "transform", "circular", ...FLOW],
);

const variable: (edges: readonly number[], options?: EdgedOptions) => HistAxis = userCall(
  "axis.variable",
  (edges: readonly number[], options: EdgedOptions = {}) =>
    new HistAxis({
      kind: "variable",
      edges: checkEdges(Array.from(edges)),
      ...flow(options),
      ...names(options),
    }),
  [1, ...FLOW],
);

function checkEdges(edges: number[]): number[] {
  const at = edges.findIndex((edge, i) => !Number.isFinite(edge) || (i > 0 && edge <= edges[i - 1]!));
  if (edges.length > 1 && at < 0) return edges;
  throw new ValueError({
    what:
      at < 0
        ? `there are ${edges.length} edges`
        : `edge ${at} is ${edges[at]}, after ${edges[at - 1] ?? "none"}`,
    cure: "Give two or more numbers, each larger than the one before",
  });
}

const integer: (start: number, stop: number, options?: EdgedOptions) => HistAxis = userCall(
  "axis.integer",
  (start: number, stop: number, options: EdgedOptions = {}) => {
    checkRange(start, stop);
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(stop))
      throw new ValueError({ what: `the axis goes from ${start} to ${stop}`, cure: "Use whole numbers" });
    return new HistAxis({ kind: "integer", start, stop, ...flow(options), ...names(options) });
  },
  [2, ...FLOW],
);

const boolean: (options?: AxisNames) => HistAxis = userCall(
  "axis.boolean",
  (options: AxisNames = {}) =>
    new HistAxis({
      ...{ kind: "category", of: "boolean", labels: ["false", "true"], growth: false, overflow: false },
      ...names(options),
    }),
  [0, "name", "label"],
);

function category(of: CategoryAxis["of"], given: readonly unknown[], options: CategoryOptions): HistAxis {
  const { growth = false, overflow = !growth } = options;
  const isRight = (value: unknown): boolean =>
    of === "string" ? typeof value === "string" : Number.isSafeInteger(value);
  const labels = Array.from(given);
  if (!labels.every(isRight) || new Set(labels).size !== labels.length)
    throw new ValueError({
      what: `the labels are ${describe(labels)}`,
      cure: `Give ${of === "string" ? "texts" : "whole numbers"}, each once`,
    });
  if (growth && overflow)
    throw new ValueError({ what: "an axis that grows has no overflow", cure: "Leave one of them out" });
  if (labels.length === 0 && !growth)
    throw new ValueError({ what: "there are no labels", cure: "Give some, or growth: true" });
  return new HistAxis({
    kind: "category",
    of,
    labels: labels.map(String),
    growth,
    overflow,
    ...names(options),
  });
}

const strCategory: (labels: readonly string[], options?: CategoryOptions) => HistAxis = userCall(
  "axis.strCategory",
  (labels: readonly string[], options: CategoryOptions = {}) => category("string", labels, options),
  [1, "growth", "overflow", "name", "label"],
);

const intCategory: (labels: readonly number[], options?: CategoryOptions) => HistAxis = userCall(
  "axis.intCategory",
  (labels: readonly number[], options: CategoryOptions = {}) => category("integer", labels, options),
  [1, "growth", "overflow", "name", "label"],
);

/** A point in time: a Date, or a text as "2024-02-29" (in UTC unless it has an offset). */
export type Instant = Date | string;
/** How long bins of time are. */
export type CalendarUnit = "second" | "minute" | "hour" | "day" | "week" | "month" | "year";

const datetime: (
  bins: number | CalendarUnit,
  start: Instant,
  stop: Instant,
  options?: EdgedOptions,
) => HistAxis = userCall(
  "axis.datetime",
  (bins: number | CalendarUnit, start: Instant, stop: Instant, options: EdgedOptions = {}) => {
    const [from, to] = [millisecondsOf(start), millisecondsOf(stop)];
    checkRange(from, to);
    const edges =
      typeof bins === "string"
        ? calendarEdges(bins, from, to)
        : Array.from({ length: checkBins(bins) + 1 }, (_, i) => from + (i * (to - from)) / bins);
    return new HistAxis({ kind: "datetime", edges, ...flow(options), ...names(options) });
  },
  [3, ...FLOW],
);

function millisecondsOf(value: unknown): number {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.getTime();
  const exact = typeof value === "string" ? instantOfText(value) : null;
  if (exact !== null) return 1000 * Number(valueOfExact(exact));
  throw new ValueError({
    what: `${describe(value)} is no point in time`,
    cure: 'Use a Date, or "2024-02-29"',
  });
}

const MILLISECONDS: { readonly [unit: string]: number } = {
  ...{ second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 },
};

/** So many bins are asked for by mistake. */
const MOST_EDGES = 2 ** 20;

/** From the start on, one after another, until one is not before the end: months and years are as long as they are. */
function calendarEdges(unit: string, from: number, to: number): number[] {
  const months = unit === "month" ? 1 : unit === "year" ? 12 : 0;
  const length = MILLISECONDS[unit];
  if (months === 0 && length === undefined)
    throw new ValueError({ what: `bins are ${describe(unit)}`, cure: 'Use a number, or "day", "month", …' });
  if (to - from > MOST_EDGES * (length ?? 28 * 86_400_000))
    throw new ValueError({
      what: `there are more than ${MOST_EDGES} bins of a ${unit}`,
      cure: "Use a longer unit",
    });
  const begin = new Date(from);
  if (months > 0 && begin.getUTCDate() > 28)
    throw new ValueError({
      what: `not every ${unit} has a day ${begin.getUTCDate()}`,
      cure: "Begin on its first",
    });
  const edgeAt = (i: number): number =>
    months === 0
      ? from + i * length!
      : new Date(from).setUTCFullYear(begin.getUTCFullYear(), begin.getUTCMonth() + i * months);
  const edges = [from];
  while (edges[edges.length - 1]! < to) edges.push(edgeAt(edges.length));
  return edges;
}

/** Axes of histograms by their kinds, as `rg.axis` has them. */
export interface Axes {
  /** Bins of one width: `axis.regular(50, 0, 200, { name: "met" })`. */
  readonly regular: typeof regular;
  /** Between edges: `axis.variable([0, 1, 5, 20])`. */
  readonly variable: typeof variable;
  /** One for each whole number from the first to before the last: `axis.integer(0, 10)`. */
  readonly integer: typeof integer;
  /** Two: false and true. */
  readonly boolean: typeof boolean;
  /** One for each text: `axis.strCategory(["data", "signal"])`, or `axis.strCategory([], { growth: true })`. */
  readonly strCategory: typeof strCategory;
  /** One for each of some whole numbers: `axis.intCategory([11, 13])`. */
  readonly intCategory: typeof intCategory;
  /** Of time: `axis.datetime("month", "2024-01-01", "2025-01-01")`, or a number of bins. */
  readonly datetime: typeof datetime;
}

/** The axes of histograms: `rg.hist(rg.axis.regular(50, 0, 200, { name: "met" }))`. */
export const axis: Axes = { regular, variable, integer, boolean, strCategory, intCategory, datetime };
