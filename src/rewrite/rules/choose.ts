// where: known conditions, equal branches, chains, and what moves in and out of branches.
// Must hold: both branches are computed everywhere, so an op that can fail (an integer divided by zero) is never
// given operands that it did not have before: `where(y != 0, x // where(y != 0, y, 1), 0)` stays.

import { isInteger } from "../../core/dtype.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import * as arithmetic from "../../ops/elementwise/arithmetic.ts";
import { where } from "../../ops/elementwise/choice.ts";
import * as logic from "../../ops/elementwise/logic.ts";
import { OPS } from "../../ops/index.ts";
import { broadcastTo, scalar } from "../make.ts";
import { sameAttrs } from "../matchAttrs.ts";
import { a, b, condition, on, p, single, variable, x, y } from "../pattern.ts";
import { bool, floating, rule } from "../patternRule.ts";
import { functionRule, type Rule, type RuleContext } from "../rule.ts";
import { anyOne, anyZero, isAsLarge, isVariable, plusZero, wrapsExactly } from "./conditions.ts";

const c = condition;
const e = variable("e");

const BRANCHES: readonly Rule[] = [
  rule("whereTrue", "where(true, a, b) = a", p.where(true, a, b), a),
  rule("whereFalse", "where(false, a, b) = b", p.where(false, a, b), b),
  rule("whereSame", "where(c, a, a) = a", p.where(c, a, a), a),
  rule("whereNot", "where(not c, a, b) = where(c, b, a)", p.where(p.logicalNot(c), a, b), p.where(c, b, a), {
    when: [bool(c)],
  }),
  rule("whereTrueFalse", "where(c, true, false) = c", p.where(c, true, false), c),
  rule("whereFalseTrue", "where(c, false, true) = not c", p.where(c, false, true), p.logicalNot(c)),
  rule("whereElseFalse", "where(c, b, false) = c and b", p.where(c, b, false), p.logicalAnd(c, b)),
  rule("whereTrueElse", "where(c, true, b) = c or b", p.where(c, true, b), p.logicalOr(c, b)),
  rule(
    "whereFalseElse",
    "where(c, false, b) = not c and b",
    p.where(c, false, b),
    p.logicalAnd(p.logicalNot(c), b),
  ),
  rule(
    "whereElseTrue",
    "where(c, b, true) = not c or b",
    p.where(c, b, true),
    p.logicalOr(p.logicalNot(c), b),
  ),
  rule("whereOneZero", "where(c, 1, 0) = cast(c)", p.where(c, anyOne, plusZero), (_, { dtype }) =>
    p.cast(c, { dtype }),
  ),
  rule("whereZeroOne", "where(c, 0, 1) = cast(not c)", p.where(c, plusZero, anyOne), (_, { dtype }) =>
    p.cast(p.logicalNot(c), { dtype }),
  ),
  rule(
    "whereYesYes",
    "where(c, where(c, a, b), e) = where(c, a, e)",
    p.where(c, p.where(c, a, b), e),
    p.where(c, a, e),
  ),
  rule(
    "whereNoNo",
    "where(c, a, where(c, b, e)) = where(c, a, e)",
    p.where(c, a, p.where(c, b, e)),
    p.where(c, a, e),
  ),
  rule(
    "whereAnd",
    "where(c, where(x, a, b), b) = where(c and x, a, b)",
    p.where(c, single(p.where(x, a, b)), b),
    p.where(p.logicalAnd(c, x), a, b),
  ),
  rule(
    "whereOr",
    "where(c, a, where(x, a, b)) = where(c or x, a, b)",
    p.where(c, a, single(p.where(x, a, b))),
    p.where(p.logicalOr(c, x), a, b),
  ),
];

const lessOps = [logic.less, logic.lessEqual];
const greaterOps = [logic.greater, logic.greaterEqual];

