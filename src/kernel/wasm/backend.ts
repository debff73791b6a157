// WebAssembly kernels as a backend: a machine that runs them, programs that were compiled for it, results that were handed out.
// In: nothing. Out: a backend with a memory of its own, helper threads when they are worth it, and kernels found again.

import type { Block } from "../../core/block.ts";
import { infoOf, type TypedArray } from "../../core/dtype.ts";
import type { Backend, SharedBlock } from "../backend.ts";
import type { BlockProgram } from "../blockProgram.ts";
import { type Running, WasmProgram } from "./blockPrograms.ts";
import { KeptBlocks } from "./keptBlocks.ts";
import { WasmMachine } from "./machine.ts";
import type { KernelMemory } from "./memory.ts";

export function wasmBackend(machine: WasmMachine = new WasmMachine()): Backend {
  const { memory, kernels, helpers } = machine;
  const kept = new KeptBlocks(memory);
  const running: Running = { machine, product: null };
  const programs = new WeakMap<BlockProgram, WasmProgram>();
  return {
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
