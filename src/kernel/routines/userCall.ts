// call: a user's function over the blocks of a box. In: the inputs' boxes and how blocks of inputs and outputs go
// together. Out: the box of the function's result, block by block. callBlock is one call with everything around it:
// the parts of the inputs, the check of what comes back, the overlap that is cut off.

import { type Attrs, type Block, newBlock, Resource, subBlock } from "../../core/block.ts";
import {
  type Box,
  type ChunkShape,
  chunkBox,
  placeOf,
  type Shape,
  sameShape,
  shapeText,
  sizeOf,
} from "../../core/chunks.ts";
import type { DType } from "../../core/dtype.ts";
import type { Routine, RoutineCall, RoutineMeans } from "../routine.ts";
import { Trap } from "../routine.ts";
import { copyElements } from "./stridedWalk.ts";

/** Where a block is: its place in the grid, and what part of the output it makes. */
export interface BlockInfo {
  /** Its place in the grid of blocks: [0, 1]. */
  readonly blockId: readonly number[];
  /** Where it begins in the output, along each axis. */
  readonly start: readonly number[];
  /** How long it is along each axis. */
  readonly shape: Shape;
}

/** What a function should give. */
export interface Expected {
  readonly dtype: DType;
  readonly shape: Shape;
}

/** A user's function as kernels see it: blocks in, blocks out. */
export abstract class Callable extends Resource {
  abstract call(
    blocks: readonly Block[],
    info: BlockInfo,
    expected: readonly Expected[],
    means?: RoutineMeans,
  ): readonly Block[];
}

/** A call is one for each place of a grid. */
export interface BlockGrid {
  /** Lengths of the inputs' blocks along the axes of the grid. */
  readonly cut: ChunkShape;
  /** Per input and axis the axis of the grid; −1 for one that is given whole. */
  readonly from: readonly (readonly number[])[];
  /** The overlap to cut off along the axes of the grid, where the function leaves it on. */
  readonly before?: readonly number[] | undefined;
  readonly after?: readonly number[] | undefined;
  /** For a function of single elements: how many axes at the end of each input it takes. The others are the grid's. */
  readonly cores?: readonly number[] | undefined;
  /** Bytes that a call allocates beside its blocks; undefined where nobody said. */
  readonly memory?: number | undefined;
}

export interface OutputGrid extends Expected {
  readonly chunks: ChunkShape;
  /** Per axis of the output the axis of the grid; −1 for one that is new. */
  readonly axes: readonly number[];
}

export const blockGrid = (attrs: Attrs): BlockGrid => attrs as unknown as BlockGrid;
export const outputGrid = (attrs: Attrs): OutputGrid => attrs as unknown as OutputGrid;

/** Places [first, last) along each axis of a grid. */
export interface Places {
  readonly first: readonly number[];
  readonly last: readonly number[];
}

/** The places that a box of an output is made at. An axis of the grid that the output does not have is one place. */
export function placesOf(out: Box, { chunks, axes }: OutputGrid, dims: number): Places {
  const first = new Array<number>(dims).fill(0);
  const last = new Array<number>(dims).fill(1);
  axes.forEach((to, axis) => {
    if (to < 0) return;
    first[to] = Math.floor(out.start[axis]! / chunks[axis]!);
    last[to] = Math.ceil((out.start[axis]! + out.shape[axis]!) / chunks[axis]!);
  });
  return { first, last };
}

/** The box of an input that some places need. */
export function inputBox(shape: Shape, from: readonly number[], cut: ChunkShape, places: Places): Box {
  const start = shape.map((n, axis) => {
    const to = from[axis]!;
    return to < 0 ? 0 : Math.min(n, places.first[to]! * cut[to]!);
  });
  const lengths = shape.map((n, axis) => {
    const to = from[axis]!;
    return to < 0 ? n : Math.min(n, places.last[to]! * cut[to]!) - start[axis]!;
  });
  return { start, shape: lengths };
}

export const call: Routine = (given) => {
  const [output] = given.outputs;
  const origin = given.starts.at(-1)!;
  const { cut } = blockGrid(given.attrs);
  const type = outputGrid(given.attrs);
  forEachBlock(output!.shape, type.chunks, (within, shape) => {
    const start = within.map((x, axis) => x + origin[axis]!);
    const { first } = placesOf({ start, shape }, type, cut.length);
    const [result] = callBlock(given, [type], first);
    copyElements(result!, subBlock(output!, within, shape));
  });
};

/** All blocks of a box that begins where a block does. */
export function forEachBlock(
  whole: Shape,
  chunks: ChunkShape,
  visit: (start: readonly number[], shape: Shape) => void,
): void {
  const counts = whole.map((n, axis) => Math.ceil(n / chunks[axis]!));
  for (let i = 0; i < sizeOf(counts); i++) {
    const start = placeOf(i, counts).map((x, axis) => x * chunks[axis]!);
    visit(
      start,
      start.map((x, axis) => Math.min(chunks[axis]!, whole[axis]! - x)),
    );
  }
}

