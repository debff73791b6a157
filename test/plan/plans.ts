// What tests of plans share: arrays with chosen chunks, plans without rewriting, counts as seed 000 counts.

import * as cw from "chunkwise";
import { placeOf, sizeOf } from "../../src/core/chunks.ts";
import { compileTask } from "../../src/plan/compile/compileTask.ts";
import { type Plan, type PlanOptions, planOf } from "../../src/plan/index.ts";
import type { PlanData } from "../../src/plan/plan.ts";

export const zeros = (shape: readonly number[], chunks: readonly number[]): cw.LazyArray =>
  cw.asarray(new cw.NDArray(new Float64Array(sizeOf(shape)), shape), { chunks });

/** The plan of what was written, without rewriting. */
export const planned = (arrays: cw.LazyArray | readonly cw.LazyArray[], options: PlanOptions = {}): Plan =>
  planOf(
    [arrays].flat().map(({ expr }) => expr),
    options,
  );

/** One task per chunk of every operation, plus one for every array that is created. */
export const seedTasks = ({ numTasks, data }: Plan): number =>
  numTasks + data.arrays.filter(({ role }) => role !== "source").length;

export const intermediates = ({ data }: Plan): string[] =>
  data.arrays.filter(({ role }) => role === "intermediate").map(({ name }) => name);

/** What the fusion says about a plan. */
export function reasons(array: cw.LazyArray | readonly cw.LazyArray[], options: PlanOptions = {}): string {
  const lines: string[] = [];
  planned(array, { ...options, debug: (line) => lines.push(line) });
  return lines.join("\n");
}

/** How often every window of every array is read, by all tasks of a plan. */
export function readCounts({ operations, arrays: list }: PlanData): Map<string, number> {
  const arrays = new Map(list.map((array) => [array.name, array]));
  const counts = new Map<string, number>();
  for (const operation of operations) {
    for (let task = 0; task < sizeOf(operation.grid); task++) {
      const { reads } = compileTask(operation, arrays, placeOf(task, operation.grid));
      for (const { array, box } of reads) {
        const key = `${array} ${box.start.join()}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
  }
  return counts;
}
