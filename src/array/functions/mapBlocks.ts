// mapBlocks: users' own functions over blocks. In: a function of arrays in memory, and lazy arrays. Out: the lazy array
// (or arrays) whose blocks the function makes.

import { type Block, isContiguous } from "../../core/block.ts";
import { type ChunkShape, gridOf } from "../../core/chunks.ts";
import { type DType, isTypedArray, type TypedArray } from "../../core/dtype.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { broadcastShapes, checkAxes, describe, type Shape, sizeOf } from "../../core/shape.ts";
import { chunksOf, unifyChunks } from "../../expr/chunks.ts";
import { Trap } from "../../kernel/routine.ts";
import type { BlockInfo } from "../../kernel/routines/call.ts";
import { mapBlocks as mapBlocksOp } from "../../ops/mapBlocks.ts";
import {
  type FunctionReference,
  FunctionResource,
  setAdapter,
  type UserFunction,
} from "../../runtime/userFunctions.ts";
import { checkDType, node } from "../build.ts";
import { userCall } from "../call.ts";
import { asLazy, LazyArray, type Operand } from "../lazyArray.ts";
import { NDArray } from "../ndarray.ts";

/** What a function gives for a block: an array of the block's shape, or its elements in a row. */
export type BlockResult = NDArray | TypedArray;

/** Where the block is: its place in the grid, and which part of the result it makes. */
export type { BlockInfo };

type BlocksOf<Arrays extends readonly unknown[]> = { [K in keyof Arrays]: NDArray };

/** A function of one block of each array, and of where they are. Its arrays are contiguous, and its own. */
export type BlockFunction<Arrays extends readonly unknown[] = [unknown]> = (
  ...args: [...blocks: BlocksOf<Arrays>, info: BlockInfo]
) => BlockResult | readonly BlockResult[];

/** A function that a module exports: any thread and process can import it. */
export class ModuleFunction {
  readonly source: FunctionReference;

  constructor(source: FunctionReference) {
    this.source = source;
  }
}

/** Names a function that a module exports, for mapBlocks: moduleFunction(new URL("./blocks.js", import.meta.url), "smooth"). */
export const moduleFunction: (module: URL | string, name: string) => ModuleFunction = userCall(
  "moduleFunction",
  (module: URL | string, name: string) => {
    const href = URL.canParse(String(module)) ? String(new URL(String(module))) : "";
    if (!/^(file|https?):/.test(href) || typeof name !== "string" || name === "")
      throw new ValueError({
        what: `${describe(module)} and ${describe(name)} do not name a function of a module`,
        cure: 'Write moduleFunction(new URL("./blocks.js", import.meta.url), "smooth")',
      });
    return new ModuleFunction({ module: href, name });
  },
);

export interface MapBlocksOptions {
  /** Of what the function gives; the first array's unless given. */
  readonly dtype?: DType | undefined;
  /** Axes of the arrays (together, broadcast) that the function does away with; it is given them whole. */
  readonly dropAxis?: number | readonly number[] | undefined;
  /** Axes of the result that the function adds, one block long. */
  readonly newAxis?: number | readonly number[] | undefined;
  /** The length of the result's blocks along each axis, where that is not the arrays'. */
  readonly chunks?: readonly number[] | undefined;
  /** The result's shape, where it does not follow: blocks of other lengths give their number times their length. */
  readonly shape?: readonly number[] | undefined;
  /** Of a function that gives a list of arrays: the dtype of each. mapBlocks gives as many lazy arrays. */
  readonly outputs?: readonly DType[] | undefined;
}

type Mapped<O extends MapBlocksOptions | undefined> = O extends { readonly outputs: readonly DType[] }
  ? LazyArray[]
  : LazyArray;

interface MapBlocks {
  <const Arrays extends readonly LazyArray[], const O extends MapBlocksOptions | undefined = undefined>(
    fn: BlockFunction<Arrays> | ModuleFunction,
    arrays: Arrays,
    options?: O,
  ): Mapped<O>;
  <const O extends MapBlocksOptions | undefined = undefined>(
    fn: BlockFunction | ModuleFunction,
    array: Operand,
    options?: O,
  ): Mapped<O>;
}

/** Applies a function to each block of the arrays. */
export const mapBlocks: MapBlocks = userCall(
  "mapBlocks",
  (fn: AnyFunction, arrays: Operand | readonly LazyArray[], options?: MapBlocksOptions) =>
    mapped(fn, arrays, options ?? {}) as never,
  [2, "dtype", "dropAxis", "newAxis", "chunks", "shape", "outputs"],
);

type AnyFunction = UserFunction | ModuleFunction;

function mapped(
  fn: AnyFunction,
  arrays: Operand | readonly LazyArray[],
  options: MapBlocksOptions,
): LazyArray | LazyArray[] {
  const isList = Array.isArray(arrays) && arrays.some((array) => array instanceof LazyArray);
  const inputs = isList ? (arrays as readonly Operand[]).map(asLazy) : [asLazy(arrays as Operand)];
  const callable = resourceOf(fn);
  const grid = resultGrid(inputs, options);
  const attrs = { function: callable, ...grid, inputs: inputs.map(({ shape }) => shape) };
  const output = (dtype: DType, at: number): LazyArray =>
    node(mapBlocksOp, inputs, { ...attrs, output: at, dtype: checkDType(dtype) });
  if (options.outputs !== undefined) return options.outputs.map(output);
  return output(options.dtype ?? inputs[0]!.dtype, 0);
}

