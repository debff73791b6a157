// Rules written as patterns: a name, the equation, a left side, a right side.
//
//   rule("mulOne", "x * 1 = x", p.multiply(x, 1), x)
//   rule("log1p", "log(1 + x) = log1p(x)", p.log(p.add(1, x)), p.log1p(x), { tags: ["stabilize"] })
//   rule("subSelf", "x - x = 0", p.subtract(x, x), 0, { when: [integer(x)] })
//   rule("foldAdd", "(x + c) + d = x + (c + d)", p.add(p.add(x, constant("c")), constant("d")),
//     ({ x, c, d }, node) => …, { changes: ["rounding"] })
//
// Must hold: a replacement has the node's dtype and shape. One that is only smaller, and broadcasts to it, is
// broadcast; anything else is an error that names the rule.

import { type DType, isFloat, isInteger, kindOf } from "../core/dtype.ts";
import { ChunkwiseError, RuleError } from "../core/errors.ts";
import type { Scalar } from "../core/numbers.ts";
import type { Expr } from "../expr/expr.ts";
import { full } from "../lazy/sources.ts";
import { compileMatcher } from "./compile.ts";
import { fitted } from "./make.ts";
import { asPattern, type Condition, Pattern, type Variable } from "./pattern.ts";
import { inputOps, rootOps } from "./patternOps.ts";
import { checkTemplate, instantiate } from "./rightSides.ts";
import { type Change, type Rule, type RuleContext, tagsOf } from "./rule.ts";

/** A right side that decides against the match, and says why. */
export class Declined {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}
/**
 * What a right side gives where it does not want the match, with the reason: `({c}) => c === 0 ? decline("c is 0") :
 * x`.
 */
export const decline = (reason: string): Declined => new Declined(reason);

/**
 * A template, or a function of what is bound that gives a node or a template. Null or `decline("why")`: this
 * match is not wanted (another one of the same node may be: operands in the other order).
 */
export type RightSide<Binds> = Pattern | Scalar | Compute<Binds>;
export type Compute<Binds> = (
  bound: Binds,
  node: Expr,
  context: RuleContext,
) => Expr | Pattern | Scalar | Declined | null;

/** Options of `rule`. */
export interface RuleOptions<Binds> {
  /** Its family, and whatever it should be found by. */
  readonly tags?: readonly string[];
  /** What it may change of a result's bits. */
  readonly changes?: readonly Change[];
  /** What must hold of the bound nodes besides. */
  readonly when?: readonly Condition<Binds>[];
  /** The dtypes of nodes it can match at all. Only there to reject early: `when` has to say it too. */
  readonly dtypes?: (dtype: DType) => boolean;
}

/** A rule: a name, the equation, a left side, a right side. `rule("mulOne", "x * 1 = x", p.multiply(x, 1), x)`. */
export function rule<Binds>(
  name: string,
  equation: string,
  left: Pattern<Binds>,
  right: RightSide<NoInfer<Binds>>,
  options: RuleOptions<NoInfer<Binds>> = {},
): Rule {
  const { tags = [], changes = [], when = [], dtypes } = options;
  const side: Pattern | Compute<Binds> = typeof right === "function" ? right : asPattern(right);
  if (side instanceof Pattern) checkTemplate(name, side, left);
  const matcher = compileMatcher(left, when as readonly Condition<unknown>[], (bound, node, context) =>
    replacement(name, side, bound as Binds, node, context),
  );
  return {
    name,
    equation,
    tags: tagsOf(tags, changes),
    changes,
    tracks: rootOps(left),
    inputs: inputOps(left),
    apply: (node, context) =>
      dtypes === undefined || dtypes(node.dtype) ? matcher.apply(node, context) : null,
    whyNot: (node, context) => matcher.explain(node, context),
  };
}

function replacement<Binds>(
  name: string,
  side: Pattern | Compute<Binds>,
  bound: Binds,
  node: Expr,
  context: RuleContext,
): Expr | string {
  try {
    const result = side instanceof Pattern ? side : side(bound, node, context);
    if (result === null) return "the right side declines";
    if (result instanceof Declined) return result.reason;
    if (isExpr(result)) return fitted(result, node);
    return fitted(instantiate(asPattern(result), bound as { [name: string]: unknown }, node), node);
  } catch (error) {
    if (!(error instanceof ChunkwiseError) || error instanceof RuleError) throw error;
    throw new RuleError(
      {
        what: `rule ${name}: its right side cannot be built: ${error.message}`,
        cure: "Mend the rule, or exclude it",
        rules: [name],
      },
      { cause: error },
    );
  }
}

const isExpr = (value: Expr | Pattern | Scalar): value is Expr =>
  typeof value === "object" && "inputs" in value && "op" in value;

const typed =
  (test: (node: Expr) => boolean, says: string) =>
  <Name extends string>(of: Variable<Name>): Condition<{ readonly [N in Name]: Expr }> => {
    const { name } = of.form as unknown as { name: Name };
    return { text: `${name} is ${says}`, test: (bound) => test(bound[name]) };
  };

type TypeCondition = <Name extends string>(of: Variable<Name>) => Condition<{ readonly [N in Name]: Expr }>;

/**
 * A condition for `when`, on the dtype of what is bound: `rule("subSelf", "x - x = 0", p.subtract(x, x), 0, {when:
 * [integer(x)]})`.
 */
export const integer: TypeCondition = typed((node) => isInteger(node.dtype), "an integer");
/** The same for floats: `{when: [floating(x)]}`. */
export const floating: TypeCondition = typed((node) => isFloat(node.dtype), "floating");
/** The same for bool: `{when: [bool(x)]}`. */
export const bool: TypeCondition = typed((node) => node.dtype === "bool", "bool");
/** Integers, floats and bool, anything but complex: `{when: [real(x)]}`. */
export const real: TypeCondition = typed((node) => kindOf(node.dtype) !== "complex", "real");
/** What is bound is a constant: `{when: [constantNode(x)]}`. */
export const constantNode: TypeCondition = typed((node) => node.op === full, "constant");

/** Any other condition on what is bound: `{when: [when("x is 1-d", ({x}) => x.shape.length === 1)]}`. */
export const when = <Binds>(text: string, test: (bound: Binds) => boolean): Condition<Binds> => ({
  text,
  test,
});