/** Choices that are functions. */
const CHOICES: readonly Rule[] = [
  ...wrapsExactly("whereEqual", "where(x == y, x, y) = y", p.where(p.equal(x, y), x, y), y, ["zeroSign"]),
  ...wrapsExactly("whereNotEqual", "where(x != y, x, y) = x", p.where(p.notEqual(x, y), x, y), x, [
    "zeroSign",
  ]),
  ...wrapsExactly(
    "whereLess",
    "where(x < y, x, y) = min(x, y)",
    p.where(on(lessOps)(x, y), x, y),
    p.minimum(x, y),
    ["nan", "zeroSign"],
  ),
  ...wrapsExactly(
    "whereLessElse",
    "where(x < y, y, x) = max(x, y)",
    p.where(on(lessOps)(x, y), y, x),
    p.maximum(x, y),
    ["nan", "zeroSign"],
  ),
  ...wrapsExactly(
    "whereGreater",
    "where(x > y, x, y) = max(x, y)",
    p.where(on(greaterOps)(x, y), x, y),
    p.maximum(x, y),
    ["nan", "zeroSign"],
  ),
  ...wrapsExactly(
    "whereGreaterElse",
    "where(x > y, y, x) = min(x, y)",
    p.where(on(greaterOps)(x, y), y, x),
    p.minimum(x, y),
    ["nan", "zeroSign"],
  ),
  ...wrapsExactly(
    "wherePositive",
    "where(x > 0, x, -x) = abs(x)",
    p.where(on(greaterOps)(x, anyZero), x, p.negative(x)),
    p.abs(x),
    ["zeroSign"],
  ),
  ...wrapsExactly(
    "whereNegative",
    "where(x < 0, -x, x) = abs(x)",
    p.where(on(lessOps)(x, anyZero), p.negative(x), x),
    p.abs(x),
    ["zeroSign"],
  ),
  rule(
    "multiplyWhere",
    "x * where(c, 0, b) = where(c, 0, x * b)",
    p.multiply(x, single(p.where(c, anyZero, b))),
    p.where(c, 0, p.multiply(x, b)),
    { changes: ["nan", "zeroSign"], when: [floating(x)] },
  ),
  rule(
    "multiplyWhereElse",
    "x * where(c, b, 0) = where(c, x * b, 0)",
    p.multiply(x, single(p.where(c, b, anyZero))),
    p.where(c, p.multiply(x, b), 0),
    { changes: ["nan", "zeroSign"], when: [floating(x)] },
  ),
  rule(
    "divideWhere",
    "where(c, 0, b) / x = where(c, 0, b / x)",
    p.divide(single(p.where(c, anyZero, b)), x),
    p.where(c, 0, p.divide(b, x)),
    { changes: ["nan", "zeroSign"], when: [floating(x)] },
  ),
  rule(
    "divideWhereElse",
    "where(c, b, 0) / x = where(c, b / x, 0)",
    p.divide(single(p.where(c, b, anyZero)), x),
    p.where(c, p.divide(b, x), 0),
    { changes: ["nan", "zeroSign"], when: [floating(x)] },
  ),
];

/** Ops that can fail for integers. */
const FAILING: ReadonlySet<Op> = new Set<Op>([
  ...[arithmetic.floorDivide, arithmetic.remainder, arithmetic.pow],
  ...[logic.bitwiseLeftShift, logic.bitwiseRightShift],
]);
const canFail = (node: Expr): boolean => FAILING.has(node.op) && isInteger(node.dtype);
const isMovable = (node: Expr): boolean =>
  node.op.class === "elementwise" && node.op !== where && !canFail(node);
const elementwise = [...OPS.values()].filter((op) => op.class === "elementwise" && op !== where);

const isSingleWhere = (node: Expr, context: RuleContext): boolean =>
  node.op === where && context.clients(node) <= 1;

