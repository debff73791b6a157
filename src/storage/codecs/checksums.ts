// Checksums kept beside the data: crc32c (Zarr v3), crc32 and adler32 (numcodecs). Always verified.

import { once } from "../../core/once.ts";
import {
  type BytesCodec,
  corrupt,
  type RunningSum,
  readUint32,
  type SizeBound,
  writeUint32,
} from "./codec.ts";
import { CRC_SHORT, CrcSum, type CrcTables, crcOf } from "./wasm.ts";

export type ChecksumName = "crc32c" | "crc32" | "adler32";

const TABLES: { readonly [name: string]: () => CrcTables } = {
  crc32c: () => castagnoli(),
  crc32: () => ieee(),
};

const FUNCTIONS: { readonly [N in ChecksumName]: (bytes: Uint8Array) => number } = {
  crc32c: (bytes) => crcOf(bytes, castagnoli()),
  crc32: (bytes) => crcOf(bytes, ieee()),
  adler32,
};

const SUM_BYTES = 4;

/** The sum lies before the data or behind them. */
export function checksumCodec(name: ChecksumName, location: "start" | "end"): BytesCodec {
  const isFirst = location === "start";
  const sum = {
    location,
    length: SUM_BYTES,
    of(bytes: Uint8Array): Uint8Array {
      const result = new Uint8Array(SUM_BYTES);
      writeUint32(result, 0, FUNCTIONS[name](bytes));
      return result;
    },
    running(length: number): RunningSum | null {
      const tables = length < CRC_SHORT ? undefined : TABLES[name]?.();
      return tables === undefined ? null : new CrcSum(length, tables);
    },
    check(bytes: Uint8Array, stored: Uint8Array, where: string, summed?: RunningSum | null): void {
      const found = summed?.end() ?? FUNCTIONS[name](bytes);
      const written = readUint32(stored, 0);
      if (written !== found)
        throw corrupt(`the ${name} is ${hex(found)}, and ${hex(written)} was written`, where);
    },
  };
  return {
    name,
    sum,
    encodedBound: ({ max, exact }: SizeBound) => ({ max: max + SUM_BYTES, exact }),
    encode(bytes) {
      const result = new Uint8Array(bytes.length + SUM_BYTES);
      result.set(bytes, isFirst ? SUM_BYTES : 0);
      result.set(sum.of(bytes), isFirst ? 0 : bytes.length);
      return result;
    },
    decode(bytes, _bound, where) {
      if (bytes.length < SUM_BYTES) throw corrupt(`${bytes.length} bytes cannot hold a ${name}`, where);
      const data = isFirst ? bytes.subarray(SUM_BYTES) : bytes.subarray(0, -SUM_BYTES);
      sum.check(data, isFirst ? bytes.subarray(0, SUM_BYTES) : bytes.subarray(data.length), where);
      return data;
    },
  };
}

const hex = (value: number): string => `0x${value.toString(16).padStart(8, "0")}`;

function tablesOf(polynomial: number): Uint8Array {
  const words = new Uint32Array(16 * 256);
  for (let i = 0; i < 256; i++) {
    let value = i;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
    words[i] = value >>> 0;
  }
  for (let i = 256; i < words.length; i++) {
    const before = words[i - 256]!;
    words[i] = (before >>> 8) ^ words[before & 255]!;
  }
  return new Uint8Array(words.buffer);
}

const crcTables = (polynomial: number, blocks: CrcTables["distances"]): (() => CrcTables) =>
  once(() => {
    const distances = blocks.map((count) => 16 * count) as unknown as CrcTables["distances"];
    return { bytes: tablesOf(polynomial), distances };
  });
// The distances were found by trying all: no multiples with six terms reach less far. The first is the longest.
const castagnoli = crcTables(0x82f63b78, [209, 195, 170, 155, 65]);
const ieee = crcTables(0xedb88320, [203, 124, 118, 80, 17]);

export const crc32c: (bytes: Uint8Array) => number = FUNCTIONS.crc32c;
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
