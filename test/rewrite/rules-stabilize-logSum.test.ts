// The rules for sums of exponentials, and where they must not fire (ruleHarness.ts).

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { type Expr, makeExpr } from "../../src/expr/expr.ts";
import { opNamed } from "../../src/ops/index.ts";
import { logSoftmaxOver, softmaxOver } from "../../src/ops/softmax.ts";
import { LOG_SUM } from "../../src/rewrite/rules/logSum.ts";
import { STABILIZE } from "../../src/rewrite/rules/stabilize.ts";
import { n, run, source } from "./nodes.ts";
import { testRules } from "./ruleHarness.ts";
import { exp, log, on, reduced } from "./stabilizeForms.ts";

const last = (x: Expr): readonly number[] => [x.shape.length - 1];
const sumExp = (x: Expr, axes = last(x), keepdims = true): Expr => reduced("sum", exp(x), axes, keepdims);
const shifted = (x: Expr): Expr => n("subtract", x, reduced("max", x, last(x), true));
const softmax = (x: Expr): Expr => softmaxOver(x, last(x));
const logSoftmax = (x: Expr): Expr => logSoftmaxOver(x, last(x));
const expanded = (x: Expr, axes: readonly number[]): Expr => makeExpr(opNamed("expandDims"), [x], { axes });

const squeezed = (x: Expr): Expr => makeExpr(opNamed("squeeze"), [x], { axes: last(x) });

/** With an axis more, and all in the other order. */
const turned = (x: Expr): Expr =>
  makeExpr(opNamed("permute"), [expanded(x, [0])], {
    axes: [...x.shape.keys(), x.shape.length].reverse(),
  });

testRules("logSum", LOG_SUM, [
  on("logsumexp", (x) => log(sumExp(x))),
  on("logsumexp", (x) => log(sumExp(x, last(x), false))),
  on("logsumexp", (x) => log(sumExp(x, [], true))),
  on("logsumexp", (x) => log(squeezed(sumExp(x)))),
  on("logsumexp", (x) => log(reduced("sum", turned(exp(x)), [0], false))),
  on("logMeanExp", (x) => log(reduced("mean", exp(x), last(x), false))),
  on("softmax", (x) => n("divide", exp(x), sumExp(x))),
  on("softmax", (x) => n("divide", exp(x), sumExp(x, [0], false))),
  on("softmax", (x) => n("divide", exp(x), expanded(sumExp(x, last(x), false), last(x)))),
  on("softmax", (x) => n("divide", exp(x), makeExpr(opNamed("broadcast"), [sumExp(x)], { shape: x.shape }))),
  on("softmax", (x) => n("divide", turned(exp(x)), turned(sumExp(x)))),
  on("softmax", (x) =>
    n("divide", exp(x), reduced("sum", turned(exp(x)), [...turned(x).shape.keys()], false)),
  ),
  on("softmax", (x) => n("divide", turned(exp(x)), reduced("sum", turned(exp(x)), [0], true))),
  on("logSoftmax", (x) => log(softmax(x))),
  on("logSoftmax", (x) => log(turned(softmax(x)))),
  on("logSoftmaxShifted", (x) => log(n("divide", exp(shifted(x)), sumExp(shifted(x))))),
  on("logSoftmaxOfLogsumexp", (x) => n("subtract", x, reduced("logsumexp", x, last(x), true))),
  on("logSoftmaxOfLogsumexp", (x) =>
    n("subtract", x, expanded(reduced("logsumexp", x, last(x), false), last(x))),
  ),
  on("logSoftmaxOfLogsumexp", (x) =>
    n("subtract", turned(x), turned(reduced("logsumexp", x, last(x), true))),
  ),
  on("expLogSoftmax", (x) => exp(logSoftmax(x))),
  on("expLogSoftmax", (x) => exp(turned(logSoftmax(x)))),
]);

