// Ops with a routine of their own: reading and writing at places that are data, searching, sorting.
// Index operands are int64 and, where there are several, of one shape: the API casts and broadcasts.

import type { Attrs } from "../core/block.ts";
import { type Box, type Shape, sameShape, shapeText, wholeBox } from "../core/chunks.ts";
import { checkKind, INDEX_DTYPE, infoOf } from "../core/dtype.ts";
import { ShapeError } from "../core/errors.ts";
import { hasUnknown } from "../core/unknown.ts";
import { type DenseType, denseType, type RoutineOp, SEAMLESS } from "../expr/op.ts";
import { checkCounts, wrongAttr } from "./attrChecks.ts";
import { chunksWithin, LINE_BYTES, linesTogether } from "./order.ts";

interface GatherAttrs {
  /** Axes that are indexed, ascending. */
  readonly axes: readonly number[];
  /** Where the axes of the indices stand in the result. */
  readonly at: number;
}
const gatherAttrs = (attrs: Attrs): GatherAttrs => attrs as unknown as GatherAttrs;

const without = (shape: Shape, axes: readonly number[]): Shape =>
  shape.filter((_, axis) => !axes.includes(axis));

/** The shape of x[…, i, …]: the other axes of x with the axes of the indices put in at `at`. */
function gatheredShape(x: Shape, indices: Shape, { axes, at }: GatherAttrs): Shape {
  const rest = without(x, axes);
  return [...rest.slice(0, at), ...indices, ...rest.slice(at)];
}

/** A box of the whole shape of x, narrowed on the axes that are not indexed. */
function boxOfOthers(x: Shape, rest: Box, axes: readonly number[]): Box {
  const start = x.map(() => 0);
  const shape = [...x];
  let next = 0;
  x.forEach((_, axis) => {
    if (axes.includes(axis)) return;
    start[axis] = rest.start[next]!;
    shape[axis] = rest.shape[next++]!;
  });
  return { start, shape };
}

function splitBox(out: Box, at: number, count: number): { rest: Box; indices: Box } {
  const cut = <T>(list: readonly T[]): [T[], T[]] => [
    [...list.slice(0, at), ...list.slice(at + count)],
    list.slice(at, at + count),
  ];
  const [restStart, start] = cut(out.start);
  const [restShape, shape] = cut(out.shape);
  return { rest: { start: restStart, shape: restShape }, indices: { start, shape } };
}

/** Chunks of the axes that are not indexed, so that a task has about 16 MB of x, or one place of theirs. */
function restTogether(rest: Shape, { dtype, shape }: DenseType, axes: readonly number[]): Shape {
  const bytes = axes.reduce((size, axis) => size * Math.max(1, shape[axis]!), infoOf(dtype).bytes);
  return hasUnknown(axes.map((axis) => shape[axis]!)) ? rest : chunksWithin(rest, bytes, LINE_BYTES);
}

/** gather(x, i₀, i₁, …): x at places that the indices name. */
export const gather: RoutineOp = {
  name: "gather",
  class: "routine",
  takesUnknown: true,
  routine: "gather",
  computes: (out) => out,
  infer([x, ...indices], attrs) {
    checkIndices(indices);
    return denseType(x!.dtype, gatheredShape(x!.shape, indices[0]!.shape, gatherAttrs(attrs)));
  },
  demand(out, [x, ...indices], attrs) {
    const { axes, at } = gatherAttrs(attrs);
    const parts = splitBox(out, at, indices[0]!.shape.length);
    return [boxOfOthers(x!.shape, parts.rest, axes), ...indices.map(() => parts.indices)];
  },
  chunks([x, index], [type], attrs) {
    const { axes, at } = gatherAttrs(attrs);
    const rest = restTogether(without(x!, axes), type!, axes);
    return [...rest.slice(0, at), ...index!, ...rest.slice(at)];
  },
};

/**
 * gatherIn(x, index): the same in every attrs.block places of x along the one axis of attrs.axes: a row for each block, with attrs.fill
 * where an index leads to another block. attrs.length is that of the whole axis.
 */
export const gatherIn: RoutineOp = {
  name: "gatherIn",
  class: "routine",
  routine: "gatherIn",
  computes: (out) => out,
  infer([x, index], attrs) {
    const [length, block] = alongAxis(x!.shape, attrs);
    checkIndices([index!]);
    checkCounts("gatherIn", "block", [block], 1, 1);
    if (attrs["length"] !== length) throw wrongAttr("gatherIn", "length", attrs["length"]!);
    const gathered = gatheredShape(x!.shape, index!.shape, gatherAttrs(attrs));
    return denseType(x!.dtype, [Math.ceil(length / block), ...gathered]);
  },
  demand({ start, shape }, [x, index], attrs) {
    const { axes, at } = gatherAttrs(attrs);
    const [length, block] = alongAxis(x!.shape, attrs);
    const parts = splitBox({ start: start.slice(1), shape: shape.slice(1) }, at, index!.shape.length);
    const whole = boxOfOthers(x!.shape, parts.rest, axes);
    const from = Math.min(length, start[0]! * block);
    const count = Math.min(length, (start[0]! + shape[0]!) * block) - from;
    const [axis] = axes as [number];
    return [{ start: whole.start.with(axis, from), shape: whole.shape.with(axis, count) }, parts.indices];
  },
  // The last block may be shorter.
  seams: (_, __, { shape }) => shape.map((n, axis) => (axis === 0 ? { zones: [[n - 1, n]] } : SEAMLESS)),
  chunks: (inputs, types, attrs, { shape }) => [
    1,
    ...gather.chunks(inputs, types, attrs, denseType("bool", shape.slice(1))),
  ],
};

