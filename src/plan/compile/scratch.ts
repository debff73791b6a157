// Scratch: what a kernel step takes for itself while it runs, beside its operands and results. In: a kernel step.
// Out: a bound in bytes, with its reason. What does not grow with the task (a thread's own scratch, tiles through
// which arrays from outside are streamed) is not counted here; it belongs to the process.
// Must hold: no less than what the kernels of kernel/wasm and the routines take, for any number of threads.

import { blockBytes } from "../../core/block.ts";
import { type Shape, sizeOf } from "../../core/chunks.ts";
import { infoOf } from "../../core/dtype.ts";
import type { ContractAxes } from "../../expr/expr.ts";
import type { BlockProgram, KernelStep, ReduceStep, RoutineStep } from "../../kernel/blockProgram.ts";
import { workLength } from "../../kernel/fourier/lengths.ts";
import { countTables } from "../../kernel/routines/bins.ts";
import { MATRIX_METHODS, type MatrixMethodName } from "../../kernel/routines/matrixRows.ts";
import { blockGrid } from "../../kernel/routines/userCall.ts";
import { contractAxes } from "../../ops/contraction.ts";

interface Scratch {
  readonly reason: string;
  readonly bytes: number;
}

const NONE: Scratch = { reason: "", bytes: 0 };

export function scratchOf(step: KernelStep, { buffers }: BlockProgram): Scratch {
  switch (step.kind) {
    case "loop":
    case "scan":
    case "segments":
      return NONE;
    case "reduce":
      return { reason: "states of reductions", bytes: reduceScratch(step) };
    case "routine":
      return routineScratch(step, buffers);
    default:
      step satisfies never;
      throw step;
  }
}

/** A segment of rows has at least so many, and so many elements: kernel/wasm/reductions.ts cuts no finer. */
const SEGMENT_ROWS = 256;
const SEGMENT_ELEMENTS = 16_384;

/** A state for every column and segment: segments are what threads share out where columns are few. */
function reduceScratch({ domain, axes, combine }: ReduceStep): number {
  const rows = sizeOf(axes.map((axis) => domain[axis]!));
  const columns = sizeOf(domain.filter((_, axis) => !axes.includes(axis)));
  const bytes = combine.operands
    .slice(0, combine.operands.length / 2)
    .reduce((sum, dtype) => sum + infoOf(dtype).bytes, 0);
  const segmentRows = Math.max(SEGMENT_ROWS, SEGMENT_ELEMENTS / Math.max(1, columns));
  return bytes * columns * Math.ceil(rows / segmentRows);
}

type Buffers = BlockProgram["buffers"];

/** Of short rows: kernel/wasm/merging.ts. */
const MERGE_BYTES = 1 << 16;

/** What a routine takes, and for what. */
type Statement = readonly [reason: string, bytes: (step: RoutineStep, buffers: Buffers) => number];

const ownCopies = ({ inputs, outputs }: RoutineStep, buffers: Buffers): number =>
  allBytes([...inputs, ...outputs], buffers);

const SORTING: Statement = ["sorting", (step) => sortScratch(step)];
const RUNS: Statement = ["sorting", (step) => runScratch(step)];
/** Places in a row for each element, and where they go; or a sample of a row, its order, and the pieces of the merge. */
const MERGE: Statement = ["merging", ({ outputs }) => 8 * elements(outputs) + MERGE_BYTES];
/** Plain copies, and counts by prefix beside those by rank. */
const RANKS: Statement = [
  "counts",
  ({ inputs, outputs }, buffers) => allBytes(inputs, buffers) + 8 * elements(outputs),
];
const BINS: Statement = ["counts", (step, buffers) => binScratch(step, buffers)];
const FOUND: Statement = [
  "places",
  (step, buffers) => numbersScratch(step, buffers) + 8 * elements(step.outputs),
];
const CALL: Statement = [
  "blocks of the function",
  (step, buffers) => functionBytes(ownCopies(step, buffers), blockGrid(step.attrs).memory),
];
const NUMBERS: Statement = ["numbers", ownCopies];
/** Places as numbers, for each index and each element that is looked up. */
const PLACES: Statement = [
  "places",
  ({ inputs, outputs }) => 8 * (elements(inputs.slice(1)) + elements(outputs)),
];

/** Those, and plain copies of what may not lie as it is walked. */
const ROWS: Statement = [
  "rows",
  (step, buffers) => PLACES[1](step, buffers) + stridedBytes([...step.inputs, ...step.outputs], buffers),
];

