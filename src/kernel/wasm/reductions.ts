// Runs reduce steps as kernels. In: a step and blocks. Out: its results written, in the order that
// interpret/reduce.ts defines. The domain is a plane: rows that are reduced by columns that are kept. Where every
// operand walks both with one stride each, in the kernels' memory, the kernel reads it there; otherwise it is
// brought there patch by patch (patches.ts). Segments' totals are combined by the same kind of kernel.

import type { Block, Place } from "../../core/block.ts";
import { sizeOf, stridesOf } from "../../core/chunks.ts";
import { type DType, infoOf } from "../../core/dtype.ts";
import type { Scalar } from "../../core/numbers.ts";
import type { Access, ReduceStep } from "../blockProgram.ts";
import { BLOCK_ROWS } from "../interpret/reduce.ts";
import { type Walk, withConstants } from "./families.ts";
import { runWalks, walkThrough } from "./loops.ts";
import { type LoopJob, loopWord, type WasmMachine } from "./machine.ts";
import {
  addressesOf,
  asTheyAre,
  type PlaneKernel,
  planeKernel,
  type Reduction,
  reducePatches,
  runPlane,
  takeStates,
  UNIT_ELEMENTS,
} from "./patches.ts";
import {
  operandWord,
  type PlaneOperand,
  type ReduceCut,
  type ReducePlane,
  reduceWalk,
} from "./reduceLayout.ts";

/** What a unit of work should have at least where a patch has to hold several of them. */
const PATCH_UNIT_ELEMENTS = 16_384;

/** False where there is nothing to reduce or no memory for states: the interpreter does it. */
export function runReduceKernel(
  machine: WasmMachine,
  step: ReduceStep,
  blocks: readonly Block[],
  threads: number,
): boolean {
  if (machine.prepared.run(step, blocks)) return true;
  const reduction = reductionOf(machine, step, blocks, threads);
  if (reduction.rows === 0 || reduction.columns === 0) return false;
  const family = isSmall(reduction) ? machine.families.of(step.lift) : null;
  let isDone = false;
  const hasRun =
    family !== null &&
    withConstants(machine.memory, family.constants, step.domain.length, (constants) => {
      const operands = [...reduction.operands, ...constants];
      isDone = reduceBrought({ ...reduction, step: { ...step, lift: family.program }, operands }, blocks);
    });
  return hasRun ? isDone : reduceBrought(reduction, blocks);
}

/** To compile a kernel takes longer than this many elements. */
const SMALL_ELEMENTS = 65_536;

const isSmall = ({ rows, columns }: Pick<Reduction, "rows" | "columns">): boolean =>
  rows * columns < SMALL_ELEMENTS;

function reduceBrought(reduction: Reduction, blocks: readonly Block[]): boolean {
  const brought: Place[] = [];
  const operands = reduction.operands.map((walk) => broughtIn(walk, reduction, brought));
  try {
    return reduceTo({ ...reduction, operands }, blocks);
  } finally {
    for (const place of brought) reduction.machine.memory.give(place);
  }
}

/** Of what is small and used for many places (weights of rows, say) a copy in memory is cheaper than patches. */
const SMALL_BYTES = 1 << 16;

function broughtIn(walk: Walk, { machine, step, rows, columns }: Reduction, brought: Place[]): Walk {
  const { memory } = machine;
  if (memory.addressOf(walk) !== null) return walk;
  const { data, dtype, offset, strides } = walk;
  const ends = strides.map((stride, axis) => stride * (step.domain[axis]! - 1));
  const first = ends.reduce((sum, end) => sum + Math.min(0, end), offset);
  const count = ends.reduce((sum, end) => sum + Math.abs(end), 1);
  const { bytes, slots } = infoOf(dtype);
  const isWorth = count * bytes <= SMALL_BYTES && 8 * count <= rows * columns;
  const place = isWorth ? memory.take(count * bytes) : null;
  if (place === null) return walk;
  brought.push(place);
  const copy = memory.blockAt(place, dtype, [count]).data;
  (copy as Float64Array).set(data.subarray(first * slots, (first + count) * slots) as Float64Array);
  return { data: copy, dtype, offset: offset - first, strides, place };
}

