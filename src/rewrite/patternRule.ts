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

import { type Attr, type Attrs, NO_ATTRS } from "../core/block.ts";
import { type DType, isFloat, isInteger, kindOf } from "../core/dtype.ts";
import { ChunkwiseError, InvariantError, RuleError } from "../core/errors.ts";
import type { Scalar } from "../core/numbers.ts";
import { Expr, makeExpr } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import { full } from "../lazy/lazyArray.ts";
import { where } from "../ops/elementwise/choice.ts";
import { compileMatcher } from "./compile.ts";
import { filledLike, fitted, scalar } from "./make.ts";
import {
  type AttrsForm,
  asPattern,
  Bind,
  type Condition,
  type Form,
  type OpForm,
  Pattern,
  type Variable,
} from "./pattern.ts";
import { type Change, type Rule, type RuleContext, tagsOf } from "./rule.ts";

// Right sides: from a pattern and what its names are bound to, the replacement.
// A number on a right side takes the dtype of the operands beside it, or else of the node that is replaced.

type Bound = { readonly [name: string]: unknown };

function instantiate(template: Pattern, bound: Bound, node: Expr): Expr {
  const value = literalValue(template.form, bound);
  return value === undefined ? build(template, bound, node) : filledLike(value, node);
}

/** The value of a number or of a bound constant. */
function literalValue(form: Form, bound: Bound): Scalar | undefined {
  if (form.kind === "literal") return form.value;
  return form.kind === "constant" ? (bound[form.name] as Scalar) : undefined;
}

function build(template: Pattern, bound: Bound, node: Expr): Expr {
  const { form } = template;
  switch (form.kind) {
    case "variable":
      return bound[form.name] as Expr;
    case "op":
      return buildOp(form, bound, node);
    case "nary":
      return buildChain(form, bound, node);
    case "literal":
    case "constant":
      return scalar(literalValue(form, bound)!, node.dtype);
    case "through":
      throw new InvariantError({ what: "seeThrough has no meaning on a right side" });
    default:
      form satisfies never;
      throw form;
  }
}

function buildOp(form: OpForm, bound: Bound, node: Expr): Expr {
  if (form.ops.length !== 1) throw new InvariantError({ what: "a right side needs one op, not several" });
  const op = form.ops[0]!;
  const inputs = operands(form.inputs, bound, node, op === where ? 1 : 0);
  if (form.rest !== null) inputs.splice(form.rest.at, 0, ...(bound[form.rest.name] as readonly Expr[]));
  return makeExpr(op, inputs, attrsOf(form.attrs, bound));
}

/** Numbers last: they take the dtype of the last operand that has one, counted from `from`. */
function operands(templates: readonly Pattern[], bound: Bound, node: Expr, from: number): Expr[] {
  const built = templates.map((template) =>
    literalValue(template.form, bound) === undefined ? build(template, bound, node) : null,
  );
  const beside = built.findLast((operand, i) => operand !== null && i >= from)?.dtype;
  return built.map(
    (operand, i) => operand ?? literal(templates[i]!, bound, i < from ? "bool" : (beside ?? node.dtype)),
  );
}

const literal = (template: Pattern, bound: Bound, dtype: DType): Expr =>
  scalar(literalValue(template.form, bound)!, dtype);

function buildChain({ op, members, rest }: Extract<Form, { kind: "nary" }>, bound: Bound, node: Expr): Expr {
  const others = rest === null ? [] : (bound[rest] as readonly Expr[]);
  const entries = [...operands(members, bound, others[0] ?? node, 0), ...others];
  return entries.reduce((sum, entry) => makeExpr(op, [sum, entry]));
}

function attrsOf(form: AttrsForm, bound: Bound): Attrs {
  if (form.kind === "any") return NO_ATTRS;
  if (form.kind === "whole") return bound[form.name] as Attrs;
  return Object.fromEntries(
    form.entries.map(([key, value]) => [key, value instanceof Bind ? (bound[value.name] as Attr) : value]),
  );
}

/** A right side may only use what the left side binds. */
function checkTemplate(rule: string, right: Pattern, left: Pattern): void {
  const known = namesOf(left);
  const unknown = [...namesOf(right)].find((name) => !known.has(name));
  if (unknown === undefined) return;
  throw new RuleError({
    what: `rule ${rule}: its right side uses ${unknown}, which its left side does not bind`,
    cure: `Bound are ${[...known].join(", ") || "no names"}`,
    rules: [rule],
  });
}

function namesOf(pattern: Pattern): Set<string> {
  const names = new Set<string>();
  const add = ({ form, alias }: Pattern): void => {
    if (alias !== null) names.add(alias);
    if (form.kind === "variable" || form.kind === "constant") names.add(form.name);
    if (form.kind === "through") add(form.inner);
    if (form.kind === "nary") {
      form.members.forEach(add);
      if (form.rest !== null) names.add(form.rest);
    }
    if (form.kind === "op") addOp(form);
  };
  const addOp = ({ inputs, rest, attrs }: OpForm): void => {
    inputs.forEach(add);
    if (rest !== null) names.add(rest.name);
    if (attrs.kind === "whole") names.add(attrs.name);
    if (attrs.kind === "record")
      for (const [, value] of attrs.entries) if (value instanceof Bind) names.add(value.name);
  };
  add(pattern);
  return names;
}

// Which ops a pattern can match at its root and at its inputs: what dispatch rejects by, before any matching.

/** The ops a node may have to match; null: any. */
function rootOps({ form }: Pattern): readonly Op[] | null {
  switch (form.kind) {
    case "variable":
      return null;
    case "literal":
    case "constant":
      return [full];
    case "op":
      return form.ops;
    case "nary":
      return [form.op];
    case "through": {
      const inner = rootOps(form.inner);
      return inner === null ? null : [...new Set([...form.ops, ...inner])];
    }
    default:
      form satisfies never;
      throw form;
  }
}

/** The ops its inputs may have, by position: for dispatch. */
function inputOps({ form }: Pattern): readonly (ReadonlySet<Op> | null)[] {
  if (form.kind !== "op") return [];
  const certain = form.rest === null ? form.inputs : form.inputs.slice(0, form.rest.at);
  return certain.map((input) => {
    const ops = rootOps(input);
    return ops === null ? null : new Set(ops);
  });
}

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
    if (result instanceof Expr) return fitted(result, node);
    if (typeof result === "boolean" && node.dtype !== "bool") throw notTruth(name, result, node);
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

/** `false` is what other systems say for "no change"; as a number it would be 0. */
const notTruth = (name: string, given: boolean, { dtype }: Expr): RuleError =>
  new RuleError({
    what: `rule ${name}: its right side gives ${given} for a node of ${dtype}`,
    cure: "Give null where the match is not wanted, or a number",
    rules: [name],
  });

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
