// Snappy blocks. Decompression runs in WebAssembly (kernels.wat), compression in JavaScript. What must hold: the size
// of what comes out is known beforehand, and neither end of a buffer is passed, whatever the input says.

import { once } from "../../core/attrs.ts";
import { Damage } from "./errors.ts";
import { KERNELS } from "./kernels.ts";

interface Kernels {
  readonly memory: WebAssembly.Memory;
  snappy(from: number, end: number, start: number, limit: number): number;
}

const PAGE = 65536;
/** Loops write up to so many bytes too many behind a buffer. */
const SLACK = 64;
/** For more, there is an instance that is dropped after use. */
const KEPT_BYTES = 64 * 1024 * 1024;
/** 0 says "damaged", so nothing is written there. */
const FREE = 64;

const compiled = once(() => new WebAssembly.Module(Uint8Array.from(atob(KERNELS), (c) => c.charCodeAt(0))));
const newKernels = (): Kernels => new WebAssembly.Instance(compiled()).exports as unknown as Kernels;
/** Its memory is scratch: nothing in it outlives a call but what the caller reads at once. */
const kept = once(newKernels);

function kernelsWith(bytes: number): Kernels {
  const kernels = bytes > KEPT_BYTES ? newKernels() : kept();
  const missing = bytes - kernels.memory.buffer.byteLength;
  if (missing > 0) kernels.memory.grow(Math.ceil(missing / PAGE));
  return kernels;
}

/** The bytes lie in memory that the next call overwrites. */
export function snappyDecompressed(source: Uint8Array, size: number): Uint8Array {
  const { length, at } = sizeAt(source);
  if (length !== size) throw new Damage(`snappy data of ${length} bytes, where ${size} bytes belong`);
  const start = FREE + source.length + SLACK;
  const { memory, snappy } = kernelsWith(start + size + SLACK);
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(source, FREE);
  const end = snappy(FREE + at, FREE + source.length, start, start + size);
  if (end !== start + size) throw new Damage("snappy data that are damaged or cut short");
  return bytes.subarray(start, end);
}

/** The size that a block says it has, and where its elements begin. */
function sizeAt(source: Uint8Array): { length: number; at: number } {
  let length = 0;
  for (let at = 0; at < Math.min(5, source.length); at++) {
    length += (source[at]! & 127) * 2 ** (7 * at);
    if (source[at]! < 128) return { length, at: at + 1 };
  }
  throw new Damage("snappy data without a size");
}

const HASH_BITS = 14;
const table = new Int32Array(1 << HASH_BITS);

/** The longest that a block of so many bytes can become. */
const bound = (length: number): number => 32 + length + Math.ceil(length / 6);

export function snappyCompressed(source: Uint8Array): Uint8Array {
  const target = new Uint8Array(bound(source.length));
  let to = 0;
  for (let rest = source.length; ; rest >>>= 7) {
    target[to++] = rest < 128 ? rest : (rest & 127) | 128;
    if (rest < 128) break;
  }
  return target.slice(0, compressInto(source, target, to));
}

function compressInto(source: Uint8Array, target: Uint8Array, start: number): number {
  table.fill(-1);
  const last = source.length - 4;
  let to = start;
  let anchor = 0;
  let at = 0;
  let misses = 0;
  while (at <= last) {
    const word = wordAt(source, at);
    const slot = Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS);
    const seen = table[slot]!;
    table[slot] = at;
    if (seen < 0 || at - seen > 65535 || wordAt(source, seen) !== word) {
      // The longer nothing matches, the longer the steps: incompressible data go by quickly.
      at += 1 + (misses++ >>> 5);
      continue;
    }
    misses = 0;
    let length = 4;
    while (at + length < source.length && source[seen + length] === source[at + length]) length++;
    to = writeLiteral(source, anchor, at, target, to);
    to = writeCopies(target, to, at - seen, length);
    at += length;
    anchor = at;
  }
  return writeLiteral(source, anchor, source.length, target, to);
}

const wordAt = (bytes: Uint8Array, at: number): number =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);

function writeLiteral(
  source: Uint8Array,
  from: number,
  end: number,
  target: Uint8Array,
  start: number,
): number {
  const length = end - from - 1;
  if (length < 0) return start;
  let to = start;
  if (length < 60) target[to++] = length << 2;
  else {
    const extra = length < 256 ? 1 : length < 65536 ? 2 : length < 2 ** 24 ? 3 : 4;
    target[to++] = (59 + extra) << 2;
    for (let i = 0; i < extra; i++) target[to++] = length >>> (8 * i);
  }
  // A call costs more than a short copy.
  if (length > 32) target.set(source.subarray(from, end), to);
  else for (let i = 0; i <= length; i++) target[to + i] = source[from + i]!;
  return to + length + 1;
}

/** Copies of at most 64 bytes each, with distances of two bytes. */
function writeCopies(target: Uint8Array, start: number, distance: number, length: number): number {
  let to = start;
  for (let rest = length; rest > 0; rest -= 64) {
    target[to++] = ((Math.min(rest, 64) - 1) << 2) | 2;
    target[to++] = distance;
    target[to++] = distance >>> 8;
  }
  return to;
}
