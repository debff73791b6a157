// Chunk grids. A grid is regular: one chunk length per axis, and the last chunk may be shorter.
// So a grid of 10⁹ chunks is two short lists, and chunk i is arithmetic (docs/adr/0002).
// In: what the user wrote as `chunks`. Out: a chunk shape with 1 ≤ chunk ≤ max(1, length) on every axis.

import { AxisError, ChunkError, ShapeError, UnknownLengthError, ValueError } from "./errors.ts";
import { hasUnknown, isUnknown, lengthText } from "./unknown.ts";

// Shapes, axes and broadcasting. In: what the user wrote. Out: checked shapes, non-negative axes.
// A shape is a list of whole numbers ≥ 0 whose product is a safe integer.

/** How long an array is along each axis: [2, 3] has two rows of three, [] a single element. */
export type Shape = readonly number[];
/** An axis: its number, from the end where that is negative, or its name. */
export type AxisName = number | string;
/** One axis, several, or all (null, undefined). */
export type AxisArgument = AxisName | readonly AxisName[] | null | undefined;

export const SCALAR_SHAPE: Shape = Object.freeze([]);

export function sizeOf(shape: Shape): number {
  let size = 1;
  for (const length of shape) size *= length;
  return size;
}

export function sameShape(a: Shape, b: Shape): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Row-major strides, in elements. */
export function stridesOf(shape: Shape): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = stride;
    stride *= shape[axis]!;
  }
  return strides;
}

/** A shape from outside: a number or a list of them. */
export function checkShape(argument: number | Shape): Shape {
  const shape: unknown =
    typeof argument === "number" ? [argument] : Array.isArray(argument) ? Array.from(argument) : argument;
  if (!Array.isArray(shape)) {
    throw new ShapeError({
      what: `a shape is a list of whole numbers, not ${describe(argument)}`,
      cure: "Write [rows, columns]",
    });
  }
  shape.forEach((length, axis) => {
    if (typeof length === "number" && Number.isInteger(length) && length > Number.MAX_SAFE_INTEGER)
      checkSize(shape as number[]);
    if (!isLength(length)) {
      throw new ShapeError({
        what: `axis ${axis} of the shape ${shortened(`[${shape.map(describe).join(", ")}]`)} is ${describe(length)}`,
        cure: "Every length must be a whole number, 0 or more",
      });
    }
  });
  if (!Number.isSafeInteger(sizeOf(shape))) {
    throw new ShapeError({
      what: `the shape ${shortened(shapeText(shape))} has more than 2^53 elements`,
      cure: "Use a smaller shape",
    });
  }
  return Object.freeze(shape as number[]);
}

/** NumPy's limit: more axes are a mistake. */
const MOST_AXES = 64;

/** Counts of elements must be exact numbers. */
export function checkSize(shape: Shape): void {
  if (shape.length > MOST_AXES) {
    throw new ShapeError({ what: `${shape.length} axes`, cure: `An array has at most ${MOST_AXES}` });
  }
  // As many as there turn out to be: then it is checked again.
  const known = hasUnknown(shape) ? shape.filter((length) => !isUnknown(length)) : shape;
  if (Number.isSafeInteger(sizeOf(known))) return;
  throw new ShapeError({
    what: `the shape ${shortened(shapeText(shape))} has more than 2^53 elements`,
    cure: "Use a smaller shape",
  });
}

export const isLength = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

/** A value of any type, shortly, for messages. */
export function describe(value: unknown): string {
  if (typeof value === "string") return shortened(JSON.stringify(value));
  if (typeof value === "bigint") return shortened(`${value}n`);
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (ArrayBuffer.isView(value)) return `a ${value.constructor.name}`;
  if (typeof value === "object" && value !== null)
    return `an object of class ${value.constructor?.name ?? "null"}`;
  return String(value);
}

