// Random expressions beside NumPy: fixtures/expressions.json has NumPy's results by seed (node scripts/expressions.mjs 2000
// --fixtures writes it), and each is rewritten by default and computed by the reference interpreter. The script does the
// same with as many as one likes, with kernels and in chunks, and judges what is ill-conditioned, which fixtures leave out.

import { readFileSync } from "node:fs";
import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { type Block, newBlock } from "../../src/core/block.ts";
import { optimize } from "../../src/rewrite/pipeline.ts";
import { slotsOf } from "../property/compare.ts";
import { evaluateReference } from "../reference.ts";
import { database } from "./builtIn.ts";
import { buildProgram } from "./expressions/build.ts";
import { differenceFrom, judge, type ProgramResult } from "./expressions/compare.ts";
import { type ProgramDType, randomProgram, sizeOfShape } from "./expressions/program.ts";

type Case = readonly [seed: number, dtype: ProgramDType, shape: readonly number[], bytes: string];
const { cases } = JSON.parse(readFileSync(new URL("fixtures/expressions.json", import.meta.url), "utf8")) as {
  readonly cases: readonly Case[];
};

const resultOf = (block: Block, shape: readonly number[] = block.shape): ProgramResult => ({
  dtype: block.dtype as ProgramDType,
  shape,
  values: slotsOf(block),
});

function wantedOf([, dtype, shape, bytes]: Case): ProgramResult {
  const block = newBlock(dtype, [sizeOfShape(shape)]);
  const { buffer, byteOffset, byteLength } = block.data;
  new Uint8Array(buffer, byteOffset, byteLength).set(Buffer.from(bytes, "base64"));
  return resultOf(block, shape);
}

test("rewritten random expressions are what NumPy says", () => {
  const wrong = cases.flatMap((one) => {
    const program = randomProgram(one[0]);
    const root = optimize([buildProgram(cw, program).expr], { database }).roots[0]!;
    const found = resultOf(evaluateReference([root]).get(root)!);
    const why = differenceFrom(found, wantedOf(one), program);
    return why === null ? [] : [`seed ${one[0]}: ${why}`];
  });
  expect(wrong).toEqual([]);
  expect(cases.length).toBeGreaterThan(1900);
});

test("the comparison sees a bit, a sign of zero, a shape and a type, and what is only close", () => {
  const floats = (...values: number[]): ProgramResult => ({
    dtype: "float64",
    shape: [values.length],
    values,
  });
  const exact = { isClose: false, hasAnyZero: false };
  const close = { isClose: true, hasAnyZero: true };
  expect(differenceFrom(floats(1, Number.NaN), floats(1, Number.NaN), exact)).toBeNull();
  expect(differenceFrom(floats(0), floats(-0), exact)).toContain("and not");
  expect(differenceFrom(floats(0), floats(-0), { ...exact, hasAnyZero: true })).toBeNull();
  expect(differenceFrom(floats(1 + 2 ** -52), floats(1), exact)).toContain("and not");
  expect(differenceFrom(floats(1 + 2 ** -52), floats(1), close)).toBeNull();
  expect(differenceFrom(floats(1 + 1e-9), floats(1), close)).toContain("and not");
  expect(differenceFrom(floats(1), floats(Number.NaN), close)).toContain("and not");
  expect(differenceFrom(floats(1, 2), floats(1), close)).toContain("shape");
  expect(differenceFrom({ ...floats(1), dtype: "float32" }, floats(1), close)).toContain("float32");
  const expected = { truth: [1], spread: [1e-6], isUndecided: [false] };
  expect(judge(floats(1 + 1e-7), floats(1 - 1e-7), expected)).toBeNull();
  expect(judge(floats(1 + 1e-5), floats(1), expected)).toContain("NumPy 1");
});
