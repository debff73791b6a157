// Dates and times: compared, added, subtracted, brought to other units, and made of counted steps. In: datetime64, timedelta64. Out:
// the same, or bool. Must hold: whatever meets no time ("NaT") is none; no comparison with it holds but notEqual.

import {
  DTYPES,
  type DType,
  isInteger,
  isTime,
  type Kind,
  kindOf,
  type TimeDType,
  type TimeUnit,
  unitOf,
} from "../core/dtype.ts";
import { DTypeError } from "../core/errors.ts";
import { NO_TIME, stepsIn } from "../core/times.ts";
import { makeExpr } from "../expr/expr.ts";
import { broadcastType, type DenseType, type ElementwiseOp } from "../expr/op.ts";
import * as s from "../kernel/scalar.ts";
import { type Built, built, castTo } from "../lazy/build.ts";
import { asLazy, LazyArray, type Operand } from "../lazy/lazyArray.ts";
import { NDArray } from "../lazy/ndarray.ts";

const none = (): s.Term => s.constant("int64", NO_TIME);
const isThere = (x: s.Term): s.Term => s.ne(x, none());

/** x · n for whole numbers, without a product where n is 1. */
const times = (x: s.Term, n: bigint): s.Term => (n === 1n ? x : s.mul(x, s.constant("int64", n)));

/** ⌊x / n⌋ for n > 0. */
function floorBy(x: s.Term, n: bigint): s.Term {
  if (n === 1n) return x;
  const by = s.constant("int64", n);
  const isBelow = s.lt(s.rem(x, by), s.zero("int64"));
  return s.select(isBelow, s.sub(s.quot(x, by), s.one("int64")), s.quot(x, by));
}

const TESTS: { readonly [test: string]: (x: s.Term, y: s.Term) => s.Term } = {
  ...{ equal: s.eq, notEqual: s.ne, less: s.lt, lessEqual: s.le, greater: s.gt, greaterEqual: s.ge },
};

function checkTimes(inputs: readonly DenseType[]): void {
  const wrong = inputs.find(({ dtype }) => !isTime(dtype));
  if (wrong !== undefined)
    throw new DTypeError({
      what: `takes dates and times, not ${wrong.dtype}`,
      cure: "Use the ops of numbers",
    });
}

/** attrs.test of x · attrs.scales[0] and y · attrs.scales[1]. */
export const compareTimes: ElementwiseOp = {
  name: "compareTimes",
  class: "elementwise",
  arity: 2,
  infer(inputs) {
    checkTimes(inputs);
    return broadcastType(inputs, "bool");
  },
  body([x, y], attrs) {
    const [a, b] = attrs["scales"] as readonly [bigint, bigint];
    const test = attrs["test"] as string;
    const both = s.and(isThere(x as s.Term), isThere(y as s.Term));
    const holds = TESTS[test]!(times(x as s.Term, a), times(y as s.Term, b));
    return test === "notEqual" ? s.or(holds, s.not(both)) : s.and(holds, both);
  },
  pull: () => [null, null],
};

/** x · attrs.scales[0] ± y · attrs.scales[1], as attrs.dtype. */
export const addTimes: ElementwiseOp = {
  name: "addTimes",
  class: "elementwise",
  arity: 2,
  infer(inputs, attrs) {
    checkTimes(inputs);
    return broadcastType(inputs, attrs["dtype"] as DType);
  },
  body([x, y], attrs) {
    const [a, b] = attrs["scales"] as readonly [bigint, bigint];
    const both = s.and(isThere(x as s.Term), isThere(y as s.Term));
    const [left, right] = [times(x as s.Term, a), times(y as s.Term, b)];
    return s.select(both, attrs["isMinus"] === true ? s.sub(left, right) : s.add(left, right), none());
  },
  pull: () => [null, null],
};

/** Steps of another unit, rounded down: ⌊x · attrs.scales[0] / attrs.scales[1]⌋. */
export const convertTimes: ElementwiseOp = {
  name: "convertTimes",
  class: "elementwise",
  arity: 1,
  keepsMeaning: true,
  infer(inputs, attrs) {
    checkTimes(inputs);
    return broadcastType(inputs, attrs["dtype"] as DType);
  },
  body([x], attrs) {
    const [by, over] = attrs["scales"] as readonly [bigint, bigint];
    return s.select(isThere(x as s.Term), floorBy(times(x as s.Term, by), over), none());
  },
  pull: () => [null],
};

export const TIME_OPS: readonly ElementwiseOp[] = [compareTimes, addTimes, convertTimes];

// Calls. In: operands as a user gave them. Out: what is built of them, or null where none is a date or time.

const holdsTimes = (x: Operand): boolean =>
  (x instanceof LazyArray || x instanceof NDArray) && isTime(x.dtype as DType);

