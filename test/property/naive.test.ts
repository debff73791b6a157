// The library against the naive evaluator (naive.ts), bit for bit: random programs of elementwise functions,
// reductions, scans, moves and selections over bool, int32 and float64.

import type fc from "fast-check";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { DType } from "../../src/core/dtype.ts";
import { AT_ONCE, needThreads, Ways } from "../ways.ts";
import { type ArbitraryOptions, EXACT_FAMILIES, type Family, programs, programsOf } from "./arbitrary.ts";
import { at, type Element, type Naive, placesOf } from "./naive/lists.ts";
import { evaluateNaive, isNaiveCall } from "./naive.ts";
import type { Program } from "./program.ts";
import { check } from "./settings.ts";

const DTYPES: readonly DType[] = ["float64", "int32", "bool"];
/** Powers of floats are right to some digits only. */
const isNaive = (name: string): boolean => isNaiveCall(name) && name !== "pow";
const families: readonly Family[] = EXACT_FAMILIES.map(
  (family) => new Map([...family].filter(([name]) => isNaive(name))),
).filter(({ size }) => size > 0);
const OPTIONS: ArbitraryOptions = { dtypes: DTYPES, families };

/** As a result gives them: 64-bit integers as numbers where these are exact. */
const elements = ({ shape, list }: Naive): Element[] =>
  placesOf(shape).map((place) => {
    const element = at(list, place);
    const isExact = typeof element === "bigint" && Number.isSafeInteger(Number(element));
    return isExact ? Number(element) : element;
  });

needThreads();

const ways = new Ways();
// Those of several functions are computed at once.
afterEach(() => ways.agree(AT_ONCE), 60_000);
afterAll(() => ways.agree(), 60_000);

const sameAsNaive = (runs: number, cases: fc.Arbitrary<Program>): void => check(runs, cases, expectNaive);

function expectNaive(program: Program): void {
  const naive = evaluateNaive(program);
  const expected = program.roots.map((root) => naive[root]!);
  ways.compute(program.build("cut")).forEach((array, i) => {
    const { dtype, shape } = expected[i]!;
    expect({ dtype: array.dtype, shape: array.shape }).toEqual({ dtype, shape });
    expect([...array]).toStrictEqual(elements(expected[i]!));
  });
}

const names = [...new Set(families.flatMap((family) => [...family.keys()]))];

describe("each function", () => {
  test.each(names)("%s", (name) => sameAsNaive(14, programsOf(name, { dtypes: DTYPES })));
});

test("random programs", () => sameAsNaive(250, programs(OPTIONS)));

test("long programs", () => sameAsNaive(40, programs({ ...OPTIONS, maxSteps: 20 })));
