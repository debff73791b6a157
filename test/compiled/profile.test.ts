// Where a compiled function's time went: phases and calls, nodes before and after, the line, and the rewriting's own profile.

import * as cw from "chunkwise";
import { expect, test } from "vitest";

const spec = { dtype: "float64", shape: [4] } as const;

test("a function that is asked for keeps account of its compilation and its calls", async () => {
  const f = cw.compile((x) => x.add(0).add(x).multiply(1), [spec], { profile: true });
  expect(f.profile()!.calls).toEqual({ count: 0, total: 0, first: 0 });
  f.sync([1, 2, 3, 4]);
  expect((await f([1, 2, 3, 4])).toList()).toEqual([2, 4, 6, 8]);
  const { line, total, phases, nodes, operations, rewriting, calls } = f.profile()!;
  expect(line).toContain("profile.test.ts");
  expect(nodes.before).toBeGreaterThan(nodes.after);
  expect(operations).toBe(1);
  expect(calls.count).toBe(2);
  expect(calls.total).toBeGreaterThanOrEqual(calls.first);
  const sum = Object.values(phases).reduce((a, b) => a + b, 0);
  expect(Object.keys(phases)).toEqual(["tracing", "rewriting", "planning", "preparing"]);
  expect(Math.min(...Object.values(phases))).toBeGreaterThan(0);
  expect(sum).toBeLessThanOrEqual(total);
  expect([rewriting!.nodes.start, rewriting!.nodes.end]).toEqual([nodes.before, nodes.after]);
  const text = String(f.profile());
  expect(text).toMatch(/^compiled function \(.*profile\.test\.ts/);
  expect(text).toContain("ms in 2 calls");
  expect(text).toContain(String(rewriting));
});

test("one that is not asked for has none; without rewriting there is none of it", () => {
  expect(cw.compile((x) => x, [spec]).profile()).toBeNull();
  const f = cw.compile((x) => x.add(0), [spec], { profile: true, optimize: false });
  expect(f.profile()!.rewriting).toBeNull();
  expect(f.sync([1, 2, 3, 4]).toList()).toEqual([1, 2, 3, 4]);
  expect(() => cw.compile((x) => x, [spec], { profile: "yes" as never })).toThrow(cw.ValueError);
});

test("a call that fails is not counted", () => {
  const f = cw.compile((x) => x.add(1), [spec], { profile: true });
  expect(() => f.sync([1, 2])).toThrow(cw.ShapeError);
  expect(f.profile()!.calls.count).toBe(0);
});
