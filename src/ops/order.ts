// Order statistics: elements by their rank, without sorting all of them. Along axes that fit a task a line is looked at whole (`select`);
// of more, the digits of all elements' keys are counted, the highest first, until the element is known: an array of counts
// for each chunk, added up as any sum is (`digitCounts`, `digitStep`, `keyElements`).

import type { Attrs } from "../core/block.ts";
import { type Box, type ChunkShape, type Shape, sameShape, shapeText, wholeBox } from "../core/chunks.ts";
import { checkKind, type DType, INDEX_DTYPE, infoOf, isDType } from "../core/dtype.ts";
import { ShapeError } from "../core/errors.ts";
import { isUnknown } from "../core/unknown.ts";
import { denseType, type RoutineOp } from "../expr/op.ts";
import { type AxisSeams, SEAMLESS } from "../expr/pieces.ts";
import type { Pullback } from "../expr/pullback.ts";
import { QUANTILE_METHODS, type QuantileMethod } from "../kernel/routines/quantilePlaces.ts";
import { checkCounts, wrongAttr } from "./attrChecks.ts";

const last = (shape: Shape): number => shape.length - 1;

/** A box that has all of the last axis. */
const wholeLast = ({ start, shape }: Box, length: number): Box => ({
  start: [...start.slice(0, -1), 0],
  shape: [...shape.slice(0, -1), length],
});

/** What a task looks at: larger blocks take memory and save nothing, and a line that is longer has to be cut. */
export const LINE_BYTES: number = 16 << 20;

/** So many lines that a task has about 16 MB of them: the longest of the other axes is halved until they fit. */
export function linesTogether(chunks: ChunkShape, shape: Shape, axis: number, bytes: number): number[] {
  const length = shape[axis]!;
  const lines = chunks.map((n, a) => (a === axis ? 1 : Math.min(n, Math.max(1, shape[a]!))));
  const together = chunksWithin(lines, isUnknown(length) ? bytes : bytes * length, LINE_BYTES);
  return together.map((n, a) => (a === axis ? Math.max(1, length) : n));
}

/** Chunks of at most so many bytes, the longest axis halved until they are. */
export function chunksWithin(given: ChunkShape, bytes: number, most: number): number[] {
  const chunks = [...given];
  while (chunks.reduce((size, n) => size * n, bytes) > most) {
    const longest = chunks.reduce((at, n, axis) => (n > chunks[at]! ? axis : at), 0);
    if ((chunks[longest] ?? 1) <= 1) break;
    chunks[longest] = Math.ceil(chunks[longest]! / 2);
  }
  return chunks;
}

/** The same, the first axes before others: what is next to each other in memory stays so. */
export function rowsWithin(given: ChunkShape, bytes: number, most: number): number[] {
  const chunks = [...given];
  for (let axis = 0; axis < chunks.length; axis++)
    while (chunks.reduce((size, n) => size * n, bytes) > most && chunks[axis]! > 1)
      chunks[axis] = Math.ceil(chunks[axis]! / 2);
  return chunks;
}

