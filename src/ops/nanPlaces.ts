// The places of extremes among what is not NaN, and −1 where there is nothing else. Users have them as nanargmax and nanargmin,
// which make an error of −1.

import { isFloat } from "../core/dtype.ts";
import { integerRange } from "../core/numbers.ts";
import * as s from "../kernel/scalar.ts";
import { type ReduceRecord, reduction } from "./define.ts";
import { argmax, argmin } from "./reductions.ts";

/** Behind every place there is: where nothing was found. */
const NOWHERE = integerRange("int64")[1];

/** A NaN is no better than any element, and stands behind all of them. */
const placeOf = (name: string, plain: ReduceRecord): ReduceRecord =>
  reduction(name, {
    ...plain,
    result: "index",
    computesIn: "same",
    lift(x, position) {
      const [value, nan] = [x as s.Term, s.isNaN_(x as s.Term)];
      if (!isFloat(value.type)) return [value, position()];
      const last = s.constant(value.type, plain.identity("float64", {})[0] as number);
      return [s.select(nan, last, value), s.select(nan, s.constant("int64", NOWHERE), position())];
    },
    finish: ([, place]) =>
      s.select(s.eq(place as s.Term, s.constant("int64", NOWHERE)), s.constant("int64", -1), place as s.Term),
    alone: undefined,
  });

export const nanargmaxPlace: ReduceRecord = placeOf("nanargmaxPlace", argmax);
export const nanargminPlace: ReduceRecord = placeOf("nanargminPlace", argmin);
