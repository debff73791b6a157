// Pages, compressed and decompressed. In: bytes and a codec's name. Out: bytes; decompressed ones may lie in memory that
// the next call overwrites. What must hold: nobody makes more memory than a page of this many compressed bytes can
// become with its codec; anything else is damage.

import type * as Zlib from "node:zlib";
import { once } from "../../core/block.ts";
import { builtin } from "../builtin.ts";
import { readUint32 } from "../codecs/codec.ts";
import { deflateCodec, inflate, zstdDecode, zstdEncode } from "../codecs/compressors.ts";
import { lz4Bound, lz4Compress } from "../codecs/lz4.ts";
import { lz4Into } from "../codecs/wasm.ts";
import { Damage, Unsupported } from "./errors.ts";
import type { CodecName } from "./names.ts";

// kernels.wat, compiled and in base64; a test compares the two.

export const KERNELS: string = [
  "AGFzbQEAAAABDwJgA39/fwBgBH9/f38BfwMEAwAAAQUDAQABBxMCBm1lbW9yeQIABnNuYXBweQACCowEAyYAA0AgASAA/QAEAP0LBAAg",
  "AEEQaiEAIAFBEGohASABIAJJDQALC1UBAn8gASABQQ9qIAFubCEEIAAgBGohAyADIAJLBEAgAiEDCwNAIAAgACABay0AADoAACAAQQFq",
  "IQAgACADSQ0ACyAAIAJJBEAgACAEayAAIAIQAAsLjAMBBX8gAiEEAkADQCAAIAFPBEAgBA8LIAAtAAAhBSAAQQFqIQAgBUECdkEBaiEG",
  "IAVBA3FFBEAgBkE8SwRAIAZBPGshCCAIIAEgAGtLDQMgACgCAEF/QQQgCGtBA3R2cSEGIAZBf0YNAyAGQQFqIQYgACAIaiEACyAGIAEg",
  "AGtLDQIgBiADIARrSw0CIAZBEE0EQCAEIAD9AAQA/QsEAAUgBkGABEsEQCAEIAAgBvwKAAAFIAAgBCAEIAZqEAALCyAAIAZqIQAgBCAG",
  "aiEEDAELIAVBA3FBAUYEQCAAIAFPDQIgBUECdkEHcUEEaiEGIAVBBXZBCHQgAC0AAHIhByAAQQFqIQAFIAVBA3FBAkYEQCABIABrQQJJ",
  "DQMgAC8BACEHIABBAmohAAUgASAAa0EESQ0DIAAoAgAhByAAQQRqIQALCyAHRQ0BIAcgBCACa0sNASAGIAMgBGtLDQEgB0EQTwRAIAQg",
  "B2sgBCAEIAZqEAAFIAQgByAEIAZqEAELIAQgBmohBAwACwtBAAs=",
].join("");

// Snappy blocks. Decompression runs in WebAssembly (kernels.wat), compression in JavaScript. What must hold: the size
// of what comes out is known beforehand, and neither end of a buffer is passed, whatever the input says.

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

/** How many times its size a page can become: what the formats allow. */
const MOST_GROWTH: { readonly [C in CodecName]: number } = {
  none: 1,
  snappy: 22,
  gzip: 1033,
  lzo: 2 ** 16,
  brotli: 2 ** 21,
  lz4: 256,
  zstd: 2 ** 16,
  lz4raw: 256,
};

export function checkGrowth(codec: CodecName, compressed: number, size: number): void {
  if (size <= MOST_GROWTH[codec] * compressed + 64) return;
  throw new Damage(`${compressed} bytes of ${codec} cannot become ${size}`);
}

/** Decompresses a page that becomes `size` bytes. */
export type Decompressor = (bytes: Uint8Array, size: number) => Uint8Array | Promise<Uint8Array>;
/** A user's own, for codecs that are not there: lzo anywhere, brotli in browsers. */
export type Decompressors = { readonly [C in CodecName]?: Decompressor };

/** `where`: for errors of the codecs. */
export function decompressed(
  codec: CodecName,
  bytes: Uint8Array,
  size: number,
  where: string,
  given: Decompressors = {},
): Uint8Array | Promise<Uint8Array> {
  checkGrowth(codec, bytes.length, size);
  const own = given[codec];
  if (own !== undefined) return checkedSize(own, bytes, size);
  switch (codec) {
    case "none":
      if (bytes.length !== size) throw new Damage(`a page of ${bytes.length} bytes, where ${size} belong`);
      return bytes;
    case "snappy":
      return snappyDecompressed(bytes, size);
    case "gzip":
      return inflate("gzip", bytes, { max: size, exact: true }, where);
    case "zstd":
      return zstdDecode(bytes, { max: size, exact: true }, where);
    case "brotli":
      return brotliDecompressed(bytes, size);
    case "lz4raw":
      return lz4Block(bytes, size);
    case "lz4":
      return lz4Any(bytes, size);
    case "lzo":
      throw new Unsupported(
        "pages compressed with lzo are not read without a decompressor (option `codecs`)",
      );
  }
}

