// Producers into readers: an operation whose outputs only one group reads becomes part of that group where that pays.
// From the last operation to the first, so that when one is looked at all its readers have found their group: paths
// that part and meet again end in one group, and what they have in common is computed once.
// Linear: each operation is looked at once.

import { sameShape, sizeOf } from "../../core/chunks.ts";
import { isRagged, type Operation, type PlanArray, type PlanStep, readsOf } from "../plan.ts";
import { statedBytes } from "../statedBytes.ts";
import { meetOf, type Partition, samePartition } from "../windows/taskRuns.ts";
import { type Arrays, MOST_CELLS } from "./costs.ts";
import {
  countSources,
  fits,
  type Group,
  type Leaves,
  leavesOf,
  mergeNodes,
  type Node,
  newGroup,
  readersOf,
} from "./fusionNodes.ts";
import { type Answer, type FusionRules, no, type Reasons } from "./fusionOptions.ts";
import { judge, MAX_FUSED_STEPS } from "./judge.ts";
import { addRead, bytesInAll, isConstant, type Reads, refinedReads, sameWindows } from "./reads.ts";

// Siblings: operations with the same tasks that read the same windows of the same array become one operation with
// several outputs, so that what they share is read once. They must not wait for each other: they are on one level,
// levels being the longest ways from the sources, and joining within levels leaves every edge going upward.

interface SiblingWork {
  readonly nodes: readonly Node[];
  readonly arrays: Arrays;
  readonly rules: FusionRules;
  readonly readers: ReadonlyMap<string, readonly number[]>;
}

export function fuseSiblings(nodes: readonly Node[], arrays: Arrays, rules: FusionRules): readonly Node[] {
  const readers = readersOf(nodes);
  const work: SiblingWork = { nodes, arrays, rules, readers };
  const shared: [PlanArray, readonly number[]][] = [];
  for (const [name, list] of readers) {
    if (list.length > 1 && !isConstant(arrays.get(name)!)) shared.push([arrays.get(name)!, list]);
  }
  if (shared.length === 0) return nodes;
  const levels = levelsOf(nodes);
  const groups = new Map<number, Group>();
  for (const [array, list] of shared) {
    const waiting: number[] = [];
    const perLevel = new Map<number, number>();
    for (const at of list) perLevel.set(levels[at]!, (perLevel.get(levels[at]!) ?? 0) + 1);
    for (const at of list) {
      // Alone on its level: it waits for all others, or they for it.
      if (perLevel.get(levels[at]!) === 1) continue;
      if (nodes[at]!.barred.size > 0 || isRagged(nodes[at]!.operation)) continue;
      const group = groups.get(at) ?? newGroup(at, nodes[at]!, arrays);
      groups.set(at, group);
      const isJoined = waiting
        .slice(-MAX_TRIED)
        .filter((other) => levels[other] === levels[at])
        .some((other) => joinWhere(work, groups.get(other)!, group, array, groups));
      if (!isJoined) waiting.push(at);
    }
  }
  return mergedSiblings(work, groups, levels);
}

/** Of many that wait the last are tried: looking at all of them would take long. */
const MAX_TRIED = 4;

/** What is shared should be a good part of what either reads: memory is paid for it. */
const WORTH = 0.25;

const NO_LEAVES: Leaves = new Map();

/** Joins them where that pays off. */
function joinWhere(
  work: SiblingWork,
  a: Group,
  b: Group,
  array: PlanArray,
  groups: Map<number, Group>,
): boolean {
  if (a === b || a.steps + b.steps > MAX_FUSED_STEPS || !sameShape(a.grid, b.grid)) return false;
  const beside = sideBySide(a, b);
  if (beside === null || !isWorth(beside, array)) return false;
  const { maxSources, allowedMem } = work.rules;
  if (countSources([...a.reads, ...b.reads], NO_LEAVES) > maxSources) return false;
  const both = joined(a, b, beside);
  if (!fits(both, allowedMem, () => exactBytes(work, a, b))) return false;
  Object.assign(a, both);
  a.members.push(...b.members);
  for (const at of b.members) groups.set(at, a);
  return true;
}

