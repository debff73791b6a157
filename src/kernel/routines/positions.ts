// Indices as steps. In: int64 index blocks as the user computed them, negative ones counted from the end.
// Out: how far each index leads along an operand's axes, in elements. An index outside of the whole axis is
// a Trap; one outside of the block at hand becomes NaN, and stays NaN whatever other axes add to it.

import type { Block } from "../../core/block.ts";
import { Trap } from "../routine.ts";
import { HIGH_WORD, LOW_WORD, wordsOf } from "./bits.ts";
import { toContiguous } from "./walk.ts";

/** The axis that a block of indices points along. */
export interface IndexedAxis {
  readonly axis: number;
  /** Length of the whole axis. */
  readonly length: number;
  /** The part of the axis that is in the block. */
  readonly start: number;
  readonly count: number;
  /** Of the block, in elements. */
  readonly stride: number;
}

/** Adds to `steps`, one for each index in row-major order, what this axis contributes. */
export function addSteps(steps: Float64Array, indices: Block, along: IndexedAxis): void {
  const { length, start, count, stride } = along;
  const words = wordsOf(toContiguous(indices));
  for (let i = 0; i < steps.length; i++) {
    const given = readInteger(words, i);
    const index = given < 0 ? given + length : given;
    if (index < 0 || index >= length) throw outOfRange(words, i, along);
    const within = index - start;
    steps[i]! += within >= 0 && within < count ? within * stride : Number.NaN;
  }
}

// Not through BigInt: making a number of one takes twenty times as long. Beyond 2^53 the result is rounded,
// but no axis is that long.
function readInteger(words: Uint32Array, position: number): number {
  return (words[2 * position + HIGH_WORD]! | 0) * 2 ** 32 + words[2 * position + LOW_WORD]!;
}

function outOfRange(words: Uint32Array, position: number, { axis, length }: IndexedAxis): Trap {
  const exact = new BigInt64Array(words.buffer, words.byteOffset + 8 * position, 1)[0];
  const cure = length === 0 ? "An axis of length 0 has no elements" : `Use ${-length} to ${length - 1}`;
  return new Trap(`index ${exact} is out of range for axis ${axis} of length ${length}`, cure);
}
