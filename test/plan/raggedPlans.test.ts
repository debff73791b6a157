// Plans of ragged arrays as JSON: what is saved is loaded again, and what is no plan is refused where it is wrong.

import * as rg from "chunkwise/ragged";
import { describe, expect, test } from "vitest";
import { taskParts } from "../../src/array/taskParts.ts";
import { noResources, PlanError, planFromJson } from "../../src/plan/load.ts";
import type { PlanData } from "../../src/plan/plan.ts";
import { type Json, planToJson } from "../../src/plan/planJson.ts";

const x = rg.lazy(rg.fromIter([[1, 2], [], [3]]), { npartitions: 2 });
const plan = rg.plan([rg.sum(x, { axis: 1 }) as rg.LazyRagged, rg.sum(x) as rg.LazyRagged]);
const json = (): Json => JSON.parse(JSON.stringify(plan)) as Json;
const loaded = (from: Json): PlanData => planFromJson(from, { ops: taskParts().ops, find: noResources });

type Fields = { [name: string]: Json };
const arrayOf = (from: Json, i: number): Fields => (from as { arrays: Fields[] }).arrays[i]!;

describe("a ragged plan", () => {
  test("says what its arrays are", () => {
    expect(arrayOf(json(), 0)).toMatchObject({ kind: "ragged", isItem: false, partitions: 2, chunks: [1] });
    expect(arrayOf(json(), 0)).not.toHaveProperty("dtype");
    expect(arrayOf(json(), 0)).not.toHaveProperty("shape");
  });

  test("is the same when it is loaded", () => {
    expect(planToJson(loaded(json()))).toEqual(json());
  });

  test.each<[string, string, Json, RegExp]>([
    ["a kind", "kind", "sparse", /"sparse" is not a kind of array/],
    ["a form", "form", { class: "Nothing" }, /it makes no sense: formOfJson: form\.class/],
    ["a number of partitions", "partitions", -1, /-1 is not a whole number/],
    ["one value in two partitions", "isItem", true, /one value is in 2 partitions/],
    ["partitions taken together", "chunks", [2], /2 partitions are taken together/],
    ["bytes", "partitionBytes", "many", /"many" is not a whole number/],
    ["another form than is read", "form", "bool", /stands where .* belongs/],
  ])("is refused for %s", (_, name, value, message) => {
    const spoiled = json();
    arrayOf(spoiled, 0)[name] = value;
    expect(() => loaded(spoiled)).toThrow(message);
    expect(() => loaded(spoiled)).toThrow(PlanError);
  });
});
