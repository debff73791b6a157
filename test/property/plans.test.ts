// Plans say the truth: what a task reads lies inside the arrays, every chunk of every output is written exactly
// once and before it is read, the data is JSON, optimising never adds operations, and the stated memory covers
// the buffers of every task.

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import {
  type Box,
  boxText,
  chunkBox,
  countChunks,
  gridOf,
  isEmptyBox,
  placeOf,
  sizeOf,
} from "../../src/core/chunks.ts";
import { denseOf } from "../../src/expr/op.ts";
import type { KernelStep } from "../../src/kernel/blockProgram.ts";
import type { Window } from "../../src/plan/compile/programWriter.ts";
import { type DensePlanArray, type PlanData, readsOf } from "../../src/plan/plan.ts";
import { memoryOf, totalMemory } from "../../src/plan/taskMemory.ts";
import { ALL_FAMILIES, programs } from "./arbitrary.ts";
import { BINARY } from "./makers/elementwise.ts";
import { SCANS, SORTING } from "./makers/reductions.ts";
import { arraysOf, mostBytes, tasksOf } from "./planTasks.ts";
import { check } from "./settings.ts";

const anyPrograms = programs({ exact: false, families: ALL_FAMILIES, maxSteps: 10 });
/** Work that is worth keeping, used by what may be cut otherwise. */
const heavySteps = programs({ exact: false, families: [SORTING, BINARY, SCANS], maxSteps: 4 });

/** Runs a check over both plans of random programs. */
function checkPlans(runs: number, holds: (plan: PlanData) => void): void {
  check(runs, anyPrograms, (program) => {
    const roots = program.build("cut");
    for (const optimize of [true, false]) holds(cw.plan(roots, { optimize }).data);
  });
}

function expectInside({ array, box }: Window, { shape }: DensePlanArray): void {
  const isInside = box.start.every(
    (x, axis) => x >= 0 && box.shape[axis]! >= 0 && x + box.shape[axis]! <= shape[axis]!,
  );
  if (isEmptyBox(box) || (isInside && box.start.length === shape.length)) return;
  expect.fail(`${boxText(box)} is not inside of ${array} [${shape}]`);
}

test("windows lie inside of their arrays", () =>
  checkPlans(120, (plan) => {
    const arrays = arraysOf(plan);
    for (const operation of plan.operations) {
      for (const { reads, writes } of tasksOf(operation, arrays)) {
        for (const window of [...reads, ...writes]) expectInside(window, denseOf(arrays.get(window.array)!));
      }
    }
  }));

const chunkBoxes = ({ shape, chunks }: DensePlanArray): Box[] =>
  Array.from({ length: countChunks(shape, chunks) }, (_, i) =>
    chunkBox(shape, chunks, placeOf(i, gridOf(shape, chunks))),
  );

test("every chunk is written once, by an operation before those that read it", () =>
  checkPlans(120, (plan) => {
    const arrays = arraysOf(plan);
    const written = new Map<string, string[]>();
    for (const operation of plan.operations) {
      const ready = (name: string): boolean => arrays.get(name)!.role === "source" || written.has(name);
      expect(readsOf(operation).filter((name) => !ready(name))).toEqual([]);
      for (const { array } of operation.outputs) {
        expect(written.has(array)).toBe(false);
        written.set(array, []);
      }
      for (const { writes } of tasksOf(operation, arrays))
        for (const { array, box } of writes) written.get(array)!.push(boxText(box));
    }
    for (const [name, boxes] of written) {
      expect(boxes.toSorted()).toEqual(
        chunkBoxes(denseOf(arrays.get(name)!))
          .map(boxText)
          .toSorted(),
      );
    }
    expect(plan.results.filter((name) => !written.has(name))).toEqual([]);
  }));

test("the data is JSON and survives it", () =>
  check(150, anyPrograms, (program) => {
    const plan = cw.plan(program.build("cut"));
    const json = plan.toJSON();
    expect(JSON.parse(JSON.stringify(json))).toEqual(json);
    expect(plan.toString()).toContain("plan:");
  }));

test("optimising never adds operations or tasks", () =>
  check(150, anyPrograms, (program) => {
    const roots = program.build("cut");
    const [plain, fused] = [cw.plan(roots, { optimize: false }), cw.plan(roots)];
    expect(fused.numOperations).toBeLessThanOrEqual(plain.numOperations);
    expect(fused.numTasks).toBeLessThanOrEqual(plain.numTasks);
    expect(fused.totalBytes).toBeLessThanOrEqual(plain.totalBytes);
  }));

test("stated memory is whole, not negative, and covers the buffers of every task", () =>
  checkPlans(120, (plan) => {
    const arrays = arraysOf(plan);
    for (const operation of plan.operations) {
      const terms = memoryOf(operation, arrays);
      for (const { bytes, reason } of terms) {
        expect(Number.isSafeInteger(bytes) && bytes >= 0, `${reason}: ${bytes}`).toBe(true);
      }
      const stated = totalMemory(terms);
      expect(mostBytes(operation, arrays), `buffers of ${operation.name}`).toBeLessThanOrEqual(stated);
    }
  }));

/** Elements that routines, scans and reductions go through in all tasks. */
function workOf({ operations, ...plan }: PlanData): number {
  const arrays = arraysOf({ operations, ...plan });
  const steps = operations.flatMap((operation) =>
    tasksOf(operation, arrays).flatMap(({ program }) => program.steps),
  );
  return steps.reduce(
    (sum, step) => sum + (step.kind === "loop" || step.kind === "segments" ? 0 : elementsOf(step)),
    0,
  );
}

const elementsOf = (step: Exclude<KernelStep, { kind: "loop" | "segments" }>): number =>
  step.kind === "routine" ? sizeOf(step.outputs[0]!.shape) : sizeOf(step.domain);

/** Twice: a scan that is fused into chunks that lie across its own is done for both neighbours. */
test("optimising does not repeat the work of routines, scans and reductions", () =>
  check(300, heavySteps, (program) => {
    const roots = program.build("cut");
    const [fused, plain] = [true, false].map((optimize) => workOf(cw.plan(roots, { optimize }).data));
    expect(fused).toBeLessThanOrEqual(2 * plain!);
  }));