/** By routine; those that find or move elements by their places alone are not in it. */
const STATEMENTS: Readonly<Record<string, Statement>> = {
  contract: ["packed panels", (step, buffers) => contractScratch(step, buffers)],
  ...{ sort: SORTING, argsort: SORTING },
  ...{ sortRuns: RUNS, argsortRuns: RUNS, mergeRuns: MERGE, mergePlaces: MERGE },
  blockSample: [
    "sorting",
    ({ inputs, outputs }) => (ENTRY_BYTES + 32) * elements(inputs) + 8 * elements(outputs),
  ],
  sampledElements: [
    "samples",
    ({ inputs, outputs }, buffers) => allBytes(inputs, buffers) + 16 * elements(outputs),
  ],
  select: ["keys", (step, buffers) => selectScratch(step, buffers)],
  ...{ topk: RANKS, topkPlaces: RANKS, digitCounts: RANKS, digitStep: RANKS, quantilePlaces: RANKS },
  ...{ call: CALL, callAll: CALL },
  groupby: ["groups", (step, buffers) => groupScratch(step, buffers)],
  movePlaces: ["places", ({ attrs }) => 8 * (attrs["from"] as readonly number[]).length],
  // Plain copies of all, and places as numbers.
  addAlongAxis: ["places", (step, buffers) => ownCopies(step, buffers) + 8 * elements(step.inputs.slice(1))],
  fourier: [
    "lines",
    (step, buffers) => ownCopies(step, buffers) + 16 * workLength(step.inputs[0]!.shape.at(-1)!),
  ],
  // Plain copies, as float64 where a routine does it; what a pass leaves; the table of a window.
  windowed: ["windows", (step, buffers) => windowScratch(step, buffers)],
  matrixRows: ["matrices", (step) => matrixScratch(step)],
  ...{ drawn: NUMBERS, permuted: NUMBERS },
  ...{ compact: ROWS, compactRows: ROWS, placeRows: ROWS, repeatRows: ROWS, countTrue: ROWS },
  ...{ binCounts: BINS, labelCounts: BINS },
  binPlaces: ["places", (step, buffers) => numbersScratch(step, buffers) + 4 * elements(step.outputs)],
  ...{ searchsorted: FOUND, searchsortedIn: FOUND },
};

function routineScratch(step: RoutineStep, buffers: Buffers): Scratch {
  const [reason, bytes] = STATEMENTS[step.routine] ?? PLACES;
  return { reason, bytes: bytes(step, buffers) };
}

/** A pass reads what the one before has left. */
function windowScratch(step: RoutineStep, buffers: Buffers): number {
  const passes = step.attrs["passes"] as readonly Shape[];
  const longest = passes.reduce((most, lengths) => Math.max(most, sizeOf(lengths)), 0);
  // Long windows of minima and maxima go in two passes.
  const isSeveral = passes.length > 1 || step.attrs["kind"] === "min" || step.attrs["kind"] === "max";
  const left = isSeveral ? 8 * elements(step.inputs.slice(0, 1)) : 0;
  return ownCopies(step, buffers) + left + 24 * longest;
}

/** One matrix at a time: copies of what it is given (two, to be overwritten) and gives, and those that its method has. */
function matrixScratch({ inputs, outputs, attrs }: RoutineStep): number {
  const [m, n] = inputs[0]!.shape.slice(-2) as [number, number];
  const given = inputs.reduce((sum, { shape }) => sum + sizeOf(shape.slice(-2)), 0);
  const { copies } = MATRIX_METHODS[attrs["method"] as MatrixMethodName];
  const size = Math.max(m * n, Math.min(m, n) ** 2) + m + n;
  return 8 * (2 * given + 3 * outputs[0]!.shape.at(-1)! + copies * size);
}

/** x and the labels as they lie and as numbers, the rows in order, and at most five lists as long as the result. */
function groupScratch({ inputs, outputs }: RoutineStep, buffers: Buffers): number {
  const slots = infoOf(buffers[inputs[0]!.access.buffer]!.dtype).slots;
  const numbers = 8 * slots * elements(inputs.slice(0, -1)) + 16 * elements(inputs.slice(-1));
  return allBytes(inputs, buffers) + numbers + 5 * 8 * slots * elements(outputs);
}

