// Producers into readers: an operation whose outputs only one group reads becomes part of that group where that pays.
// From the last operation to the first, so that when one is looked at all its readers have found their group: paths
// that part and meet again end in one group, and what they have in common is computed once.
// Linear: each operation is looked at once.

import { sizeOf } from "../../core/shape.ts";
import { isRagged, type Operation, type PlanStep } from "../plan.ts";
import { statedBytes } from "../statedBytes.ts";
import type { Arrays } from "./costs.ts";
import type { Group } from "./fusionGroup.ts";
import { mergeNodes, type Node, newGroup, readersOf } from "./fusionNodes.ts";
import type { FusionRules } from "./fusionOptions.ts";
import { judge } from "./judge.ts";
import { type Leaves, leavesOf } from "./leaves.ts";
import { type Answer, no, type Reasons } from "./reasons.ts";

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
