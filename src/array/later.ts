// Functions of arrays whose lengths, or some of whose values, they have to know: where these are not known yet, the call waits for
// the stage that finds them out, and is then made as it is written. In: the call, and how long its result will be along each axis,
// by a number or a name. Out: the array that it gives, with those lengths.

import type { Attrs, Block } from "../core/block.ts";
import type { Shape } from "../core/chunks.ts";
import type { DType } from "../core/dtype.ts";
import { hasUnknown } from "../core/unknown.ts";
import type { Expr } from "../expr/expr.ts";
import { denseType, type StagedOp } from "../expr/op.ts";
import { type Built, node } from "../lazy/build.ts";
import { LazyArray } from "../lazy/lazyArray.ts";

export const isUnsettled = (x: LazyArray): boolean => hasUnknown(x.expr.shape);

/** A call that may have to wait: `make` is given the array when its lengths are known, and the attributes of the call. */
export type LaterCall = (x: LazyArray, dtype: DType, lengths: Shape, attrs: Attrs) => Built;

export function laterCall(name: string, make: (x: LazyArray, attrs: Attrs) => LazyArray): LaterCall {
  const call = askingCall(name, { asks: () => [], make: ([x], attrs) => make(x!, attrs) });
  return (x, dtype, lengths, attrs) => call([x], dtype, lengths, attrs);
}

/** A call that has to know some values first: `asks` says which, and `make` is given them, as contiguous blocks. */
export interface AskingCall {
  readonly asks: (inputs: readonly LazyArray[], attrs: Attrs) => readonly LazyArray[];
  readonly make: (inputs: readonly LazyArray[], attrs: Attrs, answers: readonly Block[]) => LazyArray;
}

export function askingCall(
  name: string,
  { asks, make }: AskingCall,
): (inputs: readonly LazyArray[], dtype: DType, lengths: Shape, attrs: Attrs) => Built {
  const lazy = (inputs: readonly unknown[]): LazyArray[] => inputs.map((x) => new LazyArray(x as Expr));
  const op: StagedOp = {
    name,
    class: "staged",
    infer: (_, attrs) => denseType(attrs["dtype"] as DType, attrs["lengths"] as Shape),
    // How it is cut shows when it is made.
    chunks: ([x], _, __, { shape }) => {
      const longest = x!.reduce((most, chunk) => Math.max(most, chunk), 1);
      return shape.map((length) => Math.max(1, Math.min(length, longest)));
    },
    questions: (inputs, attrs) => ({ asks: asks(lazy(inputs), attrs).map(({ expr }) => expr) }),
    settle: (inputs, attrs, answers) => make(lazy(inputs), attrs, answers).expr,
  };
  return (inputs, dtype, lengths, attrs) => node(op, inputs, { dtype, lengths, ...attrs });
}
