// Sums of exponentials in one pass, which cannot overflow, and what softmax and logSoftmax are made of. Rules and softmax make
// these; users have no names for them.
// Must hold: where nothing overflows, what comes out is what the formula that one writes gives, bit for bit, or it is nearer
// to the true value: an argument that is shifted without need is rounded once more.

import type { ReduceEnd, ReduceOp } from "../expr/op.ts";
import type { Pullback } from "../expr/pullback.ts";
import * as s from "../kernel/scalar.ts";
import type { ReduceFunction } from "../lazy/functionTypes.ts";
import { binary, elementwiseRecord, FUNCTION_WORK, type ReduceRecord, reduction } from "./define.ts";

type Terms = readonly s.Term[];

// The state of log Σ eˣ: the largest x so far, Σ e^(x − largest) over all others, and Σ eˣ as it is, which may overflow.
// Leaving the largest term out, which is 1, keeps the digits of a sum of small ones beside it. Where all x are −inf, or
// several are +inf, x − largest counts as 0. No elements are −1 others: the sum is 0.

/** The sum of the smaller maximum is brought to the larger one: one exponential for two states. */
function combineOthers([largestA, othersA]: Terms, [largestB, othersB]: Terms): Terms {
  const [a, b] = [largestA!, largestB!];
  // Equal infinities are 0 apart, not NaN.
  const apart = s.select(s.eq(a, b), s.zero(a.type), s.neg(s.abs(s.sub(a, b))));
  const isA = s.ge(a, b);
  const higher = s.select(isA, othersA!, othersB!);
  const lower = s.add(s.select(isA, othersB!, othersA!), s.one(a.type));
  return [s.max(a, b), s.add(higher, s.mul(lower, s.exp(apart)))];
}

/** The same, with what the additions lost: a logarithm of little more than 1 has no more digits than its argument. */
function combineExactly([largestA, othersA, lostA]: Terms, [largestB, othersB, lostB]: Terms): Terms {
  const [a, b] = [largestA!, largestB!];
  const { type } = a;
  const isA = s.ge(a, b);
  const [most, least] = [s.select(isA, a, b), s.select(isA, b, a)];
  // Equal infinities are 0 apart, not NaN.
  const apart = s.select(s.eq(a, b), s.zero(type), s.sub(least, most));
  const [higher, lower] = [s.select(isA, othersA!, othersB!), s.select(isA, othersB!, othersA!)];
  const [lostHigher, lostLower] = [s.select(isA, lostA!, lostB!), s.select(isA, lostB!, lostA!)];
  const power = s.exp(apart);
  const scale = s.add(power, s.mul(power, lostBy(least, most, apart)));
  const count = sumOf(lower, s.one(type));
  const total = sumOf(higher, s.mul(count.sum, scale));
  const lost = s.add(s.add(lostHigher, total.rest), s.mul(s.add(lostLower, count.rest), scale));
  return [s.max(a, b), total.sum, s.select(s.isFinite_(lost), lost, s.zero(type))];
}

/** a + b = sum + rest exactly. */
function sumOf(a: s.Term, b: s.Term): { readonly sum: s.Term; readonly rest: s.Term } {
  const sum = s.add(a, b);
  const part = s.sub(sum, a);
  return { sum, rest: s.add(s.sub(a, s.sub(sum, part)), s.sub(b, part)) };
}

/** Σ e^(x − max x) − 1. */
export const expSumRest: ReduceRecord<"same"> & ReduceFunction<"floating"> = reduction("expSumRest", {
  accepts: "real",
  computesIn: "floating",
  result: "same",
  state: (dtype) => [dtype, dtype, dtype],
  lift: (x) => [x as s.Term, s.zero((x as s.Term).type), s.zero((x as s.Term).type)],
  combine: combineExactly as ReduceOp["combine"],
  identity: () => [-Infinity, -1, 0],
  finish: ([, others, lost]) => s.add(others as s.Term, lost as s.Term),
  // The largest counts as a constant: logSoftmax, which alone makes this, would be the same with any other.
  pullback: ({ inputs: [x], attrs, cotangent }, use) => {
    const largest = use.node("stopGradient", [use.node("max", [x!], { ...attrs, keepdims: true })], {});
    const shifted = use.two("subtract", x!, largest);
    return [use.two("multiply", use.spread(cotangent, x!, attrs), use.exp(shifted))];
  },
});

