// Ops with a routine of their own: reading and writing at places that are data, searching, sorting.
// Index operands are int64 and, where there are several, of one shape: the API casts and broadcasts.

import type { Attrs } from "../core/block.ts";
import { type Box, type Shape, sameShape, shapeText, wholeBox } from "../core/chunks.ts";
import { checkKind, INDEX_DTYPE, infoOf } from "../core/dtype.ts";
import { ShapeError } from "../core/errors.ts";
import { hasUnknown } from "../core/unknown.ts";
import { type DenseType, denseType, type RoutineOp } from "../expr/op.ts";
import { SEAMLESS } from "../expr/pieces.ts";
import type { Calculus, Handle, Pullback } from "../expr/pullback.ts";
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

/** Added up at the places: the indexed axes are one for this, and stand where the first index's axis does. */
function gatherPullback(
  { shape }: Handle,
  indices: readonly Handle[],
  attrs: Attrs,
  cotangent: Handle,
  use: Calculus,
): Handle {
  const { axes, at } = gatherAttrs(attrs);
  const wrap = (index: Handle, length: number): Handle =>
    use.where(use.two("less", index, 0), use.two("add", index, length), index);
  const place = indices
    .map((index, k) => wrap(index, shape[axes[k]!]!))
    .reduce((sum, index, k) => use.two("add", use.two("multiply", sum, shape[axes[k]!]!), index));
  const lengths = axes.map((axis) => shape[axis]!);
  const total = lengths.reduce((product, n) => product * n, 1);
  const flat = place.shape.length === 0 ? use.expandDims(place, [0]) : place;
  const rows = place.shape.length === 0 ? use.expandDims(cotangent, [at]) : cotangent;
  const added = use.addAt(rows, at, flat, total);
  const rest = without(shape, axes);
  const apart = use.reshape(added, [...rest.slice(0, at), ...lengths, ...rest.slice(at)]);
  const others = shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  const order = [...others.slice(0, at), ...axes, ...others.slice(at)];
  return use.permute(
    apart,
    order.map((_, axis) => order.indexOf(axis)),
  );
}

/** A number for each index, the same on all other axes, growing in the order in which values are written. */
function linearPlaces(values: Handle, at: number, indices: Shape, use: Calculus): Handle {
  return indices.reduce<Handle>(
    (sum, length, k) => use.two("add", use.two("multiply", sum, length), use.places(values, at + k)),
    use.cast(use.filled(values), INDEX_DTYPE),
  );
}

/** Which axis of x each axis of the result is: of one list of places, the axis that they are of. */
function gatheredAxes(shape: Shape, ndim: number, { axes, at }: GatherAttrs): (number | null)[] {
  const rest: (number | null)[] = shape.flatMap((_, axis) => (axes.includes(axis) ? [] : [axis]));
  const own = axes.length === 1 && ndim === 1 ? axes[0]! : null;
  return [...rest.slice(0, at), ...new Array<number | null>(ndim).fill(own), ...rest.slice(at)];
}

