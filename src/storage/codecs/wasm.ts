// The inner loops of codecs in WebAssembly (kernels.wat): checksums, LZ4, shuffles. In: bytes. Out: bytes in new
// or given memory. The module's own memory is scratch, and is kept for the next time: what is dropped stays until the
// collector of garbage comes, beside the next.

import { copyInto, once } from "../../core/block.ts";
import {
  type BytesCodec,
  corrupt,
  type RunningSum,
  readUint32,
  type SizeBound,
  writeUint32,
} from "./codec.ts";
import { KERNELS } from "./kernels.ts";

interface Kernels {
  readonly memory: WebAssembly.Memory;
  crc(value: number, at: number, end: number): number;
  fold(at: number, end: number, a: number, b: number, c: number, d: number, e: number): void;
  xor(to: number, from: number, end: number): void;
  zip(from: number, to: number, half: number): void;
  unzip(from: number, to: number, half: number): void;
  bits(at: number, end: number): void;
  lz4(from: number, end: number, start: number, limit: number): number;
}

const PAGE = 65536;
/** The first page holds the tables of a checksum. */
const FREE = PAGE;
/** Loops write up to so many bytes too many behind a buffer. */
const SLACK = 64;

/** What a checksum's loops need to know of a polynomial. */
export interface CrcTables {
  /** 16 tables of 256 words: table k tells what a byte does k bytes later. */
  readonly bytes: Uint8Array;
  /** A multiple of the polynomial that has few terms: x^(128 d) plus x^(128 (d - k)) for each distance k, in bytes. */
  readonly distances: readonly [number, number, number, number, number];
}

const instance = once(() => {
  const module = new WebAssembly.Module(Uint8Array.from(atob(KERNELS), (c) => c.charCodeAt(0)));
  return new WebAssembly.Instance(module).exports as unknown as Kernels;
});

/** The kernels with at least `bytes` of memory behind the tables. */
function kernelsWith(bytes: number): { kernels: Kernels; memory: Uint8Array } {
  const kernels = instance();
  const missing = FREE + bytes - kernels.memory.buffer.byteLength;
  if (missing > 0) kernels.memory.grow(Math.ceil(missing / PAGE));
  return { kernels, memory: new Uint8Array(kernels.memory.buffer) };
}

const padded = (length: number): number => Math.ceil((length + SLACK) / 16) * 16;

/** Fills `target` from an LZ4 block; false when the block is damaged or has another length. */
export function lz4Into(source: Uint8Array, target: Uint8Array): boolean {
  const start = FREE + padded(source.length);
  const { kernels, memory } = kernelsWith(padded(source.length) + padded(target.length));
  copyInto(memory, source, FREE);
  const end = kernels.lz4(FREE, FREE + source.length, start, start + target.length);
  if (end !== start + target.length) return false;
  copyInto(target, memory.subarray(start, end));
  return true;
}

/**
 * The bytes of elements of `size` (a power of two) brought together again. One pass takes the two halves of
 * the bytes by turns, which moves the byte at x to 2x (modulo the length less one); so log2(size) passes
 * move the byte b·count + i to i·size + b.
 */
export function unshuffleInto(source: Uint8Array, target: Uint8Array, size: number): void {
  copyInto(target, passes(source, Math.log2(size), "zip"));
}

export function shuffleInto(source: Uint8Array, target: Uint8Array, size: number): void {
  copyInto(target, passes(source, Math.log2(size), "unzip"));
}

function passes(source: Uint8Array, count: number, pass: "zip" | "unzip"): Uint8Array {
  const { kernels, memory } = kernelsWith(2 * padded(source.length));
  copyInto(memory, source, FREE);
  return run(kernels, memory, FREE, FREE + padded(source.length), source.length, count, pass);
}

function run(
  kernels: Kernels,
  memory: Uint8Array,
  first: number,
  second: number,
  length: number,
  count: number,
  pass: "zip" | "unzip",
): Uint8Array {
  let from = first;
  let to = second;
  for (let i = 0; i < count; i++) {
    kernels[pass](from, to, length / 2);
    [from, to] = [to, from];
  }
  return memory.subarray(from, from + length);
}

/** Rows of bits → elements. `source` is a whole number of groups of eight elements. */
export function bitUnshuffleInto(source: Uint8Array, target: Uint8Array, size: number): void {
  const { kernels, memory } = kernelsWith(2 * padded(source.length));
  const second = FREE + padded(source.length);
  const row = source.length / size;
  copyInto(memory, source, FREE);
  // For each byte of an element: its eight rows of bits as groups of eight bytes, then bits ⇄ bytes in each.
  for (let byte = 0; byte < size; byte++) {
    const at = FREE + byte * row;
    const part = run(kernels, memory, at, second + byte * row, row, 3, "zip");
    if (part.byteOffset !== second + byte * row)
      memory.copyWithin(second + byte * row, part.byteOffset, part.byteOffset + row);
  }
  kernels.bits(second, second + source.length);
  copyInto(target, run(kernels, memory, second, FREE, source.length, Math.log2(size), "zip"));
}