/** select(x, ranks): elements of lines along the last axis, by their ranks; attrs.poison (kernel/routines/byRank.ts). */
export const select: RoutineOp = {
  name: "select",
  class: "routine",
  // A rank below 0 chose no element.
  pullback: ({ inputs: [x, ranks], cotangent }, use) => {
    const axis = x!.shape.length - 1;
    const isThere = use.two("lessEqual", 0, ranks!);
    const order = use.takeAlong(use.argsort(x!, axis, false), use.two("maximum", ranks!, 0), axis);
    return [use.addLines(use.where(isThere, cotangent, 0), order, axis, x!.shape[axis]!), null];
  },
  routine: "select",
  infer([x, ranks], attrs) {
    checkKind("realOrBool", x!.dtype);
    if (typeof attrs["poison"] !== "boolean") throw wrongAttr("select", "poison", attrs["poison"]!);
    if (ranks!.dtype !== INDEX_DTYPE || !sameShape(x!.shape.slice(0, -1), ranks!.shape.slice(0, -1)))
      throw new ShapeError({
        what: `the ranks are ${ranks!.dtype} ${shapeText(ranks!.shape)} and the array has shape ${shapeText(x!.shape)}`,
        cure: `They must be ${INDEX_DTYPE} and have the same lines`,
      });
    return denseType(x!.dtype, ranks!.shape);
  },
  computes: (out, type) => wholeLast(out, type.shape[last(type.shape)]!),
  demand: (out, [x]) => [wholeLast(out, x!.shape[last(x!.shape)]!), out],
  chunks: ([x], [type], _, { shape }) => [
    ...linesTogether(x!, type!.shape, last(shape), infoOf(type!.dtype).bytes).slice(0, -1),
    Math.max(1, shape[last(shape)]!),
  ],
};

/** quantilePlaces(counts): ranks and weights of quantiles of lines with so many elements; attrs.q, attrs.method, attrs.part. */
export const quantilePlaces: RoutineOp = {
  name: "quantilePlaces",
  class: "routine",
  routine: "quantilePlaces",
  infer([counts], { q, method, part }) {
    if (counts!.dtype !== INDEX_DTYPE) throw wrongAttr("quantilePlaces", "counts", counts!.dtype);
    if (!Array.isArray(q) || !q.every((each) => typeof each === "number"))
      throw wrongAttr("quantilePlaces", "q", q!);
    if (!QUANTILE_METHODS.includes(method as QuantileMethod))
      throw wrongAttr("quantilePlaces", "method", method!);
    if (part !== "ranks" && part !== "weights") throw wrongAttr("quantilePlaces", "part", part!);
    return part === "ranks"
      ? denseType(INDEX_DTYPE, [...counts!.shape, 2 * q.length])
      : denseType("float64", [...counts!.shape, q.length]);
  },
  computes: (out, type) => wholeLast(out, type.shape[last(type.shape)]!),
  demand: ({ start, shape }) => [{ start: start.slice(0, -1), shape: shape.slice(0, -1) }],
  chunks: ([counts], _, __, { shape }) => [...counts!, Math.max(1, shape[last(shape)]!)],
};

// What is counted block by block. In: an array, how long blocks are along each axis, and a box of what is counted for each. The last
// `own` axes of the result are those of the counts, before them are those of the blocks.

/** How many blocks there are along each axis. */
export const blocksAlong = (shape: Shape, block: readonly number[]): number[] =>
  shape.map((n, axis) => Math.ceil(n / block[axis]!));

/** The elements of the blocks of a box. */
export function elementsOfBlocks(out: Box, whole: Shape, block: readonly number[]): Box {
  const start = whole.map((n, axis) => Math.min(n, out.start[axis]! * block[axis]!));
  const shape = whole.map(
    (n, axis) => Math.min(n, (out.start[axis]! + out.shape[axis]!) * block[axis]!) - start[axis]!,
  );
  return { start, shape };
}

/** The last block along an axis may be shorter. */
export const seamsOfBlocks = (dims: number, shape: Shape): AxisSeams[] =>
  shape.map((n, axis) => (axis < dims ? { zones: [[n - 1, n]] } : SEAMLESS));

interface DigitAttrs {
  /** The digit: `bits` bits from `shift` on. */
  readonly shift: number;
  readonly bits: number;
  /** Chunks of x: each is counted by itself. */
  readonly block: readonly number[];
}
const digitAttrs = (attrs: Attrs): DigitAttrs => attrs as unknown as DigitAttrs;

/**
 * digitCounts(x, state): for each block of x, each rank of the state (one, where there is none yet) and each digit, how many elements
 * have it behind the digits of the state.
 */
