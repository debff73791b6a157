// Blosc 1: a header, blocks, and in each block the shuffled bytes compressed by one of several compressors.
// Reads all of Blosc's compressors but Snappy; writes lz4, zstd and zlib. The header is checked against the
// size that is known from outside before any memory is made.

import { copyInto } from "../../core/block.ts";
import { NotSupportedError } from "../errors.ts";
import {
  type BytesCodec,
  checkDecoded,
  compressedBound,
  corrupt,
  readUint32,
  releaseBytes,
  type SizeBound,
  writeUint32,
} from "./codec.ts";
import { deflateCodec, inflate, joined, zstdDecode, zstdEncode, zstdWorking } from "./compressors.ts";
import { copyMatch, lz4Bound, lz4Compress, lz4Decompress } from "./lz4.ts";
import { bitShuffled, bitUnshuffle, shuffled, unshuffle } from "./shuffle.ts";

// BloscLZ, Blosc's own compressor (a descendant of FastLZ): decoding only.

/** Matches further away than this are written with two more bytes. */
const FAR = 8191;

/** Fills `target` exactly, or throws. */
function blosclzDecompress(source: Uint8Array, target: Uint8Array, where: string): void {
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

export const BLOSC_COMPRESSORS = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"] as const;
export type BloscCompressor = (typeof BLOSC_COMPRESSORS)[number];
export const BLOSC_SHUFFLES = ["noshuffle", "shuffle", "bitshuffle"] as const;
export type BloscShuffle = (typeof BLOSC_SHUFFLES)[number];

export interface BloscOptions {
  readonly cname: BloscCompressor;
  readonly clevel: number;
  readonly shuffle: BloscShuffle;
  /** Bytes of an element. */
  readonly typesize: number;
  /** 0 leaves the choice to the encoder. */
  readonly blocksize: number;
}

const HEADER = 16;
const SHUFFLED = 1;
const COPIED = 2;
const BIT_SHUFFLED = 4;
const NOT_SPLIT = 16;
/** A block is split into a stream per byte of an element unless that makes streams shorter than this. */
const LEAST_STREAM = 128;
const MOST_STREAMS = 16;
/** Blosc counts bytes with a signed 32-bit number. */
const MOST_BYTES = 2 ** 31 - 1 - HEADER;

export function bloscCodec(options: BloscOptions): BytesCodec {
  return {
    name: "blosc",
    encodedBound: compressedBound,
    working: (plain) => bloscWorking(plain, options),
    encode: (bytes) => bloscEncode(bytes, options),
    decode: bloscDecode,
    decodeInto: bloscDecodeInto,
  };
}

interface Frame {
  readonly bytes: Uint8Array;
  readonly flags: number;
  readonly size: number;
  readonly typesize: number;
  readonly blocksize: number;
  readonly where: string;
}

function bloscDecode(bytes: Uint8Array, bound: SizeBound, where: string): Uint8Array | Promise<Uint8Array> {
  const frame = readHeader(bytes, bound, where);
  if (frame.flags & COPIED) return copied(frame);
  const target = new Uint8Array(frame.size);
  return decodeBlocks(frame, target, 0) ?? target;
}

async function bloscDecodeInto(bytes: Uint8Array, target: Uint8Array, where: string): Promise<void> {
  const frame = readHeader(bytes, { max: target.length, exact: true }, where);
  if (frame.flags & COPIED) copyInto(target, copied(frame));
  else await decodeBlocks(frame, target, 0);
}

/** What could not be compressed lies there as it is. */
function copied({ bytes, size, where }: Frame): Uint8Array {
  if (bytes.length < HEADER + size) throw corrupt("blosc data are cut short", where);
  return bytes.subarray(HEADER, HEADER + size);
}

function readHeader(bytes: Uint8Array, bound: SizeBound, where: string): Frame {
  if (bytes.length < HEADER) throw corrupt(`${bytes.length} bytes cannot hold blosc data`, where);
  const [version, , flags, typesize] = bytes as unknown as [number, number, number, number];
  const size = readUint32(bytes, 4);
  const blocksize = readUint32(bytes, 8);
  const stored = readUint32(bytes, 12);
  if (version !== 2 && version !== 1) throw corrupt(`blosc format ${version} is not known`, where);
  checkDecoded(size, bound, "blosc", where);
  if (stored !== bytes.length)
    throw corrupt(`blosc data of ${stored} bytes, and ${bytes.length} are there`, where);
  const blocks = Math.ceil(size / blocksize);
  const copied = (flags & COPIED) !== 0;
  if (size > 0 && !copied && (blocksize === 0 || HEADER + 4 * blocks > bytes.length || typesize === 0))
    throw corrupt(`blosc blocks of ${blocksize} bytes do not fit`, where);
  return { bytes, flags, size, typesize, blocksize: Math.min(blocksize, size), where };
}

/** Undefined when done at once; a promise of the target when a compressor takes its time. */
function decodeBlocks(frame: Frame, target: Uint8Array, first: number): Promise<Uint8Array> | undefined {
  const count = frame.size === 0 ? 0 : Math.ceil(frame.size / frame.blocksize);
  for (let block = first; block < count; block++) {
    const waiting = decodeBlock(frame, target, block);
    if (waiting !== undefined) return waiting.then(() => decodeBlocks(frame, target, block + 1) ?? target);
  }
  return undefined;
}

function decodeBlock(frame: Frame, target: Uint8Array, block: number): Promise<void> | undefined {
  const { bytes, flags, typesize, blocksize, where } = frame;
  const start = block * blocksize;
  const part = target.subarray(start, Math.min(start + blocksize, frame.size));
  const isShuffled = (flags & (SHUFFLED | BIT_SHUFFLED)) !== 0 && typesize > 1;
  const isBits = (flags & BIT_SHUFFLED) !== 0;
  const isSplit =
    (flags & NOT_SPLIT) === 0 &&
    typesize <= MOST_STREAMS &&
    blocksize / typesize >= LEAST_STREAM &&
    part.length === blocksize;
  const from = readUint32(bytes, HEADER + 4 * block);
  const finish = (raw: Uint8Array): void => {
    if (isBits) unshuffleBits(raw, part, typesize);
    else if (isShuffled) unshuffle(raw, part, typesize);
    else part.set(raw);
    if (raw.buffer !== bytes.buffer) releaseBytes(raw);
  };
  const raw = decodeStreams(frame, part.length, isSplit ? typesize : 1, from, where);
  if (raw instanceof Promise) return raw.then(finish);
  finish(raw);
  return undefined;
}

/** Blosc leaves a block alone whose elements are not a multiple of eight. */
function unshuffleBits(raw: Uint8Array, part: Uint8Array, typesize: number): void {
  if (Math.floor(part.length / typesize) % 8 === 0) bitUnshuffle(raw, part, typesize);
  else part.set(raw);
}

/** The bytes of a block, still shuffled. */
function decodeStreams(
  frame: Frame,
  size: number,
  streams: number,
  start: number,
  where: string,
): Uint8Array | Promise<Uint8Array> {
  const length = size / streams;
  const parts: (Uint8Array | Promise<Uint8Array>)[] = [];
  let at = start;
  for (let stream = 0; stream < streams; stream++) {
    if (at < HEADER || at + 4 > frame.bytes.length)
      throw corrupt("a blosc block lies outside the data", where);
    const stored = readUint32(frame.bytes, at);
    at += 4;
    if (stored > frame.bytes.length - at) throw corrupt("a blosc block runs over the end", where);
    parts.push(decodeStream(frame, frame.bytes.subarray(at, at + stored), length));
    at += stored;
  }
  if (parts.length === 1) return parts[0]!;
  const isDone = parts.every((part) => part instanceof Uint8Array);
  return isDone ? joined(parts, size) : Promise.all(parts).then((done) => joined(done, size));
}

function decodeStream(
  { flags, where }: Frame,
  stream: Uint8Array,
  length: number,
): Uint8Array | Promise<Uint8Array> {
  if (stream.length === length) return stream;
  const exact = { max: length, exact: true };
  const target = flags >>> 5 < 2 ? new Uint8Array(length) : stream;
  switch (flags >>> 5) {
    case 0:
      blosclzDecompress(stream, target, where);
      return target;
    case 1:
      lz4Decompress(stream, target, where);
      return target;
    case 3:
      return inflate("zlib", stream, exact, where);
    case 4:
      return zstdDecode(stream, exact, where);
    default:
      throw new NotSupportedError({ what: "blosc data compressed with Snappy are not supported", where });
  }
}

/** What is written does not depend on what was asked for only in name: every block says how it is made. */
type Written = "lz4" | "zstd" | "zlib";

const writtenAs = (cname: BloscCompressor): Written => (cname === "zstd" || cname === "zlib" ? cname : "lz4");
const CODE: { readonly [W in Written]: number } = { lz4: 1, zlib: 3, zstd: 4 };

/** Blocks that fit the second-level cache with their shuffled copy; zstd gains from longer ones. */
const blockBytes = ({ blocksize, typesize, cname }: BloscOptions, size: number): number => {
  const wanted = blocksize > 0 ? blocksize : cname === "zstd" || cname === "zlib" ? 2 ** 19 : 2 ** 18;
  // Whole groups of eight elements, so that bits can be shuffled.
  const unit = 8 * typesize;
  return Math.min(size, Math.max(unit, wanted - (wanted % unit)));
};

async function bloscEncode(bytes: Uint8Array, options: BloscOptions): Promise<Uint8Array> {
  if (bytes.length > MOST_BYTES)
    throw new NotSupportedError({
      what: `blosc cannot hold a chunk of ${bytes.length} bytes`,
      cure: "Use smaller chunks, or zstd",
    });
  const written = writtenAs(options.cname);
  const size = Math.max(1, blockBytes(options, bytes.length));
  const count = Math.ceil(bytes.length / size);
  const result = new Uint8Array(HEADER + 4 * count + count * (4 + lz4Bound(size)));
  let at = HEADER + 4 * count;
  for (let block = 0; block < count && options.clevel > 0; block++) {
    const raw = shuffledBlock(bytes.subarray(block * size, (block + 1) * size), options);
    writeUint32(result, HEADER + 4 * block, at);
    at = await writeBlock(raw, written, options.clevel, result, at);
    if (raw.buffer !== bytes.buffer) releaseBytes(raw);
  }
  const isCopied = options.clevel === 0 || at > bytes.length + HEADER;
  if (isCopied) {
    result.set(bytes, HEADER);
    at = HEADER + bytes.length;
  }
  result[0] = 2;
  result[1] = 1;
  result[2] = flagsOf(options, isCopied) | (CODE[written] << 5);
  result[3] = options.typesize;
  writeUint32(result, 4, bytes.length);
  writeUint32(result, 8, size);
  writeUint32(result, 12, at);
  return result.subarray(0, at);
}

function flagsOf({ shuffle }: BloscOptions, isCopied: boolean): number {
  const mode = shuffle === "shuffle" ? SHUFFLED : shuffle === "bitshuffle" ? BIT_SHUFFLED : 0;
  return NOT_SPLIT | mode | (isCopied ? COPIED : 0);
}

function shuffledBlock(block: Uint8Array, { shuffle, typesize }: BloscOptions): Uint8Array {
  if (shuffle === "shuffle" && typesize > 1) return shuffled(block, typesize);
  if (shuffle !== "bitshuffle" || Math.floor(block.length / typesize) % 8 !== 0) return block;
  return bitShuffled(block, typesize);
}

async function writeBlock(
  raw: Uint8Array,
  written: Written,
  level: number,
  result: Uint8Array,
  at: number,
): Promise<number> {
  const room = result.subarray(at + 4);
  const packed = await compress(raw, written, level, room);
  // A stream as long as its block is the block itself.
  const stream = packed.length < raw.length ? packed : raw;
  if (stream.buffer !== result.buffer) room.set(stream);
  writeUint32(result, at, stream.length);
  return at + 4 + stream.length;
}

function compress(
  raw: Uint8Array,
  written: Written,
  level: number,
  room: Uint8Array,
): Uint8Array | Promise<Uint8Array> {
  if (written === "lz4") return room.subarray(0, lz4Compress(raw, room));
  if (written === "zlib") return deflateCodec("zlib", level).encode(raw);
  return zstdEncode(raw, { level: zstdLevel(level), checksum: false });
}

/** Blosc's levels 1 to 9 stand for 1, 3, 5, … 22 of zstd. */
const zstdLevel = (level: number): number => (level >= 9 ? 22 : level * 2 - 1);

/** Of zstd's tables: what else it takes for a block is little. */
function bloscWorking(plain: number, options: BloscOptions): number {
  if (options.cname !== "zstd") return 0;
  return zstdWorking(blockBytes(options, plain), zstdLevel(options.clevel));
}
