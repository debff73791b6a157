// call: a user's function over the blocks of a box. In: the inputs' boxes and the grid of blocks. Out: the box of one
// of the function's results, block by block. Results of other outputs are kept while the task runs, so that a
// function with several outputs is called once for each block.

import { type Attrs, Resource } from "../../core/attrs.ts";
import { type Block, subBlock } from "../../core/block.ts";
import type { Box } from "../../core/box.ts";
import { type ChunkShape, placeOf } from "../../core/chunks.ts";
import { type Shape, sameShape, shapeText, sizeOf } from "../../core/shape.ts";
import type { RoutineCall } from "../routine.ts";
import { Trap } from "../routine.ts";
import { copyElements } from "./walk.ts";

/** Where a block is: its place in the grid, and what part of the output it makes. */
export interface BlockInfo {
  readonly blockId: readonly number[];
  readonly start: readonly number[];
  readonly shape: Shape;
}

/** A user's function as kernels see it: blocks in, blocks out. */
export abstract class Callable extends Resource {
  abstract call(blocks: readonly Block[], info: BlockInfo): readonly Block[];
}

export interface BlockGrid {
  /** Lengths of blocks along the axes of the grid. */
  readonly cut: ChunkShape;
  /** Lengths of blocks along the axes of the output. */
  readonly chunks: ChunkShape;
  /** Per axis of the output the axis of the grid; −1 for one that is new. */
  readonly axes: readonly number[];
}

export const blockGrid = (attrs: Attrs): BlockGrid => attrs as unknown as BlockGrid;

/** The box of an input for whole blocks of the output. Inputs are aligned with the grid at the end. */
export function inputBox(out: Box, shape: Shape, { cut, chunks, axes }: BlockGrid): Box {
  const lead = cut.length - shape.length;
  const start = shape.map(() => 0);
  const lengths = [...shape];
  axes.forEach((to, axis) => {
    const at = to - lead;
    if (to < 0 || at < 0 || shape[at] === 1) return;
    const first = Math.floor(out.start[axis]! / chunks[axis]!);
    const last = Math.ceil((out.start[axis]! + out.shape[axis]!) / chunks[axis]!);
    start[at] = Math.min(shape[at]!, first * cut[to]!);
    lengths[at] = Math.min(shape[at]!, last * cut[to]!) - start[at]!;
  });
  return { start, shape: lengths };
}

export function call({ inputs, outputs, attrs, starts, scope }: RoutineCall): void {
  const [output] = outputs;
  const origin = starts.at(-1)!;
  const grid = blockGrid(attrs);
  const shapes = attrs["inputs"] as unknown as readonly Shape[];
  const counts = output!.shape.map((n, axis) => Math.ceil(n / grid.chunks[axis]!));
  for (let i = 0; i < sizeOf(counts); i++) {
    const within = placeOf(i, counts).map((x, axis) => x * grid.chunks[axis]!);
    const shape = within.map((x, axis) => Math.min(grid.chunks[axis]!, output!.shape[axis]! - x));
    const box = { start: within.map((x, axis) => x + origin[axis]!), shape };
    const blocks = inputs.map((input, k) => partOf(input, starts[k]!, shapes[k]!, box, grid));
    const result = resultOf(attrs, blocks, box, scope);
    checkResult(result, output!, shape);
    copyElements(result, subBlock(output!, within, shape));
  }
}

/** The part of an input's box that belongs to a block. */
function partOf(input: Block, start: readonly number[], shape: Shape, out: Box, grid: BlockGrid): Block {
  const box = inputBox(out, shape, grid);
  return subBlock(
    input,
    box.start.map((x, axis) => x - start[axis]!),
    box.shape,
  );
}

const kept = new WeakMap<object, Map<string, readonly Block[]>>();

function resultOf(attrs: Attrs, blocks: readonly Block[], box: Box, scope: object): Block {
  const callable = attrs["function"] as Callable;
  const { chunks } = blockGrid(attrs);
  const blockId = box.start.map((x, axis) => Math.floor(x / chunks[axis]!));
  const key = `${callable.id} ${blockId}`;
  const known = kept.get(scope) ?? new Map<string, readonly Block[]>();
  kept.set(scope, known);
  const results = known.get(key) ?? callable.call(blocks, { blockId, start: box.start, shape: box.shape });
  known.set(key, results);
  return results[attrs["output"] as number]!;
}

function checkResult(result: Block, { dtype }: Block, shape: Shape): void {
  if (result === undefined)
    throw new Trap("the function gave too few results", "Give as many as `outputs` names");
  if (result.dtype !== dtype)
    throw new Trap(
      `the function gave ${result.dtype} where ${dtype} was announced`,
      "Set dtype to what it gives",
    );
  if (sameShape(result.shape, shape)) return;
  const [given, wanted] = [shapeText(result.shape), shapeText(shape)];
  throw new Trap(
    `the function gave a block of shape ${given} where ${wanted} belongs`,
    "Set chunks, dropAxis or newAxis to what it gives",
  );
}
