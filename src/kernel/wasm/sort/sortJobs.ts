// sort and argsort as jobs. In: where rows lie in the memory, in bytes. Out: kernels, parameters and units, and how
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

export interface SortJob {
  /** One for each module that `sortModule(isShared, kind, dtype)` makes. */
  readonly key: string;
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
  if (fitsScratch(rows)) return [jobOf(rows, 0, total, 0)];
  const starts = Array.from({ length: Math.ceil(total / threads) }, (_, i) => i * threads);
  return starts.map((first) => jobOf(rows, first, Math.min(threads, total - first), buffer));
}

function jobOf(rows: SortRows, firstRow: number, units: number, work: number): SortJob {
  const words = { ...rows, descending: Number(rows.descending), work, workStride: workBytes(rows), firstRow };
  const parameters = [...WORDS.map((word) => words[word]), ...axisWords(rows.axes)];
  const part = work === 0 ? Math.max(1, Math.floor(PART_ELEMENTS / rows.length)) : 1;
  return { key: `${rows.kind} ${rows.dtype}`, parameters, units, part };
}
