// BloscLZ, Blosc's own compressor (a descendant of FastLZ): decoding only.

import { corrupt } from "./codec.ts";
import { copyMatch } from "./lz4.ts";

/** Matches further away than this are written with two more bytes. */
const FAR = 8191;

/** Fills `target` exactly, or throws. */
export function blosclzDecompress(source: Uint8Array, target: Uint8Array, where: string): void {
  const end = source.length;
  let from = 0;
  let to = 0;
  // The first control byte has flags in its upper bits.
  let control = source.length === 0 ? 0 : source[from++]! & 31;
  while (from <= end) {
    if (control < 32) {
      const literals = control + 1;
      if (literals > end - from || literals > target.length - to)
        throw corrupt("blosclz literals run over the end", where);
      target.set(source.subarray(from, from + literals), to);
      from += literals;
      to += literals;
    } else {
      let length = (control >>> 5) - 1;
      let distance = (control & 31) << 8;
      if (length === 6) {
        let more = 255;
        while (more === 255 && from < end) length += more = source[from++]!;
      }
      if (from >= end) throw corrupt("blosclz data are cut short", where);
      distance += source[from++]!;
      length += 3;
      if (distance === FAR) {
        if (from + 2 > end) throw corrupt("blosclz data are cut short", where);
        distance = FAR + (source[from]! << 8) + source[from + 1]!;
        from += 2;
      }
      distance++;
      if (distance > to || length > target.length - to)
        throw corrupt("a blosclz match points outside the data", where);
      copyMatch(target, to, distance, length);
      to += length;
    }
    if (from >= end) break;
    control = source[from++]!;
  }
  if (to !== target.length)
    throw corrupt(`blosclz data of ${to} bytes, where ${target.length} belong`, where);
}