export function bitShuffleInto(source: Uint8Array, target: Uint8Array, size: number): void {
  const { kernels, memory } = kernelsWith(2 * padded(source.length));
  const second = FREE + padded(source.length);
  const row = source.length / size;
  copyInto(memory, source, FREE);
  const rows = run(kernels, memory, FREE, second, source.length, Math.log2(size), "unzip").byteOffset;
  const other = rows === FREE ? second : FREE;
  kernels.bits(rows, rows + source.length);
  for (let byte = 0; byte < size; byte++) {
    const part = run(kernels, memory, rows + byte * row, other + byte * row, row, 3, "unzip");
    copyInto(target, part, byte * row);
  }
}

/** Bytes of a checksum's input that are in the module's memory at a time. */
const CRC_PIECE = 1 << 17;
/** Shorter inputs go through the tables alone. */
export const CRC_SHORT: number = 1 << 13;
/** Where a checksum's input goes: what came before it lies in front. */
const CRC_AT = FREE + 4096;

/** A CRC-32 by its tables. */
export function crcOf(bytes: Uint8Array, tables: CrcTables): number {
  if (bytes.length >= CRC_SHORT) {
    const sum = new CrcSum(bytes.length, tables);
    sum.add(bytes);
    return sum.end();
  }
  const { kernels, memory } = kernelsFor(tables);
  copyInto(memory, bytes, CRC_AT);
  return ~kernels.crc(-1, CRC_AT, CRC_AT + bytes.length) >>> 0;
}

/** The kernels with room for a piece and a checksum's tables in place. */
function kernelsFor(tables: CrcTables): { kernels: Kernels; memory: Uint8Array } {
  const found = kernelsWith(CRC_AT - FREE + CRC_PIECE + SLACK);
  // The second word is that of a single byte: no two polynomials have the same.
  const isThere = [4, 5, 6, 7].every((at) => found.memory[at] === tables.bytes[at]);
  if (!isThere) found.memory.set(tables.bytes);
  return found;
}

/**
 * A CRC-32 of bytes that come in pieces, of a length that is known. It is the remainder of a division by a polynomial,
 * and adding multiples of that does not change it. With a multiple of six terms, whole blocks are cancelled from the
 * front, each against five further on, until only the last few are left for the tables: six loads for 16 bytes instead
 * of sixteen.
 */
export class CrcSum {
  readonly #tables: CrcTables;
  /** Bytes before this are cancelled. */
  readonly #cut: number;
  /** The last blocks that were cancelled, as they were then. */
  readonly #before: Uint8Array;
  /** What the tables are for. */
  readonly #tail: Uint8Array;
  #at = 0;

  /** At least CRC_SHORT bytes; pieces but the last are multiples of 16 bytes. */
  constructor(length: number, tables: CrcTables) {
    const [longest] = tables.distances;
    this.#tables = tables;
    this.#cut = Math.floor(length / 16) * 16 - longest;
    this.#before = new Uint8Array(longest);
    this.#tail = new Uint8Array(length - this.#cut);
  }

  add(bytes: Uint8Array): void {
    const start = this.#at;
    this.#at += bytes.length;
    const split = Math.max(0, Math.min(bytes.length, this.#cut - start));
    if (split > 0) this.#cancel(bytes.subarray(0, split), start);
    if (split < bytes.length) this.#tail.set(bytes.subarray(split), start + split - this.#cut);
  }

  #cancel(bytes: Uint8Array, start: number): void {
    const { kernels, memory } = kernelsFor(this.#tables);
    const { distances } = this.#tables;
    const { length: longest } = this.#before;
    memory.set(this.#before, CRC_AT - longest);
    for (let at = 0; at < bytes.length; at += CRC_PIECE) {
      const piece = bytes.subarray(at, at + CRC_PIECE);
      memory.set(piece, CRC_AT);
      // The sum begins as all ones: the same as the first four bytes inverted.
      if (start + at === 0) for (let i = 0; i < 4; i++) memory[CRC_AT + i]! ^= 0xff;
      kernels.fold(CRC_AT, CRC_AT + piece.length, ...distances);
      memory.copyWithin(CRC_AT - longest, CRC_AT + piece.length - longest, CRC_AT + piece.length);
    }
    this.#before.set(memory.subarray(CRC_AT - longest, CRC_AT));
  }

  end(): number {
    const { kernels, memory } = kernelsFor(this.#tables);
    memory.set(this.#before, CRC_AT - this.#before.length);
    memory.set(this.#tail, CRC_AT);
    for (const distance of this.#tables.distances) kernels.xor(CRC_AT, CRC_AT - distance, CRC_AT + distance);
    return ~kernels.crc(0, CRC_AT, CRC_AT + this.#tail.length) >>> 0;
  }
}

// Checksums kept beside the data: crc32c (Zarr v3), crc32 and adler32 (numcodecs). Always verified.

type ChecksumName = "crc32c" | "crc32" | "adler32";

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
