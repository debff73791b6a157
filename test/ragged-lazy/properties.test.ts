// Lazy arrays against arrays in memory, for random rows, random partitions and random programs: the same values, of the
// types that were foretold, and errors where there are errors; under every way of running them.

import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../parquet/support.ts";
import { checkAsync } from "../property/settings.ts";
import { needThreads, type PlanChoices } from "../ways.ts";
import { expectSame } from "./equal.ts";
import { type Done, isRounded, type Program, programs, runSteps } from "./programs.ts";
import { RaggedWays } from "./ways.ts";

const RUNS = 80;
const inline = { executor: "inline" } as const;

/** Rows that nobody counted cannot be matched with others: that much may be refused. */
const mayRefuse = (error: unknown): boolean =>
  error instanceof cw.ChunkwiseError && /nobody knows/.test(error.message);

interface Both {
  readonly eager: readonly Done[];
  readonly lazy: readonly Done[];
}

/** Later steps use what both could make. */
async function bothWays(program: Program, isCut: boolean): Promise<Both> {
  const whole = program.rows.map((rows) => rg.fromIter(rows));
  const cut = await Promise.all(whole.map((rows, i) => lazyOf(rows, isCut ? program.cuts[i]! : null)));
  const eagerAlone = runSteps(program, whole, (_, value) => value instanceof rg.RaggedArray);
  const made = new Set<number>();
  const lazy = runSteps(program, cut, (at, value): value is rg.Ragged => {
    const isMade =
      value instanceof rg.LazyRagged && !value.isItem && eagerAlone[at]!.value instanceof rg.RaggedArray;
    if (isMade) made.add(at);
    return isMade;
  });
  const eager = runSteps(
    program,
    whole,
    (at, value): value is rg.Ragged => made.has(at) && value instanceof rg.RaggedArray,
  );
  return { eager, lazy };
}

const folder = temporaryFolder();
afterAll(() => folder.remove());
let files = 0;

function cutInto(whole: rg.RaggedArray, cuts: readonly number[] | null): rg.LazyRagged {
  if (cuts === null) return rg.lazy(whole);
  return rg.fromLists(cuts.slice(1).map((stop, i) => rg.get(whole, `${cuts[i]}:${stop}`) as rg.RaggedArray));
}

/** From a file, which threads can open; from memory where files hold no such type, or none such partitions. */
async function lazyOf(whole: rg.RaggedArray, cuts: readonly number[] | null): Promise<rg.LazyRagged> {
  const inMemory = cutInto(whole, cuts);
  if (/unknown/.test(whole.type) || whole.length === 0) return inMemory;
  const path = folder.path(`${files++}.parquet`);
  await rg.toParquet(rg.zip({ rows: inMemory }, { depthLimit: 1 }), path, inline);
  const filed = (await rg.fromParquet(path)).field("rows");
  expect(filed.type).toBe(whole.type);
  return filed;
}

const plainValue = (value: unknown): unknown => (value instanceof rg.RaggedArray ? value.toList() : value);
const elementType = (type: string): string => type.replace(/^[\d?]+ \* /, "");

async function compare(
  program: Program,
  isCut: boolean,
  run: (arrays: rg.LazyRagged[]) => Promise<readonly unknown[]>,
): Promise<void> {
  const { eager, lazy } = await bothWays(program, isCut);
  const kept: { done: Done; expected: unknown }[] = [];
  for (const [at, { value, error, name }] of eager.entries()) {
    const other = lazy[at]!;
    // One value is a number in memory and an array of no axes when it is lazy.
    if (/no array among the arguments|is no array/.test(String(error))) continue;
    if (error !== null) {
      expect(error, `${name}: ${String(error)}`).toBeInstanceOf(cw.ChunkwiseError);
      if (other.error === null)
        await expect((other.value as rg.LazyRagged).compute(inline), name).rejects.toThrow();
      else expect(other.error, name).toBeInstanceOf(cw.ChunkwiseError);
    } else if (other.error === null) kept.push({ done: other, expected: value });
    else if (!mayRefuse(other.error))
      throw new Error(`${name}: ${String(other.error)}`, { cause: other.error });
  }
  if (kept.length === 0) return;
  const results = await run(kept.map(({ done }) => done.value as rg.LazyRagged));
  kept.forEach(({ done: { name, value }, expected }, i) => {
    expectSame(plainValue(results[i]), plainValue(expected), isRounded(program), name);
    const array = value as rg.LazyRagged;
    expect(array.isItem, name).toBe(!(expected instanceof rg.RaggedArray));
    if (!(expected instanceof rg.RaggedArray)) return;
    expect(elementType((results[i] as rg.RaggedArray).type), `${name}: type`).toBe(
      elementType(expected.type),
    );
    expect(elementType(array.type), `${name}: type foretold`).toBe(elementType(expected.type));
    if (array.divisions !== null) expect(array.divisions.at(-1), `${name}: rows`).toBe(expected.length);
  });
}

/** No more memory than the largest task needs: partitions in between go to files. */
function leanSpec(arrays: readonly rg.LazyRagged[]): cw.Spec {
  const { maxProjectedMem } = rg.plan(arrays);
  return new cw.Spec({ reservedMem: 1, allowedMem: maxProjectedMem + 2, executor: "inline", twins: false });
}

/** Eager, inline, by the reference, on threads and with little memory. */
async function everyWay(runs: number, isCut: boolean, choices: PlanChoices = {}): Promise<void> {
  const ways = new RaggedWays(choices);
  await checkAsync(runs, programs, (program) => compare(program, isCut, (arrays) => ways.compute(arrays)));
  await ways.agree();
  if (isCut) expect(ways.spills).toBeGreaterThan(0);
}

needThreads();

describe("lazy is as eager, every way", () => {
  test("in one partition", () => everyWay(RUNS, false));

  test("in any partitions", () => everyWay(2 * RUNS, true));

  test("without optimisation", () => everyWay(RUNS, true, { optimize: false }));

  test("without necessaryColumns", () => everyWay(RUNS, true, { exclude: ["necessaryColumns"] }));

  // Many arrays at once have the budget of the largest task of all: alone they have their own.
  test("with as little memory as a task needs", () =>
    checkAsync(RUNS / 3, programs, (program) =>
      compare(program, true, (arrays) => rg.compute(arrays, { spec: leanSpec(arrays) })),
    ));
});

describe("partitions", () => {
  const cuts = fc.integer({ min: 0, max: 12 }).chain((rows) =>
    fc.record({
      rows: fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 3 }), {
        minLength: rows,
        maxLength: rows,
      }),
      a: fc.integer({ min: 1, max: 6 }),
      b: fc.integer({ min: 1, max: 6 }),
    }),
  );

  test("two repartitions of one array stay apart", () =>
    checkAsync(RUNS, cuts, async ({ rows, a, b }) => {
      const x = rg.lazy(rows, { npartitions: 3 });
      const one = rg.repartition(x, { npartitions: a });
      const other = rg.repartition(x, { rows: b });
      const [first, second] = await rg.compute([one, other], inline);
      expect(first.toList()).toEqual(rows);
      expect(second.toList()).toEqual(rows);
      const joined = await rg.concatenate([one, other]).compute(inline);
      expect(joined.toList()).toEqual([...rows, ...rows]);
    }));

  test("rows are numbered through them", () =>
    checkAsync(RUNS, cuts, async ({ rows, a }) => {
      const x = rg.lazy(rows, { npartitions: a });
      expect((await rg.localIndex(x, { axis: 0 }).compute(inline)).toList()).toEqual(rows.map((_, i) => i));
    }));
});
