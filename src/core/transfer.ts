// What storage needs beside the blocks that it fills and empties: encoded bytes on their way, chunks that are decoded
// aside, memory of codecs. Worked out where codecs are known, stated in plans, where it is plain data. Bytes are bounds
// for one stored object, whatever its elements are.

import type { Shape } from "./chunks.ts";

export interface Transfer {
  /** Elements of a stored object along each axis. */
  readonly unit: Shape;
  /** How many objects of one window are read at once. */
  readonly atOnce: number;
  /** The object as it is stored, while it is read. */
  readonly encoded: number;
  /** Besides, unless the window is just the object: the object decoded aside, or pieces of it. */
  readonly aside: number;
  /** What codecs take for themselves to decode; they keep it for the next time. */
  readonly decoding: number;
  /** What codecs take to encode, with what they give. */
  readonly encoding: number;
  /** For an object that reaches beyond the array: a copy that is filled up before it is written. */
  readonly padded: number;
}
