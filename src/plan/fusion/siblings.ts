// Siblings: operations with the same tasks that read the same windows of the same array become one operation with
// several outputs, so that what they share is read once. They must not wait for each other: they are on one level,
// levels being the longest ways from the sources, and joining within levels leaves every edge going upward.

import { sameShape } from "../../core/shape.ts";
import { isRagged, type PlanArray, readsOf } from "../plan.ts";
import { statedBytes } from "../statedBytes.ts";
import { meetOf, type Partition, samePartition } from "../windows/partition.ts";
import { type Arrays, MOST_CELLS } from "./costs.ts";
import { fits, type Group } from "./fusionGroup.ts";
import { mergeNodes, type Node, newGroup, readersOf } from "./fusionNodes.ts";
import type { FusionRules } from "./fusionOptions.ts";
import { MAX_FUSED_STEPS } from "./judge.ts";
import { countSources, type Leaves } from "./leaves.ts";
import { addRead, bytesInAll, isConstant, type Reads, refinedReads, sameWindows } from "./reads.ts";

interface Work {
  readonly nodes: readonly Node[];
  readonly arrays: Arrays;
  readonly rules: FusionRules;
  readonly readers: ReadonlyMap<string, readonly number[]>;
}

export function fuseSiblings(nodes: readonly Node[], arrays: Arrays, rules: FusionRules): readonly Node[] {
  const readers = readersOf(nodes);
  const work: Work = { nodes, arrays, rules, readers };
  const shared: [PlanArray, readonly number[]][] = [];
  for (const [name, list] of readers) {
    if (list.length > 1 && !isConstant(arrays.get(name)!)) shared.push([arrays.get(name)!, list]);
  }
  if (shared.length === 0) return nodes;
  const levels = levelsOf(nodes);
  const groups = new Map<number, Group>();
  for (const [array, list] of shared) {
    const waiting: number[] = [];
    for (const at of list) {
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
  return merged(work, groups, levels);
}

/** Of many that wait the last are tried: looking at all of them would take long. */
const MAX_TRIED = 4;

/** What is shared should be a good part of what either reads: memory is paid for it. */
const WORTH = 0.25;

const NO_LEAVES: Leaves = new Map();

/** Joins them where that pays off. */
function joinWhere(work: Work, a: Group, b: Group, array: PlanArray, groups: Map<number, Group>): boolean {
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
export interface Beside {
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

function exactBytes({ nodes, readers, arrays }: Work, a: Group, b: Group): number {
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
function merged(work: Work, groups: ReadonlyMap<number, Group>, levels: readonly number[]): readonly Node[] {
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
