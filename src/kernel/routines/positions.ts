// Indices as steps. In: int64 index blocks as the user computed them, negative ones counted from the end.
// Out: how far each index leads along an operand's axes, in elements, and which lead outside of the block at hand.
// An index outside of the whole axis is a Trap.

import type { Block } from "../../core/block.ts";
import { allocate } from "../../core/dtype.ts";
import { Trap } from "../routine.ts";
import type { Room } from "./room.ts";
import { HIGH_WORD, LOW_WORD, toContiguous } from "./stridedWalk.ts";

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

/** Steps of some indices, row-major. */
export interface Steps {
  /** Where `absent` is set, without meaning. */
  readonly steps: Int32Array;
  /** 1 for an index that is not in the block; null if all are. */
  readonly absent: Uint8Array | null;
}

export const noSteps = (count: number, room: Room = allocate): Steps => ({
  steps: room("int32", count) as Int32Array,
  absent: null,
});

/** The steps with what another axis adds to them. */
export function addSteps(
  { steps, absent }: Steps,
  indices: Block,
  along: IndexedAxis,
  room: Room = allocate,
): Steps {
  const { length, start, count, stride } = along;
  const { buffer, byteOffset } = toContiguous(indices, room);
  const words = new Int32Array(buffer, byteOffset, 2 * steps.length);
  const outside =
    start === 0 && count === length ? null : (absent ?? (room("uint8", steps.length) as Uint8Array));
  for (let i = 0; i < steps.length; i++) {
    const low = words[2 * i + LOW_WORD]!;
    const high = words[2 * i + HIGH_WORD]!;
    const given = high === low >> 31 ? low : wideInteger(high, low);
    const index = given < 0 ? given + length : given;
    if (index < 0 || index >= length) throw outOfRange(words, i, along);
    const within = index - start;
    if (outside !== null && (within < 0 || within >= count)) outside[i] = 1;
    else steps[i] = steps[i]! + within * stride;
  }
  return { steps, absent: outside ?? absent };
}

// Not through BigInt: making a number of one takes twenty times as long. Beyond 2^53 the result is rounded,
// but no axis is that long.
const wideInteger = (high: number, low: number): number => high * 2 ** 32 + (low >>> 0);

function outOfRange(words: Int32Array, position: number, { axis, length }: IndexedAxis): Trap {
  const exact = new BigInt64Array(words.buffer, words.byteOffset + 8 * position, 1)[0];
  const cure = length === 0 ? "An axis of length 0 has no elements" : `Use ${-length} to ${length - 1}`;
  return new Trap(`index ${exact} is out of range for axis ${axis} of length ${length}`, cure);
}