/** Both as arrays; an error where one holds numbers. */
function bothTimes(name: string, operands: readonly Operand[]): readonly [LazyArray, LazyArray] | null {
  if (!operands.some(holdsTimes)) return null;
  const arrays = operands.map((x) => asLazy(x));
  const [x, y] = arrays as [LazyArray, LazyArray];
  if (isTime(x.dtype) && isTime(y.dtype)) return [x, y];
  const time = isTime(x.dtype) ? x.dtype : y.dtype;
  throw new DTypeError({
    what: `${name} of ${x.dtype} and ${y.dtype}`,
    cure: `Dates meet dates: asarray(["2020-07-01"], {dtype: ${JSON.stringify(time)}}); or take numbers: x.astype("int64")`,
  });
}

/** Which unit both can be told in, and how many steps of it each of theirs is. */
function commonUnit(a: TimeUnit, b: TimeUnit): { unit: TimeUnit; scales: readonly [bigint, bigint] } | null {
  const down = stepsIn(a, b);
  if (down !== null) return { unit: b, scales: [down, 1n] };
  const up = stepsIn(b, a);
  return up === null ? null : { unit: a, scales: [1n, up] };
}

function met(
  name: string,
  [x, y]: readonly [LazyArray, LazyArray],
): NonNullable<ReturnType<typeof commonUnit>> {
  const common = commonUnit(unitOf(x.dtype as TimeDType), unitOf(y.dtype as TimeDType));
  if (common !== null) return common;
  throw new DTypeError({
    what: `${name} of ${x.dtype} and ${y.dtype}: a month is no number of days`,
    cure: "Make one of them of the other's unit from text",
  });
}

/** Comparisons, for the lines of the op table. */
export function comparedTimes(test: string, operands: readonly Operand[]): Built | null {
  const both = bothTimes(test, operands);
  if (both === null) return null;
  const [x, y] = both;
  if (kindOf(x.dtype) !== kindOf(y.dtype))
    throw new DTypeError({
      what: `${test} of ${x.dtype} and ${y.dtype}: points in time and spans are different things`,
      cure: "Subtract two points in time to get a span",
    });
  const { scales } = met(test, both);
  return built(makeExpr(compareTimes, [x.expr, y.expr], { test, scales }), [x, y]);
}

/** What kind a sum or a difference is of: instant ± span is an instant, instant − instant a span. */
function kindOfSum(a: Kind, b: Kind, isMinus: boolean): "datetime64" | "timedelta64" | null {
  if (a === "span" && b === "span") return "timedelta64";
  if (a === "instant" && b === "instant") return isMinus ? "timedelta64" : null;
  return a === "instant" || !isMinus ? "datetime64" : null;
}

/** Sums and differences, for the lines of the op table. */
export function addedTimes(operands: readonly Operand[], isMinus: boolean): Built | null {
  const name = isMinus ? "subtract" : "add";
  const both = bothTimes(name, operands);
  if (both === null) return null;
  const [x, y] = both;
  const kind = kindOfSum(kindOf(x.dtype), kindOf(y.dtype), isMinus);
  if (kind === null)
    throw new DTypeError({
      what: `${name} of ${x.dtype} and ${y.dtype} means nothing`,
      cure: "Add spans to points in time, and subtract points in time of each other",
    });
  const { unit, scales } = met(name, both);
  const dtype = `${kind}[${unit}]` as TimeDType;
  return built(makeExpr(addTimes, [x.expr, y.expr], { isMinus, scales, dtype }), [x, y]);
}

/** `astype` where one side is a date or time; null where neither is. */
export function timesAs(x: LazyArray, dtype: DType): LazyArray | null {
  if (x.dtype === dtype) return null;
  if (isTime(x.dtype)) return isTime(dtype) ? inUnit(x, x.dtype, dtype) : numbersOf(x, dtype);
  if (!isTime(dtype)) return null;
  if (isInteger(x.dtype)) return castTo(castTo(x, "int64"), dtype);
  throw new DTypeError({
    what: `${x.dtype} cannot become ${dtype}`,
    cure: 'Round to whole steps first: x.round().astype("int64")',
  });
}

function numbersOf(x: LazyArray, dtype: DType): LazyArray {
  if ((DTYPES as readonly DType[]).includes(dtype) && dtype !== "bool")
    return castTo(castTo(x, "int64"), dtype);
  throw new DTypeError({ what: `${x.dtype} cannot become ${dtype}`, cure: 'Use "int64"' });
}

function inUnit(x: LazyArray, from: TimeDType, to: TimeDType): LazyArray {
  const common = kindOf(from) === kindOf(to) ? commonUnit(unitOf(from), unitOf(to)) : null;
  if (common === null)
    throw new DTypeError({
      what: `${from} cannot become ${to}`,
      cure: "Points in time stay points in time, spans stay spans, and a month is no number of days",
    });
  const { scales } = common;
  return built(makeExpr(convertTimes, [x.expr], { scales, dtype: to }), [x]);
}