/** The condition that all choices among the operands share, the other operands being constants. */
function sharedCondition(node: Expr, context: RuleContext): Expr | null {
  const choices = node.inputs.filter(isVariable);
  const shared = choices[0]?.inputs[0];
  const isShared = choices.every((one) => isSingleWhere(one, context) && one.inputs[0] === shared);
  return isShared && shared !== undefined ? shared : null;
}

/** f(where(c, 1, 2), where(c, 3, y)): one branch becomes a constant, both where there is only one choice. */
function intoBranches(node: Expr, context: RuleContext): Expr | null {
  if (canFail(node)) return null;
  const shared = sharedCondition(node, context);
  if (shared === null) return null;
  const branch = (at: 1 | 2): Expr[] => node.inputs.map((one) => (isVariable(one) ? one.inputs[at]! : one));
  const [yes, no] = [branch(1), branch(2)];
  const constants = [yes, no].filter((operands) => !operands.some(isVariable)).length;
  const choices = node.inputs.filter(isVariable).length;
  if (constants < (choices === 1 ? 2 : 1)) return null;
  return makeExpr(where, [shared, makeExpr(node.op, yes, node.attrs), makeExpr(node.op, no, node.attrs)]);
}

/** where(c, f(x, z), f(y, z)) = f(where(c, x, y), z): f is computed once. */
function outOfBranches(node: Expr, context: RuleContext): Expr | null {
  const [shared, yes, no] = node.inputs as readonly [Expr, Expr, Expr];
  if (yes.op !== no.op || yes === no || !isMovable(yes) || !sameAttrs(yes.attrs, no.attrs)) return null;
  if (context.clients(yes) > 1 || context.clients(no) > 1) return null;
  const different = yes.inputs.flatMap((one, at) => (one === no.inputs[at] ? [] : [at]));
  const at = different[0]!;
  const [left, right] = [yes.inputs[at]!, no.inputs[at]!];
  if (different.length !== 1 || !isVariable(left) || !isVariable(right) || left.dtype !== right.dtype)
    return null;
  if (!isAsLarge(left, node) && !isAsLarge(right, node)) return null;
  return makeExpr(yes.op, yes.inputs.with(at, makeExpr(where, [shared, left, right])), yes.attrs);
}

/** In the branch where c holds, c is true, and where(c, a, b) is a. */
function knownInside(node: Expr, context: RuleContext): Expr | null {
  const [shared, yes, no] = node.inputs as readonly [Expr, Expr, Expr];
  if (!isVariable(shared)) return null;
  const [left, right] = [assumed(yes, shared, true, context), assumed(no, shared, false, context)];
  if (left === yes && right === no) return null;
  // The choice that went may have been the largest of all.
  return broadcastTo(makeExpr(where, [shared, left, right]), node.shape);
}

function assumed(node: Expr, shared: Expr, truth: boolean, context: RuleContext): Expr {
  if (!isMovable(node) || node === shared || context.clients(node) > 1) return node;
  const inputs = node.inputs.map((one) => {
    if (one === shared) return scalar(truth, "bool");
    return one.op === where && one.inputs[0] === shared ? one.inputs[truth ? 1 : 2]! : one;
  });
  return inputs.every((one, i) => one === node.inputs[i]) ? node : makeExpr(node.op, inputs, node.attrs);
}

const MOVES: readonly Rule[] = [
  functionRule("intoBranches", "f(where(c, 1, 2)) = where(c, f(1), f(2))", {
    tracks: elementwise,
    someInput: new Set([where]),
    apply: intoBranches,
  }),
  functionRule("outOfBranches", "where(c, f(x), f(y)) = f(where(c, x, y))", {
    tracks: [where],
    apply: outOfBranches,
  }),
  functionRule("knownInside", "where(c, f(where(c, a, b)), y) = where(c, f(a), y)", {
    tracks: [where],
    apply: knownInside,
  }),
];

export const CHOOSE: readonly Rule[] = [...BRANCHES, ...CHOICES, ...MOVES];
