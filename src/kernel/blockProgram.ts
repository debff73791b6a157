// A block program: what one task does with its blocks, as data. Loops of scalar programs, reductions,
// reductions of segments, scans and routine calls over numbered buffers. It speaks of coordinates, not of memory: how a buffer
// lies in memory is known only when it is bound to blocks, so one program serves every layout.

import { type Attrs, attrsText, type Block, blockBytes, newBlock } from "../core/block.ts";
import { type Shape, shapeText } from "../core/chunks.ts";
import type { DType } from "../core/dtype.ts";
import { InvariantError } from "../core/errors.ts";
import { type Scalar, scalarText } from "../core/numbers.ts";
import { programText, type ScalarProgram } from "./program.ts";

// Blocks of a backend's memory while it has room, and of ordinary memory otherwise. In: a memory, dtypes and shapes. Out:
// blocks, whose elements are whatever was there before: who makes a block fills it.
// Must hold: who borrows gets no more than was stated for it, with all that is borrowed for it meanwhile.

/** Where blocks lie that kernels work on. Null wherever there is no room: ordinary memory will do. */
export interface BlockMemory {
  /** A block that its taker gives back. */
  allocate(dtype: DType, shape: Shape): Block | null;
  /** For blocks of `allocate`, once; those that lie elsewhere are left to the collector. */
  free(block: Block): void;
  /** A block that lives as long as anything can see its data. */
  keep(dtype: DType, shape: Shape): Block | null;
}

/**
 * Smaller results are ordinary arrays: copying them costs less than keeping account of them, and than touching pages that
 * come back only when the collector of garbage has had its turn.
 */
export const KEPT_BYTES: number = 1 << 18;

/** A block for a result: it lives as long as somebody holds its data. */
export function resultBlock(memory: BlockMemory, dtype: DType, shape: Shape): Block {
  const isSmall = blockBytes(dtype, shape) < KEPT_BYTES;
  return (isSmall ? null : memory.keep(dtype, shape)) ?? newBlock(dtype, shape);
}

/** A block that its taker gives back with `memory.free`. */
export const takenBlock = (memory: BlockMemory, dtype: DType, shape: Shape): Block =>
  memory.allocate(dtype, shape) ?? newBlock(dtype, shape);

/** Blocks for a while: all of them are given back together. Never more than the limit: who asks for more is refused. */
export class Borrowed {
  readonly memory: BlockMemory;
  readonly #limit: number;
  /** Whose limit holds for these, too. */
  readonly #holder: Borrowed | null;
  readonly #blocks: Block[] = [];
  #bytes = 0;
  /** Counted at the holder besides these blocks. */
  #extra: number;
  /** Borrowed within these: now, and the most at once. */
  #within = 0;
  #mostWithin = 0;

  /** `limit`: of bytes, of these blocks and of those that are borrowed `within` them. */
  constructor(
    memory: BlockMemory,
    limit: number = Number.POSITIVE_INFINITY,
    holder: Borrowed | null = null,
    extra = 0,
  ) {
    this.memory = memory;
    this.#limit = limit;
    this.#holder = holder;
    this.#extra = extra;
    if (holder !== null && extra > 0) holder.#count(extra);
  }