/** No message may drown its reader. */
const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}…` : text);

/** An axis counted from the front: −1 is the last. */
export function checkAxis(axis: AxisName, ndim: number): number {
  if (typeof axis === "string" || !Number.isInteger(axis)) {
    throw new AxisError({ what: `${describe(axis)} is not an axis`, cure: "An axis is a whole number" });
  }
  if (axis < -ndim || axis >= ndim) {
    const cure = ndim === 0 ? "A 0-d array has no axes" : `Use ${-ndim} to ${ndim - 1}`;
    throw new AxisError({ what: `axis ${axis} is out of range for an array of ${ndim} dimensions`, cure });
  }
  return axis < 0 ? axis + ndim : axis;
}

/** The axes meant, ascending; null means all of them. */
export function checkAxes(axes: AxisArgument, ndim: number): number[] {
  if (axes === null || axes === undefined) return Array.from({ length: ndim }, (_, axis) => axis);
  return checkAxisList(axes, ndim).sort((a, b) => a - b);
}

/** The axes meant, in the order given, none twice. */
export function checkAxisList(axes: AxisName | readonly AxisName[], ndim: number): number[] {
  if (typeof axes !== "number" && !Array.isArray(axes)) {
    throw new AxisError({
      what: `${describe(axes)} is not an axis`,
      cure: "Use a whole number or a list of them",
    });
  }
  const given = (typeof axes === "number" ? [axes] : axes) as readonly AxisName[];
  const list = Array.from(given, (axis) => checkAxis(axis, ndim));
  const seen = new Set<number>();
  for (const axis of list) {
    if (seen.has(axis))
      throw new AxisError({ what: `axis ${axis} is named twice`, cure: "Name every axis once" });
    seen.add(axis);
  }
  return list;
}

/** NumPy's broadcasting: shapes are aligned at their ends, and 1 stretches. */
export function broadcastShapes(shapes: readonly Shape[]): Shape {
  const first = shapes[0] ?? SCALAR_SHAPE;
  let result = first;
  for (let i = 1; i < shapes.length; i++) result = broadcastPair(result, shapes[i]!);
  return result;
}

function broadcastPair(a: Shape, b: Shape): Shape {
  if (sameShape(a, b) || b.length === 0) return a;
  if (a.length === 0) return b;
  const ndim = Math.max(a.length, b.length);
  const result = new Array<number>(ndim);
  for (let back = 1; back <= ndim; back++) {
    const x = a[a.length - back] ?? 1;
    const y = b[b.length - back] ?? 1;
    if (x !== y && x !== 1 && y !== 1) throw broadcastError(a, b, ndim - back, x, y);
    result[ndim - back] = x === 1 ? y : x;
  }
  return Object.freeze(result);
}

function broadcastError(a: Shape, b: Shape, axis: number, x: number, y: number): ShapeError {
  if (isUnknown(x) || isUnknown(y)) {
    return new UnknownLengthError({
      what: `shapes ${shapeText(a)} and ${shapeText(b)} need not broadcast: how long they are at axis ${axis} depends on different data`,
      cure: "Select both by the same mask, or settle them first: [x, y] = await cw.settle([x, y])",
    });
  }
  return new ShapeError({
    what: `shapes ${shapeText(a)} and ${shapeText(b)} do not broadcast: at axis ${axis} they are ${x} and ${y} long`,
    cure: "Lengths must be equal, or one of them 1; reshape or expandDims one operand",
  });
}

/** `[3, ?]`: the second length is not known yet. */
export const shapeText = (shape: Shape): string => `[${shape.map(lengthText).join(", ")}]`;

/** A whole number from outside. */
export function checkInteger(value: unknown, name: string): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new ValueError({ what: `${name} is ${describe(value)}`, cure: "It must be a whole number" });
}

// A box: a rectangular region of an array, where it starts and how long it is on each axis.

/** A rectangular region of an array. */
export interface Box {
  /** Its first element. */
  readonly start: readonly number[];
  /** How long it is along each axis. */
  readonly shape: Shape;
}

export const wholeBox = (shape: Shape): Box => ({ start: shape.map(() => 0), shape });

export const isEmptyBox = (box: Box): boolean => sizeOf(box.shape) === 0;

export const sameBox = (a: Box, b: Box): boolean =>
  sameShape(a.shape, b.shape) && sameShape(a.start, b.start);

/** What two boxes share; possibly empty. */
export function intersect(a: Box, b: Box): Box {
  const start = a.start.map((x, axis) => Math.max(x, b.start[axis]!));
  const shape = start.map((x, axis) =>
    Math.max(0, Math.min(a.start[axis]! + a.shape[axis]!, b.start[axis]! + b.shape[axis]!) - x),
  );
  return { start, shape };
}

export const boxText = (box: Box): string =>
  `[${box.start.map((start, axis) => `${start}:${start + box.shape[axis]!}`).join(", ")}]`;

/** The length of a chunk along each axis; the last one may be shorter. */
export type ChunkShape = readonly number[];
/** Per axis: a length, −1 or "all" for the whole axis, "auto", or the list of all chunk lengths. */
export type AxisChunks = number | "all" | "auto" | readonly number[];
/** How an array is cut: lengths per axis, one for all axes, "all" for a single chunk, or "auto". */
export type ChunksArgument = number | "all" | "auto" | readonly AxisChunks[];

/** "auto" aims at chunks of this many bytes. */
export const AUTO_CHUNK_BYTES: number = 64 * 1024 * 1024;

/** One chunk per array: what arrays made in memory have unless asked otherwise. */
export const singleChunk = (shape: Shape): ChunkShape => shape.map((length) => Math.max(1, length));

/** What "auto" can go by. */
export interface AutoChunks {
  /** Bytes that a task may use: it has several chunks at once. */
  readonly budget?: number | undefined;
  /** The chunks in which the array is stored: whole ones are read together. */
  readonly stored?: ChunkShape | undefined;
}

export function checkChunks(
  argument: ChunksArgument,
  shape: Shape,
  elementBytes: number,
  auto: AutoChunks = {},
): ChunkShape {
  const list = Array.isArray(argument)
    ? (argument as readonly AxisChunks[])
    : shape.map(() => argument as AxisChunks);
  if (list.length !== shape.length) {
    throw new ChunkError({
      what: `chunks names ${list.length} axes and the array has ${shape.length}`,
      cure: "Give one entry per axis, or one number for all",
    });
  }
  const fixed = list.map((chunk, axis) => (chunk === "auto" ? null : axisChunk(chunk, shape[axis]!, axis)));
  return fillAuto(fixed, shape, elementBytes, auto);
}

function axisChunk(chunk: Exclude<AxisChunks, "auto">, length: number, axis: number): number {
  if (chunk === "all" || chunk === -1) return Math.max(1, length);
  if (Array.isArray(chunk)) return regularChunk(chunk, length, axis);
  if (typeof chunk === "number" && Number.isSafeInteger(chunk) && chunk >= 1)
    return Math.min(chunk, Math.max(1, length));
  throw new ChunkError({
    what: `the chunk length ${describe(chunk)} of axis ${axis} is not one`,
    cure: 'Use a whole number of 1 or more, -1 or "all" for the whole axis, or "auto"',
  });
}

/** Explicit lengths, as Dask writes them, are taken when they are regular. */
function regularChunk(lengths: readonly number[], length: number, axis: number): number {
  const wrong = Array.from(lengths).find((n) => !Number.isSafeInteger(n) || n < 0);
  if (wrong !== undefined || lengths.length !== Object.keys(lengths).length) {
    throw new ChunkError({
      what: `the chunk lengths of axis ${axis} have ${describe(wrong)}`,
      cure: "Use whole numbers of 1 or more",
    });
  }
  const first = lengths[0] ?? 1;
  const last = lengths.at(-1) ?? 0;
  const regular = lengths.every((n, i) => (i === lengths.length - 1 ? n <= first && n > 0 : n === first));
  if (regular && first * (lengths.length - 1) + last === length) return first;
  throw new ChunkError({
    what: `the chunk lengths [${lengths.map(describe).join(", ").slice(0, 100)}] of axis ${axis} (length ${length}) are not a regular grid`,
    cure: "All chunks but the last must be equally long, and together as long as the axis",
  });
}

/** Chunks for an array of which nothing is said but what it is, where it lies and what a task may use. */
export const autoChunks = (
  shape: Shape,
  elementBytes: number,
  budget?: number,
  stored?: ChunkShape,
): ChunkShape =>
  fillAuto(
    shape.map(() => null),
    shape,
    elementBytes,
    { budget, stored },
  );

/** A task has about so many chunks at once: inputs, results, and copies on their way from and to storage. */
const CHUNKS_PER_TASK = 8;

function fillAuto(
  fixed: readonly (number | null)[],
  shape: Shape,
  elementBytes: number,
  { budget = Number.POSITIVE_INFINITY, stored }: AutoChunks,
): ChunkShape {
  const bytes = Math.min(AUTO_CHUNK_BYTES, budget / CHUNKS_PER_TASK);
  const known = fixed.reduce<number>((product, chunk) => product * (chunk ?? 1), elementBytes);
  const room = Math.max(1, Math.floor(bytes / known));
  return stored === undefined ? equalShares(fixed, shape, room) : wholeStored(fixed, shape, room, stored);
}

/** Free axes get equal shares of what the byte target leaves. */
function equalShares(fixed: readonly (number | null)[], shape: Shape, room: number): ChunkShape {
  const free = shape.map((_, axis) => axis).filter((axis) => fixed[axis] === null);
  // Short axes first, so that what they do not use goes to the long ones.
  free.sort((a, b) => shape[a]! - shape[b]!);
  const chunks = fixed.map((chunk) => chunk ?? 1);
  let budget = room;
  free.forEach((axis, i) => {
    const share = Math.max(1, Math.floor(budget ** (1 / (free.length - i))));
    chunks[axis] = Math.max(1, Math.min(shape[axis]!, share));
    budget = Math.max(1, budget / chunks[axis]!);
  });
  return chunks;
}

/** Stored chunks, twice as many each time along the axis that has most of them, while they fit; halves where one does not. */
function wholeStored(
  fixed: readonly (number | null)[],
  shape: Shape,
  room: number,
  stored: ChunkShape,
): ChunkShape {
  const free = shape.map((_, axis) => axis).filter((axis) => fixed[axis] === null);
  const chunks = shape.map((n, axis) => fixed[axis] ?? Math.max(1, Math.min(n, stored[axis]!)));
  const size = (): number => sizeOf(free.map((axis) => chunks[axis]!));
  while (size() > room) {
    const longest = free.reduce((most, axis) => (chunks[axis]! > chunks[most]! ? axis : most));
    if (chunks[longest]! <= 1) break;
    chunks[longest] = Math.ceil(chunks[longest]! / 2);
  }
  const count = (axis: number): number => Math.ceil(shape[axis]! / chunks[axis]!);
  for (;;) {
    const open = free.filter((axis) => count(axis) > 1);
    if (open.length === 0) return chunks;
    const most = open.reduce((a, b) => (count(b) > count(a) ? b : a));
    const longer = Math.min(2 * chunks[most]!, shape[most]!);
    if ((size() / chunks[most]!) * longer > room) return chunks;
    chunks[most] = longer;
  }
}

/** How many chunks there are along each axis. An empty axis has none. */
export const gridOf = (shape: Shape, chunks: ChunkShape): Shape =>
  shape.map((length, axis) => Math.ceil(length / chunks[axis]!));

export const countChunks = (shape: Shape, chunks: ChunkShape): number => sizeOf(gridOf(shape, chunks));

/** The region of the chunk at a place in the grid. */
export function chunkBox(shape: Shape, chunks: ChunkShape, place: readonly number[]): Box {
  const start = place.map((at, axis) => at * chunks[axis]!);
  return { start, shape: start.map((x, axis) => Math.min(chunks[axis]!, shape[axis]! - x)) };
}

/** Place in a grid from its number, row-major. */
export function placeOf(index: number, grid: Shape): number[] {
  const place = new Array<number>(grid.length);
  let rest = index;
  for (let axis = grid.length - 1; axis >= 0; axis--) {
    // An axis without places has the place 0 all the same, so that arithmetic on it stays finite.
    const length = Math.max(1, grid[axis]!);
    place[axis] = rest % length;
    rest = Math.floor(rest / length);
  }
  return place;
}

export function numberOf(place: readonly number[], grid: Shape): number {
  let index = 0;
  for (let axis = 0; axis < grid.length; axis++) index = index * grid[axis]! + place[axis]!;
  return index;
}

/** All of a box lies in another. */
export const isInside = (part: Box, whole: Box): boolean =>
  part.start.every((x, axis) => {
    const [from, length] = [whole.start[axis]!, whole.shape[axis]!];
    return x >= from && x + part.shape[axis]! <= from + length;
  });
