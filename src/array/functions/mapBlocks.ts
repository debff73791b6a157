// mapBlocks: users' own functions over blocks. In: a function of arrays in memory, and lazy arrays. Out: the lazy array
// (or arrays) whose blocks the function makes.

import {
  broadcastShapes,
  type ChunkShape,
  checkAxes,
  describe,
  gridOf,
  isLength,
  type Shape,
  sizeOf,
} from "../../core/chunks.ts";
import type { DType } from "../../core/dtype.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { chunksOf } from "../../expr/expr.ts";
import { unifyChunks } from "../../expr/unify.ts";
import type { BlockGrid, OutputGrid } from "../../kernel/routines/userCall.ts";
import { checkDType } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { LazyArray, Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType } from "../../lazy/operandTypes.ts";
import { alignedWith, arraysOf, callNodes, memoryOf, outputDTypes } from "./blockCall.ts";
import { type AroundBlocks, callWithPullback } from "./blockPullback.ts";
import type { AnyFunction, BlockFunction, ModuleFunction } from "./userFunction.ts";

/** Options of `cw.mapBlocks`. */
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
  /** What a call allocates beside the blocks that it is given and gives: bytes, or a size such as "200MB". */
  readonly memory?: number | string | undefined;
  /**
   * How gradients come back through the function: it is given a block of the cotangent, the blocks of the arrays, and where they are,
   * and gives the cotangent of each block. Where blocks overlap, the cotangent is as long as they are, with zeros around it. Of a
   * function with one output.
   */
  readonly pullback?: AnyFunction | undefined;
}

/** One array for each dtype of `outputs`, or one of the dtype that was said, else of the first array's. */
export type Mapped<O extends MapBlocksOptions | undefined, First = unknown> = O extends {
  readonly outputs: infer Outputs extends readonly DType[];
}
  ? { -readonly [K in keyof Outputs]: LazyArray<Outputs[K]> }
  : O extends { readonly dtype: infer D extends DType }
    ? LazyArray<D>
    : O extends { readonly dtype?: unknown }
      ? LazyArray
      : LazyArray<ArrayDType<First>>;

interface MapBlocks {
  <const Arrays extends readonly LazyArray[], const O extends MapBlocksOptions | undefined = undefined>(
    fn: BlockFunction<Arrays> | ModuleFunction,
    arrays: Arrays,
    options?: O,
  ): Mapped<O, Arrays[0]>;
  <const A extends Operand, const O extends MapBlocksOptions | undefined = undefined>(
    fn: BlockFunction<[A]> | ModuleFunction,
    array: A,
    options?: O,
  ): Mapped<O, A>;
}

/** Applies a function to each block of the arrays: `cw.mapBlocks((block) => block.data.map(Math.cbrt), x)`. */
export const mapBlocks: MapBlocks = userCall(
  "mapBlocks",
  (fn: AnyFunction, arrays: Operand | readonly LazyArray[], options?: MapBlocksOptions) =>
    mapped(fn, arrays, options ?? {}) as never,
  [2, "dtype", "dropAxis", "newAxis", "chunks", "shape", "outputs", "memory", "pullback"],
);

function mapped(
  fn: AnyFunction,
  arrays: Operand | readonly LazyArray[],
  options: MapBlocksOptions,
): LazyArray | LazyArray[] {
  const inputs = arraysOf(arrays);
  const dtypes = outputDTypes(options.outputs, "outputs");
  const common = commonGrid(inputs);
  const type = resultGrid(common, options);
  const from = inputs.map(({ shape }) =>
    // An axis that the result does not have is given whole.
    alignedWith(shape, common.whole).map((to) => (type.axes.includes(to) ? to : -1)),
  );
  const single = dtypes === null ? [checkDType(options.dtype ?? inputs[0]!.dtype)] : dtypes;
  const outputs = single.map((dtype) => ({ ...type, dtype }));
  const results = calledBlocks(
    fn,
    inputs,
    { cut: common.cut, from, memory: memoryOf(options) },
    outputs,
    options,
  );
  return dtypes === null ? results[0]! : results;
}

/** With the pullback that was said, if one was. */
export function calledBlocks(
  fn: AnyFunction,
  inputs: readonly LazyArray[],
  grid: BlockGrid,
  outputs: readonly OutputGrid[],
  { pullback }: Pick<MapBlocksOptions, "pullback">,
  around: AroundBlocks = { before: grid.cut.map(() => 0), after: grid.cut.map(() => 0) },
): LazyArray[] {
  if (pullback === undefined) return callNodes(fn, inputs, grid, outputs);
  if (outputs.length === 1) return [callWithPullback(fn, pullback, inputs, grid, outputs[0]!, around)];
  throw new ValueError({
    what: `a pullback is given, and the function has ${outputs.length} outputs`,
    cure: "Give it to functions with one output",
  });
}

/** The shape of the arrays together, and the blocks that all of them have in common. */
export interface CommonGrid {
  readonly whole: Shape;
  readonly cut: ChunkShape;
}

export function commonGrid(inputs: readonly LazyArray[]): CommonGrid {
  const whole = broadcastShapes(inputs.map(({ shape }) => shape));
  const chunks = inputs.map(({ expr }) => chunksOf(expr));
  return { whole, cut: unifyChunks(inputs, chunks, { shape: whole }) };
}

export type ResultOptions = Pick<MapBlocksOptions, "dropAxis" | "newAxis" | "chunks" | "shape">;

export function resultGrid({ whole, cut }: CommonGrid, options: ResultOptions): Omit<OutputGrid, "dtype"> {
  const axes = resultAxes(whole.length, options);
  const chunks = axes.map((to, axis) => options.chunks?.[axis] ?? (to < 0 ? 1 : cut[to]!));
  if (options.chunks !== undefined && (options.chunks.length !== axes.length || !chunks.every(isCount)))
    throw new ShapeError({
      what: `chunks is ${describe(options.chunks)} and the result has ${axes.length} axes`,
      cure: "Give a whole number of 1 or more for each axis of the result",
    });
  if (options.shape !== undefined && !isShape(options.shape, axes.length))
    throw new ShapeError({
      what: `shape is ${describe(options.shape)} and the result has ${axes.length} axes`,
      cure: "Give a whole number of 0 or more for each axis of the result",
    });
  const blocks = gridOf(whole, cut);
  const shape = axes.map((to, axis) => lengthOf(to, axis, { whole, cut, chunks, blocks }, options));
  checkBlocks(shape, chunks, axes, blocks);
  return { axes, shape, chunks };
}

const isShape = (shape: unknown, ndim: number): boolean =>
  Array.isArray(shape) && shape.length === ndim && Array.from(shape).every(isLength);

const isCount = (n: number): boolean => Number.isSafeInteger(n) && n >= 1;

function lengthOf(
  to: number,
  axis: number,
  { whole, cut, chunks, blocks }: { whole: Shape; cut: ChunkShape; chunks: ChunkShape; blocks: Shape },
  { shape }: ResultOptions,
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
function resultAxes(ndim: number, { dropAxis, newAxis }: ResultOptions): number[] {
  const dropped = dropAxis === undefined ? [] : checkAxes(dropAxis, ndim);
  const left = Array.from({ length: ndim }, (_, axis) => axis).filter((axis) => !dropped.includes(axis));
  if (newAxis === undefined) return left;
  const count = Array.isArray(newAxis) ? newAxis.length : 1;
  const added = [...checkAxes(newAxis as number, left.length + count)].sort((a, b) => a - b);
  for (const axis of added) left.splice(axis, 0, -1);
  return left;
}
