// Windows as data against all tasks of plans that have thousands: the windows of cells are what tasks read, each task is
// in one cell, the readers of a chunk are the tasks that read it, the memory that is stated is what the task needs that
// needs most, and the bytes that are read are the sum over all.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { blockBytes } from "../../src/core/block.ts";
import { numberOf, placeOf, sizeOf } from "../../src/core/chunks.ts";
import { denseOf } from "../../src/expr/op.ts";
import { TaskKinds } from "../../src/plan/compile/compileTask.ts";
import { taskWindows } from "../../src/plan/demand.ts";
import {
  chunkOfArray,
  gridOfArray,
  type Operation,
  type PlanArray,
  type PlanData,
  readsOf,
} from "../../src/plan/plan.ts";
import { memoryOf, termsOf, totalMemory } from "../../src/plan/taskMemory.ts";
import { trafficOf } from "../../src/plan/traffic.ts";
import { cellsOf, placeIn } from "../../src/plan/windows/taskKinds.ts";
import { startAt, tasksIn } from "../../src/plan/windows/taskRuns.ts";
import { chunksOfBox, readersOf } from "../../src/runtime/planGraph.ts";
import { largePrograms } from "./largePlans.ts";
import { type Arrays, arraysOf } from "./planTasks.ts";
import { check } from "./settings.ts";

/** One operation per node, fused as usual, and all in one where that can be. */
function plansOf(arrays: readonly cw.LazyArray[]): PlanData[] {
  const apart = cw.plan(arrays, { optimize: false }).data;
  const rewritten = cw.plan(arrays, { optimizeFunction: (plan) => plan }).data;
  const names = rewritten.operations.map(({ name }) => name);
  return [apart, cw.plan(arrays).data, cw.plan(arrays, { alwaysFuse: names }).data];
}

const windowText = (array: string, start: readonly number[], shape: readonly number[]): string =>
  `${array} ${start} ${shape}`;

/** Windows by task, from cells. */
function windowsOfCells(operation: Operation, arrays: Arrays): string[][] {
  const found: string[][] = [];
  for (const { runs, windows } of cellsOf(operation, arrays)) {
    const counts = runs.map(({ count }) => count);
    for (let i = 0; i < tasksIn({ runs }); i++) {
      const steps = placeOf(i, counts);
      const task = numberOf(placeIn(runs, steps), operation.grid);
      expect(found[task]).toBeUndefined();
      found[task] = windows.map((law) => windowText(law.array, startAt(law, steps), law.shape));
    }
  }
  return found;
}

function windowsOfTasks(operation: Operation, arrays: Arrays): string[][] {
  return Array.from({ length: sizeOf(operation.grid) }, (_, task) =>
    taskWindows(operation, arrays, placeOf(task, operation.grid)).map(({ array, box }) =>
      windowText(array, box.start, box.shape),
    ),
  );
}

/** For every chunk of an array the tasks that read it. */
function readersOfTasks(operation: Operation, arrays: Arrays, array: PlanArray): Set<number>[] {
  const readers = Array.from({ length: sizeOf(gridOfArray(array)) }, () => new Set<number>());
  for (let task = 0; task < sizeOf(operation.grid); task++)
    for (const window of taskWindows(operation, arrays, placeOf(task, operation.grid)))
      if (window.array === array.name)
        for (const chunk of chunksOfBox(window.box, array)) readers[chunk]!.add(task);
  return readers;
}

function readersOfChunk(operation: Operation, arrays: Arrays, array: PlanArray, chunk: number): Set<number> {
  const { name } = array;
  const box = chunkOfArray(array, placeOf(chunk, gridOfArray(array)));
  const tasks = new Set<number>();
  for (const places of readersOf(operation, arrays, name, box)) {
    const counts = places.map(({ count }) => count);
    for (let i = 0; i < sizeOf(counts); i++)
      tasks.add(numberOf(placeIn(places, placeOf(i, counts)), operation.grid));
  }
  return tasks;
}

/** What is wrong with an operation's windows; empty when nothing is. */
function wrongWindows(operation: Operation, arrays: Arrays): string[] {
  const [found, expected] = [windowsOfCells(operation, arrays), windowsOfTasks(operation, arrays)];
  return expected.flatMap((windows, task) =>
    `${windows}` === `${found[task]}`
      ? []
      : [`${operation.name}.${task} reads ${windows}, not ${found[task]}`],
  );
}