/** What two groups read and hold in memory, on the same cells. */
interface Beside {
  readonly cells: Partition;
  readonly reads: readonly [Reads, Reads];
  readonly held: readonly [readonly number[], readonly number[]];
}

/** Null where there would be too many cells to look at. */
export function sideBySide(a: Group, b: Group): Beside | null {
  if (a.cells === null || b.cells === null) return null;
  if (samePartition(a.cells, b.cells))
    return { cells: a.cells, reads: [a.reads, b.reads], held: [a.held, b.held] };
  const meet = meetOf(a.cells, b.cells, MOST_CELLS);
  if (meet === null) return null;
  const { cells, fromA, fromB } = meet;
  return {
    cells,
    reads: [
      refinedReads(a.reads, a.cells, { cells, from: fromA }),
      refinedReads(b.reads, b.cells, { cells, from: fromB }),
    ],
    held: [fromA.map((cell) => a.held[cell]!), fromB.map((cell) => b.held[cell]!)],
  };
}

function isWorth({ cells, reads: [a, b] }: Beside, array: PlanArray): boolean {
  const shared = a.find(
    (one) => one.array === array && b.some((other) => other.array === array && sameWindows(one, other)),
  );
  const bytes = shared === undefined ? 0 : bytesInAll([shared], cells);
  return bytes > 0 && bytes >= WORTH * Math.min(bytesInAll(a, cells), bytesInAll(b, cells));
}

function exactBytes({ nodes, readers, arrays }: SiblingWork, a: Group, b: Group): number {
  const members = [...a.members, ...b.members].sort((x, y) => x - y);
  const { operation } = mergeNodes(nodes, members, readers, arrays);
  return statedBytes(operation, arrays);
}

function joined(a: Group, b: Group, { cells, reads: [one, other], held }: Beside): Group {
  const reads = [...one];
  for (const read of other) addRead(reads, read);
  return {
    ...a,
    cells,
    reads,
    held: held[0].map((bytes, cell) => bytes + held[1][cell]!),
    steps: a.steps + b.steps,
    isLoop: a.isLoop && b.isLoop,
    copiedWork: a.copiedWork + b.copiedWork,
    largest: Math.max(a.largest, b.largest),
  };
}

/** How many operations there are on the longest way to each. */
function levelsOf(nodes: readonly Node[]): number[] {
  const made = new Map<string, number>();
  return nodes.map(({ operation }) => {
    let level = 0;
    for (const step of operation.steps)
      if (step.kind === "read") level = Math.max(level, made.get(step.array) ?? 0);
    for (const { array } of operation.outputs) made.set(array, level + 1);
    return level;
  });
}

/** Each group as one node, in an order in which everything comes after what it reads. */
function mergedSiblings(
  work: SiblingWork,
  groups: ReadonlyMap<number, Group>,
  levels: readonly number[],
): readonly Node[] {
  const { nodes, readers, arrays } = work;
  const joins = new Set([...groups.values()].filter(({ members }) => members.length > 1));
  if (joins.size === 0) return nodes;
  for (const { members } of joins) members.sort((a, b) => a - b);
  const inside = new Set([...joins].flatMap(({ members }) => members));
  const placed = [
    ...nodes.flatMap((node, at) => (inside.has(at) ? [] : [{ at, level: levels[at]!, node }])),
    ...[...joins].map(({ members }) => ({
      at: members.at(-1)!,
      level: levels[members[0]!]!,
      node: mergeNodes(nodes, members, readers, arrays),
    })),
  ];
  return inOrder(placed.sort((a, b) => a.at - b.at).map(({ node }) => node));
}

