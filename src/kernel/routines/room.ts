// Memory that a routine needs while it runs. Out of the kernels' memory where a block program is being run, so that it is
// used again at once and does not wait for the collector of garbage; else ordinary memory. All zeros.
// Must hold: nothing that a routine gives lies in it.

import { allocate, type DType, infoOf, type TypedArray } from "../../core/dtype.ts";
import { Borrowed } from "../blocks.ts";

/** Less is not worth keeping account of. */
const LEAST_BYTES = 1 << 16;

let borrowed: Borrowed | null = null;

export function roomFor(dtype: DType, length: number): TypedArray {
  if (borrowed === null || length * infoOf(dtype).bytes < LEAST_BYTES) return allocate(dtype, length);
  const { data } = borrowed.block(dtype, [length]);
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) data.fill(0n);
  else data.fill(0);
  return data;
}

/** What a routine takes meanwhile is given back at the end. */
export function withRoom(work: () => void): void {
  const before = borrowed;
  borrowed = new Borrowed();
  try {
    work();
  } finally {
    borrowed.giveBack();
    borrowed = before;
  }
}
