// Phases of a task: its windows are read, its program runs, its chunks are written. In: a compiled task. Out: for each
// phase what is in memory then, with reasons. Windows stay from the first to the last; what storage needs lies where
// temporaries lie at other times, so a task needs as much as its largest phase. What codecs take they keep.

import { blockBytes } from "../core/block.ts";
import { denseOf } from "../expr/type.ts";
import { liveBytes } from "../kernel/lifetimes.ts";
import type { TaskProgram, Window } from "./compile/programWriter.ts";
import { type RoundedTask, roundsOf } from "./compile/rounds.ts";
import { scratchOf } from "./compile/stepScratch.ts";
import { isStraightCopy } from "./compile/straight.ts";
import type { PlanArray } from "./plan.ts";
import { readTransfer, statedTransfer, writeTransfer } from "./transfer.ts";

export interface MemoryTerm {
  readonly reason: string;
  readonly bytes: number;
}

/** Computing, reading, writing; the last two are empty where they need nothing of their own. */
export type Phases = readonly (readonly MemoryTerm[])[];
type Arrays = ReadonlyMap<string, PlanArray>;

export const totalMemory = (terms: readonly MemoryTerm[]): number =>
  terms.reduce((sum, { bytes }) => sum + bytes, 0);

/** What storage needs while a window is read. */
export type TransferOf = (window: Pick<Window, "array" | "box">) => { encoded: number; aside: number };

/** Of the windows as they are. */
export const transfersOf =
  (arrays: Arrays): TransferOf =>
  ({ array, box }) =>
    readTransfer(denseOf(arrays.get(array)!), box);

export function phasesOf(
  task: TaskProgram,
  arrays: Arrays,
  transferOf: TransferOf = transfersOf(arrays),
): Phases {
  const rounded = roundsOf(task);
  if (rounded !== null) return roundPhases(rounded, arrays, transferOf);
  const { program, reads, writes } = task;
  // A copy's window is read into the chunk's own memory.
  const isStraight = isStraightCopy(task);
  const windows = isStraight ? [] : blockTerms("read", reads, arrays);
  const blocks = blockTerms("write", writes, arrays);
  const kept = codecTerms(writes, arrays);
  const onTheWay = readTerms(reads, transferOf);
  const filledUp = writeTerms(writes, arrays);
  const reading = [...windows, ...(isStraight ? blocks : []), ...onTheWay, ...kept];
  return [
    [...windows, ...workTerms(program), ...blocks, ...kept],
    onTheWay.length === 0 ? [] : reading,
    filledUp.length === 0 ? [] : [...windows, ...blocks, ...filledUp, ...kept],
  ];
}

/** The windows of two rounds, one in use and one on its way; what a product takes; the sum; and what comes behind them. */
function roundPhases({ round, sum, rest }: RoundedTask, arrays: Arrays, transferOf: TransferOf): Phases {
  const { reads, program } = round(0);
  const { role, dtype, shape } = rest.program.buffers[sum]!;
  const total = new Terms();
  for (const term of [
    ...blockTerms("read", [...reads, ...reads], arrays),
    ...readTerms(reads, roundTransfers(arrays)),
    ...workTerms(program),
    { reason: "sum of products", bytes: role === "output" ? 0 : blockBytes(dtype, shape) },
    ...blockTerms("read", rest.reads, arrays),
    ...readTerms(rest.reads, transferOf),
    ...workTerms(rest.program),
    ...blockTerms("write", rest.writes, arrays),
    ...writeTerms(rest.writes, arrays),
    ...codecTerms(rest.writes, arrays),
  ])
    total.add(term.reason, term.bytes);
  return [total.list, [], []];
}

/** The windows of rounds lie side by side: each is as far from the next as it is long. */
const roundTransfers =
  (arrays: Arrays): TransferOf =>
  ({ array, box }) =>
    readTransfer(
      denseOf(arrays.get(array)!),
      box,
      box.shape.map((length) => [{ slope: length, count: Number.POSITIVE_INFINITY }]),
    );

/** Terms with equal reasons are added up. */
class Terms {
  readonly #bytes = new Map<string, number>();

  /** None of nothing, unless it is said to matter. */
  add(reason: string, bytes: number, isKept = false): void {
    if (bytes > 0 || isKept) this.#bytes.set(reason, (this.#bytes.get(reason) ?? 0) + bytes);
  }

  get list(): MemoryTerm[] {
    return [...this.#bytes].map(([reason, bytes]) => ({ reason, bytes }));
  }
}

type Windows = TaskProgram["reads"];

function blockTerms(kind: "read" | "write", windows: Windows, arrays: Arrays): MemoryTerm[] {
  const terms = new Terms();
  for (const { array, box } of windows)
    terms.add(`${kind} ${array}`, blockBytes(denseOf(arrays.get(array)!).dtype, box.shape), true);
  return terms.list;
}

function readTerms(reads: Windows, transferOf: TransferOf): MemoryTerm[] {
  const terms = new Terms();
  for (const window of reads) {
    const { encoded, aside } = transferOf(window);
    terms.add(`read ${window.array}: encoded`, encoded);
    terms.add(`read ${window.array}: aside`, aside);
  }
  return terms.list;
}

function writeTerms(writes: Windows, arrays: Arrays): MemoryTerm[] {
  const terms = new Terms();
  for (const { array, box } of writes)
    terms.add(`write ${array}: filled up`, writeTransfer(denseOf(arrays.get(array)!), box));
  return terms.list;
}

/**
 * Decoders work on one object after another, and keep their memory for the next, of this operation or another; what
 * encoders give has to stay until it is written.
 */
function codecTerms(writes: Windows, arrays: Arrays): MemoryTerm[] {
  const most = mostOfCodecs(arrays);
  const own = writes.reduce((sum, { array }) => sum + (statedTransfer(arrays.get(array)!)?.encoding ?? 0), 0);
  const terms = [
    { reason: "decoding", bytes: most.decoding },
    { reason: "encoding", bytes: Math.max(most.encoding, own) },
  ];
  return terms.filter(({ bytes }) => bytes > 0);
}

const codecs = new WeakMap<Arrays, { readonly decoding: number; readonly encoding: number }>();

/** The most that codecs take for any array of a plan. */
function mostOfCodecs(arrays: Arrays): { readonly decoding: number; readonly encoding: number } {
  let most = codecs.get(arrays);
  if (most === undefined) {
    let [decoding, encoding] = [0, 0];
    for (const array of arrays.values()) {
      const transfer = statedTransfer(array);
      decoding = Math.max(decoding, transfer?.decoding ?? 0);
      if (array.role !== "source") encoding = Math.max(encoding, transfer?.encoding ?? 0);
    }
    most = { decoding, encoding };
    codecs.set(arrays, most);
  }
  return most;
}

/** Temporaries that are alive at once, and scratch, during the step at which both together are most. */
function workTerms(program: TaskProgram["program"]): MemoryTerm[] {
  const live = liveBytes(program);
  let most: MemoryTerm[] = [];
  program.steps.forEach((step, at) => {
    const terms = [{ reason: "temporaries", bytes: live[at]! }, scratchOf(step, program)];
    if (totalMemory(terms) > totalMemory(most)) most = terms;
  });
  return most.filter(({ bytes }) => bytes > 0);
}
