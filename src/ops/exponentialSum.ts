// A sum of exponentials in one pass, which cannot overflow: the state is the largest x so far, and Σ e^(x − largest)
// over all others. Leaving the largest term out, which is 1, keeps the digits of a sum of small ones beside it. Where
// all x are −inf, or several are +inf, x − largest counts as 0. No elements are −1 others: the sum is 0.

import type { ReduceOp } from "../expr/op.ts";
import type { Pullback } from "../expr/pullback.ts";
import * as s from "../kernel/scalar.ts";
import type { ReduceFunction } from "../lazy/functionTypes.ts";
import { type ReduceRecord, reduction } from "./define.ts";

/** `finish` makes the result of the largest and the others. */
export const exponentialSum = (
  name: string,
  finish: (largest: s.Term, others: s.Term) => s.Term,
  pullback: Pullback,
): ReduceRecord<"same"> & ReduceFunction<"floating"> =>
  reduction(name, {
    accepts: "real",
    computesIn: "floating",
    result: "same",
    state: (dtype) => [dtype, dtype],
    lift: (x) => [x, s.zero((x as s.Term).type)],
    combine: combineOthers as ReduceOp["combine"],
    identity: () => [-Infinity, -1],
    finish: ([largest, others]) => finish(largest as s.Term, others as s.Term),
    pullback,
  });

/** The sum of the smaller maximum is brought to the larger one: one exponential for two states. */
function combineOthers(
  [largestA, othersA]: readonly s.Term[],
  [largestB, othersB]: readonly s.Term[],
): readonly s.Term[] {
  const [a, b] = [largestA!, largestB!];
  // Equal infinities are 0 apart, not NaN.
  const apart = s.select(s.eq(a, b), s.zero(a.type), s.neg(s.abs(s.sub(a, b))));
  const isA = s.ge(a, b);
  const higher = s.select(isA, othersA!, othersB!);
  const lower = s.add(s.select(isA, othersB!, othersA!), s.one(a.type));
  return [s.max(a, b), s.add(higher, s.mul(lower, s.exp(apart)))];
}

/** Σ e^(x − max x) − 1: what softmax divides by, but for the 1. Rules and softmax make it; users have no name for it. */
export const expSumRest = exponentialSum(
  "expSumRest",
  (_, others) => others,
  // The largest counts as a constant: softmax and its kin, which alone make this, would be the same with any other.
  ({ inputs: [x], attrs, cotangent }, use) => {
    const largest = use.node("stopGradient", [use.node("max", [x!], { ...attrs, keepdims: true })], {});
    const shifted = use.two("subtract", x!, largest);
    return [use.two("multiply", use.spread(cotangent, x!, attrs), use.exp(shifted))];
  },
);
