// Random expressions beside NumPy: fixtures/expressions.json has NumPy's results by seed (node scripts/expressions.mjs 10000
// --fixtures writes it), of programs of all types, and of 8-bit whole numbers over all their values as digests. They are
// rewritten by default and computed by the interpreter, many in a computation and in several chunkings. The script does the
// same with as many as one likes, with kernels too, and judges what is ill-conditioned, which fixtures leave out.

import { readFileSync } from "node:fs";
import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { newBlock } from "../../src/core/block.ts";
import { slotsOf } from "../property/compare.ts";
import { buildProgram } from "./expressions/build.ts";
import { differenceFrom, judge, type ProgramResult } from "./expressions/compare.ts";
import {
  chunksFor,
  type ProgramDType,
  type RandomProgram,
  randomProgram,
  sizeOfShape,
} from "./expressions/program.ts";
import { digestOf, domainProgram } from "./expressions/wholeDomain.ts";

type Case = readonly [seed: number, dtype: ProgramDType, shape: readonly number[], bytes: string];
type Digest = readonly [seed: number, dtype: ProgramDType, digest: number];
const { cases, domain } = JSON.parse(
  readFileSync(new URL("fixtures/expressions.json", import.meta.url), "utf8"),
) as { readonly cases: readonly Case[]; readonly domain: readonly Digest[] };

function wantedOf([, dtype, shape, bytes]: Case): ProgramResult {
  const block = newBlock(dtype, [sizeOfShape(shape)]);
  const { buffer, byteOffset, byteLength } = block.data;
  new Uint8Array(buffer, byteOffset, byteLength).set(Buffer.from(bytes, "base64"));
  return { dtype, shape, values: slotsOf(block) };
}

/** In a computation. */
const GROUP = 50;

function computed(programs: readonly RandomProgram[]): cw.NDArray[] {
  const results: cw.NDArray[] = [];
  for (let from = 0; from < programs.length; from += GROUP) {
    const some = programs.slice(from, from + GROUP);
    const arrays = some.map((program) => buildProgram(cw, program, chunksFor(program)));
    results.push(...cw.computeSync(arrays, { backend: cw.referenceBackend }));
  }
  return results.map((result) => result.toContiguous());
}

test("rewritten random expressions are what NumPy says", () => {
  const programs = cases.map(([seed]) => randomProgram(seed));
  const wrong = computed(programs).flatMap((result, i) => {
    const { dtype, shape } = result;
    const found = { dtype: dtype as ProgramDType, shape, values: slotsOf(result) };
    const why = differenceFrom(found, wantedOf(cases[i]!), programs[i]!);
    return why === null ? [] : [`seed ${programs[i]!.seed}: ${why}`];
  });
  expect(wrong).toEqual([]);
  expect(cases.length).toBeGreaterThan(9500);
}, 120_000);

test("and those of 8-bit whole numbers over all their values", () => {
  const programs = domain.map(([seed]) => domainProgram(seed));
  const wrong = computed(programs).flatMap(({ dtype, data: { buffer, byteOffset, byteLength } }, i) => {
    const [seed, wanted, digest] = domain[i]!;
    const isSame = dtype === wanted && digestOf(new Uint8Array(buffer, byteOffset, byteLength)) === digest;
    return isSame ? [] : [seed];
  });
  expect(wrong).toEqual([]);
  expect(domain.length).toBe(10_000);
}, 120_000);

test.each([
  // Tasks that do not use the one element that others do, which several steps read.
  [
    153_380,
    2,
    [
      0.5975021532618011, 0.5975021532618011, 0.3460406955797225, 0.5975021532618011, 1.520091138407588,
      0.3460406955797225,
    ],
  ],
  [193_275, 3, [false, false, false, false]],
] as const)("what the script has found: seed %i in chunks of %i", (seed, chunks, wanted) => {
  expect(buildProgram(cw, randomProgram(seed), chunks).computeSync().toList()).toEqual(wanted);
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
