// Memory that a routine needs while it runs, borrowed: it is used again at once and does not wait for the collector of
// garbage. In: what it is borrowed from. Out: room, all zeros, until that is given back.

import { allocate, type DType, infoOf, type TypedArray } from "../../core/dtype.ts";
import type { Borrowed } from "../blockProgram.ts";

/** Memory that a routine needs while it runs, all zeros. Must hold: nothing that a routine gives lies in it. */
export type Room = (dtype: DType, length: number) => TypedArray;

/** Less is not worth keeping account of. */
const LEAST_BYTES = 1 << 16;

export const roomIn =
  (borrowed: Borrowed): Room =>
  (dtype, length) => {
    if (length * infoOf(dtype).bytes < LEAST_BYTES) return allocate(dtype, length);
    const { data } = borrowed.block(dtype, [length]);
    if (data instanceof BigInt64Array || data instanceof BigUint64Array) data.fill(0n);
    else data.fill(0);
    return data;
  };