  /** Bytes of these blocks, and of the most that was borrowed within them. */
  get most(): number {
    return this.#bytes + this.#mostWithin;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Blocks for a part of the work, which are given back sooner. As long as they are out they count here, and with them `extra`
   * bytes that somebody else holds for that part.
   */
  within(extra = 0): Borrowed {
    return new Borrowed(this.memory, Number.POSITIVE_INFINITY, this, extra);
  }

  block(dtype: DType, shape: Shape): Block {
    const bytes = blockBytes(dtype, shape);
    this.#bytes += bytes;
    if (this.#holder !== null) this.#holder.#count(bytes);
    this.#check();
    const block = this.memory.allocate(dtype, shape);
    if (block === null) return newBlock(dtype, shape);
    this.#blocks.push(block);
    return block;
  }

  #count(bytes: number): void {
    this.#within += bytes;
    this.#mostWithin = Math.max(this.#mostWithin, this.#within);
    if (this.#holder !== null) this.#holder.#count(bytes);
  }

  #check(): void {
    const bytes = this.#bytes + this.#within;
    if (bytes > this.#limit) throw beyond(bytes, this.#limit);
    if (this.#holder !== null) this.#holder.#check();
  }

  giveBack(): void {
    for (const block of this.#blocks.splice(0)) this.memory.free(block);
    if (this.#holder !== null) this.#holder.#count(-this.#bytes - this.#extra);
    this.#bytes = 0;
    this.#extra = 0;
  }
}

const beyond = (bytes: number, limit: number): InvariantError =>
  new InvariantError({
    what: `a task asks for ${bytes} bytes, and no more than ${limit} were stated for it`,
  });

export interface Buffer {
  readonly role: "input" | "temporary" | "output";
  readonly dtype: DType;
  readonly shape: Shape;
}

/**
 * How a domain walks a buffer: domain axis d moves `steps[d]` along buffer axis `axes[d]` (−1: it does not
 * move), beginning at `start`.
 */
export interface Access {
  readonly buffer: number;
  readonly start: readonly number[];
  readonly axes: readonly number[];
  readonly steps: readonly number[];
}

export interface LoopStep {
  readonly kind: "loop";
  readonly domain: Shape;
  readonly operands: readonly Access[];
  readonly program: ScalarProgram;
  readonly results: readonly Access[];
  /** Where the domain begins in the whole array: what `index` counts from. */
  readonly from: readonly number[];
}

export interface ReduceStep {
  readonly kind: "reduce";
  readonly domain: Shape;
  readonly axes: readonly number[];
  readonly operands: readonly Access[];
  /** operands → state */
  readonly lift: ScalarProgram;
  /** state, state → state */
  readonly combine: ScalarProgram;
  readonly identity: readonly Scalar[];
  /** A value of the state's only component, a bool, that nothing changes any more, if there is one. */
  readonly absorbing: Scalar | null;
  /** state → results; null leaves the state as it is. */
  readonly finish: ScalarProgram | null;
  /** These do not move along the reduced axes. */
  readonly results: readonly Access[];
  readonly from: readonly number[];
}

/**
 * A reduction of every segment: segment g is the elements from offsets[g] on and before offsets[g + 1], in the order of
 * any other reduction (docs/adr/0016). Buffers have one axis, and their elements lie one after another.
 */
export interface SegmentStep {
  readonly kind: "segments";
  /** An int32 buffer, one longer than there are segments; its numbers never fall. */
  readonly offsets: number;
  readonly operands: readonly number[];
  /** operands → state; `index` 0 is the place in the segment. */
  readonly lift: ScalarProgram;
  /** state, state → state */
  readonly combine: ScalarProgram;
  /** Of segments without elements. */
  readonly identity: readonly Scalar[];
  /** state, length of the segment (int64) → results */
  readonly finish: ScalarProgram;
  /** Buffers with one element for each segment. */
  readonly results: readonly number[];
}

export interface ScanStep {
  readonly kind: "scan";
  readonly domain: Shape;
  readonly axis: number;
  readonly operand: Access;
  /** running, next → running */
  readonly combine: ScalarProgram;
  readonly identity: Scalar;
  /** What came before this block, if anything did. */
  readonly before: Access | null;
  /** Each place gets what came before it, itself not included. */
  readonly exclusive: boolean;
  readonly result: Access;
}

export interface RoutineStep {
  readonly kind: "routine";
  readonly routine: string;
  readonly inputs: readonly RoutineView[];
  readonly outputs: readonly RoutineView[];
  readonly attrs: Attrs;
  readonly origin: number;
}

/** A box of elements, how it lies in a buffer, and where it begins in its whole array. */
export interface RoutineView {
  readonly access: Access;
  readonly shape: Shape;
  readonly from: readonly number[];
}

export type KernelStep = LoopStep | ReduceStep | SegmentStep | ScanStep | RoutineStep;

/** What one task does with its blocks, as data. */
export interface BlockProgram {
  /** Blocks that it reads, writes, and needs on the way. */
  readonly buffers: readonly Buffer[];
  /** What is done with them, in order. */
  readonly steps: readonly KernelStep[];
}

/** The blocks of a program's buffers: those that are given, and temporaries that are made. */
export function bindBuffers(
  program: BlockProgram,
  bound: readonly (Block | undefined)[],
  temporary: (buffer: Buffer) => Block,
): Block[] {
  return program.buffers.map((buffer, at) => {
    const block = buffer.role === "temporary" ? temporary(buffer) : bound[at];
    if (block === undefined) throw new InvariantError({ what: `buffer ${at} (${buffer.role}) is not bound` });
    return block;
  });
}

export function blockProgramText(program: BlockProgram): string {
  const buffers = program.buffers.map((b, at) => `b${at}: ${b.role} ${b.dtype} ${shapeText(b.shape)}`);
  return [...buffers, ...program.steps.map(stepText)].join("\n");
}

function stepText(step: KernelStep): string {
  switch (step.kind) {
    case "loop":
      return [
        `loop ${shapeText(step.domain)} ${accessTexts(step.operands)} → ${accessTexts(step.results)}`,
        programText(step.program, "  "),
      ].join("\n");
    case "reduce":
      return [
        `reduce ${shapeText(step.domain)} over ${shapeText(step.axes)} ${accessTexts(step.operands)} → ${accessTexts(step.results)}`,
        programText(step.lift, "  lift "),
        programText(step.combine, "  combine "),
        ...(step.finish === null ? [] : [programText(step.finish, "  finish ")]),
      ].join("\n");
    case "segments":
      return [
        `segments b${step.offsets} ${bufferTexts(step.operands)} → ${bufferTexts(step.results)}`,
        programText(step.lift, "  lift "),
        programText(step.combine, "  combine "),
        programText(step.finish, "  finish "),
      ].join("\n");
    case "scan":
      return [
        `${step.exclusive ? "exclusive scan" : "scan"} ${shapeText(step.domain)} along ${step.axis} from ${scalarText(step.identity)} ` +
          `${accessTexts(step.before === null ? [step.operand] : [step.operand, step.before])} → ${accessTexts([step.result])}`,
        programText(step.combine, "  combine "),
      ].join("\n");
    case "routine": {
      const views = (list: readonly RoutineView[]): string =>
        list.map((view) => `${accessText(view.access)}:${shapeText(view.shape)}`).join(" ");
      return `${step.routine} {${attrsText(step.attrs, () => "#")}} ${views(step.inputs)} → ${views(step.outputs)}`;
    }
    default:
      step satisfies never;
      throw step;
  }
}

const bufferTexts = (buffers: readonly number[]): string => buffers.map((buffer) => `b${buffer}`).join(" ");

const accessTexts = (accesses: readonly Access[]): string => accesses.map(accessText).join(" ");

/** `b1[0, 2+d1, 5-d0]`: each buffer axis as the place it starts and the domain axes that move it. */
function accessText({ buffer, start, axes, steps }: Access): string {
  const places = start.map((first, axis) => {
    const moves = axes.flatMap((to, d) => (to === axis && steps[d] !== 0 ? [moveText(steps[d]!, d)] : []));
    return first === 0 && moves.length > 0 ? moves.join("").replace(/^\+/, "") : `${first}${moves.join("")}`;
  });
  return `b${buffer}[${places.join(", ")}]`;
}

const moveText = (step: number, d: number): string =>
  `${step < 0 ? "-" : "+"}${Math.abs(step) === 1 ? "" : `${Math.abs(step)}·`}d${d}`;

// Lifetimes of a block program's temporaries: from the step that first touches one to the step that last does. In
// between it has memory, before and after its bytes are somebody else's. Running a program and stating its memory
// both go by this.

/** Numbers of steps, both included. */
export interface Lifetime {
  readonly first: number;
  readonly last: number;
}

/** Buffers that a step reads or writes. */
export function buffersOf(step: KernelStep): readonly number[] {
  const of = (accesses: readonly Access[]): number[] => accesses.map(({ buffer }) => buffer);
  switch (step.kind) {
    case "loop":
    case "reduce":
      return of([...step.operands, ...step.results]);
    case "segments":
      return [step.offsets, ...step.operands, ...step.results];
    case "scan":
      return of([step.operand, step.result, ...(step.before === null ? [] : [step.before])]);
    case "routine":
      return of([...step.inputs, ...step.outputs].map(({ access }) => access));
    default:
      step satisfies never;
      throw step;
  }
}

/** By buffer number; temporaries that no step touches are left out, as are inputs and outputs. */
export function lifetimesOf({ buffers, steps }: BlockProgram): Map<number, Lifetime> {
  const lifetimes = new Map<number, Lifetime>();
  if (buffers.every(({ role }) => role !== "temporary")) return lifetimes;
  steps.forEach((step, at) => {
    for (const buffer of buffersOf(step)) {
      if (buffers[buffer]!.role !== "temporary") continue;
      lifetimes.set(buffer, { first: lifetimes.get(buffer)?.first ?? at, last: at });
    }
  });
  return lifetimes;
}

/** Bytes of the temporaries that are alive during each step. */
export function liveBytes(program: BlockProgram): number[] {
  const live = program.steps.map(() => 0);
  for (const [buffer, { first, last }] of lifetimesOf(program)) {
    const { dtype, shape } = program.buffers[buffer]!;
    const bytes = blockBytes(dtype, shape);
    for (let at = first; at <= last; at++) live[at]! += bytes;
  }
  return live;
}
