// What there is to say about an array without computing it. In: a lazy array. Out: the figures, as numbers and as text,
// that its HTML and its terminal representation share.

import { plan } from "../array/compute.ts";
import { countChunks, shapeText, sizeOf } from "../core/chunks.ts";
import { bytesText, countText } from "../core/counts.ts";
import { infoOf } from "../core/dtype.ts";
import { ChunkwiseError } from "../core/errors.ts";

import type { LazyArray } from "../lazy/lazyArray.ts";

export interface ArrayFigures {
  readonly dtype: string;
  readonly shape: string;
  readonly bytes: string;
  readonly chunks: string;
  readonly chunkBytes: string;
  readonly chunkCount: string;
  readonly tasks: string;
}

export function arrayFigures(x: LazyArray): ArrayFigures {
  const { dtype, shape, chunks, nbytes } = x;
  return {
    dtype,
    shape: shapeText(shape),
    bytes: bytesText(nbytes),
    chunks: shapeText(chunks),
    chunkBytes: bytesText(Math.min(nbytes, sizeOf(chunks) * infoOf(dtype).bytes)),
    chunkCount: countText(countChunks(shape, chunks), "chunk"),
    tasks: tasksText(x),
  };
}

/** An array that cannot be planned can still be shown. */
function tasksText(x: LazyArray): string {
  try {
    const { numTasks, numOperations } = plan(x);
    return `${countText(numTasks, "task")} in ${countText(numOperations, "operation")}`;
  } catch (error) {
    if (!(error instanceof ChunkwiseError)) throw error;
    return `cannot be planned: ${error.what}`;
  }
}
