// WebAssembly kernels as a backend: a machine that runs them, programs that were compiled for it, results that were handed out.
// In: nothing. Out: a backend with a memory of its own, helper threads when they are worth it, and kernels found again.

import { type Block, copyRow, isRow, type Place } from "../../core/block.ts";
import type { Shape } from "../../core/chunks.ts";
import { type DType, infoOf, type TypedArray } from "../../core/dtype.ts";
import { machineThreads } from "../../core/threads.ts";
import type { Backend, Kernel, SharedBlock } from "../backend.ts";
import {
  type BlockProgram,
  type Borrowed,
  bindBuffers,
  type KernelStep,
  type Lifetime,
  lifetimesOf,
} from "../blockProgram.ts";
import { routineCall, runStep } from "../interpret/index.ts";
import type { RoutineCall } from "../routine.ts";
import type { MatrixProduct } from "../routines/outsideProduct.ts";
import { roomIn } from "../routines/room.ts";
import { runBinCounts } from "./binCountKernel.ts";
import { runBinPlaces } from "./binKernel.ts";
import { runCompact, runCountTrue } from "./compacting.ts";
import { runContract } from "./contracting.ts";
import { runGroups } from "./groupKernel.ts";
import { runLabelCounts } from "./labelCountKernel.ts";
import { SORT_KERNELS } from "./longRows.ts";
import { runLoopKernel } from "./loops.ts";
import { WasmMachine } from "./machine.ts";
import type { KernelMemory } from "./memory.ts";
import { runMerge } from "./merging.ts";
import { runPick, runSpread } from "./moving.ts";
import { runReduceKernel } from "./reductions.ts";
import { runScanKernel } from "./scans.ts";
import { runSegmentKernel } from "./segments.ts";
import { runDigitCounts, runSelect } from "./selecting.ts";
import { runSegmentSort } from "./sorting.ts";
import { runFourier } from "./transforming.ts";
import { runWindowed } from "./windowing.ts";

// Routines that have kernels. A kernel gives true when it has done the call, false where the routine itself has to.

type RoutineKernel = (machine: WasmMachine, call: RoutineCall, threads: number) => boolean;

const ROUTINE_KERNELS: ReadonlyMap<string, RoutineKernel> = new Map<string, RoutineKernel>([
  ["segmentSort", (machine, call, threads) => runSegmentSort(machine, "sort", call, threads)],
  ["segmentArgsort", (machine, call, threads) => runSegmentSort(machine, "argsort", call, threads)],
  ...SORT_KERNELS,
  ["mergeRuns", (machine, call, threads) => runMerge(machine, "values", call, threads)],
  ["mergePlaces", (machine, call, threads) => runMerge(machine, "places", call, threads)],
  ["select", runSelect],
  ["digitCounts", runDigitCounts],
  ["compact", runCompact],
  ["countTrue", runCountTrue],
  ["pick", runPick],
  ["spread", runSpread],
  ["contract", runContract],
  ["groupby", runGroups],
  ["binPlaces", runBinPlaces],
  ["binCounts", runBinCounts],
  ["labelCounts", runLabelCounts],
  ["windowed", runWindowed],
  ["fourier", runFourier],
]);

// Small blocks that lie outside of the kernels' memory are copied into it for as long as a program runs: tile by tile they would
// take longer, and a loop whose blocks are all inside is prepared once. In: a program and its blocks. Out: those that are inside
// now, in their places. Together they are no more than a tile or two.

interface StagedBlock {
  readonly outside: Block;
  readonly inside: Block;
  readonly isOutput: boolean;
}

const NOTHING_STAGED: readonly StagedBlock[] = [];

function stagedIn(
  memory: KernelMemory,
  { buffers, steps }: BlockProgram,
  blocks: Block[],
): readonly StagedBlock[] {
  let bytes = 0;
  let isAny = false;
  for (let at = 0; at < buffers.length; at++) {
    const { data, place } = blocks[at]!;
    if (place !== undefined || buffers[at]!.role === "temporary") continue;
    bytes += data.byteLength;
    isAny = isAny || data.byteLength > 0;
  }
  if (!isAny || bytes > STAGED_BYTES || !steps.every(({ kind }) => kind === "loop" || kind === "reduce"))
    return NOTHING_STAGED;
  const staged: StagedBlock[] = [];
  for (let at = 0; at < buffers.length; at++) {
    const outside = blocks[at]!;
    const { role } = buffers[at]!;
    if (outside.place !== undefined || role === "temporary" || !isRow(outside)) continue;
    const inside = memory.takeBlock(outside.dtype, outside.shape);
    if (inside === null) break;
    if (role === "input") copyRow(outside.data, inside.data);
    staged.push({ outside, inside, isOutput: role === "output" });
    blocks[at] = inside;
  }
  return staged;
}

