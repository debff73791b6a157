// Memory of a task, stated before it runs: the windows it reads, its temporaries and its kernels' scratch at the
// moment when they are most, the chunks it writes, and what storage needs to read and write them. Each term has its
// reason.
// Must hold: no task of the operation needs more, and one needs as much (of what storage needs: each window of it as much
// as where it needs most). One task of each kind is looked at (windows/kinds.ts): the others of the kind need the same.

import { blockBytes } from "../core/block.ts";
import { type Shape, sameShape, sizeOf } from "../core/chunks.ts";
import { denseOf, extentOf } from "../expr/op.ts";
import { liveBytes } from "../kernel/blockProgram.ts";
import { rechunk } from "../ops/moves/axisMoves.ts";
import { compileLayout } from "./compile/compileTask.ts";
import type { TaskProgram, Window } from "./compile/programWriter.ts";
import { type RoundedTask, readTransfer, roundsOf, statedTransfer, writeTransfer } from "./compile/rounds.ts";
import { scratchOf } from "./compile/scratch.ts";
import { isStraightCopy } from "./compile/straightCopy.ts";
import { isAlike, isSameWork, layoutOf, type Pair, pairsIn, type TaskLayout } from "./compile/taskLayout.ts";
import { taskWindows, windowsOf } from "./demand.ts";
import { isRagged, type Operation, type PlanArray, type PlanStep } from "./plan.ts";
import { type TaskKind, taskKinds } from "./windows/taskKinds.ts";
import { startAt } from "./windows/taskRuns.ts";

// Phases of a task: its windows are read, its program runs, its chunks are written. In: a compiled task. Out: for each
// phase what is in memory then, with reasons. Windows stay from the first to the last; what storage needs lies where
// temporaries lie at other times, so a task needs as much as its largest phase. What codecs take they keep.

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
  return workPhases(workTerms(task.program), task, arrays, transferOf, isStraightCopy(task));
}

