// Right sides: from a pattern and what its names are bound to, the replacement.
// A number on a right side takes the dtype of the operands beside it, or else of the node that is replaced.

import type { Attr, Attrs } from "../core/attrs.ts";
import { NO_ATTRS } from "../core/attrs.ts";
import type { DType } from "../core/dtype.ts";
import { InvariantError, RuleError } from "../core/errors.ts";
import type { Scalar } from "../core/numbers.ts";
import { type Expr, makeExpr } from "../expr/expr.ts";
import { where } from "../ops/elementwise/choice.ts";
import { filledLike, scalar } from "./make.ts";
import { type AttrsForm, Bind, type Form, type OpForm, type Pattern } from "./pattern.ts";

export type Bound = { readonly [name: string]: unknown };

export function instantiate(template: Pattern, bound: Bound, node: Expr): Expr {
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
export function checkTemplate(rule: string, right: Pattern, left: Pattern): void {
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
