// The battery of programs at real size (run.mjs) leaves out nothing that it claims to have: its selection, by itself.

import { describe, expect, test } from "vitest";
import { PROGRAMS } from "./programs/index.mjs";
import { FACTORS, idOf, isForThreads, pairsOf, runOf, selectRuns } from "./selection.mjs";

const names = Object.keys(FACTORS);
const allPairs = names.flatMap((a, i) =>
  names
    .slice(i + 1)
    .flatMap((b) => FACTORS[a]!.flatMap((x) => FACTORS[b]!.map((y) => `${a} ${x} with ${b} ${y}`))),
);
const select = (seed: string, part: string) => selectRuns({ programs: PROGRAMS, seed, part });

describe.each(["1", "2", "another"])("the selection of seed %s", (seed) => {
  const whole = select(seed, "whole");
  const ci = select(seed, "ci");

  test("the whole has 120 programs and 2,000 runs or more", () => {
    expect(PROGRAMS.size).toBeGreaterThanOrEqual(120);
    expect(whole.length).toBeGreaterThanOrEqual(2000);
  });

  test("every program is in the whole, and one of each family in CI's part", () => {
    const programsOf = (runs: typeof whole) => new Set(runs.map(({ program }) => program));
    expect([...PROGRAMS.keys()].filter((name) => !programsOf(whole).has(name))).toEqual([]);
    const inCi = new Set([...programsOf(ci)].map((name) => PROGRAMS.get(name)?.family));
    expect([...PROGRAMS.values()].filter(({ family }) => !inCi.has(family))).toEqual([]);
  });

  test("random programs are in both, large arrays in the whole", () => {
    const randomIn = (runs: typeof whole) => runs.filter(({ program }) => program.startsWith("random-"));
    expect(randomIn(whole).length).toBeGreaterThanOrEqual(200);
    expect(randomIn(ci).length).toBeGreaterThanOrEqual(30);
    expect(whole.filter(({ size }) => size === "large").length).toBeGreaterThanOrEqual(30);
  });

  test.each([
    ["whole", whole],
    ["ci", ci],
  ])("every two values of two factors meet in the part %s", (_, runs) => {
    const met = new Set(runs.flatMap(pairsOf));
    expect(allPairs.filter((pair) => !met.has(pair))).toEqual([]);
  });

  test("six programs or more run on task threads by default options", () => {
    for (const runs of [whole, ci])
      expect(new Set(runs.filter(isForThreads).map(({ program }) => program)).size).toBeGreaterThanOrEqual(6);
  });

  test("every program runs on task threads", () => {
    for (const runs of [whole, ci]) {
      const threaded = new Set(
        runs
          .filter((run) => run.executor.startsWith("threads") || isForThreads(run))
          .map(({ program }) => program),
      );
      expect(runs.filter(({ program }) => !threaded.has(program))).toEqual([]);
    }
  });
});

test("a seed gives the same runs again, and another one others", () => {
  expect(select("7", "ci")).toEqual(select("7", "ci"));
  expect(select("7", "ci")).not.toEqual(select("8", "ci"));
});

test("the name of a run says all of it", () => {
  const runs = select("1", "ci");
  expect(runs.map((run) => runOf(idOf(run)))).toEqual(runs);
});