/** Each node after those that make what it reads, and otherwise as they were. */
function inOrder(nodes: readonly Node[]): readonly Node[] {
  const makers = new Map(
    nodes.flatMap((node) => node.operation.outputs.map(({ array }) => [array, node] as const)),
  );
  const done = new Set<Node>();
  const ordered: Node[] = [];
  for (const root of nodes) {
    const stack = [root];
    while (stack.length > 0) {
      const node = stack.at(-1)!;
      const missing = readsOf(node.operation).flatMap((array) => {
        const maker = makers.get(array);
        return maker === undefined || done.has(maker) ? [] : [maker];
      });
      if (missing.length > 0 && !done.has(node)) {
        stack.push(...missing);
        continue;
      }
      stack.pop();
      if (done.has(node)) continue;
      done.add(node);
      ordered.push(node);
    }
  }
  return ordered;
}

interface Work {
  readonly nodes: readonly Node[];
  readonly arrays: Arrays;
  readonly rules: FusionRules;
  readonly readers: ReadonlyMap<string, readonly number[]>;
  readonly leaves: Leaves;
  /** For every operation the groups it is part of: several where each computes it for itself. Made when asked for. */
  readonly groups: (readonly Group[] | undefined)[];
}

function groupsAt({ nodes, arrays, groups }: Work, at: number): readonly Group[] {
  const known = groups[at] ?? [newGroup(at, nodes[at]!, arrays)];
  groups[at] = known;
  return known;
}

/** The groups of some readers, each once. */
function groupsReading(work: Work, reading: readonly number[]): readonly Group[] {
  const first = groupsAt(work, reading[0]!);
  if (reading.length === 1) return first;
  const all = new Set(first);
  for (const reader of reading) for (const group of groupsAt(work, reader)) all.add(group);
  return all.size === first.length ? first : [...all];
}

/** `isNew` tells which nodes were not there in the last round: only what they read has to be looked at again. */
export function fuseProducers(
  nodes: readonly Node[],
  arrays: Arrays,
  rules: FusionRules,
  reasons: Reasons,
  isNew: (node: Node) => boolean = () => true,
): readonly Node[] {
  const readers = readersOf(nodes);
  const leaves = leavesOf(nodes, readers, arrays);
  // As long as it will be: filled from its end it would become a slow table.
  const groups = new Array<readonly Group[] | undefined>(nodes.length).fill(undefined);
  const work: Work = { nodes, arrays, rules, readers, leaves, groups };
  for (let at = nodes.length - 1; at >= 0; at--) {
    const reading = readingOf(work, at);
    if (!reading.some((reader) => isNew(nodes[reader]!))) continue;
    const { answer, groups: found } = groupsFor(work, at, reading);
    if (found !== null) groups[at] = found;
    if (answer !== null && rules.print !== null)
      for (const reader of reading) reasons.add(nodes[reader]!.operation.name, answer);
  }
  return merged(work);
}

function readingOf({ nodes, readers }: Work, at: number): readonly number[] {
  const { outputs } = nodes[at]!.operation;
  if (outputs.length === 1) return readers.get(outputs[0]!.array) ?? NOBODY;
  return [...new Set(outputs.flatMap(({ array }) => readers.get(array) ?? []))];
}

const NOBODY: readonly number[] = [];

interface Placement {
  readonly answer: Answer | null;
  /** null: a group of its own. */
  readonly groups: readonly Group[] | null;
}

const stays = (reason: string): Placement => ({ answer: no(reason), groups: null });

