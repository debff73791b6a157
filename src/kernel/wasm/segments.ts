// Runs reductions of segments as kernels. In: a step and blocks. Out: its results written, in the order that
// interpret/segments.ts defines. What lies outside of the kernels' memory is copied there for a while. A few long segments
// are reduced one after another, each by all threads.

import type { Block } from "../../core/block.ts";
import { infoOf } from "../../core/dtype.ts";
import type { Borrowed, ReduceStep, SegmentStep } from "../blockProgram.ts";
import { BLOCK_ROWS, REDUCE_LANES, runReduce } from "../interpret/reduce.ts";
import type { ScalarProgram } from "../program.ts";
import type { WasmKernel } from "./control.ts";
import type { Kernels } from "./families.ts";
import { workInside } from "./inside.ts";
import { runWalks } from "./loops.ts";
import type { WasmMachine } from "./machine.ts";
import type { KernelMemory } from "./memory.ts";
import { textOf } from "./module.ts";
import { asTheyAre } from "./patches.ts";
import { FIRST_LEVEL, REDUCE_WORDS, type ReduceWord } from "./reduceLayout.ts";
import { runReduceKernel } from "./reductions.ts";
import { segmentModule } from "./segmentKernel.ts";

/** Elements and segments that one thread takes at a time, and from which on others are asked for help. */
const PART_LANES = 32_768;
const WORTH_SHARING = 1 << 17;
/** Segments of so many elements each, and no more of them than this, are worth all threads one by one. */
const LONG_ELEMENTS = 1 << 16;
const MOST_LONG = 64;

/** False where there is no memory for what comes from outside. */
export function runSegmentKernel(
  machine: WasmMachine,
  step: SegmentStep,
  blocks: readonly Block[],
  room: Borrowed,
  threads: number,
): boolean {
  const { memory, kernels, jobs } = machine;
  const offsets = blocks[step.offsets]!;
  const count = offsets.shape[0]! - 1;
  if (count < 1) return true;
  const ends = offsets.data.subarray(offsets.offset, offsets.offset + count + 1) as Int32Array;
  const elements = ends[count]! - ends[0]!;
  const inputs = [offsets, ...step.operands.map((buffer) => blocks[buffer]!)];
  const results = step.results.map((buffer) => blocks[buffer]!);
  return workInside(memory, inputs, results, ([lists, ...operands], outs) => {
    if (areLong(ends)) return reduceEach(machine, room, step, operands, outs, ends, threads);
    const parameters = parametersOf(memory, step, operands, outs, lists!);
    const part = Math.max(1, Math.ceil((PART_LANES * count) / (elements + count)));
    jobs.run(
      kernelFor(kernels, step),
      parameters,
      count,
      part,
      elements + count < WORTH_SHARING ? 1 : threads,
    );
  });
}

/** Few, none of them short. */
const areLong = (ends: Int32Array): boolean =>
  ends.length - 1 <= MOST_LONG && ends.every((end, g) => g === 0 || end - ends[g - 1]! >= LONG_ELEMENTS);

/** A kernel counts places through an operand of its own. */
function withPlaces(lift: ScalarProgram): ScalarProgram {
  const place = lift.operands.length;
  return {
    ...lift,
    operands: [...lift.operands, "int64"],
    instructions: lift.instructions.map((instruction) =>
      instruction.prim === "index" ? { ...instruction, prim: "load", imm: place } : instruction,
    ),
  };
}

const countsPlaces = ({ lift }: SegmentStep): boolean =>
  lift.instructions.some(({ prim }) => prim === "index");

function kernelFor(kernels: Kernels, step: SegmentStep): WasmKernel {
  const { lift, combine, identity, finish } = step;
  const key = `segments ${identity.join()} ${[lift, combine, finish].map(textOf).join("\n")}`;
  return kernels.get(key, (isShared) => {
    const counts = countsPlaces(step);
    const programs = { combine, identity, finish, countsPlaces: counts };
    return segmentModule(isShared, { ...programs, lift: counts ? withPlaces(lift) : lift });
  });
}

const WORDS: { readonly [W in ReduceWord]: number } = {
  ...{ rows: 0, columns: 1, blockRows: BLOCK_ROWS, segmentRows: 0, tileColumns: 1 },
  ...{ lanesTogether: REDUCE_LANES, scratchRows: FIRST_LEVEL + 32 },
};

/** Where operands, results and offsets lie, and how many elements can be read. */
function parametersOf(
  memory: KernelMemory,
  step: SegmentStep,
  operands: readonly Block[],
  results: readonly Block[],
  offsets: Block,
): number[] {
  const words: number[] = REDUCE_WORDS.map((word) => WORDS[word]);
  for (const block of operands) words.push(memory.placedAddress(block), infoOf(block.dtype).bytes, 0);
  if (countsPlaces(step)) words.push(0, infoOf("int64").bytes, 0);
  const readable = Math.min(...operands.map(({ shape }) => shape[0]!));
  const written = results.map((block) => memory.placedAddress(block));
  return [...words, ...written, memory.placedAddress(offsets), readable];
}

/** Each segment as a reduction of its own, then what comes of all states. */
function reduceEach(
  machine: WasmMachine,
  room: Borrowed,
  { combine, identity, lift, finish }: SegmentStep,
  operands: readonly Block[],
  results: readonly Block[],
  ends: Int32Array,
  threads: number,
): void {
  const count = ends.length - 1;
  const states = combine.operands.slice(0, identity.length);
  const borrowed = room.within();
  try {
    const kept = states.map((dtype) => borrowed.block(dtype, [count]));
    const lengths = borrowed.block("int64", [count]);
    const shared = { combine, identity, lift, absorbing: null, finish: asTheyAre(states) };
    for (let g = 0; g < count; g++) {
      const length = ends[g + 1]! - ends[g]!;
      (lengths.data as BigInt64Array)[g] = BigInt(length);
      const one: ReduceStep = {
        ...{ ...shared, kind: "reduce", domain: [length], axes: [0], from: [0] },
        operands: operands.map((_, buffer) => ({ buffer, start: [ends[g]!], axes: [0], steps: [1] })),
        results: states.map((_, i) => ({ buffer: operands.length + i, start: [g], axes: [-1], steps: [0] })),
      };
      const blocks = [...operands, ...kept];
      if (!runReduceKernel(machine, one, blocks, threads)) runReduce(one, blocks);
    }
    runWalks(machine, finish, [count], [...kept, lengths, ...results], [], 1);
  } finally {
    borrowed.giveBack();
  }
}
