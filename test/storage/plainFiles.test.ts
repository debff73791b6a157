// Computations over files of elements as they are: windows by runs, copies straight into place, contractions in rounds,
// spilled chunks in parts. Whatever the way, the values are those of the same computation in memory.

import { mkdtempSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import * as cw from "../../src/index.ts";
import { planned } from "../plan/plans.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-plain-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const place = (): string => join(root, `array${count++}`);

const counted = (shape: readonly number[], dtype: cw.DType = "float64"): cw.LazyArray =>
  cw.reshape(
    cw.arange(
      0,
      shape.reduce((product, n) => product * n, 1),
      1,
      { dtype },
    ),
    shape,
  );

async function stored(x: cw.LazyArray, chunks: readonly number[]): Promise<cw.LazyArray> {
  const path = place();
  await x.rechunk([...chunks]).toZarr(path, { codecs: [], executor: "inline" });
  return cw.fromZarr(path);
}

const valuesOf = async (x: cw.LazyArray): Promise<readonly unknown[]> => [
  ...(await x.compute({ executor: "inline" })).data,
];

describe("rechunk", () => {
  const cut = (n: number) => fc.integer({ min: 1, max: n });
  const cases = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }).chain((shape) =>
    fc.record({
      shape: fc.constant(shape),
      from: fc.tuple(...shape.map(cut)),
      to: fc.tuple(...shape.map(cut)),
    }),
  );

  test("any grid to any other", () =>
    fc.assert(
      fc.asyncProperty(cases, async ({ shape, from, to }) => {
        const x = counted(shape, "int16");
        const path = place();
        await (await stored(x, from)).rechunk([...to]).toZarr(path, { codecs: [], executor: "inline" });
        const y = await cw.fromZarr(path);
        expect(y.chunks).toEqual(to);
        expect(await valuesOf(y)).toEqual(await valuesOf(x));
      }),
      { numRuns: 12, seed: 20241201 },
    ));

  test("rows to columns are read by runs in one pass, into the chunk itself", async () => {
    const x = await stored(counted([64, 40_000], "float32"), [16, 40_000]);
    const turned = x.rechunk([64, 5000]);
    const plan = planned(turned, { allowedMem: 100e6 });
    expect(plan.numTasks).toBe(8);
    // The chunk, and room for two pieces of what is read; no copy of all of it.
    const [chunk, piece] = [64 * 5000 * 4, 1 << 20];
    expect(plan.maxProjectedMem).toBeLessThanOrEqual(chunk + 2 * piece);
    const path = place();
    await turned.toZarr(path, { codecs: [] });
    expect(await valuesOf(cw.sum(cw.subtract(await cw.fromZarr(path), x)))).toEqual([0]);
    expect((await (await cw.fromZarr(path)).get(37, 23_456).compute()).item()).toBe(37 * 40_000 + 23_456);
  });

  test("what does not fit is stored on the way in parts of shards", async () => {
    const x = await stored(counted([60, 64]), [1, 64]);
    const workDir = place();
    const spec = new cw.Spec({ allowedMem: 8000, reservedMem: 0, workDir });
    const stages = x.rechunk([60, 1]);
    const plan = planned(stages, { allowedMem: 8000 });
    expect(plan.numOperations).toBeGreaterThan(1);
    const path = place();
    await stages.toZarr(path, { codecs: [], executor: "inline", spec });
    expect(await valuesOf(await cw.fromZarr(path))).toEqual(await valuesOf(counted([60, 64])));
  });
});

describe("contractions in rounds", () => {
  test("of stored matrices, with what comes behind", async () => {
    const [a, b] = [counted([30, 50]).multiply(0.5), counted([50, 20]).subtract(400)];
    const [p, q] = [await stored(a, [7, 8]), await stored(b, [9, 6])];
    expect(await valuesOf(p.matmul(q))).toEqual(await valuesOf(a.matmul(b)));
    const scaled = (x: cw.LazyArray, y: cw.LazyArray): cw.LazyArray =>
      x
        .matmul(y)
        .multiply(2)
        .add(counted([20]));
    expect(await valuesOf(scaled(p, q))).toEqual(await valuesOf(scaled(a, b)));
    expect(await valuesOf(cw.tensordot(p, q.permuteDims([1, 0]), { axes: [[1], [1]] }))).toEqual(
      await valuesOf(a.matmul(b)),
    );
  });

  test("a block that is damaged ends it, and nothing is left under way", async () => {
    const path = place();
    await counted([4, 400]).rechunk([4, 20]).toZarr(path, { codecs: [], executor: "inline" });
    const a = await cw.fromZarr(path);
    const [file] = readdirSync(join(path, "c/0"));
    truncateSync(join(path, "c/0", file!), 8);
    const b = await stored(counted([400, 30]), [20, 30]);
    await expect(a.matmul(b).compute({ executor: "inline" })).rejects.toBeInstanceOf(cw.RunError);
    expect((await b.sum().compute()).item()).toBe((11_999 * 12_000) / 2);
  });
});

test("large plain files need no other threads, and are computed all the same", async () => {
  const x = await stored(counted([400, 1000]), [100, 1000]);
  const pools: string[] = [];
  const onEvent = (event: cw.RunEvent): void => {
    if (event.type === "computeStart") pools.push(event.pool);
  };
  const path = place();
  await x.multiply(2).toZarr(path, { codecs: [], onEvent });
  expect(pools).toEqual(["inline"]);
  const zipped = place();
  await x.multiply(2).toZarr(zipped, { codecs: ["zstd"], onEvent });
  expect(await valuesOf(cw.sum(cw.subtract(await cw.fromZarr(path), await cw.fromZarr(zipped))))).toEqual([
    0,
  ]);
});