async function checkedSize(own: Decompressor, bytes: Uint8Array, size: number): Promise<Uint8Array> {
  const result = await own(bytes, size);
  if (result.length === size) return result;
  throw new Damage(`a page of ${result.length} bytes, where ${size} belong`);
}

function lz4Block(bytes: Uint8Array, size: number): Uint8Array {
  const target = new Uint8Array(size);
  if (size === 0 || lz4Into(bytes, target)) return target;
  throw new Damage(`lz4 data that are damaged, or not the ${size} bytes that belong here`);
}

/** The older name stands for Hadoop's framing, for LZ4's own frame, and for plain blocks. */
function lz4Any(bytes: Uint8Array, size: number): Uint8Array {
  return hadoopBlocks(bytes, size) ?? frameBlocks(bytes, size) ?? lz4Block(bytes, size);
}

/** Each block behind its two lengths, highest byte first. Undefined when that is not what it is. */
function hadoopBlocks(bytes: Uint8Array, size: number): Uint8Array | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const target = new Uint8Array(size);
  let at = 0;
  let done = 0;
  while (at + 8 <= bytes.length) {
    const [into, from] = [view.getUint32(at), view.getUint32(at + 4)];
    if (into > size - done || from > bytes.length - at - 8) return undefined;
    if (!lz4Into(bytes.subarray(at + 8, at + 8 + from), target.subarray(done, done + into))) return undefined;
    at += 8 + from;
    done += into;
  }
  return at === bytes.length && done === size ? target : undefined;
}

const LZ4_FRAME = 0x184d2204;

function frameBlocks(bytes: Uint8Array, size: number): Uint8Array | undefined {
  if (bytes.length < 11 || readUint32(bytes, 0) !== LZ4_FRAME) return undefined;
  const flags = bytes[4]!;
  // Blocks that refer to earlier ones cannot be decoded one by one; nobody writes them into Parquet.
  if ((flags & 0x20) === 0 || (flags & 1) !== 0) return undefined;
  const checksum = (flags & 0x10) !== 0 ? 4 : 0;
  const most = 2 ** (8 + 2 * ((bytes[5]! >>> 4) & 7));
  const target = new Uint8Array(size);
  let done = 0;
  for (let at = 7 + ((flags & 8) !== 0 ? 8 : 0); at + 4 <= bytes.length; ) {
    const length = readUint32(bytes, at) & 0x7fffffff;
    const isStored = bytes[at + 3]! >= 128;
    const block = bytes.subarray(at + 4, at + 4 + length);
    if (length === 0) return done === size ? target : undefined;
    const into = isStored ? length : Math.min(most, size - done);
    if (block.length < length || into > size - done) return undefined;
    if (isStored) target.set(block, done);
    else if (!lz4Into(block, target.subarray(done, done + into))) return undefined;
    done += into;
    at += 4 + length + checksum;
  }
  return undefined;
}

async function brotliDecompressed(bytes: Uint8Array, size: number): Promise<Uint8Array> {
  const zlib = await brotliOfNode();
  try {
    const result = zlib.brotliDecompressSync(bytes, {
      maxOutputLength: Math.max(1, size),
      chunkSize: Math.min(Math.max(size, 64), 2 ** 24),
    });
    if (result.length === size) return new Uint8Array(result.buffer, result.byteOffset, size);
  } catch (cause) {
    throw new Damage("brotli data that are damaged or too long", { cause });
  }
  throw new Damage(`brotli data that are not the ${size} bytes that belong here`);
}

async function brotliOfNode(): Promise<typeof Zlib> {
  const zlib = await builtin("node:zlib");
  if (zlib !== undefined) return zlib;
  throw new Unsupported("brotli needs Node, or a decompressor (option `codecs`)");
}

/** The codecs that are written. */
export type WrittenCodec = Exclude<CodecName, "lzo" | "lz4">;

export async function compressed(codec: WrittenCodec, bytes: Uint8Array): Promise<Uint8Array> {
  switch (codec) {
    case "none":
      return bytes;
    case "snappy":
      return snappyCompressed(bytes);
    case "gzip":
      return deflateCodec("gzip", 6).encode(bytes);
    case "zstd":
      return zstdEncode(bytes, { level: 3, checksum: false });
    case "brotli":
      return brotliCompressed(bytes, await brotliOfNode());
    case "lz4raw": {
      const target = new Uint8Array(lz4Bound(bytes.length));
      return target.slice(0, lz4Compress(bytes, target));
    }
  }
}

function brotliCompressed(bytes: Uint8Array, zlib: typeof Zlib): Uint8Array {
  // The highest quality, which is the default, takes a hundred times as long.
  const params = {
    [zlib.constants.BROTLI_PARAM_QUALITY]: 5,
    [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const result = zlib.brotliCompressSync(bytes, { params });
  return new Uint8Array(result.buffer, result.byteOffset, result.length);
}