function groupsFor(work: Work, at: number, reading: readonly number[]): Placement {
  const { nodes, arrays, rules } = work;
  const producer = nodes[at]!.operation;
  if (isRagged(producer) || reading.some((reader) => isRagged(nodes[reader]!.operation)))
    return stays("partitions are fused by themselves");
  const groups = groupsReading(work, reading);
  const given = producer.outputs;
  const isNamed = (set: ReadonlySet<string>): boolean =>
    set.size > 0 && given.some(({ array }) => set.has(array));
  if (reading.some((reader) => isNamed(nodes[reader]!.barred))) return stays("it is in neverFuse");
  const isResult = given.some(({ array }) => arrays.get(array)!.role === "result");
  if (rules.isMap && !isMap(work, producer, reading, isResult))
    return stays("no predecessor ops can be fused");
  const isOneCopied = given.length === 1 && !isResult && isCheap(producer) && groups.length <= MAX_COPIES;
  if (groups.length > 1 && !isOneCopied) return stays(`${producer.name} is read by several operations`);
  const isForced = reading.every((reader) => isNamed(nodes[reader]!.forced));
  const verdicts = groups.map((group) =>
    judge({
      producer,
      group,
      arrays,
      rules,
      isResult,
      isForced,
      leaves: work.leaves,
      copies: groups.length,
      exactBytes: () => bytesTogether(work, [at, ...group.members]),
    }),
  );
  const refused = verdicts.find(({ fused }) => fused === null);
  if (refused !== undefined) return { answer: refused.answer, groups: null };
  groups.forEach((group, i) => {
    Object.assign(group, verdicts[i]!.fused!);
    group.members.unshift(at);
  });
  return { answer: verdicts[0]!.answer, groups };
}

/** Computing something in several places is worth it only where that is a loop over what is read. */
const MAX_COPIES = 3;
const CHEAP: ReadonlySet<PlanStep["kind"]> = new Set(["read", "source", "elementwise", "move"]);
const isCheap = ({ steps }: Operation): boolean => steps.every(({ kind }) => CHEAP.has(kind));

/** Members are computed for the last one: what they make is stored only where it is asked for, or the last one's. */
function bytesTogether({ nodes, readers, arrays }: Work, members: readonly number[]): number {
  const { operation } = mergeNodes(nodes, members, readers, arrays);
  const own = nodes[members.at(-1)!]!.operation.outputs.map(({ array }) => array);
  const outputs = operation.outputs.filter(
    ({ array }) => own.includes(array) || arrays.get(array)!.role === "result",
  );
  return statedBytes({ ...operation, outputs }, arrays);
}

/** One reader, which has no other input and as many tasks. */
function isMap({ nodes }: Work, producer: Operation, reading: readonly number[], isResult: boolean): boolean {
  const reader = nodes[reading[0]!]!.operation;
  const inputs = reader.steps.filter(
    ({ kind, types }) => kind === "read" || (kind === "source" && sizeOf(types[0]!.shape) > 1),
  );
  const isAlone = reading.length === 1 && inputs.length === 1 && producer.outputs.length === 1;
  return isAlone && !isResult && sizeOf(reader.grid) === sizeOf(producer.grid);
}

/** Every group as one node, where its last member was. */
function merged({ nodes, arrays, readers, groups }: Work): readonly Node[] {
  if (groups.every((list) => list === undefined || list.every(({ members }) => members.length === 1)))
    return nodes;
  const copied = copiedArrays(nodes, groups);
  const isCopied = (array: string): boolean => copied.has(array);
  const list: Node[] = [];
  nodes.forEach((node, at) => {
    const known = groups[at];
    // The group it began with, where it is in one: it is the last of its members.
    const own = known?.find(({ members }) => members.at(-1) === at);
    if (known === undefined || own?.members.length === 1) list.push(node);
    else if (own !== undefined) list.push(mergeNodes(nodes, own.members, readers, arrays, isCopied));
  });
  return list;
}

/** What several groups compute, each for itself. */
function copiedArrays(nodes: readonly Node[], groups: Work["groups"]): ReadonlySet<string> {
  const copied = new Set<string>();
  groups.forEach((list, at) => {
    if (list !== undefined && list.length > 1)
      for (const { array } of nodes[at]!.operation.outputs) copied.add(array);
  });
  return copied;
}
