// The key of a run tells computations apart: what one left is never taken for what another one would make.

import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import { expect, test } from "vitest";
import type { Plan } from "../../src/plan/index.ts";
import { runKey } from "../../src/runtime/runKey.ts";

const keyOf = async ({ data, sources }: Plan): Promise<string> => (await runKey(data, sources)).text;

const x = cw.asarray([1, 2, 3, 4], { chunks: 2 });
const y = cw.asarray([5, 6, 7, 8], { chunks: 2 });
const lists = rg.lazy(rg.fromIter([[1, 2], [], [3]]), { npartitions: 2 });

test.each<[string, () => Plan, () => Plan]>([
  ["elementwise ops", () => x.add(y).plan(), () => x.subtract(y).plan()],
  ["reductions", () => x.min().plan(), () => x.max().plan()],
  ["attributes", () => x.astype("int8").plan(), () => x.astype("int16").plan()],
  ["ragged ops", () => rg.plan(rg.add(lists, 1) as never), () => rg.plan(rg.multiply(lists, 1) as never)],
  ["forms", () => rg.plan(rg.num(lists) as never), () => rg.plan(lists)],
])("of other %s is another one", async (_, one, other) => {
  expect(await keyOf(one())).toBe(await keyOf(one()));
  expect(await keyOf(other())).not.toBe(await keyOf(one()));
});