/** So much smaller is a correction than what it is added to, that its own rounding does not matter. */
const SMALL = 8;

/**
 * The larger of several exponents and what is added to it; or, where the two cancel, the formula as it is written: then they are
 * of about the same size, and no exponential overflows.
 */
export function unlessCancelling(
  largest: s.Term,
  more: s.Term,
  written: s.Term,
  size: s.Term = s.abs(more),
): s.Term {
  const isSmall = s.le(s.mul(size, s.constant(more.type, SMALL)), s.abs(largest));
  const isWritten = s.not(s.or(isSmall, s.isNaN_(more)));
  return s.rarely(isWritten, written, s.add(largest, more));
}

/** log Σ eˣ, or log(Σ eˣ / n) where it is the logarithm of a mean. */
export const logOfSum = (
  name: string,
  isMean: boolean = false,
): ReduceRecord<"same"> & ReduceFunction<"floating"> =>
  reduction(name, {
    accepts: "real",
    computesIn: "floating",
    result: "same",
    state: (dtype) => [dtype, dtype, dtype],
    lift: (x) => [x, s.zero((x as s.Term).type), s.exp(x as s.Term)],
    combine: ((a: Terms, b: Terms) => [...combineOthers(a, b), s.add(a[2]!, b[2]!)]) as ReduceOp["combine"],
    identity: () => [-Infinity, -1, 0],
    pullback: sharePullback(isMean),
    finish: (state, end) => logOfState(state as Terms, isMean ? end : null),
  });

/** The softmax; of a mean the n-th part of it: e^(x − result) / n. */
const sharePullback =
  (isMean: boolean): Pullback =>
  ({ inputs: [x], result, attrs, cotangent }, use) => {
    const share = use.exp(use.two("subtract", x!, use.spread(result, x!, attrs)));
    const own = isMean ? use.two("divide", cotangent, use.count(x!, attrs)) : cotangent;
    return [use.two("multiply", use.spread(own, x!, attrs), share)];
  };

function logOfState([largest, others, total]: Terms, end: ReduceEnd | null): s.Term {
  const rest = s.log1p(others!);
  if (end === null) return unlessCancelling(largest!, rest, s.log(total!));
  const count = end.count(total!.type);
  const less = s.log(count);
  return unlessCancelling(largest!, s.sub(rest, less), s.log(s.div(total!, count)), s.add(s.abs(rest), less));
}

/** log(Σ eˣ / n). */
export const logMeanExp: ReduceRecord<"same"> & ReduceFunction<"floating"> = logOfSum("logMeanExp", true);

// softmax: eˣ / Σ eˣ, both times a power of 2, where no exponential can overflow and none that matters vanishes; and
// e^(x − max x) / Σ e^(x − max x) elsewhere.

/** By type: from which largest exponent on exponentials are taken as they are, from which on unscaled, and up to which. */
const RANGES = {
  float64: { least: -300, unscaled: 37, most: 680, scale: 2 ** 512, tiny: -700 },
  float32: { least: -25, unscaled: 16, most: 60, scale: 2 ** 60, tiny: -80 },
  // There is no room for sums: all are shifted.
  float16: { least: Infinity, unscaled: 0, most: -Infinity, scale: 1, tiny: -Infinity },
};

/** What is taken off all exponents, and by what exponentials are multiplied, given the largest. */
function shiftOf(largest: s.Term): { readonly shift: s.Term; readonly scale: s.Term } {
  const { least, unscaled, most, scale } = RANGES[largest.type as "float64"];
  const number = (value: number): s.Term => s.constant(largest.type, value);
  const isUsual = s.and(s.ge(largest, number(least)), s.le(largest, number(most)));
  const isScaled = s.and(isUsual, s.lt(largest, number(unscaled)));
  return {
    shift: s.select(s.or(isUsual, s.isInf(largest)), number(0), largest),
    scale: s.select(isScaled, number(scale), number(1)),
  };
}