describe("softmax", () => {
  const square = source(0, "float64", [3, 3]);
  const ratio = (x: Expr, sum: Expr): Expr => n("divide", exp(x), sum);
  const fires = (root: Expr): boolean => run(root, ...LOG_SUM) !== root;

  test("is not what divides the rows' sums into columns", () => {
    expect(fires(ratio(square, sumExp(square, [1], false)))).toBe(false);
    expect(fires(ratio(square, expanded(sumExp(square, [1], false), [0])))).toBe(false);
    expect(fires(ratio(square, expanded(sumExp(square, [0], false), [1])))).toBe(false);
    const turned = makeExpr(opNamed("permute"), [sumExp(square, [1], true)], { axes: [1, 0] });
    expect(fires(ratio(square, turned))).toBe(false);
    const rows = makeExpr(opNamed("reshape"), [sumExp(square, [1], false)], { shape: [1, 3] });
    expect(fires(ratio(square, rows))).toBe(false);
    const stretched = makeExpr(opNamed("broadcast"), [sumExp(square, [1], false)], { shape: [3, 3] });
    expect(fires(ratio(square, stretched))).toBe(false);
  });

  test("is what divides by sums along the axes they were taken over", () => {
    expect(fires(ratio(square, sumExp(square, [1], true)))).toBe(true);
    expect(fires(ratio(square, sumExp(square, [0], false)))).toBe(true);
    expect(fires(ratio(square, sumExp(square, [0, 1], false)))).toBe(true);
    const columns = makeExpr(opNamed("reshape"), [sumExp(square, [1], false)], { shape: [3, 1] });
    expect(fires(ratio(square, columns))).toBe(true);
    const row = source(0, "float64", [1, 3]);
    expect(fires(ratio(row, makeExpr(opNamed("squeeze"), [sumExp(row, [1], false)], { axes: [0] })))).toBe(
      true,
    );
  });

  test("is not of another array, nor of no elements, nor of what is shifted by its maximum already", () => {
    expect(fires(ratio(square, sumExp(source(1, "float64", [3, 3]), [1], true)))).toBe(false);
    const empty = source(0, "float64", [2, 0]);
    expect(fires(ratio(empty, sumExp(empty, [1], true)))).toBe(false);
    expect(fires(ratio(shifted(square), sumExp(shifted(square), [1], true)))).toBe(false);
    expect(fires(log(sumExp(shifted(square))))).toBe(false);
  });

  test("the same holds of x − logsumexp(x)", () => {
    const less = (sum: Expr): Expr => n("subtract", square, sum);
    expect(fires(less(reduced("logsumexp", square, [1], false)))).toBe(false);
    expect(fires(less(reduced("logsumexp", square, [0], false)))).toBe(true);
  });
});

describe("the logarithm of a sum of exponentials is right where exponentials are not", () => {
  const inf = Number.POSITIVE_INFINITY;
  const nan = Number.NaN;
  const cases: readonly [x: readonly number[], value: number][] = [
    [[], -inf],
    [[1000], 1000],
    [[-1000], -1000],
    [[0.5], 0.5],
    [[inf], inf],
    [[-inf], -inf],
    [[nan], nan],
    [[-inf, -inf, -inf], -inf],
    [[inf, inf], inf],
    [[inf, -inf, 1], inf],
    [[-inf, 1], 1],
    [[nan, inf], nan],
    [[nan, -inf], nan],
    [[1000, 1000], 1000 + Math.log(2)],
    [[-1000, -1000], Math.log(2) - 1000],
  ];
  for (const dtype of ["float64", "float32"] as const) {
    for (const [list, value] of cases) {
      test(`${dtype} [${list.join(", ")}]`, () => {
        const x = cw.asarray(list.length === 0 ? new Float64Array() : list, { dtype });
        const found = cw.log(cw.exp(x).sum()).computeSync().data[0] as number;
        if (Number.isFinite(value)) expect(Math.fround(found)).toBe(Math.fround(value));
        else expect(found).toBe(value);
      });
    }
  }
});

describe("what is written out becomes what the functions make", () => {
  const x = cw.asarray(new Float64Array([1, 2, 3, 4, 5, 6])).reshape([2, 3]);
  const sums = cw.exp(x).sum({ axis: 1, keepdims: true });
  const optimized = (root: cw.LazyArray): Expr => run(root.expr, ...LOG_SUM, ...STABILIZE);

  test("softmax, logSoftmax, logsumexp", () => {
    expect(optimized(cw.exp(x).divide(sums))).toBe(cw.softmax(x).expr);
    expect(optimized(cw.log(cw.exp(x).divide(sums)))).toBe(cw.logSoftmax(x).expr);
    expect(optimized(x.subtract(cw.log(sums)))).toBe(cw.logSoftmax(x).expr);
    expect(optimized(cw.exp(x.subtract(cw.log(sums))))).toBe(cw.softmax(x).expr);
    expect(optimized(cw.log(sums))).toBe(cw.logsumexp(x, { axis: 1, keepdims: true }).expr);
  });

  test("and that stays as it is", () => {
    for (const done of [cw.softmax(x), cw.logSoftmax(x), cw.logsumexp(x), cw.softmax(x, { axis: null })])
      expect(optimized(done)).toBe(done.expr);
  });
});
