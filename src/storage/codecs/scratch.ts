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
