// Axes of histograms: which values lie in which bin. In: what the user asked for, checked. Out: plain records, which attributes of
// nodes hold as text. A bin has its lower edge and not its upper one. Values below all bins and above them have bins of their own
// (the flow) unless the axis says that it has none: then they are not counted. NaN is behind all.
// Must hold: an axis read again from its text is the axis.

import { uniformEdges } from "../../kernel/routines/bins.ts";

/** What all axes have. */
interface AxisBase {
  readonly name: string;
  /** What is written at the axis; its name unless given. */
  readonly label: string;
}
interface Flow {
  readonly underflow: boolean;
  readonly overflow: boolean;
}
/** Bins of one width, or of one width of what `transform` makes of the values. */
export interface RegularAxis extends AxisBase, Flow {
  readonly kind: "regular";
  readonly bins: number;
  readonly start: number;
  readonly stop: number;
  readonly transform: "log" | "sqrt" | null;
  /** What lies outside comes in again at the other end. */
  readonly circular: boolean;
}
export interface VariableAxis extends AxisBase, Flow {
  readonly kind: "variable";
  readonly edges: readonly number[];
}
/** A bin for each whole number from start to before stop. */
export interface IntegerAxis extends AxisBase, Flow {
  readonly kind: "integer";
  readonly start: number;
  readonly stop: number;
}
/** Edges are milliseconds since 1970, in UTC. */
export interface DatetimeAxis extends AxisBase, Flow {
  readonly kind: "datetime";
  readonly edges: readonly number[];
}
export interface CategoryAxis extends AxisBase {
  readonly kind: "category";
  /** What labels stand for; whole numbers are written as text. */
  readonly of: "string" | "integer" | "boolean";
  readonly labels: readonly string[];
  /** Values without a label get one, in the order in which they come. */
  readonly growth: boolean;
  /** A bin for all values without a label. */
  readonly overflow: boolean;
}
export type EdgedAxis = RegularAxis | VariableAxis | IntegerAxis | DatetimeAxis;
export type AxisSpec = EdgedAxis | CategoryAxis;

export const isEdged = (axis: AxisSpec): axis is EdgedAxis => axis.kind !== "category";

/** How many bins there are without the flow. */
export function binsOf(axis: AxisSpec): number {
  switch (axis.kind) {
    case "regular":
      return axis.bins;
    case "integer":
      return axis.stop - axis.start;
    case "category":
      return axis.labels.length;
    default:
      return axis.edges.length - 1;
  }
}

/** 1 where there is a bin before the first. */
export const underOf = (axis: AxisSpec): number => (isEdged(axis) && axis.underflow ? 1 : 0);

/** How many bins there are with the flow. */
export const extentOf = (axis: AxisSpec): number => underOf(axis) + binsOf(axis) + (axis.overflow ? 1 : 0);

interface Transform {
  readonly there: (value: number) => number;
  readonly back: (value: number) => number;
}
const TRANSFORMS: { readonly [T in "log" | "sqrt"]: Transform } = {
  log: { there: Math.log, back: Math.exp },
  sqrt: { there: Math.sqrt, back: (value) => value * value },
};

/** Edges at one distance of what the transform makes of the ends, which are themselves exact. */
function transformedEdges({ start, stop, bins, transform }: RegularAxis): Float64Array {
  const { there, back } = TRANSFORMS[transform!];
  const edges = uniformEdges(there(start), there(stop), bins).map(back);
  edges[0] = start;
  edges[bins] = stop;
  return edges;
}

/** One more than there are bins. */
export function edgesOf(axis: EdgedAxis): Float64Array {
  switch (axis.kind) {
    case "regular":
      return axis.transform === null
        ? uniformEdges(axis.start, axis.stop, axis.bins)
        : transformedEdges(axis);
    case "integer":
      return Float64Array.from({ length: binsOf(axis) + 1 }, (_, i) => axis.start + i);
    default:
      return Float64Array.from(axis.edges);
  }
}

export const axesText = (axes: readonly AxisSpec[]): string => JSON.stringify(axes);
export const axesOfText = (text: string): readonly AxisSpec[] => JSON.parse(text) as readonly AxisSpec[];
