// What a plan for a target states is what the run states that writes it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import { afterAll, beforeAll, expect, test } from "vitest";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "chunkwise-target-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const x = cw.asarray(new cw.NDArray(new Float64Array(10_000), [100, 100], "float64"), { chunks: [30, 30] });
const sums = x.add(x.T).multiply(2);

/** The most memory that the plan of a run states, from its events. */
async function statedBy(run: (onEvent: (event: cw.RunEvent) => void) => Promise<unknown>): Promise<number> {
  let stated = 0;
  await run((event) => {
    if (event.type === "computeStart")
      stated = Math.max(...event.operations.map(({ projectedMem }) => projectedMem));
  });
  return stated;
}

test.each([
  {},
  { codecs: [] },
  { codecs: ["gzip"] },
  { chunks: [50, 20] },
  { chunks: [20, 20], shards: [60, 60] },
] as const)("toZarr with %j", async (target) => {
  const path = join(folder, `x${JSON.stringify(target).replaceAll(/\W/g, "-")}`);
  const planned = sums.plan({ target });
  const stated = await statedBy((onEvent) => sums.toZarr(path, { ...target, onEvent }));
  expect(planned.maxProjectedMem).toBe(stated);
});

test("compute states what a plan without a target does", async () => {
  expect(sums.plan({ spec: new cw.Spec({}) }).maxProjectedMem).toBe(
    await statedBy((onEvent) => sums.compute({ onEvent })),
  );
});

test("a budget that the plan for the target meets is enough to write it, and one that it does not is not", async () => {
  const target = { codecs: ["zstd"] } as const;
  const needed = sums.plan({ target }).maxProjectedMem;
  const enough = new cw.Spec({ allowedMem: needed, reservedMem: 0 });
  const tooLittle = new cw.Spec({ allowedMem: 2000, reservedMem: 0 });
  expect(sums.plan({ target, spec: enough }).maxProjectedMem).toBeLessThanOrEqual(needed);
  await sums.toZarr(join(folder, "enough"), { ...target, spec: enough });
  expect(() => sums.plan({ target, spec: tooLittle })).toThrow(cw.MemoryError);
  await expect(sums.toZarr(join(folder, "little"), { ...target, spec: tooLittle })).rejects.toThrow(
    cw.MemoryError,
  );
});

test("a target that is none is refused", () => {
  expect(() => sums.plan({ target: 3 as unknown as object })).toThrow("target is 3");
});
