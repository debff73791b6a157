// Optimised ≡ unoptimised ≡ the reference evaluation, bit for bit, for random graphs with several roots. Rules that make
// results more accurate change bits; they are left out here, and test/rewrite compares what they leave.
// With the same chunks the order of adding up is the same, so that floats of any value are compared; against the
// reference, which knows no chunks, sums are exact (writer.ts).

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { evaluateReference } from "../reference.ts";
import { needThreads, Ways } from "../ways.ts";
import { ALL_FAMILIES, type ArbitraryOptions, programs } from "./arbitrary.ts";
import { expectAllSame, expectSame } from "./compare.ts";
import { check, checkAsync } from "./settings.ts";

const EXACT = { exclude: ["stabilize"] };
const ANY_FLOATS: ArbitraryOptions = { exact: false, families: ALL_FAMILIES };

needThreads();

test("optimised = unoptimised, floats added up in any way", async () => {
  const ways = new Ways(EXACT);
  check(250, programs(ANY_FLOATS), (program) => {
    const roots = program.build("cut");
    expectAllSame(ways.compute(roots), cw.computeSync(roots, { optimize: false }));
  });
  await ways.agree();
});

test("optimised = unoptimised for graphs of more steps than one operation holds", () =>
  check(40, programs({ ...ANY_FLOATS, maxSteps: 60 }), (program) => {
    const roots = program.build("cut");
    expectAllSame(cw.computeSync(roots, EXACT), cw.computeSync(roots, { optimize: false }));
  }));

test("optimised = reference", () =>
  check(350, programs(), (program) => {
    const roots = program.build("cut");
    const values = evaluateReference(roots.map(({ expr }) => expr));
    expectAllSame(
      cw.computeSync(roots, EXACT),
      roots.map(({ expr }) => values.get(expr)!),
    );
  }));

test("compute(a, b, c) = a, b and c alone", () =>
  checkAsync(150, programs(), async (program) => {
    const roots = program.build("cut");
    const together = await cw.compute(roots, EXACT);
    const alone = await Promise.all(roots.map((root) => root.compute({ optimize: false })));
    expectAllSame(together, alone);
  }));

test("every value on the way = reference", () =>
  check(150, programs(), (program) => {
    const values = program.values("cut");
    const reference = evaluateReference(values.map(({ expr }) => expr));
    cw.computeSync(values, EXACT).forEach((value, i) => expectSame(value, reference.get(values[i]!.expr)!));
  }));

test("the reference goes through long chains", () => {
  let x = cw.asarray([1, 2, 3]);
  for (let i = 0; i < 20_000; i++) x = cw.add(x, 1);
  const value = evaluateReference([x.expr]).get(x.expr)!;
  expect([...value.data]).toEqual([20_001n, 20_002n, 20_003n]);
});