/** A copy of the elements as they are, as numbers, and their places; or tables of counts. */
const binScratch = ({ inputs, outputs }: RoutineStep, buffers: Buffers): number =>
  allBytes(inputs, buffers) +
  12 * elements(inputs) +
  countTables(outputs[0]!.shape.at(-1)!) * 4 * (elements(outputs) + 2);

/** The collector of garbage lets so much come together, or what some calls leave. */
const MOST_GARBAGE = 64 << 20;
const CALLS = 4;

/**
 * A function has blocks of its own: copies of what it is given, and what it gives. What else it allocates it has said; else
 * that of some calls may be there, as garbage.
 */
const functionBytes = (bytes: number, stated: number | undefined): number =>
  bytes + (stated ?? Math.min(MOST_GARBAGE, CALLS * bytes));

/** Plain copies of all inputs, and these as float64 where they are not. */
function numbersScratch({ inputs }: RoutineStep, buffers: Buffers): number {
  const { dtype } = buffers[inputs[0]!.access.buffer]!;
  return allBytes(inputs, buffers) + (dtype === "float64" ? 0 : 8 * elements(inputs));
}

const elements = (views: RoutineStep["inputs"]): number =>
  views.reduce((sum, { shape }) => sum + sizeOf(shape), 0);

const viewBytes = ({ access, shape }: RoutineStep["inputs"][number], buffers: Buffers): number =>
  blockBytes(buffers[access.buffer]!.dtype, shape);

const allBytes = (views: RoutineStep["inputs"], buffers: Buffers): number =>
  views.reduce((sum, view) => sum + viewBytes(view, buffers), 0);

/** Of views that are not a line of elements beside each other: only such surely lie in one piece, wherever their block is a part of. */
const stridedBytes = (views: RoutineStep["inputs"], buffers: Buffers): number =>
  allBytes(
    views.filter(({ access, shape }) => {
      const long = [...shape.keys()].filter((axis) => shape[axis]! > 1);
      return long.length > 1 || long.some((axis) => access.steps[axis] !== 1);
    }),
    buffers,
  );

/** The most that packed panels take: kernel/wasm/matmul/productJobs.ts. */
const PANEL_BYTES = 8 << 20;

function contractScratch({ inputs, outputs, attrs }: RoutineStep, buffers: Buffers): number {
  const bytes = [...inputs, ...outputs].map((view) => viewBytes(view, buffers));
  return contractBytes(bytes, inputs[0]!.shape.length, inputs[1]!.shape.length, contractAxes(attrs));
}

/** A panel of one operand is packed. Where several axes are walked as one, they may have to be copied together first. */
export function contractBytes(
  [a, b, c]: readonly number[],
  dimsA: number,
  dimsB: number,
  { batchA, batchB, contractA, contractB }: ContractAxes,
): number {
  const panel = Math.min(PANEL_BYTES, 2 * Math.max(a!, b!));
  const freeA = dimsA - batchA.length - contractA.length;
  const freeB = dimsB - batchB.length - contractB.length;
  return panel + (Math.max(freeA, freeB, contractA.length) <= 1 ? 0 : a! + b! + c!);
}

/** As many rows are sorted at once as there are threads; a process has at most so many unless it is told otherwise. */
const SORTED_AT_ONCE = 8;
const ENTRY_BYTES = 24;

function sortScratch({ inputs, attrs }: RoutineStep): number {
  const shape: Shape = inputs[0]!.shape;
  const length = shape[attrs["axis"] as number] ?? 1;
  const rows = length === 0 ? 0 : sizeOf(shape) / length;
  return Math.min(SORTED_AT_ONCE, rows) * length * ENTRY_BYTES;
}

/** What sorts a block, where it goes to, and a plain copy of its places. */
function runScratch({ inputs, attrs }: RoutineStep): number {
  const length = inputs[0]!.shape[0]!;
  return (ENTRY_BYTES + 16) * Math.min(attrs["block"] as number, length);
}

/** Plain copies of what it is given and gives, and the keys of as many lines as there are threads. */
function selectScratch({ inputs, outputs }: RoutineStep, buffers: Buffers): number {
  const { shape } = inputs[0]!;
  const length = shape.at(-1)!;
  const lines = length === 0 ? 0 : sizeOf(shape) / length;
  const keys = Math.min(SORTED_AT_ONCE, lines) * (8 * (length + 1) + 64);
  return allBytes([...inputs, ...outputs], buffers) + keys;
}
