// Zstandard: Node's own where it has one (22.15 and later), else WebAssembly: a decoder of our own build, which needs
// no copy, and the encoder of numcodecs. Frames are looked through before they are decoded: their sizes must fit.

import type * as Zlib from "node:zlib";
import { copyInto } from "../../core/block.ts";
import { builtin } from "../builtin.ts";
import {
  type BytesCodec,
  checkDecoded,
  compressedBound,
  corrupt,
  readUint32,
  releaseBytes,
  type SizeBound,
} from "./codec.ts";
import { zstdDecoder } from "./zstd/decode.ts";

// gzip and zlib: Node's zlib where there is Node, the web's compression streams elsewhere (which have no
// level; the data are the same).

type Format = "gzip" | "zlib";

/** Up to this many bytes the hop to Node's thread pool costs more than the work. */
const SMALL = 128 * 1024;

export function deflateCodec(format: Format, level: number): BytesCodec {
  return {
    name: format,
    encodedBound: compressedBound,
    encode: async (bytes) => deflate(format, level, bytes, await builtin("node:zlib")),
    decode: (bytes, bound, where) => inflate(format, bytes, bound, where),
  };
}

function deflate(
  format: Format,
  level: number,
  bytes: Uint8Array,
  zlib: typeof Zlib | undefined,
): Uint8Array | Promise<Uint8Array> {
  if (zlib === undefined) return streamed(new CompressionStream(webName(format)), bytes);
  // One buffer that is long enough for anything: zlib's default is many small ones, joined at the end.
  const { max } = compressedBound({ max: bytes.length, exact: true });
  const options = { level, chunkSize: Math.min(max, 2 ** 26) };
  if (bytes.length <= SMALL)
    return plain(format === "gzip" ? zlib.gzipSync(bytes, options) : zlib.deflateSync(bytes, options));
  const run = format === "gzip" ? zlib.gzip : zlib.deflate;
  return new Promise((resolve, reject) =>
    run(bytes, options, (error, result) => (error ? reject(error) : resolve(plain(result)))),
  );
}

export async function inflate(
  format: Format,
  bytes: Uint8Array,
  bound: SizeBound,
  where: string,
): Promise<Uint8Array> {
  const zlib = await builtin("node:zlib");
  try {
    const decoded = await (zlib === undefined
      ? streamed(new DecompressionStream(webName(format)), bytes, bound.max)
      : inflateInNode(zlib, format, bytes, bound.max));
    checkDecoded(decoded.length, bound, format, where);
    return decoded;
  } catch (cause) {
    throw asCorrupt(cause, format, bound, where);
  }
}

function asCorrupt(cause: unknown, format: Format, bound: SizeBound, where: string): unknown {
  if (cause instanceof Error && "cure" in cause) return cause;
  const { code } = cause as { code?: string };
  if (code === "ERR_BUFFER_TOO_LARGE" || cause === TOO_LONG)
    return corrupt(`${format} data of more than the ${bound.max} bytes that belong here`, where, cause);
  return corrupt(`${format} cannot be decoded`, where, cause);
}

function inflateInNode(
  zlib: typeof Zlib,
  format: Format,
  bytes: Uint8Array,
  max: number,
): Uint8Array | Promise<Uint8Array> {
  // One buffer that is not quite filled: zlib's default is many small ones, and after a full one it makes another.
  const chunkSize = Math.min(Math.max(max + 1, 64), 2 ** 26);
  const options = { maxOutputLength: Math.max(max, 1), chunkSize };
  if (max <= SMALL)
    return plain(format === "gzip" ? zlib.gunzipSync(bytes, options) : zlib.inflateSync(bytes, options));
  const run = format === "gzip" ? zlib.gunzip : zlib.inflate;
  return new Promise((resolve, reject) =>
    run(bytes, options, (error, result) => (error ? reject(error) : resolve(plain(result)))),
  );
}

/** A Uint8Array proper: a Buffer's `slice` shares memory. */
const plain = (buffer: Uint8Array): Uint8Array =>
  new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);

const webName = (format: Format): "gzip" | "deflate" => (format === "gzip" ? "gzip" : "deflate");

const TOO_LONG = new Error("more output than allowed");

