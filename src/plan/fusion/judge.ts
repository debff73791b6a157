// Whether an operation is computed where its output is read. In: the operation, and the group that alone reads it.
// Out: yes or no with the reason, and what the group would be. Costs are bytes: what is read (storage gives whole
// chunks), what is stored, and one byte for each element that a step computes. Fused must cost no more than apart;
// it must not do heavy work again; and it must not need much more memory than its parts, nor more than is allowed.

import { blockBytes } from "../../core/block.ts";
import { bytesText } from "../../core/bytes.ts";
import { type Shape, sameShape, sizeOf } from "../../core/shape.ts";
import type { Operation } from "../plan.ts";
import {
  addRead,
  blockCount,
  type Costs,
  costsOf,
  fits,
  type Group,
  groupBytes,
  outputBytes,
  ownChunks,
  type Read,
  readBytes,
  sourceCount,
  wantedBoxes,
} from "./group.ts";
import { isHeavy, isLoop } from "./kinds.ts";
import type { Leaves } from "./leaves.ts";
import type { FusionRules } from "./options.ts";
import { type Arrays, areChunks, type Boxes, chunkBytes, mostOf, probePlaces, sameBoxes } from "./probes.ts";
import { type Answer, no, yes } from "./reasons.ts";

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
  const { producer, group, arrays, rules, isResult, isForced } = question;
  const stays = (reason: string): Verdict => ({ answer: no(reason), fused: null });
  if (group.steps + producer.steps.length > MAX_FUSED_STEPS)
    return stays(`it would have more than ${MAX_FUSED_STEPS} steps`);
  if (isResult && !sameShape(producer.grid, group.grid))
    return stays(`${producer.name} makes a requested array in other tasks`);
  // Fewer tasks would each do more of what is most of the work.
  if (!isForced && isHeavy(producer) && sizeOf(producer.grid) !== sizeOf(group.grid)) return stays(NO_MATCH);
  const proposal = propose(question);
  const limit = isForced ? null : exceeded(proposal, question);
  if (limit !== null) return stays(limit);
  if (!fits(proposal.fused, rules.allowedMem, arrays, question.exactBytes))
    return stays(`the fused operation needs more memory than allowed (${bytesText(rules.allowedMem)})`);
  if (isForced) return { answer: yes("it is in alwaysFuse"), fused: proposal.fused };
  const isFree = proposal.isAligned && question.copies === 1;
  return isFree ? { answer: yes(MATCH), fused: proposal.fused } : weigh(proposal, question);
}

const MATCH = "num tasks of predecessor ops match";
const NO_MATCH = "num tasks of predecessor ops do not match";

/** What fusing would lead to. */
interface Proposal {
  readonly fused: Group;
  /** The producer's costs in a task of the group. */
  readonly costs: Costs;
  /** Each task of the group needs just what one task of the producer makes. */
  readonly isAligned: boolean;
}

function propose({ producer, group, arrays, isResult, copies }: Question): Proposal {
  const uses = producer.outputs.flatMap(({ array }) => group.reads.get(array) ?? []);
  const isSameGrid = sameShape(producer.grid, group.grid);
  const own = isResult ? ownChunks(producer, arrays, group.places) : [];
  const wanted = producer.outputs.map(({ array }, i) => wantedOf(group.reads.get(array), own[i]));
  const isAligned =
    isSameGrid &&
    producer.outputs.every(({ array }, i) => areChunks(wanted[i]!, arrays.get(array)!, group.places));
  const costs = costsOf(producer, wanted, isResult ? [] : uses, arrays);
  const reads = new Map(group.reads);
  for (const { array } of producer.outputs) reads.delete(array);
  for (const [array, list] of costs.reads) for (const read of list) addRead(reads, array, read);
  const fused: Group = {
    ...group,
    reads,
    temporaries: group.temporaries + costs.temporaries,
    outputBytes: group.outputBytes + (isResult ? outputBytes(producer, arrays) : 0),
    steps: group.steps + producer.steps.length,
    isLoop: group.isLoop && isLoop(producer),
    copiedWork: group.copiedWork + (copies > 1 ? costs.work : 0),
  };
  return { fused, costs, isAligned };
}

/** What is read of an output, and all of the task's chunk where it is stored. */
function wantedOf(reads: readonly Read[] = [], own: Boxes | undefined): Boxes {
  return wantedBoxes(own === undefined ? reads : [...reads, { boxes: own, isStreamed: true }]);
}

