// Signs that gradients leave on arrays (ops/marks.ts). A variable is what a gradient is taken of: it is no other array, whatever
// stands for it. A call is that of a function with a pullback of its own: its arguments and its result are marked, and
// gradients go from the one to the others without looking at what lies between.

import type { Attrs } from "../../core/block.ts";
import { DerivativeError } from "../../core/errors.ts";
import { type Expr, makeExpr, postOrder, withInputs } from "../../expr/expr.ts";
import { Mark, mark, markOf } from "../../ops/marks.ts";

/** What a gradient is taken of. */
export class VariableMark extends Mark {}

export function variable(x: Expr): Expr {
  return makeExpr(mark, [x], { mark: new VariableMark() });
}

/** The same expressions with what variables stand for in their place. */
export function withoutVariables(roots: readonly Expr[], variables: readonly Expr[]): Expr[] {
  const made = new Map<Expr, Expr>(variables.map((each) => [each, each.inputs[0]!]));
  for (const node of postOrder(roots, (known) => made.has(known))) {
    const inputs = node.inputs.map((input) => made.get(input)!);
    made.set(node, inputs.every((input, i) => input === node.inputs[i]) ? node : withInputs(node, inputs));
  }
  return roots.map((root) => made.get(root)!);
}

/** What a function's own pullback is told. */
export interface Called {
  /** Of the result; null where that is several packed together. */
  readonly cotangent: Expr | null;
  /** Of several results, of those that have one: by the numbers of the ops that take them apart (`partOf`). */
  readonly parts: ReadonlyMap<number, Expr>;
  readonly value: Expr;
  readonly inputs: readonly Expr[];
}

/** The cotangents of the arguments, null where none comes back. */
export type CallPullback = (at: Called) => readonly (Expr | null)[];

/** A call of a function that says its own pullback. */
export class CallMark extends Mark {
  readonly #pullback: CallPullback;
  readonly #count: number;

  constructor(count: number, pullback: CallPullback) {
    super();
    this.#count = count;
    this.#pullback = pullback;
  }

  argument(x: Expr, number: number): Expr {
    return makeExpr(mark, [x], { mark: this, argument: number });
  }

  result(x: Expr): Expr {
    return makeExpr(mark, [x], { mark: this, argument: -1 });
  }

  static isArgument(attrs: Attrs): boolean {
    return markOf(attrs) instanceof CallMark && attrs["argument"] !== -1;
  }

  isResult(attrs: Attrs): boolean {
    return attrs["argument"] === -1;
  }

  /** What comes to the marked arguments; those that the value does not depend on need nothing. */
  partsOf(
    result: Expr,
    { cotangent, parts: packed }: Pick<Called, "cotangent" | "parts">,
  ): (readonly [Expr, Expr])[] {
    const isOwn = (node: Expr): boolean => node.op === mark && markOf(node.attrs) === this;
    const marked: Expr[] = [];
    for (const node of postOrder([result])) if (isOwn(node) && !this.isResult(node.attrs)) marked.push(node);
    const inputs = Array.from({ length: this.#count }, (_, k) =>
      marked.find(({ attrs }) => attrs["argument"] === k),
    );
    const unused = inputs.indexOf(undefined);
    if (unused >= 0)
      throw new DerivativeError({
        what: `the value of a function with a pullback does not depend on its argument ${unused}`,
        cure: "Leave it out, or let the function use it",
      });
    const given = inputs.map((input) => input!.inputs[0]!);
    const parts = this.#pullback({ cotangent, parts: packed, value: result, inputs: given });
    return inputs.flatMap((input, k) => {
      const part = parts[k];
      return input === undefined || part === null || part === undefined ? [] : [[input, part] as const];
    });
  }
}
