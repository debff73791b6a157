// Operations on partitions of nested data, as the planner sees them. Lengths are known only when data are there, so
// bytes here are what sources expect of their partitions, carried along: an estimate, where dense arrays have a bound.

import { blockBytes } from "../core/block.ts";
import { type Shape, sizeOf } from "../core/shape.ts";
import { extentOf } from "../expr/type.ts";
import type { MemoryTerm } from "./phases.ts";
import type { Operation, PlanArray } from "./plan.ts";
import { taskKinds } from "./windows/taskKinds.ts";
import { taskWindows } from "./windows.ts";

type Arrays = ReadonlyMap<string, PlanArray>;

/** Of so many elements along each axis, or of so many partitions. */
function bytesOf(array: PlanArray, shape: Shape): number {
  switch (array.kind) {
    case "dense":
      return blockBytes(array.dtype, shape);
    case "ragged":
      return array.partitionBytes * sizeOf(shape);
    default:
      throw array satisfies never;
  }
}

/** Of a whole array. */
export const arrayBytes = (array: PlanArray): number => bytesOf(array, extentOf(array));

/** Of the largest chunk. */
export const chunkBytes = (array: PlanArray): number =>
  bytesOf(
    array,
    extentOf(array).map((n, axis) => Math.min(n, array.chunks[axis]!)),
  );

/** What one task reads, by array. */
export function partitionsRead(
  operation: Operation,
  arrays: Arrays,
  place: readonly number[],
): Map<string, number> {
  const bytes = new Map<string, number>();
  const seen = new Set<string>();
  for (const { array, box } of taskWindows(operation, arrays, place)) {
    const key = `${array} ${box.start} ${box.shape}`;
    if (seen.has(key)) continue;
    seen.add(key);
    bytes.set(array, (bytes.get(array) ?? 0) + bytesOf(arrays.get(array)!, box.shape));
  }
  return bytes;
}

/** What is read, what one step makes of it while its inputs are there, and the outputs packed. */
export function raggedTerms(operation: Operation, arrays: Arrays): MemoryTerm[] {
  const { outputs } = operation;
  const most = new Map<string, number>();
  for (const { place } of taskKinds(operation, arrays))
    for (const [array, bytes] of partitionsRead(operation, arrays, place))
      most.set(array, Math.max(bytes, most.get(array) ?? 0));
  const reads = [...most].map(([array, bytes]) => ({ reason: `read ${array}`, bytes }));
  const largest = Math.max(0, ...reads.map(({ bytes }) => bytes));
  const writes = outputs.map(({ array }) => ({
    reason: `write ${array}`,
    bytes: chunkBytes(arrays.get(array)!),
  }));
  return [...reads, { reason: "values in between, about", bytes: largest }, ...writes];
}
