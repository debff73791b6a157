// What is begun next, of what was asked for: the operation that is least far, at a cost that does not grow with their number.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Roots } from "../../src/runtime/scheduler/frontier.ts";

interface Taken {
  readonly op: number;
  readonly task: number;
}

/** Looks at all of them for each: slow and obviously right. */
function simply(counts: readonly number[], isKnown: (op: number, task: number) => boolean): Taken[] {
  const next = counts.map(() => 0);
  const taken: Taken[] = [];
  for (;;) {
    counts.forEach((tasks, op) => {
      while (next[op]! < tasks && isKnown(op, next[op]!)) next[op]!++;
    });
    const open = counts.flatMap((tasks, op) => (next[op]! < tasks ? [{ op, part: next[op]! / tasks }] : []));
    if (open.length === 0) return taken;
    const { op } = open.reduce((best, one) => (one.part < best.part ? one : best));
    taken.push({ op, task: next[op]!++ });
  }
}

function all(counts: readonly number[], isKnown: (op: number, task: number) => boolean): Taken[] {
  const roots = new Roots(counts.map((tasks, op) => ({ op, tasks })));
  const skip = (op: number, from: number): number => {
    let task = from;
    while (task < counts[op]! && isKnown(op, task)) task++;
    return task;
  };
  const taken: Taken[] = [];
  for (let one = roots.take(skip); one !== null; one = roots.take(skip)) taken.push(one);
  return taken;
}

describe("roots", () => {
  test("give every task once, always one of the operation that is least far", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 6 }), { maxLength: 12 }),
        fc.array(fc.tuple(fc.nat({ max: 11 }), fc.nat({ max: 5 })), { maxLength: 10 }),
        (counts, known) => {
          const isKnown = (op: number, task: number): boolean =>
            known.some(([o, t]) => o === op && t === task);
          expect(all(counts, isKnown)).toEqual(simply(counts, isKnown));
        },
      ),
    );
  });

  test.each([100, 1_000, 10_000])("%i operations of one task are looked at once each", (count) => {
    const roots = new Roots(Array.from({ length: count }, (_, op) => ({ op, tasks: 1 })));
    let looks = 0;
    const skip = (_: number, from: number): number => {
      looks++;
      return from;
    };
    for (let op = 0; op < count; op++) expect(roots.take(skip)).toEqual({ op, task: 0 });
    expect(roots.take(skip)).toBeNull();
    expect(looks).toBe(count);
  });
});
