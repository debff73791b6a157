// Calls of users' functions as nodes. In: the function, the arrays, how their blocks go together, and what comes out.
// Out: one lazy array for each output. Several outputs are one call whose results are taken apart again, so that the
// function runs once for each block, whichever of them are computed.

import type { Attrs } from "../../core/block.ts";
import { describe, gridOf, type Shape } from "../../core/chunks.ts";
import { parseBytes } from "../../core/counts.ts";
import type { DType } from "../../core/dtype.ts";
import { ValueError } from "../../core/errors.ts";
import type { RoutineOp } from "../../expr/op.ts";
import { rowOffsets } from "../../kernel/routines/packed.ts";
import { type BlockGrid, Callable, type OutputGrid } from "../../kernel/routines/userCall.ts";
import { type Built, checkDType, node } from "../../lazy/build.ts";
import { asLazy, LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { blockOutput, mapBlocks, mapBlocksAll } from "../../ops/mapBlocks.ts";
import { type AnyFunction, resourceOf } from "./userFunction.ts";

/** One array, or a list of arrays: a list without a lazy array is data. */
export function arraysOf(arrays: Operand | readonly Operand[]): LazyArray[] {
  const isList = Array.isArray(arrays) && arrays.some((array) => array instanceof LazyArray);
  return isList ? (arrays as readonly Operand[]).map(asLazy) : [asLazy(arrays as Operand)];
}

/** dtypes of several outputs, from a user. */
export function outputDTypes(outputs: unknown, name: string): DType[] | null {
  if (outputs === undefined) return null;
  if (Array.isArray(outputs) && outputs.length > 0) return Array.from(outputs, checkDType);
  throw new ValueError({
    what: `${name} is ${describe(outputs)}`,
    cure: "Give the dtype of each array that the function gives, in a list",
  });
}

/** What a user says that a call of his function allocates. */
export function memoryOf({ memory }: { readonly memory?: unknown }): number | undefined {
  if (memory === undefined) return undefined;
  const bytes = parseBytes(memory);
  if (bytes !== null) return bytes;
  throw new ValueError({
    what: `memory is ${describe(memory)}`,
    cure: 'Give the bytes that a call of the function allocates, or a size such as "200MB"',
  });
}

/** Ops for a call with one output, and with several. */
interface CallOps {
  readonly one: RoutineOp;
  readonly several: RoutineOp;
  /** What becomes of the call's own result, before several are taken out of it. */
  readonly made?: (result: Built) => Built;
}

const BLOCK_CALL: CallOps = { one: mapBlocks, several: mapBlocksAll };

export function callNodes(
  fn: AnyFunction | Callable,
  inputs: readonly LazyArray[],
  grid: BlockGrid,
  outputs: readonly OutputGrid[],
  { one, several, made = (result) => result }: CallOps = BLOCK_CALL,
): Built[] {
  const [only, ...others] = outputs;
  const attrs = { function: fn instanceof Callable ? fn : resourceOf(fn), ...present(grid) };
  if (others.length === 0) return [made(node(one, inputs, { ...attrs, ...attrsOf(only!) }))];
  const dtypes = outputs.map(({ dtype }) => dtype);
  const blocks = outputs.map(({ chunks }) => chunks);
  const row = {
    ...{ dtypes, blocks, grid: placesOf(grid.cut.length, outputs) },
    ...{ shapes: outputs.map(({ shape }) => shape), axes: outputs.map(({ axes }) => axes) },
  };
  const rows = made(node(several, inputs, { ...attrs, ...row }));
  const offsets = rowOffsets(dtypes, blocks);
  return outputs.map((output, k) => node(blockOutput, [rows], { ...attrsOf(output), offset: offsets[k]! }));
}

const attrsOf = ({ dtype, shape, chunks, axes }: OutputGrid): Attrs => ({ dtype, shape, chunks, axes });

/** Only what was said, so that plans stay readable. */
function present({ cut, from, before, after, cores, memory }: BlockGrid): Attrs {
  return {
    ...{ cut, from },
    ...(before === undefined || after === undefined ? {} : { before, after }),
    ...(cores === undefined ? {} : { cores }),
    ...(memory === undefined ? {} : { memory }),
  };
}

/** How many places a grid has along each axis; one along an axis that no output has. */
function placesOf(dims: number, outputs: readonly OutputGrid[]): Shape {
  const counts = new Array<number>(dims).fill(1);
  for (const { shape, chunks, axes } of outputs) {
    const blocks = gridOf(shape, chunks);
    axes.forEach((to, axis) => {
      if (to >= 0) counts[to] = blocks[axis]!;
    });
  }
  return counts;
}

/** Along which axes of a grid the axes of an array are cut: aligned at the end, and not where it is stretched. */
export const alignedWith = (shape: Shape, whole: Shape): number[] =>
  shape.map((n, axis) => {
    const to = axis + whole.length - shape.length;
    return n === whole[to] ? to : -1;
  });
