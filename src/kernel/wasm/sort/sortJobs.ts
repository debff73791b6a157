// sort and argsort as jobs. In: where rows, or segments, lie in the memory, in bytes. Out: kernels, parameters and units, and how
// much memory they need beside the threads' scratch. Jobs run one after another; the units of one may run at once.
// Must hold: the output is not the input; each row of the output has its own memory.

import { infoOf, type RealDType } from "../../../core/dtype.ts";
import { SCRATCH_BYTES } from "../module.ts";
import { axisWords, type RowAxis, rowCount } from "../rowPlace.ts";
import { COUNTER_BYTES, type SortKind } from "./row.ts";
import { WORDS } from "./sortKernel.ts";

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
export interface SortSegments extends Omit<SortRows, "length" | "axes"> {
  /** The address of the offsets, and what lies there. */
  readonly offsets: number;
  readonly ends: Int32Array;
}

export interface SortJob {
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
export function segmentBufferBytes(segments: SortSegments): number {
  const rows = { ...segments, length: longestOf(segments.ends), axes: [] };
  return fitsScratch(rows) ? 0 : workBytes(rows);
}

function longestOf(ends: Int32Array): number {
  let longest = 0;
  for (let g = 0; g + 1 < ends.length; g++) longest = Math.max(longest, ends[g + 1]! - ends[g]!);
  return longest;
}

/** `buffer`: the address of `segmentBufferBytes` bytes. */
export function segmentJob(segments: SortSegments, buffer: number): SortJob {
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
