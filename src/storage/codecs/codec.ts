// A codec of bytes: compressors and checksums. In: bytes. Out: other bytes, the same again after decoding.
// The size of what decoding gives is known beforehand (a chunk's), so a decoder never makes more than that,
// whatever the input claims; anything else is a CorruptDataError.

import { CorruptDataError } from "../errors.ts";
import type { JsonObject } from "../zarr/zarrJson.ts";
import type { Fields } from "./codecFields.ts";
import { releaseBytes } from "./release.ts";

/** What is known of a size: at most `max`, and just that when `exact`. */
export interface SizeBound {
  /** So many bytes at most. */
  readonly max: number;
  /** true: just so many. */
  readonly exact: boolean;
}

/** Bytes at once, or soon. */
export type Bytes = Uint8Array | Promise<Uint8Array>;

/** Pieces but the last are multiples of 16 bytes. */
export interface RunningSum {
  add(piece: Uint8Array): void;
  end(): number;
}

export interface BytesCodec {
  readonly name: string;
  encode(bytes: Uint8Array): Bytes;
  /** `where` names the object, for errors. The result may share memory with `bytes`. */
  decode(bytes: Uint8Array, bound: SizeBound, where: string): Bytes;
  /** Fills `target`, which is as long as what was encoded; where that is quicker than a copy afterwards. */
  decodeInto?(bytes: Uint8Array, target: Uint8Array, where: string): void | Promise<void>;
  /** For codecs that leave the bytes as they are and put a sum beside them. */
  readonly sum?: {
    readonly location: "start" | "end";
    readonly length: number;
    of(bytes: Uint8Array): Uint8Array;
    /** For bytes that come in pieces; null where it is as well to wait for all of them. */
    running(length: number): RunningSum | null;
    /** `summed` has seen all of the bytes. */
    check(bytes: Uint8Array, sum: Uint8Array, where: string, summed?: RunningSum | null): void;
  };
  /** What the encoder works with, of so many bytes, besides what it is given and gives; nothing unless it says so. */
  working?(plain: number): number;
  /** How long the encoding of so many bytes can be. */
  encodedBound(bound: SizeBound): SizeBound;
  /** Other threads cannot have it. */
  readonly isHereOnly?: boolean;
}

/** A codec that arrays may name. */
export interface CodecEntry {
  readonly name: string;
  /** What is written into configurations that do not say it. */
  readonly usual?: JsonObject;
  /** Checked when an array is opened; what the codec needs it loads when a chunk does. */
  make(configuration: Fields): BytesCodec;
}

/** Compressors make what cannot be compressed a little longer; none of ours by more than this. */
export const compressedBound = (bound: SizeBound): SizeBound => ({
  max: bound.max + Math.ceil(bound.max / 64) + 1024,
  exact: false,
});

/** Decodes into memory of the right length, in the codec's own way or by a copy. */
export async function decodeInto(
  codec: BytesCodec,
  bytes: Uint8Array,
  target: Uint8Array,
  where: string,
): Promise<void> {
  if (codec.decodeInto !== undefined) return codec.decodeInto(bytes, target, where);
  const exact = { max: target.length, exact: true };
  const decoded = await codec.decode(bytes, exact, where);
  checkDecoded(decoded.length, exact, codec.name, where);
  target.set(decoded);
  if (decoded.buffer !== bytes.buffer) releaseBytes(decoded);
}

export function corrupt(what: string, where: string, cause?: unknown): CorruptDataError {
  return new CorruptDataError(
    { what, where, cure: "The stored object is damaged; write it again" },
    cause === undefined ? undefined : { cause },
  );
}

/** Checks a decoded size, claimed or real. */
export function checkDecoded(size: number, bound: SizeBound, codec: string, where: string): void {
  if (bound.exact ? size === bound.max : size <= bound.max) return;
  throw corrupt(
    `${codec} data of ${size} bytes, where ${bound.exact ? "" : "at most "}${bound.max} bytes belong`,
    where,
  );
}

export const readUint32 = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;

export function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}