/** Of what a task has for its work, its windows and its chunks. */
function workPhases(
  work: readonly MemoryTerm[],
  { reads, writes }: { readonly reads: Windows; readonly writes: Windows },
  arrays: Arrays,
  transferOf: TransferOf,
  isStraight: boolean,
): Phases {
  // A copy's window is read into the chunk's own memory.
  const windows = isStraight ? [] : blockTerms("read", reads, arrays);
  const blocks = blockTerms("write", writes, arrays);
  const kept = codecTerms(writes, arrays);
  const onTheWay = readTerms(reads, transferOf);
  const filledUp = writeTerms(writes, arrays);
  const reading = [...windows, ...(isStraight ? blocks : []), ...onTheWay, ...kept];
  return [
    [...windows, ...work, ...blocks, ...kept],
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

type Windows = readonly Pick<Window, "array" | "box">[];

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
    if (encoded > 0) terms.add(`read ${window.array}: encoded`, encoded);
    if (aside > 0) terms.add(`read ${window.array}: aside`, aside);
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

// Operations on partitions of nested data, as the planner sees them. Lengths are known only when data are there, so
// bytes here are what sources expect of their partitions, carried along: an estimate, where dense arrays have a bound.

/** Of so many elements along each axis, or of so many partitions. */
function bytesOf(array: PlanArray, shape: Shape): number {
  switch (array.kind) {
    case "dense":
      return blockBytes(array.dtype, shape);
    case "ragged":
      return array.partitionBytes * sizeOf(shape);
    default:
      throw array satisfies never;
  }
}

/** Of a whole array. */
export const arrayBytes = (array: PlanArray): number => bytesOf(array, extentOf(array));

/** Of the largest chunk. */
export const chunkBytes = (array: PlanArray): number =>
  bytesOf(
    array,
    extentOf(array).map((n, axis) => Math.min(n, array.chunks[axis]!)),
  );

/** What one task reads, by array. */
export function partitionsRead(
  operation: Operation,
  arrays: Arrays,
  place: readonly number[],
): Map<string, number> {
  const bytes = new Map<string, number>();
  const seen = new Set<string>();
  for (const { array, box } of taskWindows(operation, arrays, place)) {
    const key = `${array} ${box.start} ${box.shape}`;
    if (seen.has(key)) continue;
    seen.add(key);
    bytes.set(array, (bytes.get(array) ?? 0) + bytesOf(arrays.get(array)!, box.shape));
  }
  return bytes;
}

/** What is read, the room for what lies between steps, and the outputs packed. */
export function raggedTerms(operation: Operation, arrays: Arrays): MemoryTerm[] {
  const { outputs } = operation;
  const most = new Map<string, number>();
  for (const { place } of taskKinds(operation, arrays))
    for (const [array, bytes] of partitionsRead(operation, arrays, place))
      most.set(array, Math.max(bytes, most.get(array) ?? 0));
  const reads = [...most].map(([array, bytes]) => ({ reason: `read ${array}`, bytes }));
  const largest = Math.max(0, ...reads.map(({ bytes }) => bytes));
  const writes = outputs.map(({ array }) => ({
    reason: `write ${array}`,
    bytes: chunkBytes(arrays.get(array)!),
  }));
  return [...reads, { reason: BETWEEN, bytes: roomBetween(largest) }, ...writes];
}

const BETWEEN = "values in between";
const LEAST_ROOM = 8 * 2 ** 20;
const USUAL_ROOM = 64 * 2 ** 20;
const USUAL_GROWTH = 32;

/**
 * What lies between steps gets so much room, whatever it is made of: where all rows at once would take more, they are worked on
 * a few at a time. It does not depend on the budget, so that sums are taken in the same order with any.
 */
const roomBetween = (largest: number): number =>
  Math.max(LEAST_ROOM, largest, Math.min(USUAL_ROOM, USUAL_GROWTH * largest));

/** Of an operation on partitions. */
export const roomOf = (operation: Operation, arrays: Arrays): number =>
  memoryOf(operation, arrays).find(({ reason }) => reason === BETWEEN)?.bytes ?? LEAST_ROOM;

const known = new WeakMap<Operation, readonly MemoryTerm[]>();

/** Those of the task that needs most. */
export function memoryOf(operation: Operation, arrays: Arrays): readonly MemoryTerm[] {
  const before = known.get(operation);
  if (before !== undefined) return before;
  const terms = mostOf(operation, arrays);
  known.set(operation, terms);
  return terms;
}

function mostOf(operation: Operation, arrays: Arrays): readonly MemoryTerm[] {
  if (sizeOf(operation.grid) === 0) return [];
  if (isRagged(operation)) return raggedTerms(operation, arrays);
  // Tasks with alike layouts have one program: it is compiled once. So is that of tasks which read other pieces for the same work.
  const compiled: Compiled[] = [];
  let most: readonly MemoryTerm[] = [];
  for (const kind of kindsToLookAt(operation, arrays)) {
    const layout = layoutOf(operation, arrays, kind.place);
    const isKnown =
      !isStored(operation, arrays) &&
      compiled.some((other) => isAlike(operation, other.layout, layout, other.pairs));
    if (isKnown) continue;
    const transferOf = transfersIn(kind, arrays);
    const known = compiled.find(
      ({ work, layout: other, pairs }) => work !== null && isSameWork(operation, other, layout, pairs),
    );
    const made = known ?? compiledAt(operation, layout);
    if (known === undefined) compiled.unshift(made);
    if (compiled.length > MOST_KEPT) compiled.pop();
    const terms = largestPhase(
      known === undefined
        ? phasesOf(made.task, arrays, transferOf)
        : workPhases(made.work!, partsOf(operation, layout), arrays, transferOf, false),
    );
    if (totalMemory(terms) > totalMemory(most)) most = terms;
  }
  return most;
}

interface Compiled {
  readonly layout: TaskLayout;
  readonly pairs: readonly Pair[];
  readonly task: TaskProgram;
  /** What it has in memory beside windows and chunks; null for those that differ in more. */
  readonly work: readonly MemoryTerm[] | null;
}

const MOST_KEPT = 8;

function compiledAt(operation: Operation, layout: TaskLayout): Compiled {
  const { task } = compileLayout(operation, layout);
  const isPlain = !isStraightCopy(task) && roundsOf(task) === null;
  return { layout, pairs: pairsIn(operation, layout), task, work: isPlain ? workTerms(task.program) : null };
}

/** What a task with a layout reads, each window once, and writes. */
function partsOf(
  operation: Operation,
  layout: TaskLayout,
): { readonly reads: Windows; readonly writes: Windows } {
  const reads = new Map<string, Windows[number]>();
  for (const { array, box } of windowsOf(operation, layout.boxes))
    reads.set(`${array} ${box.start} ${box.shape}`, { array, box });
  return {
    reads: [...reads.values()],
    writes: operation.outputs.map(({ array }, i) => ({ array, box: layout.outputs[i]! })),
  };
}

/** Of one step on arrays in memory the first task needs most: nothing is shared, and no chunk is longer. */
const kindsToLookAt = (operation: Operation, arrays: Arrays): Iterable<Pick<TaskKind, "place" | "cell">> =>
  isSingle(operation) && !isStored(operation, arrays)
    ? [{ place: operation.grid.map(() => 0), cell: { runs: [], windows: [] } }]
    : taskKinds(operation, arrays);

const isSingle = ({ steps }: Operation): boolean =>
  steps.length <= 2 && steps.every(({ kind }) => kind !== "move" && kind !== "scan");

const isStored = ({ steps, outputs }: Operation, arrays: Arrays): boolean =>
  outputs.some(({ array }) => statedTransfer(arrays.get(array)!) !== undefined) ||
  steps.some((step) => step.kind === "read" && statedTransfer(arrays.get(step.array)!) !== undefined);

/** What storage needs for a window of a task: where a task of its cell needs most. */
function transfersIn({ place, cell }: Pick<TaskKind, "place" | "cell">, arrays: Arrays): TransferOf {
  // A task by itself reads what it reads: nothing moves. It may have very many windows.
  if (cell.runs.every(({ count }) => count === 1)) return transfersOf(arrays);
  const steps = cell.runs.map(({ first, step }, axis) => (place[axis]! - first) / step);
  return ({ array, box }) => {
    const law = cell.windows.find(
      (known) =>
        known.array === array &&
        sameShape(known.shape, box.shape) &&
        sameShape(startAt(known, steps), box.start),
    );
    const moves = box.start.map((_, axis) =>
      cell.runs.map(({ count }, g) => ({ slope: law?.slopes[g]?.[axis] ?? 1, count })),
    );
    return readTransfer(denseOf(arrays.get(array)!), box, moves);
  };
}

export const isRechunk = (step: PlanStep): boolean => step.kind === "move" && step.op === rechunk;

/** What one compiled task needs. */
export const termsOf = (task: TaskProgram, arrays: Arrays): readonly MemoryTerm[] =>
  largestPhase(phasesOf(task, arrays));

const largestPhase = (phases: Phases): readonly MemoryTerm[] =>
  phases.reduce((most, terms) => (totalMemory(terms) > totalMemory(most) ? terms : most));
