// A codec of bytes: compressors and checksums. In: bytes. Out: other bytes, the same again after decoding.
// The size of what decoding gives is known beforehand (a chunk's), so a decoder never makes more than that,
// whatever the input claims; anything else is a CorruptDataError.

import { once } from "../../core/block.ts";
import { describe } from "../../core/chunks.ts";
import { CorruptDataError, MetadataError } from "../errors.ts";
import type { Json, JsonObject } from "../zarr/zarrJson.ts";

// The configuration of a codec, as metadata have it, read with checks. In: its spec. Out: values, or errors that say which
// field of which codec is wrong, and what it must be.

/** A codec as metadata name it, under Zarr v3's names. */
export interface CodecSpec {
  readonly name: string;
  readonly configuration: JsonObject;
}

export class Fields {
  readonly #spec: CodecSpec;
  readonly #where: string;

  constructor(spec: CodecSpec, where: string) {
    this.#spec = spec;
    this.#where = where;
  }

  /** All of them, as they are. */
  get all(): JsonObject {
    return this.#spec.configuration;
  }

  integer(name: string, least: number, most: number, otherwise: number): number {
    const value = this.#spec.configuration[name] ?? otherwise;
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most)
      return value as number;
    throw this.#wrong(name, value, `a whole number from ${least} to ${most}`);
  }

  flag(name: string, otherwise: boolean): boolean {
    const value = this.#spec.configuration[name] ?? otherwise;
    if (typeof value === "boolean") return value;
    throw this.#wrong(name, value, "true or false");
  }

  choice<T extends string>(name: string, choices: readonly T[], otherwise: T): T {
    const value = this.#spec.configuration[name] ?? otherwise;
    if (choices.includes(value as T)) return value as T;
    throw this.#wrong(name, value, `one of ${choices.join(", ")}`);
  }

  #wrong(name: string, value: Json, wanted: string): MetadataError {
    return new MetadataError({
      what: `${name} of the codec ${this.#spec.name} is ${describe(value)}`,
      where: this.#where,
      cure: `It must be ${wanted}`,
    });
  }
}

// Memory for bytes on their way: taken, filled, read and given back. Fresh memory costs more than filling it (the
// system hands it out page by page), so what was given back is kept for the next, within bounds.

/** Buffers are multiples of so many bytes. */
const LEAST = 1 << 16;
/** Longer ones are not kept. */
const LONGEST_KEPT = 1 << 24;
const MOST_KEPT_BYTES = 1 << 25;

/** Where memory for a while comes from, which somebody else gives back. */
export interface Room {
  /** At least so many bytes, holding whatever was there before. */
  take(length: number): Uint8Array;
}

/** Where memory for a while comes from. */
export interface ScratchMemory extends Room {
  /** Nobody may look at it any more. */
  give(bytes: Uint8Array): void;
}

/** Ordinary memory, for one piece of work: what is given back serves the next part of it. */
export class KeptMemory implements ScratchMemory {
  /** The shortest first. */
  readonly #kept: Uint8Array[] = [];
  #bytes = 0;

  take(length: number): Uint8Array {
    const at = this.#kept.findIndex((bytes) => bytes.length >= length);
    if (at < 0) return length > LONGEST_KEPT ? releasable(length) : new Uint8Array(roundedUp(length));
    const [bytes] = this.#kept.splice(at, 1);
    this.#bytes -= bytes!.length;
    return bytes!;
  }

  give(bytes: Uint8Array): void {
    if (bytes.length > LONGEST_KEPT) return release(bytes);
    const at = this.#kept.findIndex(({ length }) => length >= bytes.length);
    this.#kept.splice(at < 0 ? this.#kept.length : at, 0, bytes);
    this.#bytes += bytes.length;
    while (this.#bytes > MOST_KEPT_BYTES) this.#bytes -= this.#kept.shift()!.length;
  }
}

/** What one piece of work takes, given back together when nobody looks at any of it. */
export class Taken implements Room {
  readonly #memory: ScratchMemory;
  readonly #taken: Uint8Array[] = [];

  constructor(memory: ScratchMemory = new KeptMemory()) {
    this.#memory = memory;
  }

  take(length: number): Uint8Array {
    const bytes = this.#memory.take(length);
    this.#taken.push(bytes);
    return bytes;
  }

  /** True for a part of what was taken. */
  has({ buffer }: Uint8Array): boolean {
    return this.#taken.some((taken) => taken.buffer === buffer);
  }

  end(): void {
    for (const bytes of this.#taken.splice(0)) this.#memory.give(bytes);
  }
}

/** A little more than is needed, so that the next ones find room in it. */
function roundedUp(length: number): number {
  let step = LEAST;
  while (8 * step < length) step *= 2;
  return Math.ceil(length / step) * step;
}

/** Memory that can be given back at once: the collector of garbage may wait for long. */
interface ReleasableBuffer extends ArrayBuffer {
  resize?(length: number): void;
}
const Releasable = ArrayBuffer as unknown as new (
  length: number,
  options: { maxByteLength: number },
) => ReleasableBuffer;

const releasable = (length: number): Uint8Array =>
  new Uint8Array(new Releasable(length, { maxByteLength: length }));

const release = ({ buffer }: Uint8Array): void => (buffer as ReleasableBuffer).resize?.(0);

// Memory that nobody needs any more, given back now. The collector of garbage waits until there is much of it, and memory
// that is to be bounded cannot wait. In: bytes that only the caller can see. Out: nothing; they are empty afterwards.

interface Transferable extends ArrayBuffer {
  transfer?(length: number): ArrayBuffer;
}

/** Less is not worth the trouble, and may be a part of what the platform hands out in small pieces. */
const LEAST_BYTES = 1 << 16;

/**
 * What is sent through a closed port is dropped at once. It is this side that must be closed: the other side of a port
 * learns of it in a turn of the event loop, and until then it keeps what it is sent.
 */
const nowhere = once((): MessagePort => {
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
});

export function releaseBytes({ buffer }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < LEAST_BYTES) return;
  try {
    const { transfer } = buffer as Transferable;
    if (transfer !== undefined) transfer.call(buffer, 0);
    else nowhere().postMessage(null, [buffer]);
  } catch {
    // Memory of a WebAssembly module stays where it is.
  }
}

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