function reduceTo(reduction: Reduction, blocks: readonly Block[]): boolean {
  const { machine, rows, columns, states } = reduction;
  const plane = planeOf(reduction);
  const cut = cutOf(reduction, plane);
  if (plane !== null && isAtOnce(reduction, cut, blocks)) {
    const states = machine.prepared.states(reduction.states.map((dtype) => infoOf(dtype).bytes * columns));
    if (states !== null) return reduceAtOnce(reduction, plane, cut, states, blocks);
  }
  const totals = takeStates(machine.memory, states, Math.ceil(rows / cut.segmentRows) * columns);
  if (totals === null) return false;
  try {
    const segments = reduceSegments(reduction, plane, cut, totals);
    if (segments > 1) combineSegments(reduction, segments, totals);
    finish(reduction, totals, blocks);
  } finally {
    for (const place of totals) machine.memory.give(place);
  }
  return true;
}

/** Small, all of it in memory, in one segment: two jobs, of which only the addresses change from run to run. */
function isAtOnce(
  { machine, step, operands, rows, ...reduction }: Reduction,
  { segmentRows }: ReduceCut,
  blocks: readonly Block[],
): boolean {
  const isIn = ({ buffer }: Access): boolean => machine.memory.addressOf(blocks[buffer]!) !== null;
  return (
    isSmall({ rows, columns: reduction.columns }) &&
    segmentRows >= rows &&
    step.absorbing === null &&
    operands.length === step.operands.length &&
    [...step.operands, ...step.results].every(isIn)
  );
}

function reduceAtOnce(
  reduction: Reduction,
  plane: ReducePlane,
  cut: ReduceCut,
  totals: readonly Place[],
  blocks: readonly Block[],
): true {
  const { machine, step, states } = reduction;
  const kernel = planeKernel(machine.kernels, plane, step.lift, step, states);
  const reducing = runPlane(machine, plane, kernel, cut, addressesOf(totals), 1);
  const finishing = finish(reduction, totals, blocks);
  if (finishing === null) return true;
  const read = step.operands.map((access, k) => ({ access, job: 0, word: operandWord(k) }));
  const written = step.results.map((access, k) => ({
    ...{ access, job: 1, word: loopWord(finishing.dims, states.length + k) },
  }));
  machine.prepared.add(step, blocks, [reducing, finishing], [...read, ...written]);
  return true;
}

/** To totals[component][segment][column]; gives the number of segments that matter. */
function reduceSegments(
  reduction: Reduction,
  plane: ReducePlane | null,
  cut: ReduceCut,
  totals: readonly Place[],
): number {
  const { machine, step, states, rows, columns, threads } = reduction;
  const segments = Math.ceil(rows / cut.segmentRows);
  if (plane === null) reducePatches(reduction, cut, totals);
  else {
    const kernel = planeKernel(machine.kernels, plane, step.lift, step, states);
    if (step.absorbing !== null && columns === 1)
      return reduceUntilAbsorbed(reduction, plane, kernel, cut, totals[0]!, step.absorbing);
    runPlane(machine, plane, kernel, cut, addressesOf(totals), threads);
  }
  return segments;
}

/** Twice as many segments each time, until one of them settles the matter: the rest need not be read. */
function reduceUntilAbsorbed(
  { machine, threads }: Reduction,
  plane: ReducePlane,
  kernel: PlaneKernel,
  cut: ReduceCut,
  totals: Place,
  absorbing: Scalar,
): number {
  const { segmentRows } = cut;
  const segments = Math.ceil(plane.rows / segmentRows);
  const settled = machine.memory.blockAt(totals, "uint8", [segments]).data as Uint8Array;
  for (let done = 0, count = 1; done < segments; done += count, count *= 2) {
    const row = done * segmentRows;
    const operands = plane.operands.map((operand) => ({
      ...operand,
      address: operand.address + row * operand.rowStride,
    }));
    const rows = Math.min(plane.rows - row, count * segmentRows);
    runPlane(machine, { ...plane, rows, operands }, kernel, cut, [totals.address + done], threads);
    const end = Math.min(segments, done + count);
    if (settled.subarray(done, end).includes(Number(absorbing))) return end;
  }
  return segments;
}

function reductionOf(
  machine: WasmMachine,
  step: ReduceStep,
  blocks: readonly Block[],
  threads: number,
): Reduction {
  const { domain, axes, combine } = step;
  const kept = domain.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  const size = (list: readonly number[]): number => sizeOf(list.map((axis) => domain[axis]!));
  return {
    ...{ machine, step, kept, rows: size(axes), columns: size(kept) },
    operands: step.operands.map((access) => walkThrough(access, blocks)),
    states: combine.operands.slice(0, combine.operands.length / 2),
    threads,
  };
}

