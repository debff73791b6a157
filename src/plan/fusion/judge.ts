// Whether an operation is computed where its output is read. In: the operation, and the group that alone reads it.
// Out: yes or no with the reason, and what the group would be. Costs are bytes: what is read (storage gives whole
// chunks), what is stored, and one byte for each element that a step computes. Fused must cost no more than apart;
// it must not do heavy work again; and it must not need much more memory than its parts, nor more than is allowed.

import { sameShape, sizeOf } from "../../core/chunks.ts";
import { bytesText } from "../../core/counts.ts";
import type { Operation, PlanArray, ValueRef } from "../plan.ts";
import { arrayBytes } from "../taskMemory.ts";
import { areChunks, type Finer, meetOf, type Partition, samePartition } from "../windows/taskRuns.ts";
import { MOST_LOOKED_AT } from "../windows/touched.ts";
import { type Arrays, type Costs, costsOf, isHeavy, isLoop, MOST_CELLS, type Wanted } from "./costs.ts";
import {
  cellsFor,
  chunkLaws,
  costsAlone,
  countSources,
  fits,
  type Group,
  groupBytes,
  heldBy,
  type Leaves,
  TOO_MANY_CELLS,
} from "./fusionNodes.ts";
import { type Answer, type FusionRules, no, yes } from "./fusionOptions.ts";
import {
  addRead,
  blockCount,
  blocksWorth,
  type Reads,
  readCost,
  refinedReads,
  sameWindows,
} from "./reads.ts";

/** A task with more steps than this compiles slower than it saves. */
export const MAX_FUSED_STEPS = 256;

export interface Question {
  readonly producer: Operation;
  readonly group: Group;
  readonly arrays: Arrays;
  readonly rules: FusionRules;
  readonly leaves: Leaves;
  /** Some output of the producer is asked for, and stored whatever happens. */
  readonly isResult: boolean;
  /** The group's operation is one that takes in everything. */
  readonly isForced: boolean;
  /** How many groups would compute it, each for itself. */
  readonly copies: number;
  /** The bytes that a task of the group with the producer needs, looked at closely. */
  readonly exactBytes: () => number;
}

export interface Verdict {
  readonly answer: Answer;
  /** The group with the producer in it; null when it stays out. */
  readonly fused: Group | null;
}

export function judge(question: Question): Verdict {
  const { producer, group, rules, isResult, isForced } = question;
  const stays = (reason: string): Verdict => ({ answer: no(reason), fused: null });
  if (group.steps + producer.steps.length > MAX_FUSED_STEPS)
    return stays(`it would have more than ${MAX_FUSED_STEPS} steps`);
  if (isResult && !sameShape(producer.grid, group.grid))
    return stays(`${producer.name} makes a requested array in other tasks`);
  // Fewer tasks would each do more of what is most of the work.
  if (!isForced && isHeavy(producer) && sizeOf(producer.grid) !== sizeOf(group.grid)) return stays(NO_MATCH);
  const proposal = propose(question);
  if (proposal === null) return stays(TOO_MANY_CELLS);
  const limit = isForced ? null : exceeded(proposal, question);
  if (limit !== null) return stays(limit);
  if (!fits(proposal.fused, rules.allowedMem, question.exactBytes))
    return stays(`the fused operation needs more memory than allowed (${bytesText(rules.allowedMem)})`);
  if (isForced) return { answer: yes("it is in alwaysFuse"), fused: proposal.fused };
  const isFree = proposal.isAligned && question.copies === 1;
  return isFree ? { answer: yes(MATCH), fused: proposal.fused } : weigh(proposal, question);
}

const MATCH = "num tasks of predecessor ops match";
const NO_MATCH = "num tasks of predecessor ops do not match";

const TOO_MANY_TASKS = `more than ${MOST_LOOKED_AT} of its tasks would have to be looked at one by one`;

