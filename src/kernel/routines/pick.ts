// Elements of lists, moved. pick: in x, int32 indexes and one more element; out x at each index, the one more where an index
// is negative. spread: in one element for each segment, and int32 offsets; out each element as often as its segment is long.
// Must hold: blocks have one axis, and their elements lie one after another.

import type { Block } from "../../core/block.ts";
import { infoOf } from "../../core/dtype.ts";
import type { Routine } from "../routine.ts";
import { blockAt } from "./attributes.ts";
import { type Bits, bitsOf } from "./stridedWalk.ts";

/** The bits from the block's first element on. */
const bitsFrom = ({ data, dtype, offset }: Block): Bits =>
  bitsOf(data.subarray(offset * infoOf(dtype).slots));

const indexesOf = ({ data, offset, shape }: Block): Int32Array =>
  data.subarray(offset, offset + shape[0]!) as Int32Array;

export const pick: Routine = ({ inputs, outputs }) => {
  const index = indexesOf(blockAt(inputs, 1));
  const [x, other, out] = [blockAt(inputs, 0), blockAt(inputs, 2), blockAt(outputs, 0)].map(bitsFrom);
  const words = infoOf(blockAt(inputs, 0).dtype).bytes / x!.BYTES_PER_ELEMENT;
  for (let i = 0; i < index.length; i++) {
    const at = index[i]!;
    for (let word = 0; word < words; word++)
      out![i * words + word] = at < 0 ? other![word]! : x![at * words + word]!;
  }
};

export const spread: Routine = ({ inputs, outputs }) => {
  const offsets = indexesOf(blockAt(inputs, 1));
  const [x, out] = [blockAt(inputs, 0), blockAt(outputs, 0)].map(bitsFrom);
  const words = infoOf(blockAt(inputs, 0).dtype).bytes / x!.BYTES_PER_ELEMENT;
  for (let g = 0; g + 1 < offsets.length; g++)
    for (let at = offsets[g]!; at < offsets[g + 1]!; at++)
      for (let word = 0; word < words; word++) out![at * words + word] = x![g * words + word]!;
};