/** How long the indexed axis is, and its blocks. */
const alongAxis = (x: Shape, attrs: Attrs): [length: number, block: number] => [
  x[gatherAttrs(attrs).axes[0]!]!,
  attrs["block"] as number,
];

/** scatter(x, values, i₀, …): x with the places that the indices name replaced; the last write wins. attrs.shape is x's. */
export const scatter: RoutineOp = {
  name: "scatter",
  class: "routine",
  routine: "scatter",
  computes: (out) => out,
  infer([x, values, ...indices], attrs) {
    checkIndices(indices);
    const expected = gatheredShape(x!.shape, indices[0]!.shape, gatherAttrs(attrs));
    if (!sameShape(values!.shape, expected)) {
      throw new ShapeError({
        what: `the selection has shape ${shapeText(expected)} and the value ${shapeText(values!.shape)}`,
        cure: "Broadcast or reshape the value",
      });
    }
    return x!;
  },
  demand(out, [, values, ...indices], attrs) {
    const { axes, at } = gatherAttrs(attrs);
    const rest = { start: without(out.start, axes), shape: without(out.shape, axes) };
    const count = indices[0]!.shape.length;
    const whole = values!.shape.slice(at, at + count);
    const valueBox = {
      start: [...rest.start.slice(0, at), ...whole.map(() => 0), ...rest.start.slice(at)],
      shape: [...rest.shape.slice(0, at), ...whole, ...rest.shape.slice(at)],
    };
    return [out, valueBox, ...indices.map(({ shape }) => wholeBox(shape))];
  },
  chunks: ([x]) => x!,
};

function checkIndices(indices: readonly DenseType[]): void {
  for (const { dtype, shape } of indices) {
    if (dtype === INDEX_DTYPE && sameShape(shape, indices[0]!.shape)) continue;
    throw new ShapeError({
      what: `indices are ${indices.map((i) => `${i.dtype} ${shapeText(i.shape)}`).join(", ")}`,
      cure: `They must be ${INDEX_DTYPE} and of one shape`,
    });
  }
}

const wholeAlong = (out: Box, axis: number, length: number): Box => ({
  start: out.start.map((x, a) => (a === axis ? 0 : x)),
  shape: out.shape.map((n, a) => (a === axis ? length : n)),
});

/** takeAlongAxis(x, indices): x and indices have one shape except along attrs.axis. */
export const takeAlongAxis: RoutineOp = {
  name: "takeAlongAxis",
  class: "routine",
  takesUnknown: true,
  routine: "takeAlongAxis",
  computes: (out) => out,
  infer: ([x, indices]) => denseType(x!.dtype, indices!.shape),
  demand(out, [x], attrs) {
    const axis = attrs["axis"] as number;
    return [wholeAlong(out, axis, x!.shape[axis]!), out];
  },
  chunks: ([, indices]) => indices!,
};

/** searchsorted(sorted, values): where each value would go in; attrs.side "left" or "right". */
export const searchsorted: RoutineOp = {
  name: "searchsorted",
  class: "routine",
  takesUnknown: true,
  routine: "searchsorted",
  computes: (out) => out,
  infer([sorted, values]) {
    checkKind("realOrBool", sorted!.dtype);
    if (sorted!.shape.length !== 1) {
      throw new ShapeError({
        what: `the sorted array has ${sorted!.shape.length} dimensions`,
        cure: "Search in a 1-d array",
      });
    }
    return denseType(INDEX_DTYPE, values!.shape);
  },
  demand: (out, [sorted]) => [wholeBox(sorted!.shape), out],
  chunks: ([, values]) => values!,
};

function sortOp(name: string, places: boolean): RoutineOp {
  return {
    name,
    class: "routine",
    takesUnknown: true,
    routine: name,
    infer: ([x]) => (places ? denseType(INDEX_DTYPE, x!.shape) : x!),
    computes: (out, type, attrs) =>
      wholeAlong(out, attrs["axis"] as number, type.shape[attrs["axis"] as number]!),
    demand: (out) => [out],
    // The axis is sorted whole, so a chunk holds all of it.
    chunks: ([x], [type], attrs) =>
      linesTogether(x!, type!.shape, attrs["axis"] as number, infoOf(type!.dtype).bytes),
  };
}

/** attrs.axis, attrs.descending; stable. */
export const sort: RoutineOp = sortOp("sort", false);
export const argsort: RoutineOp = sortOp("argsort", true);

/** foundPlaces(places): the places as they are; one below 0 is an error when it is computed. */
export const foundPlaces: RoutineOp = {
  name: "foundPlaces",
  class: "routine",
  routine: "foundPlaces",
  computes: (out) => out,
  infer: ([places]) => denseType(INDEX_DTYPE, places!.shape),
  demand: (out) => [out],
  chunks: ([places]) => places!,
};

export const ROUTINE_OPS: readonly RoutineOp[] = [
  gather,
  gatherIn,
  scatter,
  takeAlongAxis,
  searchsorted,
  sort,
  argsort,
  foundPlaces,
];