/** What fusing would lead to. */
export interface Proposal {
  readonly fused: Group;
  readonly cells: Partition;
  /** The producer's costs in the tasks of the group. */
  readonly costs: Costs;
  /** Each task of the group needs just what one task of the producer makes. */
  readonly isAligned: boolean;
  /** What the group reads now, on the cells of the fused group. */
  readonly before: Reads;
}

/** Null where there would be too many cells to look at. */
export function propose({
  producer,
  group,
  arrays,
  isResult,
  copies,
}: Pick<Question, "producer" | "group" | "arrays" | "isResult" | "copies">): Proposal | null {
  const given = producer.outputs.map(({ array }) => arrays.get(array)!);
  const start = isResult ? withChunks(group, given, arrays) : wholeOf(group);
  if (start === null) return null;
  const known = refinedReads(group.reads, group.cells!, start);
  const wanted = given.flatMap((array, i) =>
    wantedOf(array, producer.outputs[i]!.value, known, isResult, start),
  );
  const costs = costsOf(producer, start.cells, wanted, arrays);
  if (costs === null) return null;
  const { cells } = costs;
  const before = refinedReads(known, start.cells, costs);
  const reads = before.filter(({ array }) => !given.includes(array));
  for (const read of costs.reads) addRead(reads, read);
  const stored = isResult ? heldBy(producer, costs, arrays) : costs.temporaries;
  const fused: Group = {
    members: group.members,
    grid: group.grid,
    cells,
    reads,
    held: stored.map((bytes, cell) => bytes + group.held[start.from[costs.from[cell]!]!]!),
    steps: group.steps + producer.steps.length,
    isLoop: group.isLoop && isLoop(producer),
    largest: group.largest,
    copiedWork: group.copiedWork + (copies > 1 ? costs.work : 0),
  };
  const isAligned =
    sameShape(producer.grid, group.grid) &&
    wanted.every(({ array }, i) => areChunks(costs.hulls[i]!, array, cells));
  return { fused, cells, costs, isAligned, before };
}

/** The group's own cells. */
const wholeOf = ({ cells }: Group): Finer | null =>
  cells === null ? null : { cells, from: cells.map((_, cell) => cell) };

/** Cells in which the chunks of these arrays have one shape, too. */
function withChunks(group: Group, given: readonly PlanArray[], arrays: Arrays): Finer | null {
  const whole = wholeOf(group);
  if (whole === null) return null;
  const own = cellsFor(group.grid, given, arrays);
  if (samePartition(own, whole.cells)) return whole;
  const meet = meetOf(whole.cells, own, MOST_CELLS);
  if (meet === null) return null;
  return meet.cells.length === whole.cells.length ? whole : { cells: meet.cells, from: meet.fromA };
}

/** What is read of an output, and all of the task's chunk where it is stored. */
function wantedOf(
  array: PlanArray,
  value: ValueRef,
  reads: Reads,
  isStored: boolean,
  { cells }: Finer,
): Wanted[] {
  const wanted: Wanted[] = [];
  for (const use of reads)
    if (use.array === array) wanted.push({ array, value, laws: use.asked, use: isStored ? null : use });
  if (isStored) wanted.push({ array, value, laws: chunkLaws(array, cells), use: null });
  return wanted;
}

