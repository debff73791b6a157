// What fusion goes by, against all tasks: what groups of operations read, which chunks that touches, what they compute
// and hold in memory, and whether two operations read the same. Judged from cells; here each task is looked at alone.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blockBytes } from "../../src/core/block.ts";
import { type Box, numberOf, placeOf, sameShape, sizeOf } from "../../src/core/chunks.ts";
import { denseOf } from "../../src/expr/op.ts";
import { taskBoxes, taskOutputs, windowsOf } from "../../src/plan/demand.ts";
import { costsOf, isHeavyStep, MOST_CELLS, workOf } from "../../src/plan/fusion/costs.ts";
import {
  chunkLaws,
  costsAlone,
  type Group,
  groupBytes,
  heldBy,
  mergeNodes,
  type Node,
  newGroup,
  nodeOf,
  readersOf,
} from "../../src/plan/fusion/fusionNodes.ts";
import { fusionRules } from "../../src/plan/fusion/fusionOptions.ts";
import { propose } from "../../src/plan/fusion/judge.ts";
import { sideBySide } from "../../src/plan/fusion/producers.ts";
import {
  blockCount,
  bytesInAll,
  isConstant,
  type Read,
  readCost,
  sameWindows,
  windowsAt,
} from "../../src/plan/fusion/reads.ts";
import type { DensePlanArray, Operation, PlanData } from "../../src/plan/plan.ts";
import { placeIn } from "../../src/plan/windows/taskKinds.ts";
import { boxAt, type Partition, tasksIn } from "../../src/plan/windows/taskRuns.ts";
import { countRemainders, elementsTouched, mostTouched } from "../../src/plan/windows/touched.ts";
import { largePrograms } from "./largePlans.ts";
import { type Arrays, arraysOf } from "./planTasks.ts";
import { check } from "./settings.ts";

const RULES = fusionRules({});

const textOf = ({ start, shape }: Box): string => `${start}+${shape}`;

/** For every task the windows of one read. */
type Sequence = readonly (readonly Box[])[];

interface Reading {
  readonly array: DensePlanArray;
  readonly tasks: Sequence;
}

const keyOf = ({ array, tasks }: Reading): string =>
  `${array.name}: ${tasks.map((boxes) => boxes.map(textOf).join(" ")).join("; ")}`;

/** What the steps of an operation read, task by task, each sequence once. */
function readingsOf(operation: Operation, arrays: Arrays): Map<string, Reading> {
  const perStep = operation.steps.map((): Box[][] => []);
  for (let task = 0; task < sizeOf(operation.grid); task++) {
    const boxes = taskBoxes(operation, taskOutputs(operation, arrays, placeOf(task, operation.grid)));
    for (const list of perStep) list.push([]);
    for (const { step, box } of windowsOf(operation, boxes)) perStep[step]![task]!.push(box);
  }
  const readings = new Map<string, Reading>();
  operation.steps.forEach((step, at) => {
    if (step.kind !== "read") return;
    const reading = { array: denseOf(arrays.get(step.array)!), tasks: perStep[at]! };
    readings.set(keyOf(reading), reading);
  });
  return readings;
}

/** The same from what is kept for a group. */
function readingOf(read: Read, cells: Partition, grid: readonly number[]): Reading {
  const tasks: Box[][] = [];
  cells.forEach((runs, cell) => {
    const counts = runs.map(({ count }) => count);
    for (let i = 0; i < tasksIn({ runs }); i++) {
      const steps = placeOf(i, counts);
      const task = numberOf(placeIn(runs, steps), grid);
      expect(tasks[task]).toBeUndefined();
      tasks[task] = windowsAt(read, cell).map((law) => boxAt(law, steps));
    }
  });
  return { array: read.array, tasks };
}

/** Numbers of the chunks, or parts of them, that a box touches along an axis. */
function touchedAlong(
  { chunks, inner = chunks }: DensePlanArray,
  { start, shape }: Box,
  axis: number,
): number[] {
  const numbers = new Set<number>();
  for (let i = 0; i < shape[axis]!; i++) numbers.add(Math.floor((start[axis]! + i) / inner[axis]!));
  return [...numbers];
}

const chunksTouched = (array: DensePlanArray, box: Box): number =>
  array.shape.reduce((count, _, axis) => count * touchedAlong(array, box, axis).length, 1);

function bytesTouched(array: DensePlanArray, box: Box): number {
  const inner = array.inner ?? array.chunks;
  const lengths = array.shape.map((n, axis) =>
    touchedAlong(array, box, axis).reduce(
      (sum, number) => sum + Math.min(inner[axis]!, n - number * inner[axis]!),
      0,
    ),
  );
  return blockBytes(array.dtype, lengths);
}

interface Figures {
  readonly read: number;
  readonly touchedBytes: number | null;
  readonly chunks: number | null;
}

