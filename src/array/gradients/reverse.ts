// Reverse mode: how results change with sources, as expressions. In: expressions, a cotangent for each, and the nodes that it is asked
// of. Out: for each of these its cotangent, null where no result depends on it through anything that has a derivative.
// Nodes are visited once, what uses them before them; each op says what comes back to its inputs (expr/pullback.ts).
// Several results that are packed in a row of bytes have a cotangent each: they are gathered for whoever made the row.
// Must hold: what is of integers or truth values has no cotangent; the line of a node is that of what is made for its gradient.

import { type DType, infoOf, isComplex, isFloat } from "../../core/dtype.ts";
import { DerivativeError } from "../../core/errors.ts";
import { type Expr, makeExpr, postOrder } from "../../expr/expr.ts";
import type { ElementwiseOp, RoutineOp } from "../../expr/op.ts";
import type { Handle } from "../../expr/pullback.ts";
import { atSite, lineOf, type Site } from "../../expr/site.ts";
import * as s from "../../kernel/scalar.ts";
import { castExpr } from "../../lazy/build.ts";
import { add, real } from "../../ops/elementwise/index.ts";
import { mark, markOf } from "../../ops/marks.ts";
import { calculusAt } from "./calculus.ts";
import { lifter } from "./lift.ts";
import { type Called, CallMark } from "./signs.ts";
import { stagedParts } from "./stagedGradients.ts";

/** It has gradients: floating or complex numbers. */
export const isInexact = (dtype: DType): boolean => isFloat(dtype) || isComplex(dtype);

export function pulledBack(
  results: readonly Expr[],
  cotangents: readonly Expr[],
  sources: readonly Expr[],
): (Expr | null)[] {
  const found = new Map<Expr, Expr>();
  const packed = new Map<Expr, Map<number, Expr>>();
  const give = (node: Expr, part: Expr): void => added(found, node, part);
  results.forEach((result, i) => {
    give(result, cotangents[i]!);
  });
  const reached = new Set(sources);
  const isSource = new Set(sources);
  const order = postOrder(results, (node) => isSource.has(node));
  for (const node of order) if (node.inputs.some((input) => reached.has(input))) reached.add(node);
  for (const node of order.reverse()) {
    const cotangent = found.get(node) ?? null;
    const parts = packed.get(node) ?? NO_PARTS;
    if ((cotangent === null && parts.size === 0) || !reached.has(node)) continue;
    if (cotangent !== null && isPart(node)) {
      const others = packed.get(node.inputs[0]!) ?? new Map<number, Expr>();
      packed.set(node.inputs[0]!, others);
      added(others, node.op.partOf!(node.attrs), cotangent);
      continue;
    }
    atSite(node.site, () => {
      for (const [input, part] of partsOf(node, { cotangent, parts }, reached))
        if (reached.has(input) && isInexact(input.dtype)) give(input, fitted(part, input));
    });
  }
  return sources.map((source) => found.get(source) ?? null);
}

const NO_PARTS: ReadonlyMap<number, Expr> = new Map();

function added<Key>(all: Map<Key, Expr>, key: Key, part: Expr): void {
  const known = all.get(key);
  all.set(key, known === undefined ? part : makeExpr(add, [known, part]));
}

/** It is taken out of a row of bytes, in which several results are packed. */
const isPart = (node: Expr): node is Expr & { readonly op: RoutineOp } =>
  node.op.class === "routine" && node.op.partOf !== undefined;

/** Real numbers have no use for the imaginary part that their share of a complex cotangent has. */
function fitted(part: Expr, { dtype }: Expr): Expr {
  const own = isComplex(part.dtype) && !isComplex(dtype) ? makeExpr(real, [part]) : part;
  return castExpr(own, dtype);
}

/** What comes to which node. */
function partsOf(
  node: Expr,
  given: Pick<Called, "cotangent" | "parts">,
  reached: ReadonlySet<Expr>,
): (readonly [Expr, Expr])[] {
  const { op, inputs, attrs } = node;
  const { cotangent } = given;
  const call = op === mark ? markOf(attrs) : null;
  if (call instanceof CallMark && call.isResult(attrs)) return call.partsOf(node, given);
  if (cotangent === null) throw noDerivative(node);
  const use = calculusAt(node, pulledBack);
  if (op.class === "elementwise") {
    const parts = elementParts(node, op, cotangent, reached);
    return parts.map(([input, part]) => [input, use.sumTo(part, input.shape) as Expr]);
  }
  if (op.class === "staged" && op.pullback === undefined)
    return stagedParts(
      node,
      cotangent,
      (input) => reached.has(input) && isInexact(input.dtype),
      pulledBack,
      (like) => use.filled(like) as Expr,
    );
  if (op.class === "ragged" || op.class === "source" || op.pullback === undefined) throw noDerivative(node);
  const parts = op.pullback({ result: node, inputs, attrs, cotangent }, use);
  return inputs.flatMap((input, k) => pairOf(input, parts[k]));
}

const pairOf = (input: Expr, part: Handle | null | undefined): (readonly [Expr, Expr])[] =>
  part === null || part === undefined ? [] : [[input, part as Expr]];

function elementParts(
  node: Expr,
  { pull, pullback }: ElementwiseOp,
  cotangent: Expr,
  reached: ReadonlySet<Expr>,
): (readonly [Expr, Expr])[] {
  const { inputs, attrs } = node;
  const isPlain = pull !== undefined && !inputs.some(({ dtype }) => isComplex(dtype));
  if (pullback !== undefined && !isPlain) {
    const parts = pullback({ result: node, inputs, attrs, cotangent }, calculusAt(node, pulledBack));
    return inputs.flatMap((input, k) => pairOf(input, parts[k]));
  }
  if (pull === undefined) throw noDerivative(node);
  const registers = [cotangent, ...inputs, node];
  const [g, ...terms] = registers.map(({ dtype }, at) => s.register(infoOf(dtype).part, at));
  const [x, y, z] = terms;
  const parts = pull({ g: g!, x: x!, y: y!, z: z!, f: terms[inputs.length]! });
  const lift = lifter(registers, node.dtype);
  return inputs.flatMap((input, k) => {
    const part = parts[k];
    return part === null || part === undefined || !reached.has(input) ? [] : [[input, lift(part)] as const];
  });
}

const lineText = (site: Site | null): string => {
  const line = lineOf(site);
  return line === undefined ? "" : ` (${line})`;
};

export function noDerivative({ op, site }: Expr): DerivativeError {
  const reason = op.class === "routine" ? op.noPullback : undefined;
  return new DerivativeError({
    what:
      reason === undefined
        ? `${op.name}${lineText(site)} has no derivative`
        : `${reason.why}${lineText(site)}`,
    cure:
      reason?.cure ??
      "Put it into cw.stopGradient where it is to count as constant, or give its function a pullback: cw.customPullback",
  });
}