/** gather(x, i₀, i₁, …): x at places that the indices name. */
export const gather: RoutineOp = {
  name: "gather",
  class: "routine",
  pullback: ({ inputs: [x, ...indices], attrs, cotangent }, use) => [
    gatherPullback(x!, indices, attrs, cotangent, use),
    ...indices.map(() => null),
  ],
  takesUnknown: true,
  keepsMeaning: true,
  carries: ([x, ...indices], attrs) =>
    gatheredAxes(x!.shape, indices[0]?.shape.length ?? 0, gatherAttrs(attrs)),
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
  // A block has part in what its own places gave.
  pullback: ({ inputs: [x, index], attrs, cotangent }, use) => {
    const [length, block] = alongAxis(x!.shape, attrs);
    const { at } = gatherAttrs(attrs);
    const wrapped = use.where(use.two("less", index!, 0), use.two("add", index!, length), index!);
    const axes = cotangent.shape.flatMap((_, a) => (a > at && a <= at + index!.shape.length ? [] : [a]));
    const own = use.two(
      "equal",
      use.places(cotangent, 0),
      use.expandDims(use.two("floorDivide", wrapped, block), axes),
    );
    const rows = use.sum(use.where(own, cotangent, 0), [0]);
    return [gatherPullback(x!, [index!], attrs, rows, use), null];
  },
  carries: ([x, index], attrs) => [null, ...gatheredAxes(x!.shape, index!.shape.length, gatherAttrs(attrs))],
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
  keepsMeaning: true,
  // What was overwritten has no part in the result, nor has a value that was.
  pullback: ({ inputs: [x, values, ...indices], attrs, cotangent }, use) => {
    const { axes, at } = gatherAttrs(attrs);
    const own = axes.length === 0 ? use.filled(values!) : linearPlaces(values!, at, indices[0]!.shape, use);
    const last = use.scatter(use.cast(use.filled(x!, -1), INDEX_DTYPE), own, axes, at, indices);
    const isLast = use.two("equal", use.gather(last, axes, at, indices), own);
    const part = use.gather(cotangent, axes, at, indices);
    return [
      use.where(use.two("less", last, 0), cotangent, 0),
      use.where(isLast, part, 0),
      ...indices.map(() => null),
    ];
  },
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
  pullback: ({ inputs: [x, places], attrs, cotangent }, use) => {
    const axis = attrs["axis"] as number;
    return [use.addLines(cotangent, places!, axis, x!.shape[axis]!), null];
  },
  takesUnknown: true,
  keepsMeaning: true,
  carries: "same",
  routine: "takeAlongAxis",
  computes: (out) => out,
  infer: ([x, indices]) => denseType(x!.dtype, indices!.shape),
  demand(out, [x], attrs) {
    const axis = attrs["axis"] as number;
    return [wholeAlong(out, axis, x!.shape[axis]!), out];
  },
  chunks: ([, indices]) => indices!,
};

/**
 * addAlongAxis(x, places): the transpose of that. Elements of x are added up at their places along attrs.axis, line by line, from the
 * first to the last; attrs.length is how long the axis becomes.
 */
export const addAlongAxis: RoutineOp = {
  name: "addAlongAxis",
  class: "routine",
  routine: "addAlongAxis",
  pullback: ({ inputs: [, places], attrs, cotangent }, use) => [
    use.takeAlong(cotangent, places!, attrs["axis"] as number),
    null,
  ],
  computes: (out, type, attrs) =>
    wholeAlong(out, attrs["axis"] as number, type.shape[attrs["axis"] as number]!),
  infer([x, places], attrs) {
    const [axis, length] = [attrs["axis"] as number, attrs["length"] as number];
    checkIndices([places!]);
    checkCounts("addAlongAxis", "length", [length]);
    checkKind("numeric", x!.dtype);
    if (!sameShape(x!.shape, places!.shape)) throw wrongAttr("addAlongAxis", "axis", axis);
    return denseType(x!.dtype, x!.shape.with(axis, length));
  },
  demand(out, [x], attrs) {
    const axis = attrs["axis"] as number;
    const lines = wholeAlong(out, axis, x!.shape[axis]!);
    return [lines, lines];
  },
  chunks: ([x], [type], attrs) => {
    const [axis, length] = [attrs["axis"] as number, attrs["length"] as number];
    const longer = Math.max(length, type!.shape[axis]!);
    const lines = linesTogether(x!, type!.shape.with(axis, longer), axis, 2 * infoOf(type!.dtype).bytes);
    return lines.with(axis, Math.max(1, length));
  },
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

/** Where each element went, it comes back from. */
const sortPullback: Pullback = ({ inputs: [x], attrs, cotangent }, use) => {
  const [axis, descending] = [attrs["axis"] as number, attrs["descending"] as boolean];
  const order = use.argsort(x!, axis, descending);
  return [use.takeAlong(cotangent, use.argsort(order, axis, false), axis)];
};

function sortOp(name: string, places: boolean): RoutineOp {
  return {
    name,
    class: "routine",
    ...(places ? {} : { pullback: sortPullback }),
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
  addAlongAxis,
  searchsorted,
  sort,
  argsort,
  foundPlaces,
];
