// Every function against NumPy's results (test/oracle/README.md). In: the committed fixtures. Each case is
// computed in one chunk and in small chunks; both must be what NumPy (or, where they differ, the standard) says.

import * as cw from "chunkwise";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { AT_ONCE, needThreads, Ways } from "../ways.ts";
import {
  compareArrays,
  type DecodedArray,
  type FixtureCase,
  type FixtureValue,
  fixtureNames,
  isDecodedArray,
  readFixture,
} from "./decode.ts";

/** Units in the last place that a function may be off (docs/accuracy.md); everything else is exact to the bit. */
const ULPS: { readonly [name: string]: number } = {
  ...Object.fromEntries(
    [
      "acos",
      "acosh",
      "asin",
      "atan",
      "cos",
      "exp",
      "expm1",
      "hypot",
      "log",
      "log10",
      "log1p",
      "log2",
      "sin",
    ].map((f) => [f, 1]),
  ),
  ...Object.fromEntries(
    ["asinh", "atan2", "atanh", "cosh", "pow", "sinh", "tan", "tanh", "logaddexp"].map((f) => [f, 2]),
  ),
  ...Object.fromEntries(["mean", "std", "var", "nanmean", "nanstd", "nanvar", "linspace"].map((f) => [f, 4])),
  ...{ cov: 32, corrcoef: 32 },
  ...Object.fromEntries(["sigmoid", "softplus", "log1mexp"].map((f) => [f, 2])),
  ...Object.fromEntries(["logsumexp", "softmax", "logSoftmax"].map((f) => [f, 4])),
  sqrt: 0,
};
/** Complex functions, in ulps of the larger part. */
const COMPLEX_ULPS: { readonly [name: string]: number } = {
  pow: 16,
  divide: 1,
  reciprocal: 1,
  abs: 1,
  sign: 1,
  cov: 32,
  corrcoef: 32,
};

type Call = (...args: readonly unknown[]) => unknown;
const namespace = cw as unknown as { readonly [name: string]: Call };

const isRecord = (value: unknown): value is { readonly [key: string]: FixtureValue } =>
  typeof value === "object" && value !== null;

/** A fixture's argument as the library takes it; arrays cut into chunks of the given length. */
function argument(value: FixtureValue, chunks: number | "all"): unknown {
  if (isDecodedArray(value)) return lazyOf(value, chunks);
  if (Array.isArray(value)) return value.map((item) => argument(item, chunks));
  if (!isRecord(value)) return value;
  if ("complex" in value) return cw.complex(...(value["complex"] as [number, number]));
  if ("slice" in value) {
    const [start, stop, step] = value["slice"] as [number | null, number | null, number | null];
    return new cw.Slice(start, stop, step);
  }
  return "list" in value ? (value["list"] as FixtureValue[]).map((item) => argument(item, chunks)) : value;
}

/** So many chunks along an axis are enough: more of them take longer and find nothing else. */
const CHUNKS_ALONG = 5;

function lazyOf({ data, shape, dtype }: DecodedArray, chunks: number | "all"): cw.LazyArray {
  const lengths = shape.map((n) =>
    chunks === "all" ? Math.max(1, n) : Math.max(chunks, Math.ceil(n / CHUNKS_ALONG)),
  );
  return cw.asarray(new cw.NDArray(data, shape, dtype as cw.DType), { chunks: lengths });
}

function plainOf({ data, shape, dtype }: DecodedArray): cw.NDArray {
  return new cw.NDArray(data, shape, dtype as cw.DType);
}

/** Index and count arrays that have to be known when the operation is defined stay plain. */
function argumentsOf(name: string, { args, options }: FixtureCase, chunks: number | "all"): unknown[] {
  if (name === "get" || name === "set") {
    const [x, items, ...rest] = args;
    const selection = (items as FixtureValue[]).map((item) =>
      isDecodedArray(item) && item.dtype === "bool" ? plainOf(item) : argument(item, chunks),
    );
    const value = rest.map((item) => argument(item, chunks));
    return name === "get"
      ? [argument(x!, chunks), ...selection]
      : [argument(x!, chunks), selection, ...value];
  }
  if (name === "repeat") {
    const [x, counts] = args;
    return [argument(x!, chunks), isDecodedArray(counts!) ? plainOf(counts) : counts, options];
  }
  const list = args.map((arg) => argument(arg, chunks));
  const named = Object.fromEntries(
    Object.entries(options).map(([key, value]) => [key, argument(value, chunks)]),
  );
  return Object.keys(named).length === 0 ? list : [...padded(name, list), named];
}

/** Optional positional parameters that come before the options. */
function padded(name: string, list: readonly unknown[]): unknown[] {
  const positions: { readonly [name: string]: number } = { arange: 3, eye: 2, clip: 3 };
  const filled = [...list];
  while (filled.length < (positions[name] ?? 0)) filled.push(undefined);
  return filled;
}

type Compute = (arrays: readonly cw.LazyArray[]) => readonly cw.NDArray[];
const inline: Compute = (arrays) => cw.computeSync(arrays);
const everyWay: Compute = (arrays) => ways.compute(arrays);