/** Of all of a program's blocks together. */
const STAGED_BYTES = 1 << 19;
// Block programs as WebAssembly kernels on several threads, and where there is none for a step, by the reference interpreter.
// In: a program, then blocks. Out: the outputs written, the same bits as `interpret`.
// Must hold: a temporary has memory from the first step that touches it to the last.

/** What programs run on, and the matrix product from outside, if one is in use. */
interface Running {
  readonly machine: WasmMachine;
  product: MatrixProduct | null;
  /** For routines that run programs of their own. */
  backend: Backend | undefined;
}

/** Stands for a temporary while it has no memory. */
const UNBORN: Block = { dtype: "uint8", shape: [], strides: [], offset: 0, data: new Uint8Array(0) };
const unborn = (): Block => UNBORN;

/** A program and when its temporaries live. Modules are compiled when it is run, for how its blocks lie then. */
class WasmProgram implements Kernel {
  readonly #running: Running;
  readonly #program: BlockProgram;
  readonly #lifetimes: ReadonlyMap<number, Lifetime>;

  constructor(running: Running, program: BlockProgram) {
    this.#running = running;
    this.#program = program;
    this.#lifetimes = lifetimesOf(program);
  }

  run(bound: readonly (Block | undefined)[], room: Borrowed, threads: number = machineThreads): void {
    const blocks = bindBuffers(this.#program, bound, unborn);
    const staged = stagedIn(this.#running.machine.memory, this.#program, blocks);
    try {
      this.#runSteps(blocks, room, threads);
      for (const { outside, inside, isOutput } of staged) if (isOutput) copyRow(inside.data, outside.data);
    } finally {
      for (const { inside } of staged) this.#running.machine.memory.giveBlock(inside);
    }
  }

  #runSteps(blocks: Block[], room: Borrowed, threads: number): void {
    if (this.#lifetimes.size > 0) return this.#runWithTemporaries(blocks, room, threads);
    for (const step of this.#program.steps) this.#runStep(step, blocks, room, threads);
  }

  #runWithTemporaries(blocks: Block[], room: Borrowed, threads: number): void {
    const borrowed = new Map<number, Borrowed>();
    try {
      this.#program.steps.forEach((step, at) => {
        for (const [buffer, { first }] of this.#lifetimes)
          if (first === at) blocks[buffer] = this.#born(buffer, room, borrowed);
        this.#runStep(step, blocks, room, threads);
        for (const [buffer, { last }] of this.#lifetimes) if (last === at) borrowed.get(buffer)!.giveBack();
      });
    } finally {
      for (const each of borrowed.values()) each.giveBack();
    }
  }

  #born(buffer: number, room: Borrowed, borrowed: Map<number, Borrowed>): Block {
    const { dtype, shape } = this.#program.buffers[buffer]!;
    const own = room.within();
    borrowed.set(buffer, own);
    return own.block(dtype, shape);
  }

  #runStep(step: KernelStep, blocks: readonly Block[], room: Borrowed, threads: number): void {
    if (runKernel(this.#running, step, blocks, room, threads)) return;
    const borrowed = room.within();
    try {
      const { product, backend } = this.#running;
      runStep(step, blocks, { room: roomIn(borrowed), product, backend });
    } finally {
      borrowed.giveBack();
    }
  }
}

/** False where there is no kernel for a step. */
function runKernel(
  { machine, product }: Running,
  step: KernelStep,
  blocks: readonly Block[],
  room: Borrowed,
  threads: number,
): boolean {
  switch (step.kind) {
    case "loop":
      runLoopKernel(machine, step, blocks, threads);
      return true;
    case "reduce":
      return runReduceKernel(machine, step, blocks, threads);
    case "segments":
      return runSegmentKernel(machine, step, blocks, room, threads);
    case "scan":
      return runScanKernel(machine, step, blocks, threads);
    case "routine": {
      const kernel = ROUTINE_KERNELS.get(step.routine);
      return kernel?.(machine, routineCall(step, blocks, { product }), threads) ?? false;
    }
    default:
      step satisfies never;
      return false;
  }
}

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
class Pressure {
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

// Blocks that are handed out as results: each lives as long as anything can see it. Its view has a buffer object of its own,
// and every part of the view holds on to that; when nobody does, or it is released, its place is given back.
// In: dtypes and shapes. Out: blocks; and, for data that come back, where they lie.

export class KeptBlocks {
  readonly #memory: KernelMemory;
  /** Places by the buffers of the views that were handed out: users bring those back, or parts of them. */
  readonly #places = new WeakMap<ArrayBufferLike, Place>();
  readonly #released = new WeakSet<ArrayBufferLike>();
  readonly #pressure = new Pressure();
  readonly #freed = new FinalizationRegistry<Place>((place) => this.#memory.give(place));
  /** Where somebody watches: what is kept is added to it. */
  #watched: TypedArray[] | null = null;

  constructor(memory: KernelMemory) {
    this.#memory = memory;
  }

  /** Null when there is no room, or no memory that can be seen from outside. */
  keep(dtype: DType, shape: Shape): Block | null {
    const memory = this.#memory;
    const place = memory.isShared ? memory.takeForBlock(dtype, shape) : null;
    if (place === null) return null;
    const buffer = structuredClone(memory.buffer);
    const block = memory.blockAt(place, dtype, shape, 0, buffer);
    this.#places.set(buffer, place);
    this.#freed.register(buffer, place, buffer);
    this.#pressure.add(buffer, place.bytes);
    this.#watched?.push(block.data);
    return block;
  }

  /** Who watches within a watch is told alone. */
  watch<T>(action: () => T, kept: TypedArray[]): T {
    const outer = this.#watched;
    this.#watched = kept;
    try {
      return action();
    } finally {
      this.#watched = outer;
    }
  }

  /** With the place of its data, if they are a kept block's; null when that was released: what they show is another's by now. */
  find(block: Block): Block | null {
    const { buffer } = block.data;
    if (this.#released.has(buffer)) return null;
    const place = this.#places.get(buffer);
    return place === undefined && block.place === undefined ? block : { ...block, place };
  }

  /** Gives a kept block's place back now. Other data are left alone. */
  release({ buffer }: TypedArray): void {
    const place = this.#places.get(buffer);
    if (place === undefined || !this.#freed.unregister(buffer)) return;
    this.#places.delete(buffer);
    this.#memory.give(place);
    this.#released.add(buffer);
    this.#pressure.remove(buffer, place.bytes);
  }

  /** A turn in which results that were let go give their memory back, where the collector has been given a reason. */
  relieve(): Promise<void> | null {
    if (!this.#pressure.isDue) return null;
    this.#pressure.isDue = false;
    return new Promise((resolve) => setTimeout(resolve));
  }
}

export function wasmBackend(machine: WasmMachine = new WasmMachine()): Backend {
  const { memory, kernels, helpers } = machine;
  const kept = new KeptBlocks(memory);
  const running: Running = { machine, product: null, backend: undefined };
  const programs = new WeakMap<BlockProgram, WasmProgram>();
  const backend: Backend = {
    name: "wasm",
    compile(program) {
      let known = programs.get(program);
      if (known === undefined) {
        known = new WasmProgram(running, program);
        programs.set(program, known);
      }
      return known;
    },
    allocate: (dtype, shape) => memory.takeBlock(dtype, shape),
    free: (block) => memory.giveBlock(block),
    keep: (dtype, shape) => kept.keep(dtype, shape),
    settle: (block) => memory.settledBlock(block),
    find: (block) => kept.find(block),
    release: (data) => kept.release(data),
    watch: (action, into) => kept.watch(action, into),
    relieve: () => kept.relieve(),
    share: () => (memory.isShared ? memory.wasm : null),
    show: (block) => shownBlock(memory, block),
    join: (shared) => (block) => seenBlock(shared as WebAssembly.Memory, block),
    statistics: () => ({
      ...{ places: memory.takenPlaces, bytes: memory.buffer.byteLength },
      ...{ kernels: kernels.size, helpers: helpers.count },
    }),
    useProduct(product) {
      running.product = product;
    },
  };
  running.backend = backend;
  return backend;
}

/** Null for a block that is not in the memory which threads can see. */
function shownBlock(memory: KernelMemory, block: Block): SharedBlock | null {
  const { data, dtype, shape, strides, offset } = block;
  const at = memory.addressOf({ ...block, offset: 0 });
  return at === null ? null : { at, slots: data.length, dtype, shape, strides, offset };
}

/** What another thread shows. To kernels of this thread, which have a memory of their own, it lies outside. */
function seenBlock(memory: WebAssembly.Memory, shared: SharedBlock): Block {
  const { at, slots, dtype, shape, strides, offset } = shared;
  const ArrayOf = infoOf(dtype).array;
  const end = at + slots * ArrayOf.BYTES_PER_ELEMENT;
  // It has grown since this thread last looked: growing by nothing shows it as it is.
  if (end > memory.buffer.byteLength) memory.grow(0);
  const data = new ArrayOf(memory.buffer as ArrayBuffer, at, slots) as TypedArray;
  return { dtype, shape, strides, offset, data };
}
