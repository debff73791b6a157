// Tiles that are made one after another by the calling thread while others work on those that are ready. In: a
// kernel, and how to bring a tile into a slot and out of it. Out: all tiles done. The calling thread, which alone
// can see arrays from outside, stays some tiles ahead; when all slots are full it works on a tile itself.

import { InvariantError } from "../../core/errors.ts";
import { MAX_SLOTS, SLOT_WORDS, SPINS, type WasmKernel, WORDS } from "./control.ts";
import type { WasmMachine } from "./machine.ts";
import { SLOT_PARAMETER_BYTES, SLOTS_AT } from "./memoryLayout.ts";

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

export function runTilesOf(machine: WasmMachine, kernel: WasmKernel, tiles: Tiles, threads: number): void {
  const slots = slotsFor(threads);
  if (threads === 1 || tiles.count < slots) return runAlone(machine, kernel, tiles);
  if (!machine.helpers.areThere(threads - 1, tiles.count * TILE_MS))
    return machine.helpers.without(() => runAlone(machine, kernel, tiles));
  const job = { parameters: SLOTS_AT, first: 0, units: tiles.count, part: SLOT_PARAMETER_BYTES, slots };
  machine.control.share(kernel, job, () => new Stream(machine, kernel, tiles, slots).run());
}

function runAlone({ jobs }: WasmMachine, kernel: WasmKernel, tiles: Tiles): void {
  for (let tile = 0; tile < tiles.count; tile++) {
    const { parameters, units } = tiles.prepare(tile, 0);
    // Not in a slot: this may be part of preparing a tile that others wait for.
    jobs.run(kernel, parameters, units, units, 1);
    tiles.complete(tile, 0);
  }
}

function writeParameters(buffer: ArrayBufferLike, slot: number, parameters: readonly number[]): void {
  const room = SLOT_PARAMETER_BYTES / 4;
  if (parameters.length > room)
    throw new InvariantError({ what: `${parameters.length} parameters are too many for a tile` });
  new Int32Array(buffer, SLOTS_AT + slot * SLOT_PARAMETER_BYTES, room).set(parameters);
}

class Stream {
  readonly #machine: WasmMachine;
  readonly #words: Int32Array;
  readonly #kernel: WasmKernel;
  readonly #tiles: Tiles;
  readonly #slots: number;
  #ready = 0;

  constructor(machine: WasmMachine, kernel: WasmKernel, tiles: Tiles, slots: number) {
    this.#machine = machine;
    this.#words = machine.control.words;
    this.#kernel = kernel;
    this.#tiles = tiles;
    this.#slots = slots;
  }

  run(): void {
    const { count } = this.#tiles;
    const { control } = this.#machine;
    for (let tile = 0; tile < count + this.#slots && !control.hasFailed; tile++) {
      const slot = tile % this.#slots;
      if (tile >= this.#slots) this.#finish(tile - this.#slots, slot);
      if (tile < count && !control.hasFailed) this.#publish(tile, slot);
    }
  }

  #publish(tile: number, slot: number): void {
    const { parameters, units } = this.#tiles.prepare(tile, slot);
    const words = this.#words;
    writeParameters(this.#machine.memory.buffer, slot, parameters);
    words[slotWord(slot) + 1] = units;
    Atomics.store(words, slotWord(slot), tile + 1);
    Atomics.notify(words, slotWord(slot));
    this.#ready = tile + 1;
  }

  #finish(tile: number, slot: number): void {
    if (tile >= this.#tiles.count) return;
    const { control } = this.#machine;
    for (let looks = 0; ; looks++) {
      const state = Atomics.load(this.#words, slotWord(slot));
      if (state === -(tile + 1)) break;
      if (control.hasFailed) return;
      if (!this.#help() && looks > SPINS) control.pause(slotWord(slot), state);
    }
    this.#tiles.complete(tile, slot);
  }

  /** Works on a tile that is ready and that nobody has taken; false when there is none. */
  #help(): boolean {
    const words = this.#words;
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