/** Parts of the work for each thread: enough that none waits long for the last. */
const UNITS_PER_THREAD = 8;

/** All rows at once where columns alone make enough units of work. Else segments of 2ᵏ blocks. */
function cutOf({ rows, columns, threads, states }: Reduction, plane: ReducePlane | null): ReduceCut {
  const tileColumns = plane === null ? columns : reduceWalk(plane, states).tileColumns;
  const unitElements = plane === null ? PATCH_UNIT_ELEMENTS : UNIT_ELEMENTS;
  const tiles = Math.ceil(columns / tileColumns);
  const wanted = Math.max(BLOCK_ROWS, unitElements / Math.min(columns, tileColumns));
  const segmentRows = BLOCK_ROWS * 2 ** Math.ceil(Math.log2(wanted / BLOCK_ROWS));
  const isWhole = tiles >= UNITS_PER_THREAD * threads || segmentRows >= rows;
  return { blockRows: BLOCK_ROWS, segmentRows: isWhole ? rows : segmentRows };
}

/** The operands where they lie; null where one cannot be walked by two strides, or a coordinate is asked for. */
function planeOf({ machine, step, operands, kept, rows, columns }: Reduction): ReducePlane | null {
  if (step.lift.instructions.some(({ prim }) => prim === "index")) return null;
  const places: PlaneOperand[] = [];
  for (const walk of operands) {
    const address = machine.memory.addressOf(walk);
    const row = singleStride(step.domain, step.axes, walk.strides);
    const column = singleStride(step.domain, kept, walk.strides);
    if (address === null || row === null || column === null) return null;
    const { bytes } = infoOf(walk.dtype);
    places.push({ dtype: walk.dtype, address, rowStride: row * bytes, columnStride: column * bytes });
  }
  return { rows, columns, operands: places };
}

/** The stride of some axes walked as one; null where they cannot be. */
function singleStride(
  domain: readonly number[],
  axes: readonly number[],
  strides: readonly number[],
): number | null {
  const long = axes.filter((axis) => domain[axis] !== 1);
  for (let i = 1; i < long.length; i++)
    if (strides[long[i - 1]!] !== strides[long[i]!]! * domain[long[i]!]!) return null;
  return long.length === 0 ? 0 : strides[long.at(-1)!]!;
}

/** The states [rows][columns] at these addresses as the operands of a plane. */
function statePlane(
  states: readonly DType[],
  at: readonly number[],
  rows: number,
  columns: number,
): ReducePlane {
  const operands = states.map((dtype, i): PlaneOperand => {
    const { bytes } = infoOf(dtype);
    return { dtype, address: at[i]!, rowStride: columns * bytes, columnStride: bytes };
  });
  return { rows, columns, operands };
}

/** totals[component][0][column] ← all segments; each of them is a block of its own. */
function combineSegments(
  { machine, step, states, columns }: Reduction,
  segments: number,
  places: readonly Place[],
): void {
  const totals = addressesOf(places);
  const plane = statePlane(states, totals, segments, columns);
  // A unit reads all segments of its columns before it writes their total.
  const cut = { blockRows: 1, segmentRows: segments };
  const kernel = planeKernel(machine.kernels, plane, asTheyAre(states), step, states);
  runPlane(machine, plane, kernel, cut, totals, 1);
}

/** Totals to results: through `finish`, or as they are. */
function finish(reduction: Reduction, totals: readonly Place[], blocks: readonly Block[]): LoopJob | null {
  const { machine, step, states, kept, columns, threads } = reduction;
  const domain = kept.map((axis) => step.domain[axis]!);
  const from = states.map((dtype, i): Walk => {
    const { data, place } = machine.memory.blockAt(totals[i]!, dtype, [columns]);
    return { data, dtype, offset: 0, strides: stridesOf(domain), place };
  });
  const to = step.results.map((access) => {
    const walk = walkThrough(access, blocks);
    return { ...walk, strides: kept.map((axis) => walk.strides[axis]!) };
  });
  return runWalks(machine, step.finish ?? asTheyAre(states), domain, [...from, ...to], [], threads);
}
