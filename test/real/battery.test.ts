// The battery sees what goes wrong: values that differ, errors, processes that end; and it says how to see it again.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../built.ts";
import { compareWith, writeReference } from "./compare.mjs";

const HERE = import.meta.dirname;

/** The battery's output on programs of which all but one are wrong. */
function runWrong(only: string): { readonly status: number | null; readonly text: string } {
  const args = [join(HERE, "run.mjs"), "--programs", join(HERE, "wrong.mjs"), "--jobs", "1", "--only", only];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, text: stdout + stderr };
}

describe("the battery on wrong programs", () => {
  beforeAll(ensureBuilt, 120_000);

  test("a right one is right", () => {
    const { status, text } = runWrong("right@zstd,zarr,threads2,none,nothing");
    expect(text).toMatch(/1 runs .* 0 wrong/);
    expect(status).toBe(0);
  });

  test.each([
    [
      "one-bit@formula,compute,inline,none,nothing",
      /1 of 600000 numbers differ, at 599999 1\.1\d+e-16 in place of 0/,
    ],
    [
      "another-dtype@typed,compute,inline,none,nothing",
      /is float32 \[600000\] in place of float64 \[600000\]/,
    ],
    ["throws@plain,compute,inline,none,nothing", /ShapeError/],
    ["crashes@plain,compute,inline,none,nothing", /it ended with 3 before it was done/],
  ])("%s is found", (id, what) => {
    const { status, text } = runWrong(id);
    expect(text).toMatch(what);
    expect(text).toContain(`--only '${id}'`);
    expect(text).toMatch(/1 runs .* 1 wrong/);
    expect(status).toBe(1);
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
    return compareWith(folder, [valuesOf(...got)]);
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
    expect(compareWith(folder, [])).toBe("0 results in place of 1");
  });
});
