// Whether an operation is computed where its output is read. In: the operation, and the group that alone reads it.
// Out: yes or no with the reason, and what the group would be. Costs are bytes: what is read (storage gives whole
// chunks), what is stored, and one byte for each element that a step computes. Fused must cost no more than apart;
// it must not do heavy work again; and it must not need much more memory than its parts, nor more than is allowed.

import { blockBytes } from "../../core/block.ts";
import { bytesText } from "../../core/bytes.ts";
import { sameShape, sizeOf } from "../../core/shape.ts";
import type { Operation, PlanArray } from "../plan.ts";
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
  type Reads,
  readBytes,
  wantedBoxes,
} from "./group.ts";
import { isHeavy, isLoop } from "./kinds.ts";
import { countSources, type Leaves } from "./leaves.ts";
import type { FusionRules } from "./options.ts";
import {
  type Arrays,
  areChunks,
  type Boxes,
  chunkBytes,
  chunksAt,
  mostOf,
  type Place,
  probePlaces,
  sameBoxes,
} from "./probes.ts";
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
  const { producer, group, rules, isResult, isForced } = question;
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
  if (!fits(proposal.fused, rules.allowedMem, question.exactBytes))
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
  const given = producer.outputs.map(({ array }) => arrays.get(array)!);
  const reads: Read[] = [];
  const uses: Read[] = [];
  for (const read of group.reads) (given.includes(read.array) ? uses : reads).push(read);
  const wanted = given.map((array) => wantedOf(array, uses, isResult ? group.places : null));
  const isAligned =
    sameShape(producer.grid, group.grid) &&
    given.every((array, i) => areChunks(wanted[i]!, array, group.places));
  const costs = costsOf(producer, wanted, isResult ? [] : uses, arrays);
  for (const read of costs.reads) addRead(reads, read);
  const fused: Group = {
    members: group.members,
    grid: group.grid,
    places: group.places,
    reads,
    temporaries: group.temporaries + costs.temporaries,
    outputBytes: group.outputBytes + (isResult ? outputBytes(producer, arrays) : 0),
    steps: group.steps + producer.steps.length,
    isLoop: group.isLoop && isLoop(producer),
    largest: group.largest,
    copiedWork: group.copiedWork + (copies > 1 ? costs.work : 0),
  };
  return { fused, costs, isAligned };
}

/** What is read of an output, and all of the task's chunk where it is stored, which places tell. */
function wantedOf(array: PlanArray, uses: Reads, places: readonly Place[] | null): Boxes {
  const windows: Boxes[] = [];
  for (const use of uses) if (use.array === array) windows.push(use.boxes);
  if (places !== null) windows.push(chunksAt(array, places));
  return wantedBoxes(windows);
}

/** The limit that would be exceeded, if any. */
function exceeded({ fused }: Proposal, question: Question): string | null {
  const { producer, group, rules, leaves } = question;
  const isMany = fused.reads.length > rules.maxSources;
  const sources = isMany ? countSources(fused.reads, leaves) : 0;
  const isMore = (now: number, before: () => number, isStrict: boolean): boolean =>
    isStrict || now > before();
  if (
    sources > rules.maxSources &&
    isMore(sources, () => countSources(group.reads, leaves), rules.isStrict.sources)
  )
    return `total number of source arrays (${sources}) exceeds max (${rules.maxSources})`;
  if (sizeOf(producer.grid) === sizeOf(group.grid)) return null;
  if (rules.maxBlocks === null) return NO_MATCH;
  const blocks = blockCount(fused.reads);
  return blocks > rules.maxBlocks && isMore(blocks, () => blockCount(group.reads), rules.isStrict.blocks)
    ? `total number of input blocks (${blocks}) exceeds max (${rules.maxBlocks})`
    : null;
}

function weigh({ fused, costs }: Proposal, question: Question): Verdict {
  const { producer, group, arrays, isResult, copies } = question;
  const places = probePlaces(producer.grid);
  const alone = costsOf(producer, ownChunks(producer, arrays, places), [], arrays);
  const [times, timesAlone] = [sizeOf(group.grid), sizeOf(producer.grid)];
  const stays = (reason: string): Verdict => ({ answer: no(reason), fused: null });
  if (times * costs.heavy > timesAlone * alone.heavy)
    return stays(`work of ${producer.name} would be done more than once`);
  const given = producer.outputs.map(({ array }) => arrays.get(array)!);
  const stored = isResult ? 0 : storedBytes(given);
  if (copies > 1 && times * fused.copiedWork > COPIED_WORK * stored)
    return stays(`${producer.name} is read by several operations`);
  // Several that compute it for themselves share what it costs to have it stored.
  const apart =
    (timesAlone * (readCost(alone.reads) + alone.work) + stored) / copies +
    times * readCost(group.reads.filter(({ array }) => given.includes(array)));
  const together = times * (readCost(newReads(costs.reads, group)) + costs.work);
  if (together > apart) return stays(`${producer.name} would be read or computed more than it saves`);
  const own = readBytes(alone.reads) + alone.temporaries + outputBytes(producer, arrays);
  const largest = Math.max(group.largest, own);
  const room = Math.max(groupBytes(group) + own, GROWTH * largest);
  if (groupBytes(fused) > room) return stays("fused it needs much more memory than apart");
  return { answer: yes(agreement(fused, question)), fused: { ...fused, largest } };
}

/** How many times as much memory as its largest part a fused operation may need; as much as all parts in any case. */
const GROWTH = 2;

/** Steps that may be done again, for each byte that is not stored: a loop of a few is faster than storage. */
const COPIED_WORK = 1;

function agreement(fused: Group, { producer, group, rules: { maxBlocks } }: Question): string {
  if (sizeOf(producer.grid) === sizeOf(fused.grid)) return MATCH;
  const blocks = blockCount(fused.reads);
  return maxBlocks === null || blocks > maxBlocks
    ? `total number of input blocks (${blocks}) is no more than before (${blockCount(group.reads)})`
    : `total number of input blocks (${blocks}) does not exceed max (${maxBlocks})`;
}

const storedBytes = (arrays: readonly PlanArray[]): number =>
  arrays.reduce((sum, { dtype, shape }) => sum + blockBytes(dtype, shape), 0);

/** Bytes of the chunks that one task's windows touch. */
function readCost(reads: Reads): number {
  let bytes = 0;
  for (const { array, boxes } of reads) bytes += mostOf(boxes, (box) => chunkBytes(array, box));
  return bytes;
}

/** Windows that the group does not read already. */
const newReads = (reads: Reads, group: Group): Reads =>
  reads.filter(
    ({ array, boxes }) =>
      !group.reads.some((known) => known.array === array && sameBoxes(known.boxes, boxes)),
  );
