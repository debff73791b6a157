// Tasks that share a program: each has what it would have if it were compiled alone.

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { placeOf, sizeOf } from "../../src/core/chunks.ts";
import type { KernelStep } from "../../src/kernel/blockProgram.ts";
import { TaskKinds } from "../../src/plan/compile/compileTask.ts";
import { countsPlaces, type TaskProgram } from "../../src/plan/compile/programWriter.ts";
import type { PlanData } from "../../src/plan/plan.ts";
import { ALL_FAMILIES, programs } from "../property/arbitrary.ts";
import { arraysOf, tasksOf } from "../property/planTasks.ts";
import { check } from "../property/settings.ts";
import { zeros } from "./plans.ts";

/** A loop that counts no coordinates is the same wherever it begins. */
function withoutPlace(step: KernelStep): KernelStep {
  const isPlaced =
    step.kind === "scan" ||
    step.kind === "segments" ||
    step.kind === "routine" ||
    countsPlaces(step.kind === "loop" ? step.program : step.lift);
  return isPlaced ? step : { ...step, from: [] };
}

const comparable = ({ program, reads, writes }: TaskProgram): object => ({
  buffers: program.buffers,
  steps: program.steps.map(withoutPlace),
  reads,
  writes,
});

/** How many programs the tasks of a plan have. */
function programsOf(plan: PlanData, looks: (shared: TaskProgram, alone: TaskProgram) => void): number {
  const arrays = arraysOf(plan);
  const found = new Set<object>();
  for (const operation of plan.operations) {
    const kinds = new TaskKinds(operation, arrays);
    tasksOf(operation, arrays).forEach((alone, task) => {
      const shared = kinds.compile(placeOf(task, operation.grid));
      looks(shared, alone);
      found.add(shared.program);
    });
  }
  return found.size;
}

const isSame = (shared: TaskProgram, alone: TaskProgram): void =>
  expect(comparable(shared)).toEqual(comparable(alone));

test("random programs: the same as if each were compiled alone", () =>
  check(150, programs({ exact: false, families: ALL_FAMILIES, maxSteps: 10 }), (program) => {
    const roots = program.build("cut");
    for (const optimize of [true, false]) programsOf(cw.plan(roots, { optimize }).data, isSame);
  }));

const x = zeros([40, 30], [4, 3]);
const row = zeros([30], [3]);

test.each<[string, cw.LazyArray, number]>([
  ["elementwise, with a row for all", x.multiply(row).add(1), 1],
  ["edges have programs of their own", zeros([41, 31], [4, 3]).add(1), 4],
  ["a tree of sums, with the edge of each level", zeros([4000], [10]).sum(), 5],
  ["a slice that begins inside of chunks", x.get(cw.slice(2, 38)).rechunk([4, 3]).add(1), 1],
  ["transposed", x.permuteDims([1, 0]).add(1), 1],
])("%s", (_, array, programs) => {
  const { data } = cw.plan(array);
  expect(programsOf(data, isSame)).toBe(programs);
  expect(sizeOf(data.operations[0]!.grid)).toBeGreaterThan(20);
});

test("where coordinates count, tasks share all but those", () => {
  const { data } = cw.plan(cw.arange(0, 100, 1, { chunks: 10 }).add(1));
  const froms: unknown[] = [];
  const scalar = new Set<object>();
  programsOf(data, ({ program }) => {
    const [step] = program.steps;
    if (step?.kind !== "loop") return expect.fail("not a loop");
    froms.push(step.from[0]);
    scalar.add(step.program);
  });
  expect(froms).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  expect(scalar.size).toBe(1);
});
