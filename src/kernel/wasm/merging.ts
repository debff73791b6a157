// mergeRuns and mergePlaces as a kernel. In: a routine's call. Out: true, with the output written; false where the routine itself has to
// do it: complex numbers, strided blocks, no room. A row is cut into pieces that are merged by themselves, by all threads; NaN,
// which is at the end of every run, is copied behind them.
// Must hold: the same bits as the routine.

import { type Block, isContiguous, newBlock } from "../../core/block.ts";
import { type DType, infoOf, isComplex, isFloat, type RealDType, type TypedArray } from "../../core/dtype.ts";
import type { RoutineCall } from "../routine.ts";
import { booleanAttr } from "../routines/attributes.ts";
import { type RowToMerge, rowsToMerge } from "../routines/sortedRuns.ts";
import { withBuffer, workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";
import { cutsOf, numbersIn, type Run, type Sampling, sampleOf } from "./merge/cuts.ts";
import { ENTRY_WORDS, type MergeKind, MOST_IN_PIECE, mergeModule, RUN_WORDS } from "./merge/mergeKernel.ts";
import { runSort } from "./sorting.ts";

/** Pieces of about so many elements stay in a thread's cache while they are merged. */
const PIECE = 8192;
const LONGEST_STEP = 256;

/** A piece has at most (samples + runs) · step elements. */
function samplingOf(runs: number): Sampling {
  const step = Math.max(1, Math.min(LONGEST_STEP, Math.floor((MOST_IN_PIECE - PIECE) / Math.max(1, runs))));
  return { step, samples: Math.floor(PIECE / step) };
}

export function runMerge(machine: WasmMachine, kind: MergeKind, call: RoutineCall, threads: number): boolean {
  const { inputs, outputs } = call;
  const rows = inputs[0]!;
  if (isComplex(rows.dtype) || !outputs.every(isContiguous)) return false;
  if (inputs.some(({ strides }) => strides[1] !== 1)) return false;
  let isDone = true;
  const isInside = workInside(machine.memory, inputs, outputs, (given, made) => {
    for (const row of rowsToMerge({ ...call, inputs: given, outputs: made }))
      isDone &&= mergeRow(machine, kind, row, booleanAttr(call.attrs, "descending"), threads);
  });
  return isInside && isDone;
}

const part = ({ data, offset }: Block, from: number, to: number): TypedArray =>
  data.subarray(offset + from, offset + to);

export function mergeRow(
  machine: WasmMachine,
  kind: MergeKind,
  row: RowToMerge,
  descending: boolean,
  threads: number,
): boolean {
  const { values, counts, skip, output } = row;
  const data = part(values, 0, values.shape[0]!);
  const [runs, others]: [Run[], Run[]] = [[], []];
  let [from, numbers] = [0, 0];
  for (const count of counts) {
    const run = { from, to: from + count };
    const to = isFloat(values.dtype) ? numbersIn(data, run) : run.to;
    if (to > from) runs.push({ from, to });
    if (to < run.to) others.push({ from: to, to: run.to });
    numbers += to - from;
    from += count;
  }
  copyOthers(kind === "places" ? row.places! : values, others, output, skip - numbers);
  const wanted = { from: skip, to: Math.min(numbers, skip + output.shape[0]!) };
  if (wanted.to <= wanted.from) return true;
  const pieces = piecesOf(machine, values.dtype, data, runs, wanted, descending);
  return pieces !== null && mergePieces(machine, kind, row, pieces, descending, threads);
}

/** NaNs, run after run. `behind`: how many of them are before the output; below 0: where they begin in it. */
function copyOthers(values: Block, others: readonly Run[], output: Block, behind: number): void {
  let at = -behind;
  const target = part(output, 0, output.shape[0]!);
  for (const { from, to } of others) {
    const first = Math.max(from, from - at);
    const count = Math.min(to - first, target.length - (at + first - from));
    if (count > 0) target.set(part(values, first, first + count) as never, at + first - from);
    at += to - from;
  }
}

/** What is merged by itself: the runs' parts, the first element of the output, and which of the piece are asked for. */
interface Piece {
  readonly runs: readonly Run[];
  readonly out: number;
  readonly skip: number;
  readonly count: number;
  readonly isWhole: boolean;
}

/** Those that have some of the wanted elements; null where there is no room to put a sample in order. */
function piecesOf(
  machine: WasmMachine,
  dtype: DType,
  data: TypedArray,
  runs: readonly Run[],
  wanted: Run,
  descending: boolean,
): Piece[] | null {
  const sampling = samplingOf(runs.length);
  const order = orderOf(machine, sampleOf(data, runs, sampling.step), dtype, descending);
  if (order === null) return null;
  const cuts = cutsOf(data, runs, sampling, order, descending);
  const pieces: Piece[] = [];
  let before = 0;
  for (let i = 0; i + 1 < cuts.length; i++) {
    const parts = runs.map((_, r) => ({ from: cuts[i]![r]!, to: cuts[i + 1]![r]! }));
    const length = parts.reduce((sum, { from, to }) => sum + to - from, 0);
    const [first, end] = [Math.max(before, wanted.from), Math.min(before + length, wanted.to)];
    if (first < end)
      pieces.push({
        runs: parts.filter(({ from, to }) => from < to),
        ...{ out: first - wanted.from, skip: first - before, count: end - first },
        isWhole: end - first === length,
      });
    before += length;
  }
  return pieces;
}

function orderOf(
  machine: WasmMachine,
  data: TypedArray,
  dtype: DType,
  descending: boolean,
): BigInt64Array | null {
  const shape = [data.length];
  const sample: Block = { dtype, shape, strides: [1], offset: 0, data };
  const order = newBlock("int64", shape);
  const call = { inputs: [sample], outputs: [order], attrs: { axis: 0, descending }, starts: [] };
  return data.length === 0 || runSort(machine, "argsort", call, 1) ? (order.data as BigInt64Array) : null;
}

function mergePieces(
  { memory, kernels, jobs }: WasmMachine,
  kind: MergeKind,
  { values, places, output }: RowToMerge,
  pieces: readonly Piece[],
  descending: boolean,
  threads: number,
): boolean {
  const { dtype } = values;
  const most = pieces.reduce((count, { runs }) => Math.max(count, runs.length), 1);
  const words = ENTRY_WORDS + RUN_WORDS * (most + 1);
  const from = memory.placedAddress(values);
  return withBuffer(memory, 4 * words * pieces.length, (table) => {
    const entries = new Int32Array(memory.buffer, table, words * pieces.length).fill(0);
    pieces.forEach(({ runs, out, skip, count, isWhole }, i) => {
      const own = runs.flatMap((run) => [from + run.from * infoOf(dtype).bytes, run.to - run.from]);
      entries.set([runs.length, out, skip, count, Number(isWhole), ...own], i * words);
    });
    const kernel = kernels.get(`merge ${kind} ${dtype} ${descending}`, (isShared) =>
      mergeModule(isShared, kind, dtype as RealDType, descending),
    );
    const stood = places === null ? 0 : memory.placedAddress(places);
    const parameters = [from, stood, memory.placedAddress(output), table, 4 * words];
    jobs.run(kernel, parameters, pieces.length, 1, pieces.length === 1 ? 1 : threads);
  });
}
