// The battery sees what goes wrong: values that differ, errors, processes that end; and it says how to see it again.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../built.ts";
import { compareWith, writeReference } from "./compare.mjs";

const HERE = import.meta.dirname;

const RIGHT = "right@zstd,zarr,threads2,none,nothing";
const WRONG: readonly (readonly [id: string, what: RegExp])[] = [
  [
    "one-bit@formula,compute,inline,none,nothing",
    /1 of 600000 numbers differ, at 599999 1\.1\d+e-16 in place of 0/,
  ],
  ["another-dtype@typed,compute,inline,none,nothing", /is float32 \[600000\] in place of float64 \[600000\]/],
  ["throws@plain,compute,inline,none,nothing", /ShapeError/],
  ["crashes@plain,compute,inline,none,nothing", /it ended with 3 before it was done/],
];

/** The battery on programs of which all but one are wrong. */
function runBattery(): Promise<{ readonly code: unknown; readonly text: string }> {
  const wanted = [RIGHT, ...WRONG.map(([id]) => id)].flatMap((id) => ["--only", id]);
  const args = [join(HERE, "run.mjs"), "--programs", join(HERE, "wrong.mjs"), "--jobs", "1", ...wanted];
  return new Promise((resolve) =>
    execFile(process.execPath, args, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, text: stdout + stderr }),
    ),
  );
}

describe("the battery on wrong programs", () => {
  let code: unknown;
  let text = "";
  beforeAll(async () => {
    await ensureBuilt();
    ({ code, text } = await runBattery());
  }, 300_000);

  test("it counts runs and wrong ones, and fails", () => {
    expect(text).toMatch(/^5 runs .*: 4 wrong$/m);
    expect(code).toBe(1);
  });

  test("what is right is not among the wrong ones", () => expect(text).not.toContain("WRONG right"));

  test.each(WRONG)("%s is found, with the command that repeats it", (id, what) => {
    const said = text.split("WRONG ").find((part) => part.startsWith(id));
    expect(said).toMatch(what);
    expect(said).toContain(`npm run test:real -- --only '${id}' --times 20`);
  });
});

describe("comparing", () => {
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-compare-"));
  const valuesOf = (...list: number[]) => ({
    data: Float64Array.from(list),
    dtype: "float64",
    shape: [list.length],
  });
  const differenceOf = (wanted: number[], got: number[]): string | null => {
    writeReference(folder, [valuesOf(...wanted)]);
    return compareWith([folder], [valuesOf(...got)]);
  };
  afterAll(() => rmSync(folder, { recursive: true }));

  test("equal bits are equal, and every NaN is", () => {
    expect(differenceOf([1, -0, Number.NaN], [1, -0, -Number.NaN])).toBeNull();
  });

  test("−0 is not 0, and the last bit counts", () => {
    expect(differenceOf([1, -0], [1, 0])).toBe("result 0: 1 of 2 numbers differ, at 1 0 in place of 0");
    expect(differenceOf([1, 2], [1 + 2 ** -52, 2])).toMatch(/1 of 2 numbers differ, at 0/);
  });

  test("another shape, or another number of results, is a difference", () => {
    expect(differenceOf([1, 2], [1])).toMatch(/float64 \[1\] in place of float64 \[2\]/);
    expect(compareWith([folder], [])).toBe("0 results in place of 1");
  });
});
