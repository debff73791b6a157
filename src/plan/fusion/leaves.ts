// Leaves: the arrays that a chain of loops ends in. Operations are taken in one by one, and while the last of a chain is
// inside and the first is not, an array between them counts as one that is read, though it will not be. So the sources
// of a group are counted as they will be when all of the chain is inside, where nothing stands against that.

import { sameShape } from "../../core/shape.ts";
import type { Operation, PlanArray } from "../plan.ts";
import type { Arrays } from "./costs.ts";
import type { Node } from "./fusionNodes.ts";
import { isConstant } from "./reads.ts";
import { isLoop } from "./stepKinds.ts";

export type Leaves = ReadonlyMap<PlanArray, readonly PlanArray[]>;

/** More leaves than any limit that is likely: what has more counts as itself. */
const MAX_LEAVES = 16;

/** For arrays that are made by loops and read by one operation with the same tasks. */
export function leavesOf(
  nodes: readonly Node[],
  readers: ReadonlyMap<string, readonly number[]>,
  arrays: Arrays,
): Leaves {
  const leaves = new Map<PlanArray, readonly PlanArray[]>();
  for (const { operation } of nodes) {
    const { outputs, grid } = operation;
    const array = arrays.get(outputs[0]!.array)!;
    const reading = readers.get(array.name);
    const isPassed = reading?.length === 1 && outputs.length === 1 && array.role !== "result";
    if (!isPassed || !isLoop(operation)) continue;
    const reader = nodes[reading[0]!]!;
    if (reader.barred.has(array.name) || !sameShape(reader.operation.grid, grid)) continue;
    const own = leavesOfOne(operation, leaves, arrays);
    if (own.length > 0 && own.length <= MAX_LEAVES) leaves.set(array, own);
  }
  return leaves;
}

/** Stops at the first that is too many. */
function leavesOfOne({ steps }: Operation, leaves: Leaves, arrays: Arrays): PlanArray[] {
  const own: PlanArray[] = [];
  const add = (leaf: PlanArray): void => {
    if (own.length <= MAX_LEAVES && !own.includes(leaf)) own.push(leaf);
  };
  for (const step of steps) {
    if (step.kind !== "read") continue;
    const array = arrays.get(step.array)!;
    const below = leaves.get(array);
    if (below === undefined) add(array);
    else for (const leaf of below) add(leaf);
  }
  return own;
}

/** How many arrays are read in the end: as they are, or their leaves, whichever are fewer. One element is a constant. */
export function countSources(reads: readonly { readonly array: PlanArray }[], leaves: Leaves): number {
  const direct: PlanArray[] = [];
  for (const { array } of reads) if (!isConstant(array) && !direct.includes(array)) direct.push(array);
  const ends: PlanArray[] = [];
  for (const array of direct) {
    for (const leaf of leaves.get(array) ?? [array])
      if (!isConstant(leaf) && !ends.includes(leaf)) ends.push(leaf);
    // No fewer than they are as they are: the rest need not be looked at.
    if (ends.length >= direct.length) return direct.length;
  }
  return ends.length;
}
