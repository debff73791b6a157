// Makers of order statistics: quantiles by every method, along every axis, the largest few, partitions.

import { QUANTILE_METHODS } from "../../../src/kernel/routines/quantilePlaces.ts";
import type { Choices } from "../choices.ts";
import { type Maker, REAL } from "../writer.ts";
import { axesOf, axisOf, over } from "./reductions.ts";

const quantiles =
  (name: string, whole: number): Maker =>
  (writer, choices) => {
    const found = writer.any(choices, ({ size }) => size > 0);
    if (found === null) return null;
    const x = writer.coerced(found, REAL, choices);
    const one = (): number => (choices.below(9) / 8) * whole;
    const q = choices.flip() ? [one(), one()] : one();
    const method = choices.pick(QUANTILE_METHODS);
    return writer.call(name, x, q, { ...over(axesOf(writer.of(x).ndim, choices), choices), method });
  };

const middle =
  (name: string): Maker =>
  (writer, choices) => {
    const found = writer.any(choices, ({ size }) => size > 0);
    if (found === null) return null;
    const x = writer.coerced(found, REAL, choices);
    return writer.call(name, x, over(axesOf(writer.of(x).ndim, choices), choices));
  };

/** A function of an axis and of a place on it, or of how many. */
const along =
  (name: string, number: (length: number, choices: Choices) => number, more = false): Maker =>
  (writer, choices) => {
    const found = writer.any(choices, ({ ndim, size }) => ndim > 0 && size > 0);
    if (found === null) return null;
    const x = writer.coerced(found, REAL, choices);
    const axis = axisOf(writer.of(x).ndim, choices);
    const k = number(writer.of(x).shape.at(axis)!, choices);
    return writer.call(name, x, k, { axis, ...(more ? { largest: choices.flip() } : {}) });
  };

const howMany = (length: number, choices: Choices): number => choices.between(1, length);
const place = (length: number, choices: Choices): number => choices.between(-length, length - 1);

export const ORDER: ReadonlyMap<string, Maker> = new Map(
  Object.entries({
    quantile: quantiles("quantile", 1),
    percentile: quantiles("percentile", 100),
    nanquantile: quantiles("nanquantile", 1),
    nanpercentile: quantiles("nanpercentile", 100),
    median: middle("median"),
    nanmedian: middle("nanmedian"),
    topk: along("topk", howMany, true),
    argtopk: along("argtopk", howMany, true),
    partition: along("partition", place),
    argpartition: along("argpartition", place),
  }),
);
