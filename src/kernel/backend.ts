// A backend computes block programs: it compiles them, has the memory that their blocks lie in, and shares that with task
// threads. In: programs and blocks. Out: filled blocks. The WebAssembly kernels (wasm/backend.ts) are one, the reference
// interpreter (interpret/backend.ts) another; a user's has the same interface and goes to the same places.
// Must hold: every backend gives the bits that the interpreter gives. A block has one owner, and its place is known from its
// birth (docs/adr/0014). Nothing outside of a backend knows how its memory works (docs/adr/0018).

import type { Block } from "../core/block.ts";
import type { DType, TypedArray } from "../core/dtype.ts";
import type { BlockMemory, BlockProgram, Borrowed } from "./blockProgram.ts";
import type { MatrixProduct } from "./routines/outsideProduct.ts";

/** A program that is ready to run, by any number of tasks one after another. */
export interface Kernel {
  /**
   * Fills the outputs. `blocks` holds inputs and outputs by buffer number, wherever they lie; what is needed besides comes
   * out of `room`, whose limit is the task's. At once, unless the backend `isAsync`.
   */
  run(blocks: readonly (Block | undefined)[], room: Borrowed, threads?: number): void | Promise<void>;
}

/** A block in memory that task threads see, as messages carry it. */
export interface SharedBlock {
  /** The byte of the memory at which its view begins. */
  readonly at: number;
  /** How long the view is, in numbers of its typed array. */
  readonly slots: number;
  /** Of its elements. */
  readonly dtype: DType;
  /** Its length along each axis. */
  readonly shape: readonly number[];
  /** From one element to the next along each axis, in elements. */
  readonly strides: readonly number[];
  /** The first element's place in the view. */
  readonly offset: number;
}

/** What a backend holds now. */
export interface BackendStatistics {
  /** Blocks and other places of its memory that somebody has. */
  readonly places: number;
  /** What its memory has grown to. */
  readonly bytes: number;
  /** Compiled kernels that are kept for later runs. */
  readonly kernels: number;
  /** Threads that help with kernels. */
  readonly helpers: number;
}

/** What computes: it compiles block programs, runs them, and has the memory that blocks lie in. For the option `backend`. */
export interface Backend extends BlockMemory {
  /** For messages. */
  readonly name: string;
  /** Its kernels may give promises: `computeSync` refuses it, and constants are computed by the interpreter. */
  readonly isAsync?: boolean;
  /** The same program may be asked for again and again: what was compiled is remembered here. */
  compile(program: BlockProgram): Kernel;
  /** The same elements, perhaps elsewhere: for blocks of `allocate` that are kept while others come and go. */
  settle(block: Block): Block;
  /** A block of a user's data, with its place where that is a kept block's; null when the memory was given back. */
  find(block: Block): Block | null;
  /** Gives a kept block's memory back now, not when nobody can see it any more. Other data are left alone. */
  release(data: TypedArray): void;
  /**
   * Does something at once; data of blocks that are kept meanwhile are added to `kept`, so that who watches can release those that
   * nobody needs any more. Not there: nobody can tell.
   */
  watch?<T>(action: () => T, kept: TypedArray[]): T;
  /** Where much waits to be collected: when it has been. Null where there is nothing to wait for. */
  relieve(): Promise<void> | null;
  /** What a task thread is handed to see the blocks of this memory, always the same; null where no thread can. */
  share(): unknown;
  /** A block as task threads are told of it; null for one that they cannot see. */
  show(block: Block): SharedBlock | null;
  /** On a task thread: how the blocks are seen that another thread's backend shows, which `share` gave. */
  join(shared: unknown): (block: SharedBlock) => Block;
  /** What it holds now. */
  statistics(): BackendStatistics;
  /** From now on contractions that this product can do are done by it; null takes it away. */
  useProduct?(product: MatrixProduct | null): void;
}
