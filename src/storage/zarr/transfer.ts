// What reading and writing a stored object takes beside the block itself, from its codecs and the kind of store. In: a
// pipeline. Out: bounds in bytes, as if nothing could be compressed.
// Must hold: no less than what codecPipeline.ts, openChunk.ts, runs.ts, shard.ts and the codecs have in memory at once.
// test/memory measures it.

import { infoOf } from "../../core/dtype.ts";
import { sizeOf } from "../../core/shape.ts";
import type { Transfer } from "../../core/transfer.ts";
import type { BytesCodec } from "../codecs/codec.ts";
import type { Store } from "../store.ts";
import { isIdentity } from "./blockCopies.ts";
import type { Pipeline, ShardLayout } from "./chunkLayout.ts";
import { mostAtOnce } from "./region.ts";
import { PIECE } from "./runs.ts";
import { keptBytes, MOST_TOGETHER } from "./shard.ts";
import { isVerbatim } from "./storedElements.ts";

/** What a codec takes for itself, given the bytes before and after encoding. */
interface CodecMemory {
  /** With what it gives. */
  decode(plain: number, encoded: number): number;
  /** Into a given place. */
  decodeInto(plain: number, encoded: number): number;
  /** With what it gives; what it works with the codec says itself. */
  encode(plain: number, encoded: number): number;
}

/** Blosc works block by block; this is some of them, shuffled and not. */
const BLOSC_BLOCKS = 4 << 20;

const NOTHING: CodecMemory = { decode: () => 0, decodeInto: () => 0, encode: () => 0 };
const MEMORY: { readonly [name: string]: CodecMemory } = {
  // A copy of both sides in the module's memory; to encode, two of what is plain: an argument, and a string made of it.
  zstd: {
    decode: (plain, encoded) => 2 * plain + encoded,
    decodeInto: (plain, encoded) => plain + encoded,
    encode: (plain, encoded) => 2 * plain + 2 * encoded,
  },
  lz4: {
    decode: (plain, encoded) => 2 * plain + encoded,
    decodeInto: (plain, encoded) => plain + encoded,
    encode: (_, encoded) => encoded,
  },
  // It takes its time, so that there are several of what it gives.
  gzip: {
    decode: (plain) => 2 * plain,
    decodeInto: (plain) => 2 * plain,
    encode: (_, encoded) => 2 * encoded,
  },
  blosc: {
    decode: (plain) => plain + BLOSC_BLOCKS,
    decodeInto: () => BLOSC_BLOCKS,
    encode: (_, encoded) => encoded + BLOSC_BLOCKS,
  },
  shuffle: {
    decode: (plain) => 3 * plain,
    decodeInto: (plain) => 3 * plain,
    encode: (plain) => 3 * plain,
  },
};

function memoryOf({ name, sum }: BytesCodec): CodecMemory {
  if (sum !== undefined) return NOTHING;
  return MEMORY[name === "zlib" ? "gzip" : name] ?? MEMORY["zstd"]!;
}

/** Of stored objects of this pipeline in that store. */
export function transferOf(pipeline: Pipeline, store: Pick<Store, "open">): Transfer {
  return {
    unit: pipeline.shape,
    atOnce: mostAtOnce(store),
    ...(store.open === undefined ? farRead(pipeline) : nearRead(pipeline)),
    encoding: encodingBytes(pipeline),
    padded: blockBytes(pipeline),
  };
}

type Read = Pick<Transfer, "encoded" | "aside" | "decoding">;

const blockBytes = ({ shape, type }: Pipeline): number => sizeOf(shape) * infoOf(type.dtype).bytes;
const plainBytes = ({ shape, type }: Pipeline): number => sizeOf(shape) * type.bytes;

/** Elements are stored as they are in memory. */
const isAsInMemory = ({ serial, type, order }: Pipeline): boolean =>
  serial.kind === "bytes" && isVerbatim(type, serial.endian) && isIdentity(order);

/** Out of an open object: openChunk.ts. */
function nearRead(pipeline: Pipeline): Read {
  const { serial, bytesCodecs, encoded } = pipeline;
  if (serial.kind !== "bytes") return shardRead(pipeline);
  const isPlain = bytesCodecs.length === 0;
  const bytes = isPlain ? Math.min(PIECE, plainBytes(pipeline)) : plainBytes(pipeline);
  const isSummed = bytesCodecs.length === 1 && bytesCodecs[0]!.sum !== undefined;
  const stored = isPlain || isSummed ? 0 : encoded.max;
  const decoding = decodingBytes(pipeline) + conversion(pipeline, bytes);
  if (isAsInMemory(pipeline)) return { encoded: stored, aside: bytes, decoding };
  return { encoded: stored + bytes, aside: 0, decoding };
}

