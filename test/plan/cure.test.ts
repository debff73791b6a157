// A computation that needs more memory than is allowed is refused before anything runs, and each cure that the message
// names does: the budget, and the chunks.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { parseBytes } from "../../src/core/counts.ts";
import { programs } from "../property/arbitrary.ts";
import { check } from "../property/settings.ts";
import { planned, zeros } from "./plans.ts";

function refusal(plan: () => unknown): cw.MemoryError | null {
  try {
    plan();
    return null;
  } catch (error) {
    if (error instanceof cw.MemoryError) return error;
    throw error;
  }
}

/** What the message asks for, as a user would read it. */
const budgetIn = ({ cure }: cw.MemoryError): number => parseBytes(/Allow ([\d.]+ \w+)/.exec(cure!)![1]!)!;
const chunksIn = ({ cure }: cw.MemoryError): number[] | null =>
  JSON.parse(/smaller chunks: (\[[^\]]*\])/.exec(cure!)?.[1] ?? "null") as number[] | null;

test("the budget that is asked for is enough for any program", () =>
  check(
    60,
    fc.tuple(programs({ maxSteps: 8 }), fc.integer({ min: 8, max: 600 })),
    ([program, allowedMem]) => {
      const error = refusal(() => planned(program.build("cut"), { allowedMem }));
      if (error !== null) planned(program.build("cut"), { allowedMem: budgetIn(error) });
    },
  ));

const RULES: { readonly [name: string]: (x: cw.LazyArray) => cw.LazyArray } = {
  exp: (x) => x.exp(),
  "x + x reversed": (x) => x.add(x.flip()),
  sums: (x) => x.sum({ axis: 0 }),
  "less the mean": (x) => x.subtract(x.mean({ axis: 1, keepdims: true })),
  sort: (x) => cw.sort(x, { axis: 1 }),
  transposed: (x) => x.add(x.matrixTranspose()),
  rechunk: (x) => x.rechunk([64, 4]),
};

describe("chunks that are asked for are small enough", () => {
  test.each(Object.entries(RULES))("%s", (_, rule) => {
    const error = refusal(() => planned(rule(zeros([64, 64], [32, 32])), { allowedMem: 6000 }));
    const chunks = error === null ? null : chunksIn(error);
    if (chunks !== null) planned(rule(zeros([64, 64], chunks)), { allowedMem: 6000 });
  });
});

describe("from files to files", () => {
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-cure-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string): string => join(folder, name);
  const specOf = (budget: number): cw.Spec =>
    new cw.Spec({ allowedMem: 1e8 + budget, reservedMem: 1e8, executor: "inline" });

  const data = Float64Array.from({ length: 512 * 512 }, (_, i) => Math.sin(i));
  const whole = cw.asarray(new cw.NDArray(data, [512, 512]), { chunks: [256, 256] });
  const rule = (x: cw.LazyArray): cw.LazyArray => x.exp();

  test.each([
    { stored: "compressed", codecs: ["zstd"], budget: 1.8e6, reason: "decoding" },
    { stored: "plain", codecs: [], budget: 0.9e6, reason: "write a1" },
  ])("refused, and runs after each cure: $stored", async ({ stored, codecs, budget, reason }) => {
    await whole.toZarr(path(stored), { codecs });
    const run = async (
      name: string,
      bytes: number,
      options: cw.FromZarrOptions = {},
    ): Promise<cw.LazyArray> =>
      rule(await cw.fromZarr(path(stored), options)).toZarr(path(`${stored} ${name}`), {
        ...{ spec: specOf(bytes), codecs: [] },
      });
    const error = await run("refused", budget).then(
      () => expect.fail("it was not refused"),
      (problem: unknown) => problem as cw.MemoryError,
    );
    expect(error).toBeInstanceOf(cw.MemoryError);
    expect(error.line).toContain("cure.test.ts");
    expect(error.terms.map((term) => term.reason)).toContain(reason);
    const expected = (await rule(whole).compute()).data;
    const allowed = await run("allowed", budgetIn(error) - 1e8);
    expect((await allowed.compute()).data).toEqual(expected);
    const chunks = chunksIn(error);
    expect(chunks !== null).toBe(stored === "plain");
    if (chunks === null) return;
    const cut = await run("cut", budget, { chunks });
    expect((await cut.compute()).data).toEqual(expected);
  });
});

test("where smaller chunks do not help, few are tried", async () => {
  const x = cw.asarray(new Float64Array(2 ** 20), { chunks: [2 ** 17] }).reshape([1024, 1024]);
  const mask = x.lessEqual(0);
  // What a stage found is in blocks that stay as they are.
  const settled = await x.set(mask, x.get(mask).negative()).settle();
  const spec = new cw.Spec({ allowedMem: 1e6, reservedMem: 1 });
  const words = (() => {
    try {
      return String(settled.plan({ spec }));
    } catch (error) {
      return (error as Error).message;
    }
  })();
  expect(words).toMatch(/a task needs .* and may use/);
  expect(words).toMatch(/Allow .* or more/);
});
