// Users' functions: what may be passed for one, and how it is called. In: blocks as kernels have them. Out: what the
// function made of them, as blocks again, or a failure that says what it should have given.

import { type Block, isContiguous, newBlock } from "../../core/block.ts";
import { describe, type Shape, shapeText, sizeOf } from "../../core/chunks.ts";
import { type DType, infoOf, isTypedArray, type TypedArray } from "../../core/dtype.ts";
import { ValueError } from "../../core/errors.ts";
import { Complex, fitScalar, isScalar, type Scalar } from "../../core/numbers.ts";
import type { Address } from "../../core/platform.ts";
import { Trap } from "../../kernel/routine.ts";
import type { BlockInfo, Expected } from "../../kernel/routines/userCall.ts";
import { userCall } from "../../lazy/call.ts";
import { NDArray } from "../../lazy/ndarray.ts";
import type { ArrayDType } from "../../lazy/operandTypes.ts";
import {
  type Adapt,
  type FunctionReference,
  FunctionResource,
  type UserFunction,
} from "../../runtime/userFunctions.ts";

/** What a function gives for a block: an array of the block's shape, its elements in a row, or for one element a number. */
export type BlockResult = NDArray | TypedArray | Scalar;

/** Where the block is: its place in the grid, and which part of the result it makes. */
export type { BlockInfo };

export type BlocksOf<Arrays extends readonly unknown[]> = {
  [K in keyof Arrays]: NDArray<ArrayDType<Arrays[K]>>;
};

/** A function of one block of each array, and of where they are. Its arrays are contiguous, and its own. */
export type BlockFunction<Arrays extends readonly unknown[] = [unknown]> = (
  ...args: [...blocks: BlocksOf<Arrays>, info: BlockInfo]
) => BlockResult | readonly BlockResult[];

/**
 * A function that a module exports: any thread and process can import it. `cw.moduleFunction(url, name)` makes a
 * `ModuleFunction`.
 */
export class ModuleFunction {
  readonly source: FunctionReference;

  constructor(source: FunctionReference) {
    this.source = source;
  }
}

/**
 * Names a function that a module exports, for mapBlocks: `cw.moduleFunction(new URL("./blocks.js", import.meta.url),
 * "smooth")`.
 */
export const moduleFunction: (module: Address | string, name: string) => ModuleFunction = userCall(
  "moduleFunction",
  (module: Address | string, name: string) => {
    const href = URL.canParse(String(module)) ? String(new URL(String(module))) : "";
    if (!/^(file|https?):/.test(href) || typeof name !== "string" || name === "")
      throw new ValueError({
        what: `${describe(module)} and ${describe(name)} do not name a function of a module`,
        cure: 'Write moduleFunction(new URL("./blocks.js", import.meta.url), "smooth")',
      });
    return new ModuleFunction({ module: href, name });
  },
);

export type AnyFunction = UserFunction | ModuleFunction;

export function resourceOf(fn: AnyFunction): FunctionResource {
  if (fn instanceof ModuleFunction) return new FunctionResource(null, fn.source, adapt);
  if (typeof fn === "function") return new FunctionResource(fn, null, adapt);
  throw new ValueError({
    what: `${describe(fn)} is not a function`,
    cure: "Pass a function of blocks, or moduleFunction(url, name)",
  });
}

/** Users' functions get arrays and give arrays or numbers. */
export const adapt: Adapt = (run, blocks, info, expected) => {
  const given = (run as (...args: unknown[]) => unknown)(...blocks.map(plainArray), info);
  const results: readonly unknown[] = Array.isArray(given) ? given : [given];
  return results.map((result, k) => blockOf(result, expected[k] ?? expected[0]!));
};

/** What a function sees has its elements in a row, and nothing else: `data` is the block. */
function plainArray(block: Block): NDArray {
  const array = NDArray.fromBlock(block);
  const isPlain = isContiguous(block) && block.offset === 0 && block.data.length === sizeOf(block.shape);
  return isPlain ? array : array.toContiguous();
}

function blockOf(result: unknown, { dtype, shape }: Expected): Block {
  if (result instanceof NDArray) return fieldsOf(result);
  if (isTypedArray(result)) return rowOf(result, dtype, shape);
  if (isScalar(result)) return elementOf(result, dtype, shape);
  const isPromise = result instanceof Promise;
  throw new Trap(
    `the function gave ${isPromise ? "a promise" : describe(result)}`,
    isPromise ? "Functions of blocks are synchronous" : "Give an NDArray or a typed array",
  );
}

/** An array as a plain block, whose fields can be copied. */
const fieldsOf = ({ dtype, shape, strides, offset, data }: NDArray): Block => ({
  ...{ dtype, shape, strides, offset, data },
});

/** Elements in a row. What holds them for the dtype is taken for it: bytes for truth values, pairs for complex numbers. */
function rowOf(row: TypedArray, dtype: DType, shape: Shape): Block {
  const { array, slots } = infoOf(dtype);
  const isOfType = row instanceof array && row.length === slots * sizeOf(shape);
  if (isOfType) return fieldsOf(new NDArray(row, shape, dtype));
  if (row.length === sizeOf(shape)) return fieldsOf(new NDArray(row, shape));
  throw new Trap(
    `the function gave ${row.length} elements for a block of ${sizeOf(shape)}`,
    "Give an NDArray, or as many elements as the block has",
  );
}

/** A number where one element belongs. */
function elementOf(value: Scalar, dtype: DType, shape: Shape): Block {
  if (sizeOf(shape) !== 1)
    throw new Trap(
      `the function gave ${describe(value)} for a block of shape ${shapeText(shape)}`,
      "Give an NDArray or a typed array",
    );
  const block = newBlock(dtype, shape);
  const fitted = fitScalar(value, dtype);
  const slots: readonly Scalar[] = fitted instanceof Complex ? [fitted.re, fitted.im] : [fitted];
  slots.forEach((slot, at) => {
    block.data[at] = (typeof slot === "boolean" ? Number(slot) : slot) as never;
  });
  return block;
}