/** The limit that would be exceeded, if any. A task that reads no more than before exceeds none. */
function exceeded({ fused }: Proposal, question: Question): string | null {
  const { producer, group, arrays, rules, leaves } = question;
  const isMany = fused.reads.size > rules.maxSources;
  const sources = isMany ? sourceCount(fused.reads, arrays, leaves) : 0;
  if (sources > rules.maxSources && sources > sourceCount(group.reads, arrays, leaves))
    return `total number of source arrays (${sources}) exceeds max (${rules.maxSources})`;
  if (sizeOf(producer.grid) === sizeOf(group.grid)) return null;
  if (rules.maxBlocks === null) return NO_MATCH;
  const blocks = blockCount(fused.reads, arrays);
  return blocks > rules.maxBlocks && blocks > blockCount(group.reads, arrays)
    ? `total number of input blocks (${blocks}) exceeds max (${rules.maxBlocks})`
    : null;
}

function weigh({ fused, costs }: Proposal, question: Question): Verdict {
  const { producer, group, arrays, rules, isResult, copies } = question;
  const places = probePlaces(producer.grid);
  const alone = costsOf(producer, ownChunks(producer, arrays, places), [], arrays);
  const [times, timesAlone] = [sizeOf(group.grid), sizeOf(producer.grid)];
  const stays = (reason: string): Verdict => ({ answer: no(reason), fused: null });
  if (times * costs.heavy > timesAlone * alone.heavy)
    return stays(`work of ${producer.name} would be done more than once`);
  const given = producer.outputs.map(({ array }) => array);
  const stored = isResult ? 0 : storedBytes(given, arrays);
  if (copies > 1 && times * fused.copiedWork > COPIED_WORK * stored)
    return stays(`${producer.name} is read by several operations`);
  // Several that compute it for themselves share what it costs to have it stored.
  const apart =
    (timesAlone * (readCost(alone.reads, arrays) + alone.work) + stored) / copies +
    times * readCost(new Map(given.map((array) => [array, group.reads.get(array) ?? []])), arrays);
  const together = times * (readCost(newReads(costs.reads, group), arrays) + costs.work);
  if (together > apart) return stays(`${producer.name} would be read or computed more than it saves`);
  const own = readBytes(alone.reads, arrays) + alone.temporaries + outputBytes(producer, arrays);
  const largest = Math.max(group.largest, own);
  const room = Math.max(groupBytes(group, arrays) + own, GROWTH * largest);
  if (groupBytes(fused, arrays) > room) return stays("fused it needs much more memory than apart");
  return { answer: yes(agreement(fused, producer.grid, arrays, rules)), fused: { ...fused, largest } };
}

/** How many times as much memory as its largest part a fused operation may need; as much as all parts in any case. */
const GROWTH = 2;

/** Steps that may be done again, for each byte that is not stored: a loop of a few is faster than storage. */
const COPIED_WORK = 1;

function agreement(fused: Group, grid: Shape, arrays: Arrays, { maxBlocks }: FusionRules): string {
  if (sizeOf(grid) === sizeOf(fused.grid)) return MATCH;
  return `total number of input blocks (${blockCount(fused.reads, arrays)}) does not exceed max (${maxBlocks})`;
}

const storedBytes = (names: readonly string[], arrays: Arrays): number =>
  names.reduce((sum, name) => sum + blockBytes(arrays.get(name)!.dtype, arrays.get(name)!.shape), 0);

/** Bytes of the chunks that one task's windows touch. */
function readCost(reads: ReadonlyMap<string, readonly Read[]>, arrays: Arrays): number {
  let bytes = 0;
  for (const [name, list] of reads) {
    const array = arrays.get(name)!;
    for (const { boxes } of list) bytes += mostOf(boxes, (box) => chunkBytes(array, box));
  }
  return bytes;
}

/** Windows that the group does not read already. */
function newReads(reads: ReadonlyMap<string, readonly Read[]>, group: Group): Map<string, readonly Read[]> {
  const isNew = (array: string, { boxes }: Read): boolean =>
    !(group.reads.get(array) ?? []).some((known) => sameBoxes(known.boxes, boxes));
  return new Map([...reads].map(([array, list]) => [array, list.filter((read) => isNew(array, read))]));
}