function wrongReaders(operation: Operation, arrays: Arrays): string[] {
  return readsOf(operation).flatMap((name) => {
    const array = arrays.get(name)!;
    return readersOfTasks(operation, arrays, array).flatMap((expected, chunk) => {
      const found = readersOfChunk(operation, arrays, array, chunk);
      const isSame = found.size === expected.size && [...found].every((task) => expected.has(task));
      return isSame ? [] : [`${name}.${chunk} is read by ${[...expected]}, not ${[...found]}`];
    });
  });
}

/** The most that any task needs, and what all of them read. */
function memoryAndTraffic(operation: Operation, arrays: Arrays): { memory: number; read: number } {
  const kinds = new TaskKinds(operation, arrays);
  const known = new WeakMap<object, number>();
  let [memory, read] = [0, 0];
  for (let task = 0; task < sizeOf(operation.grid); task++) {
    const compiled = kinds.compile(placeOf(task, operation.grid));
    // Tasks that share a program need the same: nothing here is stored.
    const needed = known.get(compiled.program) ?? totalMemory(termsOf(compiled, arrays));
    known.set(compiled.program, needed);
    memory = Math.max(memory, needed);
    for (const { array, box } of compiled.reads)
      read += blockBytes(denseOf(arrays.get(array)!).dtype, box.shape);
  }
  return { memory, read };
}

function expectExact(data: PlanData): void {
  const arrays = arraysOf(data);
  for (const operation of data.operations) {
    expect(wrongWindows(operation, arrays)).toEqual([]);
    expect(wrongReaders(operation, arrays)).toEqual([]);
    const stated = {
      memory: totalMemory(memoryOf(operation, arrays)),
      read: trafficOf(operation, arrays).read,
    };
    expect({ name: operation.name, ...stated }).toEqual({
      name: operation.name,
      ...memoryAndTraffic(operation, arrays),
    });
  }
}

describe("windows of cells and readers of chunks, against all tasks", () => {
  test("of random plans", () => {
    let [tasks, cells] = [0, 0];
    check(15, largePrograms, ({ arrays }) => {
      for (const data of plansOf(arrays)) {
        expectExact(data);
        for (const operation of data.operations) {
          tasks += sizeOf(operation.grid);
          cells += cellsOf(operation, arraysOf(data)).length;
        }
      }
    });
    console.log(`${tasks} tasks in ${cells} cells`);
    expect(tasks).toBeGreaterThan(2_000);
  }, 240_000);

  const line = (n: number, chunks: number): cw.LazyArray =>
    cw.asarray(new Float64Array(n), { chunks: [chunks] });

  const square = (n: number, chunks: number): cw.LazyArray =>
    cw.asarray(new cw.NDArray(new Float64Array(n * n), [n, n], "float64"), { chunks: [chunks, chunks] });

  const stored = (x: cw.LazyArray): cw.LazyArray => cw.cumulativeSum(x, { axis: 0 });

  test.each([
    ["two halves exchanged, and what they are halves of", () => exchangedWithItself(line(400_000, 1000))],
    ["a long axis that is split", () => stored(line(300_000, 1000)).reshape([300, 1000]).rechunk([7, 400])],
    // Of one row a chunk: where a window begins depends on both axes of the grid.
    [
      "a long axis that is split into three",
      () => stored(line(30_000, 700)).reshape([30, 20, 50]).rechunk([1, 3, 50]),
    ],
    ["rows that become one axis", () => stored(square(211, 20)).reshape([-1]).rechunk([1009])],
    ["rows that become other rows", () => stored(square(210, 21)).reshape([1470, 30]).rechunk([64, 8])],
    ["a matrix and its transpose", () => stored(square(100, 7)).add(stored(square(100, 7)).T)],
    ["a matrix times its transpose", () => cw.matmul(stored(square(90, 7)), stored(square(90, 7)).T)],
    [
      "an array and itself, backwards",
      () => stored(line(4_001, 20)).subtract(cw.flip(stored(line(4_001, 20)))),
    ],
    [
      "an array and itself, rolled",
      () => cw.roll(stored(line(4_000, 20)), 1_403).add(stored(line(4_000, 20))),
    ],
    ["differences of what is sorted", () => cw.diff(cw.sort(stored(square(60, 7)), { axis: 1 }))],
    ["reflected many times", () => cw.pad(stored(line(11, 3)), [[10, 10]], { mode: "reflect" }).rechunk([4])],
    ["repeated without end", () => cw.tile(stored(line(1001, 100)), [60]).rechunk([64])],
  ])("%s", (_, make) => {
    for (const data of plansOf([make()])) expectExact(data);
  });
});

const exchangedWithItself = (x: cw.LazyArray): cw.LazyArray =>
  cw.concat([x.get("123457:"), x.get(":123457")]).add(x);
