// Bodies of loops: from functions of placeholders to plans. In: what functions gave for their placeholders. Out: the body, and the
// expressions of outside that it uses, which become arguments of the loop.
// Must hold: a body is rewritten once and planned once; the same one, written twice, is one.

import { blockBytes } from "../../core/block.ts";
import { type Shape, singleChunk, sizeOf } from "../../core/chunks.ts";
import type { DType } from "../../core/dtype.ts";
import { UnknownLengthError, ValueError } from "../../core/errors.ts";
import { type Expr, postOrder } from "../../expr/expr.ts";
import { denseOf, isDense } from "../../expr/op.ts";
import { dependents, substitute } from "../../expr/substitute.ts";
import { LazyArray } from "../../lazy/lazyArray.ts";
import { InputResource, inputExpr } from "../../lazy/placeholders.ts";
import { type Plan, planOf } from "../../plan/index.ts";
import type { SiteOf } from "../../plan/origin.ts";
import { type BodyPlan, type Control, CUT, CUT_CURE, LoopBody } from "../../runtime/loopBody.ts";
import { engine } from "../defaultEngine.ts";
import { rewritingOf } from "../prepare.ts";

export interface ValueType {
  readonly dtype: DType;
  readonly shape: Shape;
}

export const placeholder = ({ dtype, shape }: ValueType, name: string): LazyArray =>
  new LazyArray(inputExpr({ dtype, shape, chunks: singleChunk(shape) }, new InputResource(name)));

/** What of outside becomes an argument: all that does not depend on the placeholders, or only where elements come from. */
export type Hoisting = "values" | "sources";

export interface ClosedBody {
  readonly body: LoopBody;
  /** Arguments after those of the placeholders. */
  readonly captured: readonly Expr[];
  /** Bytes that a run takes beside what it is given and gives. */
  readonly memory: number;
}

interface OpenBody {
  readonly control: Control;
  readonly hoisting: Hoisting;
  /** Placeholders, and what each function gave for them, settled. */
  readonly inputs: readonly Expr[];
  readonly functions: readonly (readonly Expr[])[];
  readonly siteOf: SiteOf;
}

export function closedBody({ control, hoisting, inputs, functions, siteOf }: OpenBody): ClosedBody {
  const { apply } = rewritingOf({});
  const all = functions.map((roots) => apply(roots));
  const captured = capturedBy(all.flat(), new Set(inputs), hoisting);
  const names = captured.map(({ type }) => placeholder(denseOf(type), "captured").expr);
  const replacements = new Map(captured.map((expr, i) => [expr, names[i]!]));
  const made = all.map((roots) => planBody(substitute(roots, replacements), [...inputs, ...names], siteOf));
  const body = engine.bodies.known(
    new LoopBody(
      control,
      made.map(({ body: plan }) => plan),
    ),
  );
  return { body, captured, memory: Math.max(...made.map(({ memory }) => memory)) };
}

/** What a body can have: arrays whose lengths are known. */
export function settledExpr(expr: Expr): Expr {
  if (!expr.isSettled)
    throw new UnknownLengthError({
      what: "the body of a loop has arrays whose length depends on data",
      cure: "Settle them before the loop, or use where instead of a mask",
    });
  if (postOrder([expr]).every(({ type }) => isDense(type))) return expr;
  throw new ValueError({ what: "the body of a loop has nested arrays", cure: "Loops are for dense arrays" });
}

function capturedBy(roots: readonly Expr[], own: ReadonlySet<Expr>, hoisting: Hoisting): Expr[] {
  const captured = new Set<Expr>();
  const inside = hoisting === "values" ? dependents(roots, own) : new Set(postOrder(roots));
  const take = (node: Expr): void => {
    const isMade = node.op.class === "source" && node.op.body !== null;
    if (!own.has(node) && !isMade) captured.add(node);
  };
  for (const node of inside) {
    if (hoisting === "sources" && node.inputs.length === 0) take(node);
    for (const input of node.inputs) if (!inside.has(input)) take(input);
  }
  for (const root of roots) if (!inside.has(root)) take(root);
  return [...captured];
}

function planBody(
  roots: readonly Expr[],
  inputs: readonly Expr[],
  siteOf: SiteOf,
): { body: BodyPlan; memory: number } {
  const unique = [...new Set(roots)];
  const plan = planOf(unique, { siteOf });
  if (plan.data.operations.some(({ grid }) => sizeOf(grid) !== 1))
    throw new ValueError({ what: CUT, cure: CUT_CURE });
  const names = new Map(Array.from(plan.sources, ([name, resource]) => [resource, name]));
  const named = inputs.map(({ attrs }) => names.get(attrs["data"] as InputResource) ?? null);
  const body = { plan: plan.data, inputs: named, places: roots.map((root) => unique.indexOf(root)) };
  return { body, memory: memoryOf(plan) };
}

/** What lies between operations, what one of them needs, and what is carried, twice. */
function memoryOf(plan: Plan): number {
  let bytes = plan.maxProjectedMem;
  for (const array of plan.data.arrays)
    if (array.kind === "dense" && array.role !== "source")
      bytes += (array.role === "result" ? 2 : 1) * blockBytes(array.dtype, array.shape);
  return bytes;
}
