// An op of the user's in a plan: computed wherever its body is known, found again by its name in a saved plan.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import { makeExpr, registerOp, s, unary } from "chunkwise/rewrite";
import { expect, test } from "vitest";

const halved = unary("halvedByUser", {
  accepts: "real",
  result: "floating",
  real: (t) => s.mul(t, s.constant(t.type, 0.5)),
});

const folder = mkdtempSync(join(tmpdir(), "chunkwise-own-op-"));
const VALUES = Float64Array.from({ length: 4000 }, (_, i) => i);

async function stored(): Promise<cw.LazyArray> {
  const x = await cw.asarray(VALUES, { chunks: 500 }).toZarr(join(folder, "x"), { overwrite: true });
  return new cw.LazyArray(makeExpr(halved, [x.expr]));
}

test.each(["inline", "threads"] as const)("needs no registration: %s", async (executor) => {
  const result = await (await stored()).compute({ executor, threads: 2 });
  expect(Array.from(result.data as Float64Array)).toEqual(Array.from(VALUES, (value) => value / 2));
});

test("a saved plan names it: whoever loads it must know it", async () => {
  const text = cw.savePlan((await stored()).plan());
  const options = { stores: [folder] };
  await expect(cw.loadPlan(text, options)).rejects.toThrow(/no op "halvedByUser"/);
  registerOp(halved);
  const [result] = await cw.computePlan(await cw.loadPlan(text, options));
  expect(result!.item(3999)).toBe(3999 / 2);
});