/** The limit that would be exceeded, if any. */
function exceeded({ fused, cells, before }: Proposal, question: Question): string | null {
  const { producer, group, rules, leaves } = question;
  const isMany = fused.reads.length > rules.maxSources;
  const sources = isMany ? countSources(fused.reads, leaves) : 0;
  // What reads more already may go on to.
  const isMore = (): boolean =>
    sources > countSources(group.reads, leaves) &&
    sources > countSources(costsAlone(producer, question.arrays)?.reads ?? [], leaves);
  if (sources > rules.maxSources && (rules.isStrict.sources || isMore()))
    return `total number of source arrays (${sources}) exceeds max (${rules.maxSources})`;
  if (sizeOf(producer.grid) === sizeOf(group.grid)) return null;
  if (rules.maxBlocks === null) return NO_MATCH;
  const blocks = blockCount(fused.reads, cells);
  if (blocks === null) return TOO_MANY_TASKS;
  if (blocks <= rules.maxBlocks) return null;
  // What lies around a chunk is small parts of many: unless told otherwise, they count by what they come to.
  if (!rules.isStrict.blocks && blocksWorth(fused.reads, cells) <= rules.maxBlocks) return null;
  const known = rules.isStrict.blocks ? 0 : blockCount(before, cells);
  if (known === null) return TOO_MANY_TASKS;
  return blocks > known ? `total number of input blocks (${blocks}) exceeds max (${rules.maxBlocks})` : null;
}

function weigh(proposal: Proposal, question: Question): Verdict {
  const { fused, costs } = proposal;
  const { producer, group, arrays, isResult, copies } = question;
  const stays = (reason: string): Verdict => ({ answer: no(reason), fused: null });
  const alone = costsAlone(producer, arrays);
  if (alone === null) return stays(TOO_MANY_CELLS);
  if (costs.heavy > alone.heavy) return stays(`work of ${producer.name} would be done more than once`);
  const stored = isResult ? 0 : storedBytes(producer.outputs.map(({ array }) => arrays.get(array)!));
  if (copies > 1 && fused.copiedWork > COPIED_WORK * stored)
    return stays(`${producer.name} is read by several operations`);
  const saved = savedBytes(proposal, alone, stored, question);
  if (saved === null) return stays(TOO_MANY_TASKS);
  if (saved < 0) return stays(`${producer.name} would be read or computed more than it saves`);
  const own = groupBytes({ reads: alone.reads, held: heldBy(producer, alone, arrays) });
  const largest = Math.max(group.largest, own);
  const room = Math.max(groupBytes(group) + own, GROWTH * largest);
  if (groupBytes(fused) > room) return stays("fused it needs much more memory than apart");
  return { answer: yes(agreement(proposal, question)), fused: { ...fused, largest } };
}

/** How many times as much memory as its largest part a fused operation may need; as much as all parts in any case. */
const GROWTH = 2;

/** Steps that may be done again, for each byte that is not stored: a loop of a few is faster than storage. */
const COPIED_WORK = 1;

/** By how much all tasks together cost less. Several that compute it for themselves share what storing it costs. */
function savedBytes(
  { costs, cells, before }: Proposal,
  alone: Costs,
  stored: number,
  { producer, arrays, copies }: Question,
): number | null {
  const given = producer.outputs.map(({ array }) => arrays.get(array)!);
  const own = readCost(alone.reads, alone.cells);
  const read = readCost(
    before.filter(({ array }) => given.includes(array)),
    cells,
  );
  const more = readCost(newReads(costs.reads, before), cells);
  if (own === null || read === null || more === null) return null;
  return (own + alone.work + stored) / copies + read - (more + costs.work);
}

function agreement({ fused, cells, before }: Proposal, { producer, rules: { maxBlocks } }: Question): string {
  if (sizeOf(producer.grid) === sizeOf(fused.grid)) return MATCH;
  const blocks = blockCount(fused.reads, cells);
  return maxBlocks === null || blocks === null || blocks > maxBlocks
    ? `total number of input blocks (${blocks}) is no more than before (${blockCount(before, cells)})`
    : `total number of input blocks (${blocks}) does not exceed max (${maxBlocks})`;
}

const storedBytes = (arrays: readonly PlanArray[]): number =>
  arrays.reduce((sum, array) => sum + arrayBytes(array), 0);

/** Windows that the group does not read already. */
const newReads = (reads: Reads, before: Reads): Reads =>
  reads.filter((read) => !before.some((known) => known.array === read.array && sameWindows(known, read)));
