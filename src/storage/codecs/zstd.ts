// Zstandard: Node's own where it has one (22.15 and later), else the WebAssembly build of numcodecs.
// Frames are looked through before they are decoded, because the WebAssembly build makes as much memory
// as a frame claims.

import { builtin } from "../builtin.ts";
import {
  type BytesCodec,
  checkDecoded,
  compressedBound,
  corrupt,
  readUint32,
  type SizeBound,
} from "./codec.ts";

/** What Node's zlib has since 22.15; older type declarations do not know it. */
interface NativeZstd {
  zstdCompressSync(bytes: Uint8Array, options: object): Uint8Array;
  zstdDecompressSync(bytes: Uint8Array, options: object): Uint8Array;
  constants: { ZSTD_c_compressionLevel: number; ZSTD_c_checksumFlag: number };
}

interface WasmZstd {
  encode(bytes: Uint8Array): Promise<Uint8Array>;
  decode(bytes: Uint8Array): Promise<Uint8Array>;
}

export interface ZstdOptions {
  readonly level: number;
  readonly checksum: boolean;
}

export function zstdCodec(options: ZstdOptions): BytesCodec {
  return {
    name: "zstd",
    encodedBound: compressedBound,
    encode: (bytes) => zstdEncode(bytes, options),
    decode: zstdDecode,
  };
}

let native: NativeZstd | null | undefined;

async function nativeZstd(): Promise<NativeZstd | null> {
  if (native === undefined) {
    const zlib = (await builtin("node:zlib")) as unknown as Partial<NativeZstd> | undefined;
    native = typeof zlib?.zstdDecompressSync === "function" ? (zlib as NativeZstd) : null;
  }
  return native;
}

const wasmOfLevel = new Map<number, WasmZstd>();

async function wasmZstd(level: number): Promise<WasmZstd> {
  let codec = wasmOfLevel.get(level);
  if (codec === undefined) {
    const { default: Zstd } = await import("numcodecs/zstd");
    codec = new Zstd(level) as WasmZstd;
    wasmOfLevel.set(level, codec);
  }
  return codec;
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
  const framed = checkFrames(bytes, bound, where);
  const zstd = await nativeZstd();
  try {
    const decoded =
      zstd === null
        ? await (await wasmZstd(1)).decode(framed)
        : plain(zstd.zstdDecompressSync(framed, nativeOptions(bound)));
    checkDecoded(decoded.length, bound, "zstd", where);
    return decoded;
  } catch (cause) {
    throw cause instanceof Error && "cure" in cause ? cause : corrupt("zstd cannot be decoded", where, cause);
  }
}

const nativeOptions = ({ max }: SizeBound): object => ({
  maxOutputLength: Math.max(max, 1),
  chunkSize: Math.min(Math.max(max, 64), 2 ** 26),
});

const plain = (buffer: Uint8Array): Uint8Array =>
  new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);

const MAGIC = 0xfd2fb528;
/** 16 numbers: frames that decoders skip. */
const SKIPPABLE = 0x184d2a5;

interface Frame {
  /** Bytes of the frame. */
  readonly length: number;
  /** Size of its content; undefined when it does not say. */
  readonly content: number | undefined;
  /** Where the size would be written. */
  readonly sizeAt: number;
}

/**
 * The bytes, when all frames are whole and their contents together fit the bound. A single frame that does
 * not say its size is given the size that is known from outside.
 */
function checkFrames(bytes: Uint8Array, bound: SizeBound, where: string): Uint8Array {
  let at = 0;
  let total = 0;
  let frames = 0;
  let silent: Frame | undefined;
  while (at < bytes.length) {
    const frame = frameAt(bytes, at, where);
    if (frame.content === undefined) silent = frame;
    total += frame.content ?? 0;
    at += frame.length;
    frames++;
  }
  if (frames === 0) throw corrupt("no zstd data", where);
  if (silent === undefined) checkDecoded(total, bound, "zstd", where);
  if (silent === undefined) return bytes;
  if (frames > 1 || !bound.exact)
    throw corrupt("zstd frames that do not say their size, which is not known otherwise either", where);
  return withSize(bytes, silent, bound.max);
}

function frameAt(bytes: Uint8Array, at: number, where: string): Frame {
  const short = (): Error => corrupt("zstd data are cut short", where);
  if (at + 8 > bytes.length) throw short();
  const magic = readUint32(bytes, at);
  if (magic >>> 4 === SKIPPABLE) {
    const length = 8 + readUint32(bytes, at + 4);
    if (at + length > bytes.length) throw short();
    return { length, content: 0, sizeAt: 0 };
  }
  if (magic !== MAGIC) throw corrupt("not zstd data", where);
  const header = headerAt(bytes, at, where);
  const end = blocksEnd(bytes, header.end) + (header.hasChecksum ? 4 : 0);
  if (!(end <= bytes.length)) throw short();
  return { length: end - at, content: header.content, sizeAt: header.end };
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

function withSize(bytes: Uint8Array, frame: Frame, size: number): Uint8Array {
  const result = new Uint8Array(bytes.length + 8);
  result.set(bytes.subarray(0, frame.sizeAt));
  result[4] = result[4]! | 0xc0;
  new DataView(result.buffer).setBigUint64(frame.sizeAt, BigInt(size), true);
  result.set(bytes.subarray(frame.sizeAt), frame.sizeAt + 8);
  return result;
}
