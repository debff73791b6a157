// What only rare lanes need is behind a branch, and the branch is taken by the lanes that need it.

import { expect, test } from "vitest";
import { runOnLanes } from "../../src/kernel/interpret/reduce.ts";
import { expanded, programOf, type ScalarProgram, type Step } from "../../src/kernel/program.ts";
import * as s from "../../src/kernel/scalar.ts";
import { runCompiled } from "./compiled.ts";

type Make = (x: s.Term, y: s.Term) => s.Term;
const program = (make: Make): ScalarProgram =>
  programOf(["float64", "float64"], (x, y) => [make(x as s.Term, y as s.Term)]);

/** Primitives of steps, rare ones in brackets. */
function primitives({ instructions }: ScalarProgram, steps: readonly Step[]): string {
  const words = steps.map(({ at, rare }) => {
    const { prim } = instructions[at]!;
    return rare === null ? prim : `${prim}[${primitives({ instructions, operands: [], results: [] }, rare)}]`;
  });
  return words.join(" ");
}

const textOf = (code: ScalarProgram): string => {
  const { program: whole, steps } = expanded(code);
  return primitives(whole, steps);
};

test("a rare value takes along what it alone needs", () => {
  const code = program((x, y) => s.add(s.rarely(s.gt(x, y), s.sqrt(s.mul(x, y)), s.mul(x, x)), y));
  expect(textOf(code)).toBe("load load gt mul rarely[mul sqrt] add");
});

test("rare cases inside of rare cases", () => {
  const code = program((x, y) =>
    s.rarely(s.gt(x, y), s.rarely(s.gt(x, s.zero(x.type)), s.sqrt(x), s.neg(x)), s.abs(x)),
  );
  expect(textOf(code)).toBe("load load gt abs rarely[const gt neg rarely[sqrt]]");
});

test("what two rare cases need is in both, and not before them", () => {
  const code = program((x, y) => {
    const root = s.sqrt(x);
    return s.add(s.rarely(s.gt(x, y), root, x), s.rarely(s.lt(x, y), root, y));
  });
  expect(textOf(code)).toBe("load load gt rarely[sqrt] lt rarely[sqrt] add");
});

test("what can fail is always run", () => {
  const code = programOf(["int32", "bool"], (x, c) => {
    const term = x as s.Term;
    return [s.rarely(c as s.Term, s.quot(s.one("int32"), term), term)];
  });
  expect(textOf(code)).toBe("load load const quot rarely[]");
});

test("no angle looks anything up, or divides integers, on its usual path", () => {
  const code = program((x, y) => s.add(s.mul(s.sin(x), s.cos(x)), s.tan(y)));
  const { program: whole, steps } = expanded(code);
  const always = steps.map(({ at }) => whole.instructions[at]!.prim);
  expect(always).not.toContain("lookup");
  expect(always.filter((prim) => prim === "rarely").length).toBe(3);
});

test.each<[string, Make]>([
  ["sin x · cos x", (x) => s.mul(s.sin(x), s.cos(x))],
  ["x^y + log x", (x, y) => s.add(s.pow(x, y), s.log(x))],
  ["nested", (x, y) => s.rarely(s.gt(x, y), s.rarely(s.lt(s.abs(x), y), s.exp(x), s.neg(x)), s.sqrt(y))],
  ["of bools", (x, y) => s.select(s.rarely(s.gt(x, y), s.lt(x, s.one(x.type)), s.lt(y, x)), x, y)],
])("%s: lanes of every kind beside each other", (_, make) => {
  const values = [0.5, 1e9, -3, 5e-324, Infinity, 2, 1e300, Number.NaN, -0];
  const pairs = values.flatMap((x) => values.map((y) => [x, y] as const));
  const operands = [0, 1].map((k) => Float64Array.from(pairs, (pair) => pair[k]!));
  const code = program(make);
  const wanted = runOnLanes(
    code,
    operands.map((lanes) => [lanes]),
    pairs.length,
  );
  expect([...runCompiled(code, operands)[0]!]).toEqual([...wanted[0]![0]!]);
});
