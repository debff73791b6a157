// Producers into readers: an operation whose outputs only one group reads becomes part of that group where that pays.
// From the last operation to the first, so that when one is looked at all its readers have found their group: paths
// that part and meet again end in one group, and what they have in common is computed once.
// Linear: each operation is looked at once.

import { sizeOf } from "../../core/shape.ts";
import { memoryOf, totalMemory } from "../memory.ts";
import type { Operation, PlanStep } from "../plan.ts";
import type { Group } from "./group.ts";
import { judge } from "./judge.ts";
import { type Leaves, leavesOf } from "./leaves.ts";
import { mergeNodes, type Node, newGroup, readersOf } from "./nodes.ts";
import type { FusionRules } from "./options.ts";
import type { Arrays } from "./probes.ts";
import { type Answer, no, type Reasons } from "./reasons.ts";

interface Work {
  readonly nodes: readonly Node[];
  readonly arrays: Arrays;
  readonly rules: FusionRules;
  readonly readers: ReadonlyMap<string, readonly number[]>;
  readonly leaves: Leaves;
  /** For every operation the groups it is part of: several where each computes it for itself. Made when asked for. */
  readonly groups: Group[][];
}

function groupsAt({ nodes, arrays, groups }: Work, at: number): readonly Group[] {
  groups[at] ??= [newGroup(at, nodes[at]!, arrays)];
  return groups[at];
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
  const work: Work = { nodes, arrays, rules, readers, leaves, groups: [] };
  for (let at = nodes.length - 1; at >= 0; at--) {
    const reading = readingOf(work, at);
    if (!reading.some((reader) => isNew(nodes[reader]!))) continue;
    const { answer, groups } = groupsFor(work, at, reading);
    if (groups !== null) work.groups[at] = groups;
    if (answer !== null && rules.print !== null)
      for (const reader of reading) reasons.add(nodes[reader]!.operation.name, answer);
  }
  return merged(work);
}

function readingOf({ nodes, readers }: Work, at: number): readonly number[] {
  const { outputs } = nodes[at]!.operation;
  if (outputs.length === 1) return readers.get(outputs[0]!.array) ?? [];
  return [...new Set(outputs.flatMap(({ array }) => readers.get(array) ?? []))];
}

interface Placement {
  readonly answer: Answer | null;
  /** null: a group of its own. */
  readonly groups: Group[] | null;
}

const stays = (reason: string): Placement => ({ answer: no(reason), groups: null });

function groupsFor(work: Work, at: number, reading: readonly number[]): Placement {
  const { nodes, arrays, rules } = work;
  const producer = nodes[at]!.operation;
  const groups = [...new Set(reading.flatMap((reader) => groupsAt(work, reader)))];
  const given = producer.outputs.map(({ array }) => array);
  if (reading.some((reader) => given.some((array) => nodes[reader]!.barred.has(array))))
    return stays("it is in neverFuse");
  const isResult = given.some((array) => arrays.get(array)!.role === "result");
  if (rules.isMap && !isMap(work, producer, reading, isResult))
    return stays("no predecessor ops can be fused");
  const isOneCopied = given.length === 1 && !isResult && isCheap(producer) && groups.length <= MAX_COPIES;
  if (groups.length > 1 && !isOneCopied) return stays(`${producer.name} is read by several operations`);
  const isForced = reading.every((reader) => given.some((array) => nodes[reader]!.forced.has(array)));
  const verdicts = groups.map((group) =>
    judge({
      ...{ producer, group, arrays, rules, isResult, isForced, leaves: work.leaves },
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

function bytesTogether({ nodes, readers, arrays }: Work, members: readonly number[]): number {
  const { operation } = mergeNodes(nodes, members, readers, arrays);
  return totalMemory(memoryOf(operation, arrays));
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
  const joins = new Set(groups.flat().filter(({ members }) => members.length > 1));
  if (joins.size === 0) return nodes;
  const isCopied = new Set(
    nodes.flatMap(({ operation }, at) =>
      (groups[at]?.length ?? 0) > 1 ? operation.outputs.map(({ array }) => array) : [],
    ),
  );
  const inside = new Set([...joins].flatMap(({ members }) => members));
  const placed = [...joins].map(({ members }) => ({
    at: members.at(-1)!,
    node: mergeNodes(nodes, members, readers, arrays, (array) => isCopied.has(array)),
  }));
  nodes.forEach((node, at) => {
    if (!inside.has(at)) placed.push({ at, node });
  });
  return placed.sort((a, b) => a.at - b.at).map(({ node }) => node);
}
