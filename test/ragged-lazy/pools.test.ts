// Ragged computations on every pool, with little memory, and resumed: the same rows whatever carries the tasks.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunEvent, Spec } from "chunkwise";
import * as rg from "chunkwise/ragged";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../built.ts";
import { RaggedWays } from "./ways.ts";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-ragged-"));
let events: rg.LazyRagged;

beforeAll(async () => {
  await ensureBuilt();
  const rows = Array.from({ length: 4000 }, (_, i) => ({
    met: i / 2,
    name: `event ${i}`,
    muons: Array.from({ length: i % 4 }, (_, j) => ({ pt: i + j / 2, charge: j % 2 === 0 ? 1 : null })),
  }));
  await rg.toParquet(rg.fromIter(rows), join(folder, "events.parquet"), { rowGroupRows: 250 });
  events = await rg.fromParquet(join(folder, "events.parquet"));
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pt = (): rg.LazyRagged => events.field("muons", "pt");

const COMPUTATIONS: readonly [name: string, make: () => rg.LazyRagged][] = [
  ["elementwise", () => pt().add(1)],
  ["over all rows", () => pt().sum()],
  ["with what all rows say", () => pt().subtract(pt().mean())],
  ["rows by a mask", () => events.get(pt().sum({ axis: 1 }).greater(100)) as rg.LazyRagged],
  ["strings", () => events.field("name")],
  ["nulls", () => events.field("muons", "charge").fillNone(0)],
  ["cut anew", () => rg.repartition(events, { npartitions: 3 }).field("met")],
  ["sorted along rows", () => events.field("met").sort({ axis: 0, ascending: false })],
  ["one after another", () => rg.concatenate([events.field("met"), pt().flatten()])],
];

describe("the same every way", () => {
  test.each(COMPUTATIONS)("%s", async (_, make) => {
    const ways = new RaggedWays();
    await ways.compute([make()]);
    await ways.agree();
  });
});

test("intermediates that do not fit go to files and come back", async () => {
  const path = join(folder, "large.parquet");
  const numbers = Float64Array.from({ length: 2 ** 19 }, (_, i) => (i * 7) % 1013);
  await rg.toParquet(rg.zip({ v: numbers }), path, { rowGroupRows: 2 ** 15 });
  const v = (await rg.fromParquet(path)).field("v");
  const x = v.subtract(v.mean());
  const whole = (await x.compute()) as rg.RaggedArray;
  const spills: string[] = [];
  // Room for a task, and not for all that is kept.
  const spec = new Spec({ allowedMem: 1e6 + rg.plan(x).maxProjectedMem, reservedMem: 0 });
  const onEvent = (event: RunEvent): void => {
    if (event.type === "spill") spills.push(event.type);
  };
  const spilled = (await x.compute({ executor: "inline", spec, onEvent })) as rg.RaggedArray;
  const bytes = (array: rg.RaggedArray): Buffer => Buffer.from(rg.toNumpy(array).data.slice().buffer);
  expect(Buffer.compare(bytes(spilled), bytes(whole))).toBe(0);
  expect(spills.length).toBeGreaterThan(0);
});

test("a run that was broken off goes on where it was", async () => {
  const workDir = join(folder, "work");
  const spec = new Spec({ workDir, allowedMem: "1GB" });
  const gone = new AbortController();
  const x = pt().subtract(pt().mean());
  let ended = 0;
  const breakOff = x.compute({
    ...{ spec, executor: "inline", signal: gone.signal },
    onEvent: (event) => {
      if (event.type === "taskEnd" && ++ended === 7) gone.abort(new Error("enough"));
    },
  });
  await expect(breakOff).rejects.toThrow("enough");
  expect(readdirSync(workDir).length).toBe(1);
  let again = 0;
  const result = (await x.compute({
    ...{ spec, executor: "inline" },
    onEvent: (event) => {
      if (event.type === "taskEnd") again++;
    },
  })) as rg.RaggedArray;
  expect(result.toList()).toEqual(((await x.compute()) as rg.RaggedArray).toList());
  const all = rg.plan(x, { spec }).numTasks;
  expect(again).toBeLessThanOrEqual(all - 6);
  expect(readdirSync(workDir)).toEqual([]);
});