/** Of all tasks, one after another. */
function figuresOf(readings: Iterable<Reading>, tasks: number): Figures {
  const list = [...readings];
  let [read, touchedBytes, chunks] = [0, 0, 0];
  for (let task = 0; task < tasks; task++) {
    let own = 0;
    for (const { array, tasks: sequence } of list)
      for (const box of sequence[task]!) {
        read += blockBytes(array.dtype, box.shape);
        touchedBytes += bytesTouched(array, box);
        if (!isConstant(array)) own += chunksTouched(array, box);
      }
    chunks = Math.max(chunks, own);
  }
  return { read, touchedBytes, chunks };
}

/** What is wrong with a group; the most that it holds is compared with the same group, looked at task by task. */
function expectExact(group: Group, merged: Operation, arrays: Arrays, single: Group): void {
  const cells = group.cells!;
  const expected = readingsOf(merged, arrays);
  const found = new Map(
    group.reads.map((read) => {
      const reading = readingOf(read, cells, group.grid);
      return [keyOf(reading), reading];
    }),
  );
  expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
  expect(group.reads).toHaveLength(found.size);
  const figures: Figures = {
    read: bytesInAll(group.reads, cells),
    touchedBytes: readCost(group.reads, cells),
    chunks: blockCount(group.reads, cells),
  };
  expect(figures).toEqual(figuresOf(expected.values(), sizeOf(group.grid)));
  expect(groupBytes(group)).toBe(groupBytes(single));
  expect(group.copiedWork).toBe(single.copiedWork);
}

/** Every task a cell of its own: nothing is taken to be even. */
const singleCells = (grid: readonly number[]): Partition =>
  Array.from({ length: sizeOf(grid) }, (_, task) =>
    placeOf(task, grid).map((first) => ({ first, step: 1, count: 1 })),
  );

function singleGroup(at: number, { operation }: Node, arrays: Arrays): Group {
  const cells = singleCells(operation.grid);
  const wanted = operation.outputs.map(({ array, value }) => {
    const written = arrays.get(array)!;
    return { array: written, value, laws: chunkLaws(written, cells), use: null };
  });
  const costs = costsOf(operation, cells, wanted, arrays)!;
  const held = heldBy(operation, costs, arrays);
  return {
    ...newGroup(at, { operation, alone: null, forced: new Set(), barred: new Set() }, arrays),
    ...{ cells: costs.cells, reads: costs.reads, held },
  };
}

/** What an operation computes in all tasks. */
function workOfAll(operation: Operation, arrays: Arrays): { work: number; heavy: number } {
  let [work, heavy] = [0, 0];
  for (let task = 0; task < sizeOf(operation.grid); task++) {
    const boxes = taskBoxes(operation, taskOutputs(operation, arrays, placeOf(task, operation.grid)));
    operation.steps.forEach((step, at) => {
      const box = boxes[at];
      if (box == null || step.kind === "read" || step.kind === "source") return;
      work += workOf(step) * sizeOf(box.shape);
      if (isHeavyStep(step)) heavy += sizeOf(box.shape);
    });
  }
  return { work, heavy };
}

/** Takes in whatever only the group reads, from an operation on, and looks at the group each time. */
function expectGroups(data: PlanData, last: number): number {
  const arrays = arraysOf(data);
  const nodes = data.operations.map((operation) => nodeOf(operation, RULES));
  const readers = readersOf(nodes);
  // Each a cell of its own, they would be too many to look at.
  if (sizeOf(nodes[last]!.operation.grid) > MOST_CELLS) return 0;
  let [group, single] = [newGroup(last, nodes[last]!, arrays), singleGroup(last, nodes[last]!, arrays)];
  if (group.cells === null) return 0;
  expectExact(group, nodes[last]!.operation, arrays, single);
  let looked = 1;
  for (let at = last - 1; at >= 0; at--) {
    const producer = nodes[at]!.operation;
    const reading = producer.outputs.flatMap(({ array }) => readers.get(array) ?? []);
    const isResult = producer.outputs.some(({ array }) => arrays.get(array)!.role === "result");
    if (reading.length === 0 || !reading.every((reader) => group.members.includes(reader))) continue;
    if (isResult && !sameShape(producer.grid, group.grid)) continue;
    const question = { producer, arrays, isResult, copies: 2 };
    const proposal = propose({ ...question, group });
    if (proposal === null) return looked;
    const other = propose({ ...question, group: single })!;
    const members = [at, ...group.members];
    group = { ...proposal.fused, members };
    single = { ...other.fused, members };
    expect(proposal.isAligned).toBe(other.isAligned);
    expect([proposal.costs.work, proposal.costs.heavy]).toEqual([other.costs.work, other.costs.heavy]);
    expectExact(group, mergeNodes(nodes, members, readers, arrays).operation, arrays, single);
    looked++;
  }
  return looked;
}