/** All of what a transform stream makes of the bytes; stops when that is too much. */
export async function streamed(
  stream: { readable: ReadableStream; writable: WritableStream },
  bytes: Uint8Array,
  max: number = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const writer = stream.writable.getWriter();
  // Failures of the writing side come out of the reading side.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  const reader = stream.readable.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joined(parts, length);
    length += value.length;
    if (length > max) {
      reader.cancel().catch(() => {});
      throw TOO_LONG;
    }
    parts.push(value);
  }
}

export function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** What Node's zlib has since 22.15; older type declarations do not know it. */
interface NativeZstd {
  zstdCompressSync(bytes: Uint8Array, options: object): Uint8Array;
  zstdDecompressSync(bytes: Uint8Array, options: object): Uint8Array;
  constants: { ZSTD_c_compressionLevel: number; ZSTD_c_checksumFlag: number };
}

interface WasmZstd {
  encode(bytes: Uint8Array): Promise<Uint8Array>;
}

interface ZstdOptions {
  readonly level: number;
  readonly checksum: boolean;
}

export function zstdCodec(options: ZstdOptions): BytesCodec {
  return {
    name: "zstd",
    encodedBound: compressedBound,
    working: (plain) => zstdWorking(plain, options.level),
    encode: (bytes) => zstdEncode(bytes, options),
    decode: zstdDecode,
    decodeInto: zstdDecodeInto,
  };
}

/** Whatever the level: the context, sequences of a block, and tables up to level 8. */
const CONTEXT_BYTES = 8 << 20;
/** Of higher levels, from the ninth on: powers of two in their tables, of chains and of hashes (clevels.h of 1.5). */
const TABLE_BITS: readonly (readonly [chain: number, hash: number])[] = [
  ...([
    [20, 21],
    [21, 22],
    [21, 22],
    [22, 23],
    [22, 22],
    [22, 23],
    [23, 23],
  ] as const),
  ...([
    [22, 22],
    [23, 22],
    [23, 22],
    [24, 22],
    [25, 23],
    [26, 24],
    [27, 25],
  ] as const),
];

/** What an encoder works with: tables of four bytes for each place, no longer than four times the source. */
export function zstdWorking(plain: number, level: number): number {
  const bits = TABLE_BITS[Math.min(level - 9, TABLE_BITS.length - 1)];
  const tables = bits === undefined ? 0 : 4 * (2 ** bits[0] + 2 ** bits[1]);
  return Math.min(CONTEXT_BYTES, 2 * plain) + Math.min(tables, 16 * plain);
}

/** Node's; null where there is none. */
async function nativeZstd(): Promise<NativeZstd | null> {
  const zlib = (await builtin("node:zlib")) as unknown as Partial<NativeZstd> | undefined;
  return typeof zlib?.zstdDecompressSync === "function" ? (zlib as NativeZstd) : null;
}

async function wasmZstd(level: number): Promise<WasmZstd> {
  const { default: Zstd } = await import("numcodecs/zstd");
  return new Zstd(level) as WasmZstd;
}

export async function zstdEncode(bytes: Uint8Array, { level, checksum }: ZstdOptions): Promise<Uint8Array> {
  const zstd = await nativeZstd();
  // The WebAssembly build writes no checksum; that is allowed: the frame says whether it has one.
  if (zstd === null) return (await wasmZstd(level)).encode(bytes);
  const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag } = zstd.constants;
  const params = { [ZSTD_c_compressionLevel]: level, [ZSTD_c_checksumFlag]: checksum ? 1 : 0 };
  return plain(zstd.zstdCompressSync(bytes, { params, pledgedSrcSize: bytes.length }));
}

export async function zstdDecode(bytes: Uint8Array, bound: SizeBound, where: string): Promise<Uint8Array> {
  const zstd = await nativeZstd();
  const decoder = zstd === null ? await zstdDecoder() : null;
  const size = contentSize(bytes, bound, where);
  const decoded = guarded(where, () =>
    decoder === null
      ? plain(zstd!.zstdDecompressSync(bytes, nativeOptions(size)))
      : decoder.content(bytes, size),
  );
  checkDecoded(decoded.length, bound, "zstd", where);
  return decoded;
}

