// A block: elements in memory and how to walk them. Strides and offset count elements, not bytes;
// a complex element takes two slots of `data`. A stride may be 0 (broadcast) or negative (flipped).

import { allocate, type DType, infoOf, type TypedArray } from "./dtype.ts";
import { type Shape, sizeOf, stridesOf } from "./shape.ts";

/**
 * Where bytes lie in the kernels' memory: known from their birth, never inferred from a view. No two places that were
 * ever handed out have one generation, so that a place which was given back is told from the one that lies there now.
 */
export interface Place {
  readonly address: number;
  readonly bytes: number;
  readonly generation: number;
}

/**
 * Elements in memory and how to walk them: element [i, j] is `data[offset + i * strides[0] + j * strides[1]]`; a
 * complex one takes two slots.
 */
export interface Block {
  /** Of the elements. */
  readonly dtype: DType;
  /** How long it is along each axis. */
  readonly shape: Shape;
  /** How far elements lie apart along each axis, in elements; 0 or negative ones are allowed. */
  readonly strides: readonly number[];
  /** Where the first element is, in elements. */
  readonly offset: number;
  /** The elements as they lie in memory. */
  readonly data: TypedArray;
  /** The place in the kernels' memory that `data` is a view of; none for elements that lie elsewhere. */
  readonly place?: Place | undefined;
}

/** A block of zeros: `const block = newBlock("int32", [40, 100])`. */
export function newBlock(dtype: DType, shape: Shape): Block {
  return { dtype, shape, strides: stridesOf(shape), offset: 0, data: allocate(dtype, sizeOf(shape)) };
}

/** A part of a block, sharing its memory. */
export function subBlock(block: Block, start: readonly number[], shape: Shape): Block {
  const offset = start.reduce((at, x, axis) => at + x * block.strides[axis]!, block.offset);
  return { ...block, shape, offset };
}

export const blockBytes = (dtype: DType, shape: Shape): number => infoOf(dtype).bytes * sizeOf(shape);

/** True when the elements lie one after another in row-major order. */
export function isContiguous(block: Block): boolean {
  let expected = 1;
  for (let axis = block.shape.length - 1; axis >= 0; axis--) {
    if (block.shape[axis] !== 1 && block.strides[axis] !== expected) return false;
    expected *= block.shape[axis]!;
  }
  return true;
}
