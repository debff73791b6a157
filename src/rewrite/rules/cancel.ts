// What was added is subtracted again, what was multiplied is divided again. In: a sum or product, looked at as a flat
// list of what goes in and of what goes out. Out: the same without the pairs. Exact for integers, which wrap.
// Must hold: a list has at most MOST entries and goes through nodes that nothing else uses, so that a long chain
// costs each of its nodes a bounded amount.

import { isComplex, isInteger } from "../../core/dtype.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { add, divide, multiply, negative, reciprocal, subtract } from "../../ops/elementwise/arithmetic.ts";
import { broadcastTo, scalar } from "../make.ts";
import { p, x, y, z } from "../pattern.ts";
import { rule } from "../patternRule.ts";
import { type Change, functionRule, type Rule, type RuleContext } from "../rule.ts";
import { wrapsExactly } from "./conditions.ts";

const MOST = 16;
const REORDERED: readonly Change[] = ["rounding", "nan", "domain"];

/** The ops of a group: what joins, what takes away, what turns one around, and what is left of nothing. */
interface Group {
  readonly join: Op;
  readonly without: Op;
  readonly invert: Op;
  readonly nothing: 0 | 1;
}

const SUMS: Group = { join: add, without: subtract, invert: negative, nothing: 0 };
const PRODUCTS: Group = { join: multiply, without: divide, invert: reciprocal, nothing: 1 };

interface Entry {
  readonly node: Expr;
  readonly isOut: boolean;
}

/** The node as a list of entries, from left to right. */
function entriesOf(node: Expr, group: Group, context: RuleContext): Entry[] {
  const entries: Entry[] = parts({ node, isOut: false }, group)!;
  for (let at = 0; at < entries.length && entries.length < MOST; ) {
    const below = context.clients(entries[at]!.node) <= 1 ? parts(entries[at]!, group) : null;
    if (below === null) at++;
    else entries.splice(at, 1, ...below);
  }
  return entries;
}

function parts({ node, isOut }: Entry, { join, without, invert }: Group): Entry[] | null {
  const [left, right] = node.inputs;
  if (node.op === invert) return [{ node: left!, isOut: !isOut }];
  if (node.op !== join && node.op !== without) return null;
  const isRightOut = node.op === without ? !isOut : isOut;
  return [
    { node: left!, isOut },
    { node: right!, isOut: isRightOut },
  ];
}

/** Without the pairs; null where there is none. */
function cancelled(entries: readonly Entry[]): readonly Entry[] | null {
  const left = [...entries];
  for (let at = 0; at < left.length; at++) {
    const { node, isOut } = left[at]!;
    const other = left.findIndex((entry, i) => i > at && entry.node === node && entry.isOut !== isOut);
    if (other < 0) continue;
    left.splice(other, 1);
    left.splice(at--, 1);
  }
  return left.length === entries.length ? null : left;
}

function rebuilt(entries: readonly Entry[], { join, without, invert, nothing }: Group, like: Expr): Expr {
  const joined = (isOut: boolean): Expr | undefined =>
    entries
      .filter((entry) => entry.isOut === isOut)
      .map(({ node }) => node)
      .reduce<Expr | undefined>(
        (all, one) => (all === undefined ? one : makeExpr(join, [all, one])),
        undefined,
      );
  const [taken, out] = [joined(false), joined(true)];
  if (out === undefined) return taken ?? scalar(nothing, like.dtype);
  return taken === undefined ? makeExpr(invert, [out]) : makeExpr(without, [taken, out]);
}

const cancelRule = (
  name: string,
  equation: string,
  group: Group,
  changes: readonly Change[],
  takes: (node: Expr) => boolean,
): Rule =>
  functionRule(name, equation, {
    changes,
    tracks: [group.join, group.without],
    apply(node, context) {
      if (!takes(node)) return null;
      const left = cancelled(entriesOf(node, group, context));
      return left === null ? null : broadcastTo(rebuilt(left, group, node), node.shape);
    },
  });

/** The short ones need no flat list, and hold through nodes that others use too: nothing is computed twice. */
export const CANCEL: readonly Rule[] = [
  ...wrapsExactly("addThenSubtract", "(x + y) - y = x", p.subtract(p.add(x, y), y), x, REORDERED),
  ...wrapsExactly("subtractThenAdd", "(x - y) + y = x", p.add(p.subtract(x, y), y), x, REORDERED),
  ...wrapsExactly("subtractDifference", "x - (x - y) = y", p.subtract(x, p.subtract(x, y)), y, REORDERED),
  ...wrapsExactly("subtractSum", "x - (x + y) = -y", p.subtract(x, p.add(x, y)), p.negative(y), REORDERED),
  rule("multiplyThenDivide", "(x * y) / y = x", p.divide(p.multiply(x, y), y), x, { changes: REORDERED }),
  rule("divideThenMultiply", "(x / y) * y = x", p.multiply(p.divide(x, y), y), x, { changes: REORDERED }),
  rule("divideByQuotient", "x / (x / y) = y", p.divide(x, p.divide(x, y)), y, { changes: REORDERED }),
  rule("divideByProduct", "x / (x * y) = 1 / y", p.divide(x, p.multiply(x, y)), p.reciprocal(y), {
    changes: REORDERED,
  }),
  rule(
    "divideProducts",
    "(x * y) / (z * y) = x / z",
    p.divide(p.multiply(x, y), p.multiply(z, y)),
    p.divide(x, z),
    { changes: REORDERED },
  ),
  cancelRule("cancelTerms", "x + … - x = …", SUMS, [], ({ dtype }) => isInteger(dtype)),
  cancelRule("cancelTermsFast", "x + … - x = …", SUMS, REORDERED, ({ dtype }) => !isInteger(dtype)),
  cancelRule("cancelFactors", "x * … / x = …", PRODUCTS, REORDERED, ({ dtype }) => !isComplex(dtype)),
];