async function zstdDecodeInto(bytes: Uint8Array, target: Uint8Array, where: string): Promise<void> {
  const zstd = await nativeZstd();
  const exact = { max: target.length, exact: true };
  if (zstd !== null) {
    const decoded = await zstdDecode(bytes, exact, where);
    copyInto(target, decoded);
    return releaseBytes(decoded);
  }
  const decoder = await zstdDecoder();
  contentSize(bytes, exact, where);
  guarded(where, () => decoder.into(bytes, target) || null);
}

/** What the decoder gives; an error when that is nothing, or when it throws. */
function guarded<T>(where: string, decode: () => T | null): T {
  let cause: unknown;
  try {
    const decoded = decode();
    if (decoded !== null) return decoded;
  } catch (thrown) {
    cause = thrown;
  }
  throw corrupt("zstd cannot be decoded", where, cause);
}

const nativeOptions = (max: number): object => ({
  maxOutputLength: Math.max(max, 1),
  chunkSize: Math.min(Math.max(max, 64), 2 ** 26),
});

const MAGIC = 0xfd2fb528;
/** 16 numbers: frames that decoders skip. */
const SKIPPABLE = 0x184d2a5;

interface Frame {
  /** Bytes of the frame. */
  readonly length: number;
  /** Size of its content; undefined when it does not say. */
  readonly content: number | undefined;
}

/** How long the content is, or can be: all frames must be whole and their contents together fit the bound. */
function contentSize(bytes: Uint8Array, bound: SizeBound, where: string): number {
  let at = 0;
  let total = 0;
  let isKnown = bytes.length > 0;
  while (at < bytes.length) {
    const { length, content } = frameAt(bytes, at, where);
    if (content === undefined) isKnown = false;
    total += content ?? 0;
    at += length;
  }
  if (bytes.length === 0) throw corrupt("no zstd data", where);
  // Frames of streams do not say their size; the decoder does not write more than there is room.
  checkDecoded(total, { max: bound.max, exact: bound.exact && isKnown }, "zstd", where);
  return isKnown ? total : bound.max;
}

function frameAt(bytes: Uint8Array, at: number, where: string): Frame {
  const short = (): Error => corrupt("zstd data are cut short", where);
  if (at + 8 > bytes.length) throw short();
  const magic = readUint32(bytes, at);
  if (magic >>> 4 === SKIPPABLE) {
    const length = 8 + readUint32(bytes, at + 4);
    if (at + length > bytes.length) throw short();
    return { length, content: 0 };
  }
  if (magic !== MAGIC) throw corrupt("not zstd data", where);
  const header = headerAt(bytes, at, where);
  const end = blocksEnd(bytes, header.end) + (header.hasChecksum ? 4 : 0);
  if (!(end <= bytes.length)) throw short();
  return { length: end - at, content: header.content };
}

interface Header {
  readonly end: number;
  readonly content: number | undefined;
  readonly hasChecksum: boolean;
}

function headerAt(bytes: Uint8Array, at: number, where: string): Header {
  const flags = bytes[at + 4]!;
  const isSingle = (flags & 0x20) !== 0;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][flags >>> 6]!;
  if ((flags & 3) !== 0) throw corrupt("zstd data that need a dictionary", where);
  const sizeAt = at + 5 + (isSingle ? 0 : 1);
  const end = sizeAt + sizeBytes;
  if (end > bytes.length) throw corrupt("zstd data are cut short", where);
  const hasChecksum = (flags & 4) !== 0;
  if (sizeBytes === 0) return { end, content: undefined, hasChecksum };
  let content = sizeBytes === 2 ? 256 : 0;
  for (let i = 0; i < sizeBytes; i++) content += bytes[sizeAt + i]! * 256 ** i;
  return { end, content, hasChecksum };
}

/** Blocks follow each other, each with its length, until one says that it is the last. */
function blocksEnd(bytes: Uint8Array, start: number): number {
  for (let at = start; at + 3 <= bytes.length; ) {
    const header = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
    // A run of one byte is stored as that byte, whatever its length.
    at += 3 + (((header >>> 1) & 3) === 1 ? 1 : header >>> 3);
    if ((header & 1) === 1) return at;
  }
  return Number.NaN;
}
