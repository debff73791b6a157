// Values of a task on partitions, and the memory that was taken for them. In: what steps make. Out: the same, each let go of
// after its last use; its memory is given back then, as soon as no other value is made of it.
// Must hold: nothing is given back that was not taken for these values, nor what a value shares that is still here.

import { blockBytes } from "../core/block.ts";
import type { Box } from "../core/chunks.ts";
import type { TypedArray } from "../core/dtype.ts";
import type { Partition, RaggedInput } from "../expr/op.ts";
import type { PartitionFormat } from "../ops/partitions.ts";

/** A value of a step: the partitions of a box, or a block. */
export interface Value {
  readonly box: Box;
  readonly made: RaggedInput;
  uses: number;
}

export const isBlock = (made: RaggedInput): made is Exclude<RaggedInput, readonly Partition[]> =>
  !Array.isArray(made);

interface Buffer {
  readonly bytes: number;
  /** Of values that are made of it. */
  uses: number;
  /** By which it is given back; null for what is somebody else's. */
  taken: TypedArray | null;
}

export class PartitionValues {
  readonly #format: PartitionFormat;
  /** What these are made of lies there, and stays. */
  readonly #outer: PartitionValues | null;
  readonly #values = new Map<number, Value>();
  readonly #buffers = new Map<ArrayBufferLike, Buffer>();
  #live = 0;
  #most = 0;

  constructor(format: PartitionFormat, outer: PartitionValues | null = null) {
    this.#format = format;
    this.#outer = outer;
  }

  /** Bytes of all buffers, each once. */
  get live(): number {
    return this.#live;
  }
  get most(): number {
    return this.#most;
  }

  get(at: number): Value | undefined {
    return this.#values.get(at);
  }

  /** `taken`: memory that was taken while it was made; what it is not made of is given back at once. */
  add(at: number, value: Value, taken: readonly TypedArray[] = []): void {
    this.#values.set(at, value);
    if (!isBlock(value.made)) this.hold(value.made, taken);
  }

  hold(parts: readonly Partition[], taken: readonly TypedArray[]): void {
    const own = new Map(taken.map((data) => [data.buffer, data]));
    for (const [buffer, bytes] of this.#buffersOf(parts)) {
      this.#count(buffer, bytes, own.get(buffer) ?? null);
      own.delete(buffer);
    }
    for (const data of own.values()) this.#format.giveBack(data);
  }

  #count(buffer: ArrayBufferLike, bytes: number, taken: TypedArray | null): void {
    const known = this.#buffers.get(buffer);
    if (known !== undefined) known.uses++;
    else if (this.#outer === null || !this.#outer.has(buffer)) {
      this.#buffers.set(buffer, { bytes, uses: 1, taken });
      this.#live += bytes;
      this.#most = Math.max(this.#most, this.#live);
    }
  }

  has(buffer: ArrayBufferLike): boolean {
    return this.#buffers.has(buffer) || this.#outer?.has(buffer) === true;
  }

  /** What it is not made of any more is given back. */
  letGo(parts: readonly Partition[]): void {
    for (const [buffer] of this.#buffersOf(parts)) {
      const known = this.#buffers.get(buffer);
      if (known === undefined || --known.uses > 0) continue;
      this.#buffers.delete(buffer);
      this.#live -= known.bytes;
      if (known.taken !== null) this.#format.giveBack(known.taken);
    }
  }

  /** Partitions of a part of the work that are to stay: their memory is these values' from now on. */
  adopt(parts: readonly Partition[], from: PartitionValues): void {
    for (const [buffer, bytes] of this.#buffersOf(parts)) {
      const known = from.#buffers.get(buffer);
      this.#count(buffer, bytes, known?.taken ?? null);
      if (known !== undefined) known.taken = null;
    }
  }

  used(at: number, times = 1): void {
    const value = this.#values.get(at)!;
    value.uses -= times;
    if (value.uses > 0) return;
    this.#values.delete(at);
    if (!isBlock(value.made)) this.letGo(value.made);
  }

  /** Somebody outside has them now. */
  giveAway(parts: readonly Partition[]): void {
    for (const [buffer] of this.#buffersOf(parts)) {
      const known = this.#buffers.get(buffer);
      if (known !== undefined) known.taken = null;
    }
  }

  /** All that was taken is given back. */
  end(): void {
    for (const { taken } of this.#buffers.values()) if (taken !== null) this.#format.giveBack(taken);
    this.#buffers.clear();
    this.#values.clear();
    this.#live = 0;
  }

  /** Bytes by buffer; views of the same place count once. */
  #buffersOf(parts: readonly Partition[]): Map<ArrayBufferLike, number> {
    const bytes = new Map<ArrayBufferLike, number>();
    const seen = new Map<ArrayBufferLike, Set<number>>();
    for (const { buffer, byteOffset, byteLength } of parts.flatMap((part) => this.#format.buffersOf(part))) {
      const places = seen.get(buffer) ?? new Set<number>();
      seen.set(buffer, places);
      if (!places.has(byteOffset)) bytes.set(buffer, (bytes.get(buffer) ?? 0) + byteLength);
      places.add(byteOffset);
    }
    return bytes;
  }
}

/** Of partitions each by itself, or of a block. */
export const bytesMade = (made: RaggedInput, format: PartitionFormat): number =>
  isBlock(made)
    ? blockBytes(made.dtype, made.shape)
    : made.reduce((sum, part) => sum + format.bytesOf(part), 0);
