// Products of matrices with the identity, with a diagonal, and with a common factor; traces of products. In: what is written.
// Out: fewer products, or none. Must hold: for integers, which wrap, all are exact; for floats 0 · inf and sums in another
// order make a difference.

import { sameShape } from "../../core/chunks.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { cast } from "../../lazy/cast.ts";
import { coordinate } from "../../lazy/lazyArray.ts";
import { contract, contractAxes } from "../../ops/contraction.ts";
import { add, multiply } from "../../ops/elementwise/arithmetic.ts";
import { equal } from "../../ops/elementwise/logic.ts";
import { type Pattern, p, single, variable, x, y, z } from "../pattern.ts";
import { decline, floating, integer, rule, when } from "../patternRule.ts";
import type { Rule } from "../rule.ts";
import { expanded, squeezed } from "./conditions.ts";

const of = (op: Op, ...inputs: readonly Expr[]): Expr => makeExpr(op, inputs);

/** Square, ones on the diagonal, nothing beside it, as `cw.eye` makes it. */
function isIdentity({ op, inputs: [test], shape }: Expr): boolean {
  if (op !== cast || test!.op !== equal || shape.length !== 2 || shape[0] !== shape[1]) return false;
  const axes = test!.inputs.map((input) => (input.op === coordinate ? input.attrs["axis"] : -1));
  return axes.includes(0) && axes.includes(1);
}

const identity = <Name extends string>(name: Name): Pattern<{ readonly [N in Name]: Expr }> =>
  variable(name).where(isIdentity, `${name} is the identity`);

const isMatrixProduct = (node: Expr): boolean => {
  const { batchA, contractA, contractB } = contractAxes(node.attrs);
  return batchA.length === 0 && contractA.join() === "1" && contractB.join() === "0";
};
const matrices = when<{ readonly whole: Expr }>(
  "it is a product of matrices",
  ({ whole }) => isMatrixProduct(whole) && whole.inputs.every(({ shape }) => shape.length === 2),
);

const MATRIX = (
  name: string,
  equation: string,
  left: Pattern,
  right: Pattern | ((bound: never) => unknown),
) =>
  [integer(x), floating(x)].map((type, i) =>
    rule(i === 0 ? `${name}Integer` : name, equation, left as Pattern<never>, right as never, {
      when: [type, matrices] as never,
      changes: i === 0 ? [] : ["nan", "rounding"],
    }),
  );

/** diag(v): v along the rows or the columns of the identity. */
const diagonal = p.multiply(identity("e"), variable("v"));

interface Scaled {
  readonly x: Expr;
  readonly v: Expr;
  readonly whole: Expr;
}

function scaledRows({ x, v, whole }: Scaled): Expr | ReturnType<typeof decline> {
  if (!sameShape(whole.shape, x.shape)) return decline("v makes another shape of the identity");
  const line = v.shape.length === 2 && v.shape[0] === 1 ? squeezed(v, [0]) : v;
  if (line.shape.length === 1) return of(multiply, expanded(line, [1]), x);
  return line.shape.length === 2 && line.shape[1] === 1 ? of(multiply, line, x) : decline("v is no line");
}

/** Off by default, but for integers. */
export const MATRICES: readonly Rule[] = [
  ...MATRIX("identityProduct", "eye @ x = x", p.contract(identity("e"), x).as("whole"), x),
  ...MATRIX("productIdentity", "x @ eye = x", p.contract(x, identity("e")).as("whole"), x),
  ...MATRIX(
    "diagonalProduct",
    "diag(v) @ x = v[:, null] · x",
    p.contract(diagonal, x).as("whole"),
    scaledRows,
  ),
  ...MATRIX(
    "traceOfProduct",
    "sum((x @ y) · eye) = Σ x · y.T",
    p.sum(p.multiply(single(p.contract(x, y)).as("whole"), identity("e")), {
      axes: [0, 1],
      keepdims: false,
    }),
    (({ x, y, e, whole }: { readonly [name: string]: Expr }) =>
      sameShape(whole!.shape, e!.shape)
        ? makeExpr(contract, [x!, y!], { batchA: [], batchB: [], contractA: [0, 1], contractB: [1, 0] })
        : decline("the identity is not of the product's shape")) as never,
  ),
  ...MATRIX(
    "commonLeftFactor",
    "x @ y + x @ z = x @ (y + z)",
    p.add(single(p.contract(x, y)).as("whole"), single(p.contract(x, z)).as("other")),
    ((bound: { readonly [name: string]: Expr }) => commonFactor(bound, 0)) as never,
  ),
  ...MATRIX(
    "commonRightFactor",
    "y @ x + z @ x = (y + z) @ x",
    p.add(single(p.contract(y, x)).as("whole"), single(p.contract(z, x)).as("other")),
    ((bound: { readonly [name: string]: Expr }) => commonFactor(bound, 1)) as never,
  ),
];

function commonFactor(
  bound: { readonly [name: string]: Expr },
  side: 0 | 1,
): Expr | ReturnType<typeof decline> {
  const [x, y, z, whole, other] = ["x", "y", "z", "whole", "other"].map((name) => bound[name]!) as [
    Expr,
    Expr,
    Expr,
    Expr,
    Expr,
  ];
  if (whole.attrsText !== other.attrsText || !sameShape(y.shape, z.shape))
    return decline("the products are of other axes or shapes");
  const both = of(add, y, z);
  return makeExpr(contract, side === 0 ? [x, both] : [both, x], whole.attrs);
}
