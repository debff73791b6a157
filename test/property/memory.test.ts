// Bounded memory: what a task needs depends on the size of chunks, not on how many there are. The same function of
// an array of few and of many chunks, both fused and not; every number of a case is random. Scans are not among
// them: one of their tasks reads the totals of all chunks.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arraysOf, mostBytes } from "./planTasks.ts";
import { check } from "./settings.ts";

interface Case {
  readonly chunk: number;
  readonly shift: number;
}
type Rule = (x: cw.LazyArray, shift: number) => readonly cw.LazyArray[];

const RULES: { readonly [name: string]: Rule } = {
  "x + 1": (x) => [x.add(1)],
  "x and x + 1": (x) => [x.negative(), x.negative().add(1)],
  "x[1:] − x[:−1]": (x) => [x.negative().diff()],
  "x reversed": (x) => [x.negative().flip()],
  "x + x reversed": (x) => [cw.add(x.negative(), x.negative().flip())],
  "x and x reversed, both asked for": (x) => [x.negative(), x.negative().flip()],
  "x rolled": (x, shift) => [x.roll(shift, { axis: 0 })],
  "x + x rolled": (x, shift) => [cw.add(x.negative(), x.negative().roll(shift, { axis: 0 }))],
  "x behind itself": (x) => [cw.concat([x, x])],
  "x behind x reversed": (x) => [cw.concat([x.flip(), x])],
  "x padded with its ends": (x, shift) => [x.pad(shift, { mode: "wrap" })],
  "x padded with its reflection": (x, shift) => [x.pad(shift, { mode: "reflect" })],
  "x tiled": (x) => [x.tile(3)],
  "the sum": (x) => [x.sum()],
  "x less its mean": (x) => [x.subtract(x.mean())],
  "x in rows": (x, shift) => [x.get(cw.slice(x.size - (x.size % shift))).reshape([-1, shift])],
};

const cases: fc.Arbitrary<Case> = fc.record({
  chunk: fc.integer({ min: 2, max: 6 }),
  shift: fc.integer({ min: 1, max: 3 }),
});

function needed(rule: Rule, { chunk, shift }: Case, chunks: number, optimize: boolean): number {
  const x = cw.asarray(new Float64Array(chunk * chunks + 1), { chunks: chunk });
  const { data } = cw.plan(rule(x, shift), { optimize });
  return Math.max(...data.operations.map((operation) => mostBytes(operation, arraysOf(data))));
}

/** A tree of totals may have one more level; nothing else may differ. */
const SLACK = 100;

describe.each([true, false])("optimize: %s", (optimize) => {
  test.each(Object.entries(RULES))("%s", (_, rule) =>
    check(8, cases, (each) => {
      const few = needed(rule, each, 12, optimize);
      expect(needed(rule, each, 60, optimize)).toBeLessThanOrEqual(few + SLACK);
    }),
  );
});