function difference(actual: unknown, expected: FixtureValue, ulps: number, compute: Compute): string | null {
  if (isRecord(expected) && "list" in expected) {
    // A record stands for its arrays, in order.
    const found = (Array.isArray(actual) ? actual : Object.values(actual as object)).flat() as cw.LazyArray[];
    return firstDifference(found, expected["list"] as DecodedArray[], ulps, compute);
  }
  if (isDecodedArray(expected)) return firstDifference([actual as cw.LazyArray], [expected], ulps, compute);
  return Object.is(actual, expected) ? null : `${String(actual)} instead of ${String(expected)}`;
}

/** All of a call are computed together. */
function firstDifference(
  actual: readonly cw.LazyArray[],
  expected: readonly DecodedArray[],
  ulps: number,
  compute: Compute,
): string | null {
  if (actual.length !== expected.length) return `${actual.length} arrays instead of ${expected.length}`;
  const problems = compute(actual).map((array, i) => {
    const { dtype, shape, data } = array.toContiguous();
    const problem = compareArrays({ dtype, shape: [...shape], data }, expected[i]!, ulps);
    return problem === null || actual.length === 1 ? problem : `result ${i}: ${problem}`;
  });
  return problems.find((problem) => problem !== null) ?? null;
}

function ulpsFor(name: string, { expect: expected, note, args }: FixtureCase): number {
  const isComplex = [expected, ...args].some(
    (value) => isDecodedArray(value) && value.dtype.startsWith("complex"),
  );
  const own = isComplex ? (COMPLEX_ULPS[name] ?? (name in ULPS ? 3 : 0)) : (ULPS[name] ?? 0);
  if (note?.includes("rounded weights")) return Math.max(own, 2);
  return note?.includes("rounded sums") ? Math.max(own, 8) : own;
}

const INFO = ["finfo", "iinfo"];

needThreads();
const ways = new Ways();
afterEach(() => ways.agree(AT_ONCE), 60_000);
afterAll(() => ways.agree(), 60_000);

describe("NumPy oracle", () => {
  for (const name of fixtureNames().filter((fixture) => !INFO.includes(fixture))) {
    test(name, () => {
      const { cases } = readFixture(name);
      const failures: string[] = [];
      cases.forEach((item, i) => {
        for (const chunks of ["all", 2] as const) {
          const problem = attempt(() =>
            difference(
              namespace[name]!(...argumentsOf(name, item, chunks)),
              item.expect,
              ulpsFor(name, item),
              // Of small chunks every third case: each of them takes as long as ten that are computed once.
              chunks === 2 && i % 3 === 0 ? everyWay : inline,
            ),
          );
          if (problem !== null)
            failures.push(`case ${i} (chunks ${chunks}) ${describeCase(item)}: ${problem}`);
        }
      });
      expect(cases.length).toBeGreaterThan(0);
      expect(failures.slice(0, 5), `${failures.length} of ${2 * cases.length} failed`).toEqual([]);
    });
  }

  test.each(["get", "set"])("%s by masks that are computed later", (name) => {
    const failures: string[] = [];
    let count = 0;
    for (const [i, item] of readFixture(name).cases.entries()) {
      const items = item.args[1] as FixtureValue[];
      const arrays = items.filter((one) => isDecodedArray(one));
      const [mask] = arrays.filter(({ dtype }) => dtype === "bool");
      const isAlone = name === "get" || items.length === 1 || !isDecodedArray(item.args[2]!);
      if (mask === undefined || arrays.length > 1 || !isAlone) continue;
      count++;
      const [x, selection, ...rest] = argumentsOf(
        "set",
        { ...item, args: [item.args[0]!, items, ...item.args.slice(2)] },
        2,
      );
      const later = (selection as unknown[]).map((one) =>
        one instanceof cw.NDArray && one.dtype === "bool"
          ? cw.asarray(one, { chunks: 2 }).logicalAnd(true)
          : one,
      );
      const call = (): unknown =>
        name === "get" ? namespace["get"]!(x, ...later) : namespace["set"]!(x, later, ...rest);
      const problem = attempt(() => difference(call(), item.expect, 0, i % 3 === 0 ? everyWay : inline));
      if (problem !== null) failures.push(`case ${i} ${describeCase(item)}: ${problem}`);
    }
    expect(count).toBeGreaterThan(10);
    expect(failures.slice(0, 5), `${failures.length} of ${count} failed`).toEqual([]);
  });

  test.each(INFO)("%s", (name) => {
    for (const { args, expect: expected } of readFixture(name).cases) {
      const info = namespace[name]!(...args) as { readonly [key: string]: unknown };
      for (const [key, value] of Object.entries(expected as { readonly [key: string]: FixtureValue })) {
        const own = info[key === "smallest_normal" ? "smallestNormal" : key];
        expect(asNumberText(own), `${name}(${String(args[0])}).${key}`).toBe(asNumberText(value));
      }
    }
  });
});

/** finfo's numbers come as bits, so that no digit is lost. */
function asNumberText(value: unknown): string {
  if (!isRecord(value)) return String(value);
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${String(value["bits"])}`));
  return String(view.getFloat64(0));
}

function attempt(run: () => string | null): string | null {
  try {
    return run();
  } catch (error) {
    return String(error instanceof cw.ChunkwiseError ? error : ((error as Error).stack ?? error));
  }
}

function describeCase({ args, options }: FixtureCase): string {
  const text = (value: FixtureValue): string =>
    isDecodedArray(value)
      ? `${value.dtype}[${value.shape.join()}]`
      : JSON.stringify(value, (_, v) => (typeof v === "bigint" ? String(v) : v));
  return `(${args.map(text).join(", ")}) ${text(options as FixtureValue)}`;
}
