// sort and argsort as kernels. In: a routine's call. Out: true, with the output written; false where the routine itself
// has to do it: complex numbers, or no room for copies.

import type { Block } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import { infoOf, isComplex, type RealDType } from "../../core/dtype.ts";
import type { RoutineCall } from "../routine.ts";
import { booleanAttr, integerAttr } from "../routines/attributes.ts";
import { otherAxes } from "../routines/stridedWalk.ts";
import { withBuffer, workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";
import type { KernelMemory } from "./memory.ts";
import { SCRATCH_BYTES } from "./module.ts";
import { axisWords, type RowAxis, rowCount } from "./rowPlace.ts";
import { COUNTER_BYTES, type SortKind } from "./sort/row.ts";
import { sortModule, WORDS } from "./sort/sortKernel.ts";

// sort and argsort as jobs. In: where rows, or segments, lie in the memory, in bytes. Out: kernels, parameters and units, and how
// much memory they need beside the threads' scratch. Jobs run one after another; the units of one may run at once.
// Must hold: the output is not the input; each row of the output has its own memory.

export interface SortRows {
  readonly kind: SortKind;
  readonly dtype: RealDType;
  readonly descending: boolean;
  /** Elements of a row. */
  readonly length: number;
  /** Addresses of the first row's first element, and the bytes from an element to the next. */
  readonly input: number;
  readonly inputStride: number;
  readonly output: number;
  readonly outputStride: number;
  /** Outermost first, with the strides of the input and of the output; none: one row. */
  readonly axes: readonly RowAxis[];
}

/** Segments, one after another in the input and in the output. */
interface SortSegments extends Omit<SortRows, "length" | "axes"> {
  /** The address of the offsets, and what lies there. */
  readonly offsets: number;
  readonly ends: Int32Array;
}

interface SortJob {
  readonly parameters: readonly number[];
  /** Rows. */
  readonly units: number;
  /** So many rows at a time are worth a thread's while. */
  readonly part: number;
}

/** Elements for which it pays to fetch another unit. */
const PART_ELEMENTS = 16384;

const entryBytes = ({ kind, dtype }: SortRows): number =>
  kind === "argsort" ? 8 : Math.max(4, infoOf(dtype).bytes);

/** Memory for one row: one buffer where the output can be the other. */
function workBytes(rows: SortRows): number {
  const bytes = entryBytes(rows);
  const elementBytes = rows.kind === "argsort" ? 8 : infoOf(rows.dtype).bytes;
  const buffers = elementBytes === bytes && rows.outputStride === bytes ? 1 : 2;
  return Math.ceil((buffers * rows.length * bytes) / 64) * 64;
}

const fitsScratch = (rows: SortRows): boolean => workBytes(rows) + COUNTER_BYTES <= SCRATCH_BYTES;

/** 0 where scratch is enough. Otherwise as many rows at once as there are threads have a buffer. */
export function sortBufferBytes(rows: SortRows, threads: number): number {
  return fitsScratch(rows) ? 0 : workBytes(rows) * Math.min(threads, rowCount(rows.axes));
}

/** `buffer`: the address of `sortBufferBytes(rows, threads)` bytes. */
export function sortJobs(rows: SortRows, threads: number, buffer: number): SortJob[] {
  const total = rowCount(rows.axes);
  if (total === 0 || rows.length === 0) return [];
  const jobs = { ...rows, offsets: 0 };
  if (fitsScratch(rows)) return [jobOf(jobs, 0, total, 0, rows.length)];
  const starts = Array.from({ length: Math.ceil(total / threads) }, (_, i) => i * threads);
  return starts.map((first) => jobOf(jobs, first, Math.min(threads, total - first), buffer, rows.length));
}

/** Memory for the longest segment, where scratch is too small for it: then segments are sorted one after another. */
function segmentBufferBytes(segments: SortSegments): number {
  const rows = { ...segments, length: longestOf(segments.ends), axes: [] };
  return fitsScratch(rows) ? 0 : workBytes(rows);
}

function longestOf(ends: Int32Array): number {
  let longest = 0;
  for (let g = 0; g + 1 < ends.length; g++) longest = Math.max(longest, ends[g + 1]! - ends[g]!);
  return longest;
}

/** `buffer`: the address of `segmentBufferBytes` bytes. */
function segmentJob(segments: SortSegments, buffer: number): SortJob {
  const count = segments.ends.length - 1;
  const mean = Math.max(1, (segments.ends[count]! - segments.ends[0]!) / count);
  const job = jobOf({ ...segments, length: 0, axes: [] }, 0, count, buffer, mean);
  return buffer === 0 ? job : { ...job, part: count };
}

/** `length`: of a row, about. */
function jobOf(
  rows: SortRows & { readonly offsets: number },
  firstRow: number,
  units: number,
  work: number,
  length: number,
): SortJob {
  const words = { ...rows, descending: Number(rows.descending), work, workStride: workBytes(rows), firstRow };
  const parameters = [...WORDS.map((word) => words[word]), ...axisWords(rows.axes)];
  const part = work === 0 ? Math.max(1, Math.floor(PART_ELEMENTS / length)) : 1;
  return { parameters, units, part };
}

export function runSort(
  machine: WasmMachine,
  kind: SortKind,
  { inputs, outputs, attrs }: RoutineCall,
  threads: number,
): boolean {
  const { memory } = machine;
  const { dtype, shape } = inputs[0]!;
  if (isComplex(dtype) || sizeOf(shape) === 0) return false;
  let isDone = false;
  const isInside = workInside(memory, inputs, outputs, ([x], [y]) => {
    const rows = rowsOf(memory, kind, x!, y!, integerAttr(attrs, "axis"), booleanAttr(attrs, "descending"));
    isDone = withBuffer(memory, sortBufferBytes(rows, threads), (buffer) => {
      runJobs(machine, sortJobs(rows, threads, buffer), rows, false, threads);
    });
  });
  return isInside && isDone;
}

/** Segments of the first input: from the second's g-th number on and before the next. */
export function runSegmentSort(
  machine: WasmMachine,
  kind: SortKind,
  { inputs, outputs, attrs }: RoutineCall,
  threads: number,
): boolean {
  const { memory } = machine;
  let isDone = false;
  const isInside = workInside(memory, inputs, outputs, ([x, lists], [y]) => {
    const [inputStride, outputStride] = [infoOf(x!.dtype).bytes, infoOf(y!.dtype).bytes];
    const segments: SortSegments = {
      ...{ kind, dtype: x!.dtype as RealDType, descending: booleanAttr(attrs, "descending") },
      ...{ input: memory.placedAddress(x!), inputStride, output: memory.placedAddress(y!), outputStride },
      ...{ offsets: memory.placedAddress(lists!), ends: lists!.data as Int32Array },
    };
    isDone = withBuffer(memory, segmentBufferBytes(segments), (buffer) => {
      runJobs(machine, [segmentJob(segments, buffer)], segments, true, threads);
    });
  });
  return isInside && isDone;
}

function runJobs(
  { kernels, jobs: shared }: WasmMachine,
  jobs: readonly SortJob[],
  { kind, dtype }: Pick<SortRows, "kind" | "dtype">,
  isSegmented: boolean,
  threads: number,
): void {
  const kernel = kernels.get(`${kind} ${dtype} ${isSegmented}`, (isShared) =>
    sortModule(isShared, kind, dtype, isSegmented),
  );
  for (const { parameters, units, part } of jobs) shared.run(kernel, parameters, units, part, threads);
}

function rowsOf(
  memory: KernelMemory,
  kind: SortKind,
  x: Block,
  y: Block,
  axis: number,
  descending: boolean,
): SortRows {
  const [inBytes, outBytes] = [infoOf(x.dtype).bytes, infoOf(y.dtype).bytes];
  return {
    ...{ kind, dtype: x.dtype as RealDType, descending, length: x.shape[axis]! },
    ...{ input: memory.placedAddress(x), inputStride: x.strides[axis]! * inBytes },
    ...{ output: memory.placedAddress(y), outputStride: y.strides[axis]! * outBytes },
    axes: otherAxes(x.shape.length, [axis]).map((d) => ({
      count: x.shape[d]!,
      strides: [x.strides[d]! * inBytes, y.strides[d]! * outBytes],
    })),
  };
}