export const digitCounts: RoutineOp = {
  name: "digitCounts",
  class: "routine",
  routine: "digitCounts",
  infer([x, state], attrs) {
    const { shift, bits, block } = digitAttrs(attrs);
    checkKind("realOrBool", x!.dtype);
    checkCounts("digitCounts", "block", block, x!.shape.length, 1);
    checkCounts("digitCounts", "shift", [shift]);
    checkCounts("digitCounts", "bits", [bits], 1, 1);
    if (shift + bits > 8 * infoOf(x!.dtype).bytes || bits > 16) throw wrongAttr("digitCounts", "bits", bits);
    return denseType("int32", [...blocksAlong(x!.shape, block), state?.shape[0] ?? 1, 2 ** bits]);
  },
  computes: ({ start, shape }, type) => ({
    start: [...start.slice(0, -2), 0, 0],
    shape: [...shape.slice(0, -2), ...type.shape.slice(-2)],
  }),
  demand: (out, [x, state], attrs) => [
    elementsOfBlocks(out, x!.shape, digitAttrs(attrs).block),
    ...(state === undefined ? [] : [wholeBox(state.shape)]),
  ],
  seams: ([x], _, { shape }) => seamsOfBlocks(x!.shape.length, shape),
  chunks: (_, __, ___, { shape }) => shape.map((n, axis) => (axis < last(shape) - 1 ? 1 : n)),
};

/** digitStep(counts, state): the state with the digit of attrs.bits that has the rank; attrs.poison: that of NaN, if one is counted. */
export const digitStep: RoutineOp = {
  name: "digitStep",
  class: "routine",
  routine: "digitStep",
  infer([counts, state], { bits, poison }) {
    checkCounts("digitStep", "bits", [bits!], 1, 1);
    if (typeof poison !== "boolean") throw wrongAttr("digitStep", "poison", poison!);
    const isFit = counts!.shape.at(-1) === 2 ** (bits as number) && state!.dtype === "uint64";
    if (!isFit || counts!.dtype !== INDEX_DTYPE) throw wrongAttr("digitStep", "bits", bits!);
    return state!;
  },
  computes: (_, { shape }) => wholeBox(shape),
  demand: (_, [counts, state]) => [wholeBox(counts!.shape), wholeBox(state!.shape)],
  chunks: (_, __, ___, { shape }) => shape,
};

/** keyElements(state): elements of attrs.dtype, of which all digits are known. */
export const keyElements: RoutineOp = {
  name: "keyElements",
  class: "routine",
  routine: "keyElements",
  infer([state], { dtype }) {
    if (!isDType(dtype)) throw wrongAttr("keyElements", "dtype", dtype!);
    return denseType(dtype as DType, [state!.shape[0]!]);
  },
  computes: (_, { shape }) => wholeBox(shape),
  demand: (_, [state]) => [wholeBox(state!.shape)],
  chunks: (_, __, ___, { shape }) => shape,
};

interface TopkAttrs {
  readonly axis: number;
  readonly k: number;
  readonly block: number;
}
const topkAttrs = (attrs: Attrs): TopkAttrs => attrs as unknown as TopkAttrs;

/** How many are chosen of so many places: k of each block, and of the last as many as it has. */
const chosenOf = (length: number, { k, block }: TopkAttrs): number =>
  Math.floor(length / block) * Math.min(k, block) + Math.min(k, length % block);

/** A box with another range along an axis. */
const along = ({ start, shape }: Box, axis: number, from: number, count: number): Box => ({
  start: start.map((x, a) => (a === axis ? from : x)),
  shape: shape.map((n, a) => (a === axis ? count : n)),
});

const topkPullback: Pullback = ({ inputs: [x], attrs, cotangent }, use) => {
  const { axis } = topkAttrs(attrs);
  return [use.addLines(cotangent, use.node("topkPlaces", [x!], attrs), axis, x!.shape[axis]!)];
};