function resourceOf(fn: AnyFunction): FunctionResource {
  if (fn instanceof ModuleFunction) return new FunctionResource(null, fn.source);
  if (typeof fn === "function") return new FunctionResource(fn, null);
  throw new ValueError({
    what: `${describe(fn)} is not a function`,
    cure: "Pass a function of blocks, or moduleFunction(url, name)",
  });
}

interface ResultGrid {
  readonly cut: ChunkShape;
  readonly axes: readonly number[];
  readonly shape: Shape;
  readonly chunks: ChunkShape;
}

function resultGrid(inputs: readonly LazyArray[], options: MapBlocksOptions): ResultGrid {
  const whole = broadcastShapes(inputs.map(({ shape }) => shape));
  const types = inputs.map(({ expr }) => expr.type);
  const cut = unifyChunks(
    types,
    inputs.map(({ expr }) => chunksOf(expr)),
    { dtype: "bool", shape: whole },
  );
  const axes = resultAxes(whole.length, options);
  const chunks = axes.map((to, axis) => options.chunks?.[axis] ?? (to < 0 ? 1 : cut[to]!));
  if (options.chunks !== undefined && (options.chunks.length !== axes.length || !chunks.every(isCount)))
    throw new ShapeError({
      what: `chunks is ${describe(options.chunks)} and the result has ${axes.length} axes`,
      cure: "Give a whole number of 1 or more for each axis of the result",
    });
  const blocks = gridOf(whole, cut);
  const shape = axes.map((to, axis) => lengthOf(to, axis, { whole, cut, chunks, blocks }, options));
  checkBlocks(shape, chunks, axes, blocks);
  return { cut, axes, shape, chunks };
}

const isCount = (n: number): boolean => Number.isSafeInteger(n) && n >= 1;

function lengthOf(
  to: number,
  axis: number,
  { whole, cut, chunks, blocks }: { whole: Shape; cut: ChunkShape; chunks: ChunkShape; blocks: Shape },
  { shape }: MapBlocksOptions,
): number {
  if (shape?.[axis] !== undefined) return shape[axis];
  if (to < 0) return chunks[axis]!;
  return chunks[axis] === cut[to] ? whole[to]! : blocks[to]! * chunks[axis]!;
}

/** Every block of the result must belong to a block of the inputs. */
function checkBlocks(shape: Shape, chunks: ChunkShape, axes: readonly number[], blocks: Shape): void {
  const made = gridOf(shape, chunks);
  const wrong = axes.findIndex((to, axis) => made[axis] !== (to < 0 ? 1 : blocks[to]!));
  if (wrong < 0 || sizeOf(shape) === 0) return;
  const expected = axes[wrong]! < 0 ? 1 : blocks[axes[wrong]!]!;
  throw new ShapeError({
    what: `axis ${wrong} of the result has ${made[wrong]} blocks and the arrays have ${expected}`,
    cure: "Choose shape and chunks so that there are as many",
  });
}

/** The axes of the grid that are left, with −1 put in for new ones. */
function resultAxes(ndim: number, { dropAxis, newAxis }: MapBlocksOptions): number[] {
  const dropped = dropAxis === undefined ? [] : checkAxes(dropAxis, ndim);
  const left = Array.from({ length: ndim }, (_, axis) => axis).filter((axis) => !dropped.includes(axis));
  if (newAxis === undefined) return left;
  const count = Array.isArray(newAxis) ? newAxis.length : 1;
  const added = [...checkAxes(newAxis as number, left.length + count)].sort((a, b) => a - b);
  for (const axis of added) left.splice(axis, 0, -1);
  return left;
}

setAdapter((run, blocks, info) => {
  const results = (run as (...args: unknown[]) => unknown)(...blocks.map(plainArray), info);
  return (Array.isArray(results) ? results : [results]).map((result: unknown) => blockOf(result, info));
});

/** What a function sees has its elements in a row, and nothing else: `data` is the block. */
function plainArray(block: Block): NDArray {
  const array = NDArray.fromBlock(block);
  const isPlain = isContiguous(block) && block.offset === 0 && block.data.length === sizeOf(block.shape);
  return isPlain ? array : array.toContiguous();
}

function blockOf(result: unknown, { shape }: BlockInfo): Block {
  if (result instanceof NDArray) return result;
  if (isTypedArray(result) && result.length === sizeOf(shape)) return new NDArray(result, shape);
  if (isTypedArray(result))
    throw new Trap(
      `the function gave ${result.length} elements for a block of ${sizeOf(shape)}`,
      "Give an NDArray, or as many elements as the block has",
    );
  const isPromise = result instanceof Promise;
  throw new Trap(
    `the function gave ${isPromise ? "a promise" : describe(result)}`,
    isPromise ? "Functions of blocks are synchronous" : "Give an NDArray or a typed array",
  );
}
