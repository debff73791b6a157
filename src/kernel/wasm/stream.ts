// Tiles that are made one after another by the calling thread while others work on those that are ready. In: a
// kernel, and how to bring a tile into a slot and out of it. Out: all tiles done. The calling thread, which alone
// can see arrays from outside, stays some tiles ahead; when all slots are full it works on a tile itself.

import { InvariantError } from "../../core/errors.ts";
import {
  hasFailed,
  type Kernel,
  MAX_SLOTS,
  pause,
  SLOT_WORDS,
  SPINS,
  shareJob,
  WORDS,
  words,
} from "./control.ts";
import { SLOT_PARAMETER_BYTES, SLOTS_AT } from "./layout.ts";
import { memory } from "./memory.ts";
import { isHelped, runJob, runWithoutHelp } from "./threads.ts";

export interface TileJob {
  readonly parameters: readonly number[];
  readonly units: number;
}

export interface Tiles {
  readonly count: number;
  /** Brings a tile into a slot. */
  prepare(tile: number, slot: number): TileJob;
  /** Takes the results out of a slot whose tile is done. */
  complete(tile: number, slot: number): void;
}

/** A tile takes about so long to be brought in and worked on. */
const TILE_MS = 0.1;

/** How many tiles can be in memory at once. */
export const slotsFor = (threads: number): number => (threads === 1 ? 1 : Math.min(MAX_SLOTS, 2 * threads));

export function runTilesOf(kernel: Kernel, tiles: Tiles, threads: number): void {
  const slots = slotsFor(threads);
  if (threads === 1 || tiles.count < slots) return runAlone(kernel, tiles);
  if (!isHelped(threads - 1, tiles.count * TILE_MS)) return runWithoutHelp(() => runAlone(kernel, tiles));
  const job = { parameters: SLOTS_AT, first: 0, units: tiles.count, part: SLOT_PARAMETER_BYTES, slots };
  shareJob(kernel, job, () => new Stream(kernel, tiles, slots).run());
}

function runAlone(kernel: Kernel, tiles: Tiles): void {
  for (let tile = 0; tile < tiles.count; tile++) {
    const { parameters, units } = tiles.prepare(tile, 0);
    // Not in a slot: this may be part of preparing a tile that others wait for.
    runJob(kernel, parameters, units, units, 1);
    tiles.complete(tile, 0);
  }
}

function writeParameters(slot: number, parameters: readonly number[]): void {
  const room = SLOT_PARAMETER_BYTES / 4;
  if (parameters.length > room)
    throw new InvariantError({ what: `${parameters.length} parameters are too many for a tile` });
  new Int32Array(memory.buffer, SLOTS_AT + slot * SLOT_PARAMETER_BYTES, room).set(parameters);
}

class Stream {
  readonly #kernel: Kernel;
  readonly #tiles: Tiles;
  readonly #slots: number;
  #ready = 0;

  constructor(kernel: Kernel, tiles: Tiles, slots: number) {
    this.#kernel = kernel;
    this.#tiles = tiles;
    this.#slots = slots;
  }

  run(): void {
    const { count } = this.#tiles;
    for (let tile = 0; tile < count + this.#slots && !hasFailed(); tile++) {
      const slot = tile % this.#slots;
      if (tile >= this.#slots) this.#finish(tile - this.#slots, slot);
      if (tile < count && !hasFailed()) this.#publish(tile, slot);
    }
  }

  #publish(tile: number, slot: number): void {
    const { parameters, units } = this.#tiles.prepare(tile, slot);
    writeParameters(slot, parameters);
    words[slotWord(slot) + 1] = units;
    Atomics.store(words, slotWord(slot), tile + 1);
    Atomics.notify(words, slotWord(slot));
    this.#ready = tile + 1;
  }

  #finish(tile: number, slot: number): void {
    if (tile >= this.#tiles.count) return;
    for (let looks = 0; ; looks++) {
      const state = Atomics.load(words, slotWord(slot));
      if (state === -(tile + 1)) break;
      if (hasFailed()) return;
      if (!this.#help() && looks > SPINS) pause(slotWord(slot), state);
    }
    this.#tiles.complete(tile, slot);
  }

  /** Works on a tile that is ready and that nobody has taken; false when there is none. */
  #help(): boolean {
    const tile = Atomics.load(words, WORDS.next);
    if (tile >= this.#ready || Atomics.compareExchange(words, WORDS.next, tile, tile + 1) !== tile)
      return false;
    const slot = tile % this.#slots;
    this.#kernel.run(SLOTS_AT + slot * SLOT_PARAMETER_BYTES, 0, words[slotWord(slot) + 1]!);
    Atomics.store(words, slotWord(slot), -(tile + 1));
    return true;
  }
}

const slotWord = (slot: number): number => WORDS.firstSlot + slot * SLOT_WORDS;
