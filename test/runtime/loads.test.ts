// Who has least to do: the same worker that a look at all of them would find, however workers come and go.

import fc from "fast-check";
import { expect, test } from "vitest";
import { Loads } from "../../src/runtime/scheduler/entry.ts";
import { workOf } from "../work.ts";

test("is the first of those that have least", () => {
  const step = fc.record({ kind: fc.constantFrom("start", "end", "resize"), at: fc.nat(40) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 200 }), (workers, steps) => {
      const loads = new Loads(workers);
      const plain: number[] = new Array<number>(41).fill(0);
      let count = workers;
      for (const { kind, at } of steps) {
        if (kind === "resize") {
          count = 1 + at;
          loads.resize(count);
        } else if (kind === "end" && plain[at]! > 0) {
          plain[at]!--;
          loads.add(at, -1);
        } else {
          const least = Math.min(...plain.slice(0, count));
          const found = loads.least(3);
          expect(found).toBe(least < 3 ? plain.indexOf(least) : null);
          if (found === null) continue;
          plain[found]!++;
          loads.add(found, 1);
        }
        expect(loads.count).toBe(count);
      }
    }),
  );
});

test("a look at all of them would cost a thousand times as much for ten thousand workers as for ten", () => {
  const work = (workers: number): number => {
    const loads = new Loads(workers);
    return workOf(() => {
      for (let i = 0; i < 1000; i++) {
        const worker = loads.least(Number.POSITIVE_INFINITY)!;
        loads.add(worker, 1);
        loads.add(worker, -1);
      }
    });
  };
  expect(work(10_000)).toBeLessThan(30 * work(10));
});