/** What the function makes at a place, for each of its outputs. */
export function callBlock(
  given: RoutineCall,
  outputs: readonly OutputGrid[],
  place: readonly number[],
): Block[] {
  const { inputs, attrs, starts } = given;
  const callable = attrs["function"] as Callable;
  const grid = blockGrid(attrs);
  const blocks = inputs.map((input, k) => partOf(input, starts[k]!, grid.from[k]!, grid.cut, place));
  const boxes = outputs.map((output) => chunkBox(output.shape, output.chunks, placeIn(output, place)));
  const info = { blockId: placeIn(outputs[0]!, place), ...boxes[0]! };
  if (grid.cores !== undefined) return callEach(callable, grid, blocks, outputs, info, boxes);
  const expected = outputs.map((output, k) => withOverlap(output, boxes[k]!.shape, grid));
  const results = checked(callable.call(blocks, info, expected, given), expected);
  return results.map((result, k) =>
    subBlock(
      result,
      outputs[k]!.axes.map((to) => overlapAt(grid.before, to)),
      boxes[k]!.shape,
    ),
  );
}

const placeIn = ({ axes }: OutputGrid, place: readonly number[]): number[] =>
  axes.map((to) => (to < 0 ? 0 : place[to]!));

const overlapAt = (overlap: readonly number[] | undefined, to: number): number => overlap?.[to] ?? 0;

function withOverlap({ dtype, axes }: OutputGrid, inner: Shape, { before, after }: BlockGrid): Expected {
  const shape = inner.map((n, axis) => n + overlapAt(before, axes[axis]!) + overlapAt(after, axes[axis]!));
  return { dtype, shape };
}

/** The part of an input's box that belongs to a place. The box ends where the array does. */
function partOf(
  input: Block,
  start: readonly number[],
  from: readonly number[],
  cut: ChunkShape,
  place: readonly number[],
): Block {
  const end = input.shape.map((n, axis) => n + start[axis]!);
  const box = inputBox(end, from, cut, { first: place, last: place.map((x) => x + 1) });
  return subBlock(
    input,
    box.start.map((x, axis) => (from[axis]! < 0 ? 0 : x - start[axis]!)),
    box.shape.map((n, axis) => (from[axis]! < 0 ? input.shape[axis]! : n)),
  );
}

/** One call for each element of the grid's axes, which come first in every output. */
function callEach(
  callable: Callable,
  grid: BlockGrid,
  blocks: readonly Block[],
  outputs: readonly OutputGrid[],
  { blockId, start }: BlockInfo,
  boxes: readonly Box[],
): Block[] {
  const dims = grid.cut.length;
  const results = outputs.map(({ dtype }, k) => newBlock(dtype, boxes[k]!.shape));
  const expected = outputs.map(({ dtype }, k) => ({ dtype, shape: boxes[k]!.shape.slice(dims) }));
  const loop = boxes[0]!.shape.slice(0, dims);
  for (let i = 0; i < sizeOf(loop); i++) {
    const at = placeOf(i, loop);
    const parts = blocks.map((block, k) => elementOf(block, grid.from[k]!, grid.cores![k]!, at));
    const place = at.map((x, axis) => x + start[axis]!);
    const info = { blockId: blockId.slice(0, dims), start: place, shape: [] };
    const given = checked(callable.call(parts, info, expected), expected);
    given.forEach((result, k) => {
      copyElements(result, elementOf(results[k]!, identity(dims), results[k]!.shape.length - dims, at));
    });
  }
  return results;
}

const identity = (length: number): number[] => Array.from({ length }, (_, axis) => axis);

/** The last axes of a block, at an element of the others. */
function elementOf(block: Block, from: readonly number[], core: number, at: readonly number[]): Block {
  const lead = block.shape.length - core;
  let { offset } = block;
  for (let axis = 0; axis < lead; axis++)
    if (from[axis]! >= 0) offset += at[from[axis]!]! * block.strides[axis]!;
  return { ...block, offset, shape: block.shape.slice(lead), strides: block.strides.slice(lead) };
}

function checked(results: readonly Block[], expected: readonly Expected[]): readonly Block[] {
  if (results.length !== expected.length)
    throw new Trap(
      `the function gave ${results.length} results and ${expected.length} were announced`,
      "Give one for each output, in a list where there are several",
    );
  results.forEach((result, k) => {
    checkResult(result, expected[k]!);
  });
  return results;
}

function checkResult(result: Block, { dtype, shape }: Expected): void {
  if (result.dtype !== dtype)
    throw new Trap(
      `the function gave ${result.dtype} where ${dtype} was announced`,
      "Set dtype to what it gives",
    );
  if (sameShape(result.shape, shape)) return;
  throw new Trap(
    `the function gave a block of shape ${shapeText(result.shape)} where ${shapeText(shape)} belongs`,
    "Say what it gives: chunks, dropAxis or newAxis, trim, outputSizes",
  );
}
