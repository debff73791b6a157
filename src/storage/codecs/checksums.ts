// Checksums kept beside the data: crc32c (Zarr v3), crc32 and adler32 (numcodecs). Always verified.

import { type BytesCodec, corrupt, readUint32, type SizeBound, writeUint32 } from "./codec.ts";
import { crcOf } from "./wasm.ts";

export type ChecksumName = "crc32c" | "crc32" | "adler32";

const FUNCTIONS: { readonly [N in ChecksumName]: (bytes: Uint8Array) => number } = {
  crc32c: (bytes) => crcOf(bytes, castagnoli()),
  crc32: (bytes) => crcOf(bytes, ieee()),
  adler32,
};

/** The sum lies before the data or behind them. */
export function checksumCodec(name: ChecksumName, location: "start" | "end"): BytesCodec {
  const sum = FUNCTIONS[name];
  return {
    name,
    encodedBound: ({ max, exact }: SizeBound) => ({ max: max + 4, exact }),
    encode(bytes) {
      const result = new Uint8Array(bytes.length + 4);
      result.set(bytes, location === "start" ? 4 : 0);
      writeUint32(result, location === "start" ? 0 : bytes.length, sum(bytes));
      return result;
    },
    decode(bytes, _bound, where) {
      if (bytes.length < 4) throw corrupt(`${bytes.length} bytes cannot hold a ${name}`, where);
      const data = location === "start" ? bytes.subarray(4) : bytes.subarray(0, -4);
      const stored = readUint32(bytes, location === "start" ? 0 : data.length);
      const found = sum(data);
      if (stored === found) return data;
      throw corrupt(`the ${name} is ${hex(found)}, and ${hex(stored)} was written`, where);
    },
  };
}

const hex = (value: number): string => `0x${value.toString(16).padStart(8, "0")}`;

/** Bytes that kernels.wat takes at once in each of three places. */
const STRETCH = 4096;

/**
 * Tables of 256 words. The first 16: table k tells what a byte does k bytes later. Four more: what STRETCH
 * bytes of zeros do to each byte of a checksum.
 */
function tablesOf(polynomial: number): Uint8Array {
  const words = new Uint32Array(20 * 256);
  for (let i = 0; i < 256; i++) {
    let value = i;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
    words[i] = value >>> 0;
  }
  for (let i = 256; i < 16 * 256; i++) {
    const before = words[i - 256]!;
    words[i] = (before >>> 8) ^ words[before & 255]!;
  }
  for (let bit = 0; bit < 32; bit++) {
    let value = 1 << bit;
    for (let i = 0; i < STRETCH; i++) value = (value >>> 8) ^ words[value & 255]!;
    words[16 * 256 + 256 * (bit >>> 3) + (1 << (bit & 7))] = value >>> 0;
  }
  // The rest by addition: what two bits do together is what each does, added without carry.
  for (let i = 16 * 256; i < 20 * 256; i++) {
    const lowest = i & 255 & -(i & 255);
    if (lowest !== (i & 255)) words[i] = words[i - lowest]! ^ words[(i & ~255) + lowest]!;
  }
  return new Uint8Array(words.buffer);
}

const lazily = (polynomial: number): (() => Uint8Array) => {
  let tables: Uint8Array | undefined;
  return () => {
    tables ??= tablesOf(polynomial);
    return tables;
  };
};
const castagnoli = lazily(0x82f63b78);
const ieee = lazily(0xedb88320);

export const crc32: (bytes: Uint8Array) => number = FUNCTIONS.crc32;

function adler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (let at = 0; at < bytes.length; ) {
    // So many terms fit 32 bits before the remainder must be taken.
    const end = Math.min(at + 3800, bytes.length);
    for (; at < end; at++) {
      a += bytes[at]!;
      b += a;
    }
    a %= 65521;
    b %= 65521;
  }
  return ((b << 16) | a) >>> 0;
}