/** Bytes put in order, booleans made sure of: each a copy. */
function conversion({ serial, type }: Pipeline, bytes: number): number {
  const isSwapped = serial.kind === "bytes" && serial.endian === "big" && type.wordBytes > 1;
  const isWidened = type.name === "bool";
  return (isSwapped ? bytes : 0) + (isWidened ? (bytes / type.bytes) * infoOf(type.dtype).bytes : 0);
}

/** All codecs from the last to the first, which writes to a given place. */
function decodingBytes({ bytesCodecs, bounds, encoded }: Pipeline): number {
  let bytes = 0;
  bytesCodecs.forEach((codec, i) => {
    const [plain, coded] = [bounds[i]!.max, (bounds[i + 1] ?? encoded).max];
    const memory = memoryOf(codec);
    bytes += i === 0 ? memory.decodeInto(plain, coded) : memory.decode(plain, coded);
  });
  return bytes;
}

/** Inner chunks one after another, small ones in groups; all of it first where the shard itself is compressed. */
function shardRead(pipeline: Pipeline): Read {
  const { inner, indexBytes } = pipeline.serial as ShardLayout;
  const one = nearRead(inner);
  const group = Math.min(MOST_TOGETHER, pipeline.encoded.max);
  const chunks = {
    encoded: Math.max(one.encoded + one.aside, group),
    aside: 0,
    decoding: one.decoding + wholeBytes(inner) + 3 * indexBytes,
  };
  if (pipeline.bytesCodecs.length === 0) return chunks;
  const all = pipeline.encoded.max + decodingBytes(pipeline) + 2 * pipeline.bounds[0]!.max;
  return { ...chunks, decoding: chunks.decoding + all + blockBytes(pipeline) };
}

/** A chunk decoded as a block of its own. */
const wholeBytes = (pipeline: Pipeline): number =>
  pipeline.bytesCodecs.length === 0 ? 0 : plainBytes(pipeline);

/** An object arrives whole, and is decoded; of shards, some are kept. */
function farRead(pipeline: Pipeline): Read {
  const { serial } = pipeline;
  const inner = serial.kind === "bytes" ? { encoded: 0, decoding: 0 } : shardRead(pipeline);
  const kept = serial.kind === "bytes" ? 0 : keptBytes(pipeline);
  const changed = isAsInMemory(pipeline) ? 0 : blockBytes(pipeline);
  return {
    encoded: pipeline.encoded.max + wholeBytes(pipeline) + inner.encoded + changed,
    aside: 0,
    decoding: decodingBytes(pipeline) + conversion(pipeline, plainBytes(pipeline)) + inner.decoding + kept,
  };
}

/** From a block in memory to the parts that are stored: codecPipeline.ts. */
function encodingBytes(pipeline: Pipeline): number {
  const { serial, bytesCodecs, bounds, encoded } = pipeline;
  let bytes = serial.kind === "bytes" ? serialBytes(pipeline) : shardBytes(pipeline);
  bytesCodecs.forEach((codec, i) => {
    const [plain, coded] = [bounds[i]!.max, (bounds[i + 1] ?? encoded).max];
    bytes += memoryOf(codec).encode(plain, coded) + (codec.working?.(plain) ?? 0);
  });
  return bytes;
}

/** Elements in their stored order and form, where that is not the one in memory. */
const serialBytes = (pipeline: Pipeline): number =>
  (isIdentity(pipeline.order) ? 0 : blockBytes(pipeline)) + conversion(pipeline, plainBytes(pipeline));

/** All inner chunks, encoded, one behind the other, and one of them on its way. */
function shardBytes({ serial, bytesCodecs }: Pipeline): number {
  const { inner, grid, indexBytes } = serial as ShardLayout;
  const whole = inner.encoded.max * sizeOf(grid) + indexBytes;
  return whole + blockBytes(inner) + encodingBytes(inner) + (bytesCodecs.length === 0 ? 0 : whole);
}
