// Nodes: operations while they are being fused, and which of them reads what. A node remembers which operations of the
// first plan it is made of, so that what the user said of those by name still holds.

import type { Operation, PlanArray } from "../plan.ts";
import { readsOf } from "../plan.ts";
import type { Arrays } from "./costs.ts";
import { type Alone, alone, type Group } from "./fusionGroup.ts";
import type { FusionRules } from "./fusionOptions.ts";
import { mergeOperations } from "./mergedOperation.ts";

export interface Node {
  readonly operation: Operation;
  /** What it costs by itself, once somebody has asked: most nodes stay the same from round to round. */
  alone: Alone | null;
  /** Arrays that are read by an operation that takes in everything, or nothing. */
  readonly forced: ReadonlySet<string>;
  readonly barred: ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();

export function nodeOf(operation: Operation, { always, never }: FusionRules): Node {
  return {
    operation,
    alone: null,
    forced: always.has(operation.name) ? new Set(readsOf(operation)) : NOTHING,
    barred: never.has(operation.name) ? new Set(readsOf(operation)) : NOTHING,
  };
}

/** A group of the node with this number alone. */
export function newGroup(at: number, node: Node, arrays: Arrays): Group {
  node.alone ??= alone(node.operation, arrays);
  const { grid, cells, reads, held, steps, isLoop, largest, copiedWork } = node.alone;
  return { members: [at], grid, cells, reads, held, steps, isLoop, largest, copiedWork };
}

const union = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> => {
  const some = sets.filter(({ size }) => size > 0);
  return some.length === 0 ? NOTHING : new Set(some.flatMap((set) => [...set]));
};

/** For every array the numbers of the nodes that read it. */
export function readersOf(nodes: readonly Node[]): Map<string, number[]> {
  const readers = new Map<string, number[]>();
  nodes.forEach(({ operation: { steps } }, at) => {
    for (const step of steps) {
      if (step.kind !== "read") continue;
      const known = readers.get(step.array);
      if (known === undefined) readers.set(step.array, [at]);
      else if (known.at(-1) !== at) known.push(at);
    }
  });
  return readers;
}

/** The members as one node. Outputs are kept that are asked for or that others read, unless those have their own. */
export function mergeNodes(
  nodes: readonly Node[],
  members: readonly number[],
  readers: ReadonlyMap<string, readonly number[]>,
  arrays: ReadonlyMap<string, PlanArray>,
  isCopied: (array: string) => boolean = () => false,
): Node {
  const inside = new Set(members);
  const list = members.map((at) => nodes[at]!);
  const isKept = (array: string): boolean =>
    arrays.get(array)!.role === "result" ||
    (!isCopied(array) && !(readers.get(array) ?? [-1]).every((at) => inside.has(at)));
  return {
    operation: mergeOperations(
      list.map(({ operation }) => operation),
      isKept,
    ),
    alone: null,
    forced: union(list.map(({ forced }) => forced)),
    barred: union(list.map(({ barred }) => barred)),
  };
}
