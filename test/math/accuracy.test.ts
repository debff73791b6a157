// Every expansion on every reference point: the error in ulps stays within what is promised.

import { describe, expect, test } from "vitest";
import type { Written } from "./bounds.ts";
import { PROMISES } from "./bounds.ts";
import { evaluate, type Floats, NAMES, TYPES } from "./evaluate.ts";
import { type Reference, referenceOf } from "./fixtures.ts";

/** The place of each float among all floats, −0 and 0 both at 0: neighbours differ by 1, ∞ follows the largest. */
function places(values: Floats): bigint[] {
  const isWide = values instanceof Float64Array;
  const bits = isWide
    ? [...new BigInt64Array(values.buffer)]
    : Array.from(new Int32Array(values.buffer), BigInt);
  const sign = isWide ? 1n << 63n : 1n << 31n;
  return bits.map((bit) => (bit < 0n ? -(bit + sign) : bit));
}

/** |value − exact| in ulps of the rounded exact value; infinite where only one is NaN. */
function errors(values: Floats, { values: rounded, rests }: Reference): number[] {
  const [got, wanted] = [places(values), places(rounded)];
  return got.map((place, i) => {
    if (Number.isNaN(values[i]) !== Number.isNaN(rounded[i])) return Infinity;
    // A rest points up the number line, a place away from zero does too: both are signed.
    return Math.abs(Number(place - wanted[i]!) - rests[i]!);
  });
}

const worst = (values: readonly number[]): number =>
  values.reduce((at, error, i) => (error > values[at]! ? i : at), 0);

describe.each(TYPES)("%s", (type: Written) => {
  test.each(NAMES)("%s", (name) => {
    const reference = referenceOf(name, type);
    const values = evaluate(name, type, ...reference.args);
    const found = errors(values, reference);
    const at = worst(found);
    const where = `${name}(${reference.args.map((x) => x[at])}) = ${values[at]}, not ${reference.values[at]}`;
    expect(found[at], where).toBeLessThanOrEqual(PROMISES.get(name)!.ulps[type]);
  });
});