/** Σ e^(x − shift) · scale. */
export const expSumShifted: ReduceRecord<"same"> & ReduceFunction<"floating"> = reduction("expSumShifted", {
  accepts: "real",
  computesIn: "floating",
  result: "same",
  state: (dtype) => [dtype, dtype],
  lift: (x) => [x, scaledExp(x as s.Term, x as s.Term)],
  combine: combineShifted as ReduceOp["combine"],
  identity: () => [-Infinity, 0],
  finish: ([, total]) => total!,
  // What is taken off counts as a constant: softmax, which alone makes this, would be the same with anything else.
  pullback: ({ inputs: [x], attrs, cotangent }, use) => {
    const largest = use.node("max", [x!], { ...attrs, keepdims: true });
    const power = use.node("expShifted", [x!, largest], {});
    return [use.two("multiply", use.spread(cotangent, x!, attrs), power)];
  },
});

/** The sum of the smaller maximum is brought to the shift of the larger one, which hardly ever differs. */
function combineShifted([largestA, totalA]: Terms, [largestB, totalB]: Terms): Terms {
  const [a, b] = [largestA!, largestB!];
  const isA = s.ge(a, b);
  const [lower, other] = [s.select(isA, b, a), s.select(isA, totalB!, totalA!)];
  const largest = s.max(a, b);
  const [from, to] = [shiftOf(lower), shiftOf(largest)];
  // Nothing is −inf, and has no shift.
  const apart = s.min(s.sub(from.shift, to.shift), s.zero(a.type));
  const isApart = s.or(s.ne(apart, s.zero(a.type)), s.ne(from.scale, to.scale));
  const brought = s.mul(s.mul(other, s.exp(apart)), s.div(to.scale, from.scale));
  return [largest, s.add(s.select(isA, totalA!, totalB!), s.rarely(isApart, brought, other))];
}

/** e^(x − shift) · scale, where y is the largest of the x; the rounding of the difference is made good. */
function scaledExp(x: s.Term, y: s.Term): s.Term {
  const { shift, scale } = shiftOf(y);
  const difference = s.sub(x, shift);
  const power = s.exp(difference);
  const lost = lostBy(x, shift, difference);
  const exact = s.select(s.isZero(lost), power, s.add(power, s.mul(power, lost)));
  const usual = s.mul(exact, scale);
  // What is too small to be said without the scale is made of its root.
  const root = s.exp(s.mul(difference, s.constant(x.type, 0.5)));
  const isTiny = s.and(
    s.lt(difference, s.constant(x.type, RANGES[x.type as "float64"].tiny)),
    s.gt(scale, s.one(x.type)),
  );
  const shifted = s.rarely(isTiny, s.mul(s.mul(root, scale), root), usual);
  // Beside what is infinite nothing else counts, however large it is.
  const isNothing = s.and(s.isInf(y), s.lt(x, y));
  return s.rarely(isNothing, s.zero(x.type), shifted);
}

export const expShifted = binary("expShifted", {
  accepts: "real",
  result: "floating",
  work: FUNCTION_WORK,
  real: scaledExp,
  // y counts as a constant, as above.
  pull: ({ g, f }) => [s.mul(g, f), null],
});

/** What x − y lost when it became `difference`: 0 where there is nothing to lose. */
function lostBy(x: s.Term, y: s.Term, difference: s.Term): s.Term {
  const taken = s.sub(x, difference);
  const lost = s.add(s.sub(x, s.add(difference, taken)), s.sub(taken, y));
  return s.select(s.isFinite_(lost), lost, s.zero(x.type));
}

/** (x − y) − log(1 + z), where y is the largest of the x and z is Σ e^(x − y) − 1. */
export const lessLogSum = elementwiseRecord("lessLogSum", 3, {
  accepts: "real",
  result: "floating",
  work: FUNCTION_WORK,
  real(x, y, z) {
    const difference = s.sub(x!, y!);
    return s.add(difference, s.sub(lostBy(x!, y!, difference), s.log1p(z!)));
  },
  // y counts as a constant, as above.
  pull: ({ g, z }) => [g, null, s.neg(s.div(g, s.add(s.one(z.type), z)))],
});