function topkOp(name: string, places: boolean): RoutineOp {
  return {
    name,
    class: "routine",
    routine: name,
    ...(places ? {} : { pullback: topkPullback }),
    infer([x], attrs) {
      const own = topkAttrs(attrs);
      checkCounts(name, "axis", [own.axis]);
      checkCounts(name, "block", [own.block], 1, 1);
      checkCounts(name, "k", [own.k]);
      if (typeof attrs["largest"] !== "boolean") throw wrongAttr(name, "largest", attrs["largest"]!);
      const shape = x!.shape.map((n, a) => (a === own.axis ? chosenOf(n, own) : n));
      return denseType(places ? INDEX_DTYPE : x!.dtype, shape);
    },
    computes(out, { shape }, attrs) {
      const { axis, k, block } = topkAttrs(attrs);
      const width = Math.max(1, Math.min(k, block));
      const from = Math.floor(out.start[axis]! / width) * width;
      const end = Math.ceil((out.start[axis]! + out.shape[axis]!) / width) * width;
      return along(out, axis, from, Math.max(0, Math.min(shape[axis]!, end) - from));
    },
    demand(out, inputs, attrs) {
      const { axis, k, block } = topkAttrs(attrs);
      const width = Math.max(1, Math.min(k, block));
      const length = inputs[0]!.shape[axis]!;
      const from = Math.min(length, Math.floor(out.start[axis]! / width) * block);
      const end = Math.ceil((out.start[axis]! + out.shape[axis]!) / width) * block;
      return inputs.map(() => along(out, axis, from, Math.min(length, end) - from));
    },
    // A box in the middle of a block needs all of it, and the last block has fewer.
    seams: (inputs, attrs, { shape }) => {
      const { axis, k, block } = topkAttrs(attrs);
      const width = Math.max(1, Math.min(k, block));
      const last = Math.max(0, Math.ceil(inputs[0]!.shape[axis]! / block) - 1) * width;
      return shape.map((n, a) =>
        a === axis
          ? { zones: [[last, Math.max(last, n)]], periods: [{ every: width, at: "all" }] }
          : SEAMLESS,
      );
    },
    chunks: ([x], _, attrs) => {
      const { axis, k, block } = topkAttrs(attrs);
      return x!.map((n, a) => (a === axis ? Math.max(1, Math.min(k, block)) : n));
    },
  };
}

/** Of every attrs.block places along attrs.axis the attrs.k that a sort would put first; attrs.largest. */
export const topk: RoutineOp = topkOp("topk", false);
/** Where these stood; inputs are elements, and where they stood unless they are the whole. */
export const topkPlaces: RoutineOp = topkOp("topkPlaces", true);

/** searchsorted in every attrs.block places of a long list: a row for each block; their sum is the place in the whole. */
export const searchsortedIn: RoutineOp = {
  name: "searchsortedIn",
  class: "routine",
  routine: "searchsortedIn",
  infer([sorted, values], { block }) {
    checkKind("realOrBool", sorted!.dtype);
    checkCounts("searchsortedIn", "block", [block], 1, 1);
    return denseType(INDEX_DTYPE, [Math.ceil(sorted!.shape[0]! / (block as number)), ...values!.shape]);
  },
  computes: (out) => out,
  demand({ start, shape }, [sorted], attrs) {
    const block = attrs["block"] as number;
    const length = sorted!.shape[0]!;
    const from = Math.min(length, start[0]! * block);
    const count = Math.min(length, (start[0]! + shape[0]!) * block) - from;
    return [
      { start: [from], shape: [count] },
      { start: start.slice(1), shape: shape.slice(1) },
    ];
  },
  // The last block may be shorter.
  seams: (_, __, { shape }) => shape.map((n, axis) => (axis === 0 ? { zones: [[n - 1, n]] } : SEAMLESS)),
  chunks: ([, values]) => [1, ...values!],
};

export const ORDER_OPS: readonly RoutineOp[] = [
  ...[select, quantilePlaces, digitCounts, digitStep, keyElements],
  ...[topk, topkPlaces, searchsortedIn],
];
