// LZ4 blocks, and the frame numcodecs puts around them (the length, then one block). The decoder writes into
// memory of the size that is known beforehand and never reads or writes beyond either end.

import {
  type BytesCodec,
  checkDecoded,
  compressedBound,
  corrupt,
  readUint32,
  type SizeBound,
  writeUint32,
} from "./codec.ts";
import { lz4Into } from "./wasm.ts";

export function lz4Codec(): BytesCodec {
  return {
    name: "lz4",
    encodedBound: compressedBound,
    encode(bytes) {
      const result = new Uint8Array(4 + lz4Bound(bytes.length));
      writeUint32(result, 0, bytes.length);
      return result.subarray(0, 4 + lz4Compress(bytes, result.subarray(4)));
    },
    decode(bytes, bound, where) {
      const result = new Uint8Array(claimedSize(bytes, bound, where));
      lz4Decompress(bytes.subarray(4), result, where);
      return result;
    },
    decodeInto(bytes, target, where) {
      claimedSize(bytes, { max: target.length, exact: true }, where);
      lz4Decompress(bytes.subarray(4), target, where);
    },
  };
}

/** What the frame says of the size, when it fits. */
function claimedSize(bytes: Uint8Array, bound: SizeBound, where: string): number {
  if (bytes.length < 4) throw corrupt("lz4 data are cut short", where);
  const size = readUint32(bytes, 0);
  checkDecoded(size, bound, "lz4", where);
  return size;
}

/** The longest a block of so many bytes can become. */
export const lz4Bound = (length: number): number => length + Math.ceil(length / 255) + 16;

/** Fills `target` exactly, or throws. */
export function lz4Decompress(source: Uint8Array, target: Uint8Array, where: string): void {
  if (!lz4Into(source, target))
    throw corrupt(`lz4 data that are damaged, or not the ${target.length} bytes that belong here`, where);
}

/** A match may overlap what it makes: then it repeats, and doubles what there is with each copy. */
export function copyMatch(target: Uint8Array, to: number, distance: number, length: number): void {
  if (length <= 32) {
    for (let i = 0; i < length; i++) target[to + i] = target[to + i - distance]!;
    return;
  }
  const start = to - distance;
  let done = Math.min(distance, length);
  target.copyWithin(to, start, start + done);
  while (done < length) {
    const step = Math.min(done, length - done);
    target.copyWithin(to + done, to, to + step);
    done += step;
  }
}

const HASH_BITS = 14;
const table = new Int32Array(1 << HASH_BITS);

/** How many bytes of `target` were written; `target` must have room for lz4Bound(source.length). */
export function lz4Compress(source: Uint8Array, target: Uint8Array): number {
  table.fill(-1);
  // The last five bytes are literals, and the last match begins twelve before the end: the format's rule.
  const lastMatch = source.length - 12;
  const matchEnd = source.length - 5;
  let anchor = 0;
  let at = 0;
  let to = 0;
  let misses = 0;
  while (at < lastMatch) {
    const word = source[at]! | (source[at + 1]! << 8) | (source[at + 2]! << 16) | (source[at + 3]! << 24);
    const slot = Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS);
    const seen = table[slot]!;
    table[slot] = at;
    if (
      seen < 0 ||
      at - seen > 65535 ||
      source[seen] !== source[at] ||
      source[seen + 1] !== source[at + 1] ||
      source[seen + 2] !== source[at + 2] ||
      source[seen + 3] !== source[at + 3]
    ) {
      // The longer nothing matches, the longer the steps: incompressible data go by quickly.
      at += 1 + (misses++ >>> 6);
      continue;
    }
    misses = 0;
    let length = 4;
    while (at + length < matchEnd && source[seen + length] === source[at + length]) length++;
    to = writeSequence(source, anchor, at - anchor, target, to, at - seen, length);
    at += length;
    anchor = at;
  }
  return writeLiterals(source, anchor, source.length - anchor, target, to, 0);
}

function writeSequence(
  source: Uint8Array,
  anchor: number,
  literals: number,
  target: Uint8Array,
  start: number,
  distance: number,
  length: number,
): number {
  let to = writeLiterals(source, anchor, literals, target, start, Math.min(15, length - 4));
  target[to++] = distance;
  target[to++] = distance >>> 8;
  return length - 4 < 15 ? to : writeLength(target, to, length - 19);
}

function writeLiterals(
  source: Uint8Array,
  anchor: number,
  literals: number,
  target: Uint8Array,
  start: number,
  low: number,
): number {
  target[start] = (Math.min(15, literals) << 4) | low;
  const to = literals < 15 ? start + 1 : writeLength(target, start + 1, literals - 15);
  if (literals > 32) target.set(source.subarray(anchor, anchor + literals), to);
  else for (let i = 0; i < literals; i++) target[to + i] = source[anchor + i]!;
  return to + literals;
}

function writeLength(target: Uint8Array, start: number, length: number): number {
  let to = start;
  let rest = length;
  for (; rest >= 255; rest -= 255) target[to++] = 255;
  target[to++] = rest;
  return to;
}
