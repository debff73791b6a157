// Leaves: the arrays that a chain of loops ends in. Operations are taken in one by one, and while the last of a chain is
// inside and the first is not, an array between them counts as one that is read, though it will not be. So the sources
// of a group are counted as they will be when all of the chain is inside, where nothing stands against that.

import { sameShape } from "../../core/shape.ts";
import { readsOf } from "../plan.ts";
import { isLoop } from "./kinds.ts";
import type { Node } from "./nodes.ts";
import type { Arrays } from "./probes.ts";

export type Leaves = ReadonlyMap<string, readonly string[]>;

/** More leaves than any limit that is likely: what has more counts as itself. */
const MAX_LEAVES = 16;

/** For arrays that are made by loops and read by one operation with the same tasks. */
export function leavesOf(
  nodes: readonly Node[],
  readers: ReadonlyMap<string, readonly number[]>,
  arrays: Arrays,
): Leaves {
  const leaves = new Map<string, readonly string[]>();
  for (const { operation } of nodes) {
    const { outputs, grid } = operation;
    const array = outputs[0]!.array;
    const reading = readers.get(array) ?? [];
    const reader = nodes[reading[0] ?? -1];
    const isPassed = reading.length === 1 && outputs.length === 1 && arrays.get(array)!.role !== "result";
    if (!isPassed || reader!.barred.has(array) || !sameShape(reader!.operation.grid, grid)) continue;
    const own = new Set(
      isLoop(operation) ? readsOf(operation).flatMap((name) => leaves.get(name) ?? [name]) : [],
    );
    if (own.size > 0 && own.size <= MAX_LEAVES) leaves.set(array, [...own]);
  }
  return leaves;
}

/** How many arrays are read in the end: as they are, or their leaves, whichever are fewer. */
export function countSources(
  reads: Iterable<string>,
  leaves: Leaves,
  isCounted: (array: string) => boolean,
): number {
  const ends = new Set<string>();
  let direct = 0;
  for (const array of reads) {
    if (!isCounted(array)) continue;
    direct++;
    const own = leaves.get(array);
    if (own === undefined) ends.add(array);
    else for (const leaf of own) if (isCounted(leaf)) ends.add(leaf);
  }
  return Math.min(direct, ends.size);
}
