// Chains of what users write in loops: slices, transposes, broadcasts, reshapes, replaced elements. Rewriting never refuses
// them, makes as many nodes for each link however many there are, and what is left is short.

import { expect, test } from "vitest";
import { optimize, pipeline } from "../../src/doors/rewrite.ts";
import { postOrder } from "../../src/expr/expr.ts";
import * as cw from "../../src/index.ts";

type Link = (x: cw.LazyArray, i: number) => cw.LazyArray;

const LENGTH = 1200;
const line = (): cw.LazyArray => cw.asarray(Float64Array.from({ length: LENGTH }, (_, i) => Math.sin(i)));
const square = (): cw.LazyArray => line().reshape([30, 40]);

const CHAINS: readonly (readonly [string, () => cw.LazyArray, Link])[] = [
  ["slices", line, (x, i) => x.get("1:").multiply(1 + (i % 7) / 10)],
  ["slices of two axes and transposes", square, (x) => x.get(":-1", ":").add(0.5).T],
  ["broadcasts", line, (x) => cw.broadcastTo(x, [3, x.shape[0]!]).sin().get(0)],
  ["reshapes", line, (x) => x.reshape([-1, 1]).T.reshape([-1]).add(0.5)],
  ["replaced elements", line, (x, i) => x.set(i, 5).get("1:").sin()],
  [
    "replaced elements that are sliced away",
    line,
    (x, i) =>
      x
        .set(i % 3, 5)
        .get("1:")
        .sin(),
  ],
];

function chain([, start, link]: (typeof CHAINS)[number], links: number): cw.LazyArray {
  let x = start();
  for (let i = 0; i < links; i++) x = link(x, i);
  return x;
}

interface Cost {
  readonly applied: number;
  readonly left: number;
}

function costOf(x: cw.LazyArray): Cost {
  const { roots, report } = optimize([x.expr], { database: pipeline });
  const counts = report.stages.flatMap(({ applied }) => Object.values(applied));
  expect(report.stages.flatMap(({ stopped = [] }) => stopped)).toEqual([]);
  return { applied: counts.reduce((sum, count) => sum + count, 0), left: postOrder(roots).length };
}

test.each(CHAINS)("%s: the work of a link does not depend on how many there are", (...entry) => {
  const [few, many] = [20, 40].map((links) =>
    costOf(chain(entry, entry[0].includes("two") ? links / 2 : links)),
  );
  const [none] = [costOf(chain(entry, 0))];
  expect(many!.applied - none!.applied).toBeLessThanOrEqual(2.2 * (few!.applied - none!.applied) + 5);
  expect(many!.left - none!.left).toBeLessThanOrEqual(2.2 * (few!.left - none!.left) + 5);
});

test.each(CHAINS)("%s: hundreds of them give what they give without rewriting", async (...entry) => {
  const x = chain(entry, entry[0].includes("two") ? 28 : 300).sum();
  const [now, plain] = [await x.compute(), await x.compute({ optimize: false })];
  expect(now.item()).toBe(plain.item());
});

test("slices go through replaced elements to the source: what is sliced away is not replaced", () => {
  for (const links of [20, 200]) {
    const x = chain(CHAINS.find(([name]) => name === "replaced elements")!, links);
    const { roots } = optimize([x.expr], { database: pipeline });
    const ops = postOrder(roots).map(({ op }) => op.name);
    const countOf = (name: string): number => ops.filter((one) => one === name).length;
    expect([countOf("sin"), countOf("setSlice"), countOf("slice")]).toEqual([links, links / 2, 1]);
  }
});
