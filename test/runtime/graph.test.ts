// What the scheduler is told of plans: windows are what compiled tasks read, needs and readers are each other's
// inverse, and sets of tasks are sets.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placeOf, sizeOf } from "../../src/core/chunks.ts";
import { compileTask } from "../../src/plan/compile/compileTask.ts";
import { taskWindows } from "../../src/plan/demand.ts";
import { PlanGraph } from "../../src/runtime/planGraph.ts";
import { TaskSet } from "../../src/runtime/scheduler/frontier.ts";
import { ALL_FAMILIES, programs } from "../property/arbitrary.ts";
import type { Program } from "../property/program.ts";
import { check } from "../property/settings.ts";

const anyPrograms = programs({ exact: false, families: ALL_FAMILIES, maxSteps: 8 });

const graphOf = (program: Program, optimize: boolean): PlanGraph =>
  new PlanGraph(cw.plan(program.build("cut"), { optimize }).data);

function* tasksOf({ operations }: PlanGraph): Iterable<{ op: number; task: number }> {
  for (const [op, { tasks }] of operations.entries())
    for (let task = 0; task < tasks; task++) yield { op, task };
}

const key = (window: {
  array: string;
  box: { start: readonly number[]; shape: readonly number[] };
}): string => `${window.array} ${window.box.start} ${window.box.shape}`;

describe.each([true, false])("plans (optimize: %s)", (optimize) => {
  test("windows are what tasks read", () =>
    check(200, anyPrograms, (program) => {
      const graph = graphOf(program, optimize);
      for (const { op, task } of tasksOf(graph)) {
        const operation = graph.plan.operations[op]!;
        const place = placeOf(task, operation.grid);
        const { reads } = compileTask(operation, graph.arrays, place);
        const expected = reads.filter(({ box }) => sizeOf(box.shape) > 0).map(key);
        const found = taskWindows(operation, graph.arrays, place).map(key);
        // What nothing is computed from may be named all the same.
        for (const window of expected) expect(found).toContain(window);
      }
    }));

  test("the readers of a task are those that need it, all of them and no others", () => {
    let all = 0;
    check(200, anyPrograms, (program) => {
      const graph = graphOf(program, optimize);
      const expected = new Map<string, Set<string>>();
      for (const { op, task } of tasksOf(graph))
        for (const need of graph.needs(op, task)) {
          const name = `${need.op}.${need.task}`;
          expected.set(name, (expected.get(name) ?? new Set()).add(`${op}.${task}`));
        }
      for (const { op, task } of tasksOf(graph)) {
        const readers = graph.readers(op, task);
        const found = readers.flatMap((range) => [...range.tasks()].map((reader) => `${range.op}.${reader}`));
        expect(new Set(found)).toEqual(expected.get(`${op}.${task}`) ?? new Set());
        for (const range of readers) {
          const tasks = [...range.tasks()];
          expect([range.count, range.last]).toEqual([tasks.length, Math.max(...tasks)]);
        }
        all += found.length;
      }
    });
    expect(all).toBeGreaterThan(500);
  });
});

describe("a set of tasks", () => {
  test("is a set", () =>
    check(
      300,
      fc.record({
        limit: fc.integer({ min: 1, max: 70_000 }),
        actions: fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 69_999 })), { maxLength: 60 }),
      }),
      ({ limit, actions }) => {
        const tasks = new TaskSet(limit);
        const model = new Set<number>();
        for (const [isAdded, number] of actions) {
          const task = number % limit;
          if (isAdded) expect(tasks.add(task)).toBe(!model.has(task));
          else tasks.delete(task);
          if (isAdded) model.add(task);
          else model.delete(task);
        }
        expect(tasks.size).toBe(model.size);
        for (const [, number] of actions) {
          const task = number % limit;
          expect(tasks.has(task)).toBe(model.has(task));
          let next = task;
          while (model.has(next)) next++;
          expect(tasks.nextMissing(task)).toBe(Math.min(next, limit));
        }
      },
    ));

  test("that is filled page by page is full, and can be opened again", () => {
    const tasks = new TaskSet(100_000);
    for (let i = 99_999; i >= 0; i--) tasks.add(i);
    expect([tasks.isFull, tasks.nextMissing(0)]).toEqual([true, 100_000]);
    tasks.delete(40_000);
    expect([tasks.isFull, tasks.size, tasks.nextMissing(0), tasks.has(39_999)]).toEqual([
      false,
      99_999,
      40_000,
      true,
    ]);
  });
});
