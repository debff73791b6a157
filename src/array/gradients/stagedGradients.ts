// Gradients through ops that wait for a stage and have no pullback of their own: they wait for the same stage. What the stage found
// makes an equal expression of other ops, and the gradient is that of it.
// In: a staged node, and the cotangent of its result. Out: the cotangents of its inputs, as nodes that are staged too.

import type { Expr } from "../../expr/expr.ts";
import { makeExpr } from "../../expr/expr.ts";
import type { Op, StagedOp } from "../../expr/op.ts";
import { variable, withoutVariables } from "./signs.ts";

type Pulling = (
  results: readonly Expr[],
  cotangents: readonly Expr[],
  sources: readonly Expr[],
) => (Expr | null)[];

/** One op for each staged op: attrs.input says for which input; its last input is the cotangent. */
const known = new WeakMap<Op, StagedOp>();

function gradientOf(op: StagedOp, pulled: Pulling, zeros: (like: Expr) => Expr): StagedOp {
  let made = known.get(op);
  if (made === undefined) {
    made = gradientOp(op, pulled, zeros);
    known.set(op, made);
  }
  return made;
}

function gradientOp(op: StagedOp, pulled: Pulling, zeros: (like: Expr) => Expr): StagedOp {
  const own = <T>(inputs: readonly T[]): T[] => inputs.slice(0, -1);
  return {
    name: `${op.name} gradient`,
    class: "staged",
    infer: (types, { input }) => types[input as number]!,
    chunks: (chunks, _, { input }) => chunks[input as number]!,
    questions: (inputs, { input: _, ...attrs }) => op.questions(own(inputs), attrs),
    settle(given, { input, ...attrs }, answers, kept) {
      const inputs = given as readonly Expr[];
      const variables = own(inputs).map(variable);
      const result = op.settle(variables, attrs, answers, kept) as Expr;
      const [part] = pulled([result], [inputs.at(-1)!], [variables[input as number]!]);
      return withoutVariables([part ?? zeros(inputs[input as number]!)], variables)[0]!;
    },
  };
}

/** For each input that it is asked of. */
export const stagedParts = (
  node: Expr,
  cotangent: Expr,
  isWanted: (input: Expr) => boolean,
  pulled: Pulling,
  zeros: (like: Expr) => Expr,
): (readonly [Expr, Expr])[] =>
  node.inputs.flatMap((input, k) => {
    if (!isWanted(input)) return [];
    const op = gradientOf(node.op as StagedOp, pulled, zeros);
    return [[input, makeExpr(op, [...node.inputs, cotangent], { ...node.attrs, input: k })] as const];
  });
