// Four thousand calls of sixty functions on nested lists with nulls, beside plain Python on lists (generate.py): at once, and over three
// partitions, many in one computation. What Awkward gives otherwise, the guide names.

import { readFileSync } from "node:fs";
import * as rg from "chunkwise/ragged";
import { expect, test } from "vitest";

type Call = readonly [name: string, arrays: readonly unknown[][], args: readonly unknown[], wanted: unknown];
const SPECIAL: { readonly [name: string]: number } = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
};
const revive = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && "#" in value ? SPECIAL[value["#"] as string] : value;
const CALLS = readFileSync(new URL("./fixture.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line, revive) as Call);

type AnyFunction = (...args: readonly unknown[]) => unknown;
const functions = new Map(
  Object.entries({
    ...rg,
    ...Object.fromEntries(Object.entries(rg.str).map(([name, f]) => [`str.${name}`, f])),
  }),
) as unknown as ReadonlyMap<string, AnyFunction>;

/** Arrays in a list or in records, an array as an option, an array as an item: how some functions take them. */
function applied(name: string, arrays: readonly rg.Ragged[], args: readonly unknown[]): unknown {
  const [how, ...rest] = args;
  if (how === "list") return functions.get(name)!(arrays, ...rest);
  if (how === "record") return functions.get(name)!({ x: arrays[0], y: arrays[1] }, ...rest);
  if (how === "weight") return functions.get(name)!(...arrays.slice(0, -1), { weight: arrays.at(-1) });
  if (name === "getBy") return functions.get("get")!(arrays[0], arrays[1]);
  return functions.get(name)!(...arrays, ...args);
}

/** Numbers to their last digits; −0 is 0. */
function isSame(found: unknown, wanted: unknown): boolean {
  if (typeof found === "number" && typeof wanted === "number")
    return Object.is(found, wanted) || Math.abs(found - wanted) <= 1e-12 * Math.max(1, Math.abs(wanted));
  if (typeof found === "bigint") return isSame(Number(found), wanted);
  if (Array.isArray(found) && Array.isArray(wanted))
    return found.length === wanted.length && found.every((value, i) => isSame(value, wanted[i]));
  if (typeof found === "object" && typeof wanted === "object" && found !== null && wanted !== null)
    return JSON.stringify(found) === JSON.stringify(wanted);
  return found === wanted;
}
const shown = (result: unknown): unknown => (result instanceof rg.RaggedArray ? result.toList() : result);

const textOf = ([name, arrays, args]: Call): string =>
  `${name}(${JSON.stringify(arrays)}, ${JSON.stringify(args)})`;
function expectAll(calls: readonly Call[], found: readonly unknown[]): void {
  const wrong = calls.flatMap((call, i) =>
    isSame(shown(found[i]), call[3])
      ? []
      : [`${textOf(call)}: ${JSON.stringify(shown(found[i]))}, not ${JSON.stringify(call[3])}`],
  );
  expect(wrong).toEqual([]);
}

const names = [...new Set(CALLS.map(([name]) => name))];
const ofName = (name: string): Call[] => CALLS.filter(([own]) => own === name);

test("there are so many", () => {
  expect(CALLS.length).toBeGreaterThan(3000);
  expect(names.length).toBeGreaterThan(55);
});

test.each(names)("%s", (name) => {
  const calls = ofName(name);
  expectAll(
    calls,
    calls.map(([, arrays, args]) => applied(name, arrays.map(rg.fromIter), args)),
  );
});

/** Of every eighth: planning is what takes time here. */
test.each(names)("%s over three partitions", async (name) => {
  const calls = ofName(name).filter((_, at) => at % 8 === 0);
  const lazy = calls.map(([, arrays, args]) =>
    applied(
      name,
      arrays.map((x) => rg.lazy(rg.fromIter(x), { npartitions: 3 })),
      args,
    ),
  ) as rg.LazyRagged[];
  expectAll(calls, await rg.compute(lazy, { executor: "inline" }));
});
