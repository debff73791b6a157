// What the stabilizing rules promise: formulas that overflow or cancel come out right. In: true values, computed with
// mpmath (fixtures/stabilize.json). Out: every formula, written as one would write it, is off by many ulps or not
// finite at some point as it stands, and within a few ulps at all points when all these rules are applied together.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { newBlock } from "../../src/core/block.ts";
import type { Expr } from "../../src/expr/expr.ts";
import { INVERSES } from "../../src/rewrite/rules/inverses.ts";
import { LOG_SUM } from "../../src/rewrite/rules/logSum.ts";
import { STABILIZE } from "../../src/rewrite/rules/stabilize.ts";
import { ulpDistance } from "../oracle/decode.ts";
import { slotsOf } from "../property/compare.ts";
import { evaluateReference } from "../reference.ts";
import { n, run } from "./nodes.ts";
import { sourceOf } from "./operands.ts";
import { constant, exp, log, negative, of, oneMinus, reduced } from "./stabilizeForms.ts";

const FEW_ULPS = 4;
const MANY_ULPS = 64;

const onePlus = (x: Expr): Expr => n("add", constant(1, x), x);
const logistic = (x: Expr): Expr => n("divide", constant(1, x), onePlus(exp(negative(x))));
const total = (name: string, x: Expr): Expr => reduced(name, exp(x), [0], true);
const naiveSoftmax = (x: Expr): Expr => n("divide", exp(x), total("sum", x));

const FORMS: { readonly [form: string]: (x: Expr, y: Expr) => Expr } = {
  "log(1 + x)": (x) => log(onePlus(x)),
  "log(1 - x)": (x) => log(oneMinus(x)),
  "exp(x) - 1": (x) => n("subtract", exp(x), 1),
  "1 - exp(x)": (x) => oneMinus(exp(x)),
  "log(exp(x) + exp(y))": (x, y) => log(n("add", exp(x), exp(y))),
  "log(1 + exp(x))": (x) => log(onePlus(exp(x))),
  "log(1 - exp(x))": (x) => log(oneMinus(exp(x))),
  "log(exp(x) - 1)": (x) => log(n("subtract", exp(x), 1)),
  "log(exp(x) - exp(y))": (x, y) => log(n("subtract", exp(x), exp(y))),
  "exp(x) / (1 + exp(x))": (x) => n("divide", exp(x), onePlus(exp(x))),
  "1 / (1 + exp(-x))": logistic,
  "1 - 1 / (1 + exp(-x))": (x) => oneMinus(logistic(x)),
  "log(1 / (1 + exp(-x)))": (x) => log(logistic(x)),
  "log(1 - 1 / (1 + exp(-x)))": (x) => log(oneMinus(logistic(x))),
  "log(exp(x))": of("log", "exp"),
  "exp(log(x))": of("exp", "log"),
  "log1p(expm1(x))": of("log1p", "expm1"),
  "atanh(tanh(x))": of("atanh", "tanh"),
  "log(x ** 2)": (x) => log(n("pow", x, 2)),
  "log(sqrt(x))": of("log", "sqrt"),
  "log(s / (1 - s)), s = sigmoid(x)": (x) => log(n("divide", logistic(x), oneMinus(logistic(x)))),
  "log(sum(exp(x)))": (x) => log(total("sum", x)),
  "log(mean(exp(x)))": (x) => log(total("mean", x)),
  "exp(x) / sum(exp(x))": naiveSoftmax,
  "log(exp(x) / sum(exp(x)))": (x) => log(naiveSoftmax(x)),
  "x - log(sum(exp(x)))": (x) => n("subtract", x, log(total("sum", x))),
  "exp(x - log(sum(exp(x))))": (x) => exp(n("subtract", x, log(total("sum", x)))),
};

interface Point {
  readonly at: readonly (number | readonly number[])[];
  readonly value: number | readonly number[];
}
const POINTS = JSON.parse(readFileSync(new URL("fixtures/stabilize.json", import.meta.url), "utf8")) as {
  readonly [form: string]: readonly Point[];
};

const source = (values: number | readonly number[]): Expr => {
  const list = [values].flat();
  const block = newBlock("float64", [list.length]);
  (block.data as Float64Array).set(list);
  return sourceOf(block);
};

/** The largest distance from the true values, in ulps; infinite where something is not finite that should be. */
function farthest(expr: Expr, { value }: Point): number {
  const found = slotsOf(evaluateReference([expr]).get(expr)!) as number[];
  return Math.max(...[value].flat().map((wanted, i) => ulpDistance(found[i]!, wanted, "float64")));
}

describe("formulas that lose digits", () => {
  test("are those with true values", () => expect(Object.keys(FORMS)).toEqual(Object.keys(POINTS)));

  test.each(Object.keys(FORMS))("%s", (form) => {
    const distances = POINTS[form]!.map((point) => {
      const [x, y = x!] = point.at.map(source);
      const before = FORMS[form]!(x!, y);
      const after = run(before, ...LOG_SUM, ...STABILIZE, ...INVERSES);
      return { at: point.at, before: farthest(before, point), after: farthest(after, point) };
    });
    expect(distances.filter(({ after }) => after > FEW_ULPS)).toEqual([]);
    expect(Math.max(...distances.map(({ before }) => before))).toBeGreaterThan(MANY_ULPS);
  });
});
