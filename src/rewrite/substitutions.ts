// Shortcuts for common rules: one op for another, an op that goes, a pattern for another.
// These do what they are told; what that changes of results is for the caller to say.

import { ValueError } from "../core/errors.ts";
import { arityOf } from "../expr/arity.ts";
import { type Expr, makeExpr } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import type { Pattern } from "./pattern.ts";
import { type RightSide, type RuleOptions, rule } from "./patternRule.ts";
import { functionRule, type Rule } from "./rule.ts";

/**
 * Every use of one op becomes a use of another, with the same inputs and attributes: `opSub(opNamed("subtract"),
 * opNamed("add"))`.
 */
export const opSub = (from: Op, to: Op): Rule =>
  functionRule(`opSub(${from.name}, ${to.name})`, `${from.name}(…) = ${to.name}(…)`, {
    tracks: [from],
    apply: (node: Expr) => makeExpr(to, node.inputs, node.attrs),
  });

/** Every use of an op of one input becomes that input: `opRemove(opNamed("positive"))`. */
export function opRemove(op: Op): Rule {
  const arity = arityOf(op);
  if (arity !== undefined && arity !== 1) throw notOne(op, arity);
  return functionRule(`opRemove(${op.name})`, `${op.name}(x) = x`, {
    tracks: [op],
    apply({ inputs }: Expr) {
      if (inputs.length !== 1) throw notOne(op, inputs.length);
      return inputs[0]!;
    },
  });
}

const notOne = ({ name }: Op, count: number): ValueError =>
  new ValueError({
    what: `opRemove(${name}): ${name} has ${count} inputs, and only one could stay`,
    cure: "Say with a rule which one stays: patternSub(p.op(x, y), x)",
  });

/**
 * A rule without a name of its own: whatever matches the first pattern becomes the second: `patternSub(p.multiply(x,
 * 1), x)`.
 */
export const patternSub = <Binds>(
  left: Pattern<Binds>,
  right: RightSide<NoInfer<Binds>>,
  options: RuleOptions<NoInfer<Binds>> & { readonly name?: string; readonly equation?: string } = {},
): Rule => rule(options.name ?? "patternSub", options.equation ?? "", left, right, options);
