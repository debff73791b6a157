// Functions of arrays whose lengths they have to know: where these are not known yet, the call waits for the stage that settles
// them, and is then made as it is written. In: the call, and how long its result will be along each axis, by a number or a name.
// Out: the array that it gives, with those lengths.

import type { Attrs } from "../core/block.ts";
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
  const op: StagedOp = {
    name,
    class: "staged",
    infer: (_, attrs) => denseType(attrs["dtype"] as DType, attrs["lengths"] as Shape),
    // How it is cut shows when it is made.
    chunks: ([x], _, __, { shape }) => {
      const longest = x!.reduce((most, chunk) => Math.max(most, chunk), 1);
      return shape.map((length) => Math.max(1, Math.min(length, longest)));
    },
    questions: () => ({ asks: [] }),
    settle: ([x], attrs) => make(new LazyArray(x as Expr), attrs).expr,
  };
  return (x, dtype, lengths, attrs) => node(op, [x], { dtype, lengths, ...attrs });
}