/** Whether any two operations read the same of an array, for all that have the same tasks. */
function expectSiblings(data: PlanData): number {
  const arrays = arraysOf(data);
  const groups = data.operations.map((operation, at) => newGroup(at, nodeOf(operation, RULES), arrays));
  let pairs = 0;
  for (const [i, a] of groups.entries())
    for (const b of groups.slice(i + 1)) {
      const beside = sameShape(a.grid, b.grid) ? sideBySide(a, b) : null;
      if (beside === null) continue;
      for (const [m, one] of beside.reads[0].entries())
        for (const [n, other] of beside.reads[1].entries()) {
          if (one.array !== other.array) continue;
          const isSame =
            keyOf(readingOf(a.reads[m]!, a.cells!, a.grid)) ===
            keyOf(readingOf(b.reads[n]!, b.cells!, b.grid));
          expect(sameWindows(one, other)).toBe(isSame);
          pairs++;
        }
    }
  return pairs;
}

describe("what fusion goes by, against all tasks", () => {
  test("of groups of random operations", () => {
    let [groups, pairs] = [0, 0];
    check(20, largePrograms, ({ values }) => {
      const data = cw.plan(values.slice(-2), { optimize: false }).data;
      const arrays = arraysOf(data);
      data.operations.forEach((operation, at) => {
        const costs = costsAlone(operation, arrays);
        if (costs !== null)
          expect({ work: costs.work, heavy: costs.heavy }).toEqual(workOfAll(operation, arrays));
        groups += expectGroups(data, at);
      });
      pairs += expectSiblings(data);
    });
    console.log(`${groups} groups, ${pairs} pairs of windows`);
    expect(groups).toBeGreaterThan(100);
  }, 240_000);
});

test("two that read the same in all tasks but one do not read the same", () => {
  const x = cw.asarray(new Float64Array(4001), { chunks: [20] });
  const other = cw.asarray(new Float64Array(20), { chunks: [20] });
  const replaced = x.set(["1000:1020"], other);
  const { data } = cw.plan([x.exp(), x.sin(), replaced, cw.flip(x)], { optimize: false });
  expect(expectSiblings(data)).toBe(6);
});

const small = (max: number): fc.Arbitrary<number> => fc.integer({ min: 1, max });

describe("arithmetic", () => {
  test("remainders", () => {
    const cases = fc.tuple(
      fc.integer({ min: -50, max: 50 }),
      fc.integer({ min: -50, max: 50 }),
      small(60),
      small(30),
      fc.nat(30),
    );
    check(2000, cases, ([start, slope, count, divisor, some]) => {
      const least = Math.min(some, divisor);
      let expected = 0;
      for (let i = 0; i < count; i++)
        if ((((start + slope * i) % divisor) + divisor) % divisor >= least) expected++;
      expect(countRemainders({ start, slope, count }, divisor, least)).toBe(expected);
    });
  });

  /** Two windows of arrays with two axes, that move along any of three axes of a grid, or several. */
  const axis = fc.record({
    length: small(20),
    chunk: small(9),
    slopes: fc.array(fc.constantFrom<number>(0, 0, 0, 1, 3, -2, 7), { minLength: 3, maxLength: 3 }),
  });
  const window = fc.array(axis, { minLength: 2, maxLength: 2 });
  const cases = fc.tuple(
    fc.array(window, { minLength: 1, maxLength: 2 }),
    fc.array(small(6), { minLength: 3, maxLength: 3 }),
    small(7),
  );

  test("chunks that are touched", () => {
    check(1000, cases, ([windows, counts, more]) => {
      const runs = counts.map((count) => ({ first: 0, step: 1, count }));
      const touching = windows.map((axes) => {
        const reach = axes.map(({ slopes }) => slopes.map((slope, g) => (counts[g]! > 1 ? slope : 0)));
        const low = reach.map((slopes) =>
          slopes.reduce((sum, slope, g) => sum + Math.min(0, slope * (counts[g]! - 1)), 0),
        );
        const high = reach.map((slopes) =>
          slopes.reduce((sum, slope, g) => sum + Math.max(0, slope * (counts[g]! - 1)), 0),
        );
        const shape = axes.map(({ length }, a) => high[a]! - low[a]! + length + more);
        const array: DensePlanArray = {
          name: "x",
          role: "source",
          kind: "dense",
          dtype: "float64",
          shape,
          chunks: axes.map(({ chunk }) => chunk),
        };
        const law = {
          start: low.map((x) => -x),
          shape: axes.map(({ length }) => length),
          slopes: counts.map((_, g) => reach.map((slopes) => slopes[g]!)),
        };
        return { array, law };
      });
      let most = 0;
      const sums = touching.map(() => 0);
      for (let i = 0; i < sizeOf(counts); i++) {
        const boxes = touching.map(({ law }) => boxAt(law, placeOf(i, counts)));
        most = Math.max(
          most,
          touching.reduce((sum, { array }, w) => sum + chunksTouched(array, boxes[w]!), 0),
        );
        touching.forEach(({ array }, w) => {
          sums[w]! += bytesTouched(array, boxes[w]!) / 8;
        });
      }
      expect(touching.map(({ array, law }) => elementsTouched(array, law, runs))).toEqual(sums);
      expect(mostTouched(touching, runs)).toBe(most);
    });
  });
});
