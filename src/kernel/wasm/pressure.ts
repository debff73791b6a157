// What tells the collector of garbage how much lies behind blocks that are kept. In: kept blocks' buffers, and how many bytes
// they stand for. Out: `isDue` when the collector has been given a reason to run, and its findings wait to be taken back.

/** Engines hand out so much without touching it. */
const WEIGHT_BYTES = 64 << 20;
/** The collector's work is worth this many bytes for each byte that it knows of. */
const BYTES_PER_WEIGHT = 4;

/**
 * The collector of garbage knows nothing of the bytes behind a kept block, and would see no reason to run. So
 * blocks carry weights: buffers in proportion to their size whose pages are never touched, alive as long as they
 * are. What the collector finds is given back in a turn of the event loop, which `isDue` asks for.
 */
export class Pressure {
  readonly #weights = new WeakMap<ArrayBufferLike, ArrayBuffer>();
  #bytes = 0;
  isDue = false;

  add(buffer: ArrayBufferLike, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < BYTES_PER_WEIGHT * WEIGHT_BYTES) return;
    this.#weights.set(buffer, new ArrayBuffer(this.#bytes / BYTES_PER_WEIGHT));
    this.#bytes = 0;
    this.isDue = true;
  }

  /** For a block that is given back without the collector's help. */
  remove(buffer: ArrayBufferLike, bytes: number): void {
    this.#weights.delete(buffer);
    this.#bytes = Math.max(0, this.#bytes - bytes);
  }
}
