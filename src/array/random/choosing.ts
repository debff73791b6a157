// Choosing elements at random: where the chosen ones are. In: a stream, how many there are to choose from, how many are wanted, and how
// likely each is. Out: places, int64. Must hold: what weighs nothing is not chosen while anything else is there.

import { type ChunksArgument, describe, type Shape, sizeOf } from "../../core/chunks.ts";
import { DEFAULT_FLOAT, INDEX_DTYPE } from "../../core/dtype.ts";
import { ValueError } from "../../core/errors.ts";
import { isScalar } from "../../core/numbers.ts";
import { castTo } from "../../lazy/build.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { divide, minimum } from "../../ops/elementwise/index.ts";
import { exponentialOf, uniformOf } from "../../ops/random.ts";
import { cumulativeSum } from "../../ops/scans.ts";
import { reshape } from "../functions/manipulation.ts";
import { arange } from "../functions/ranges.ts";
import { argsort, searchsorted } from "../functions/searching.ts";
import { integersArray, lengthOf, ofBits, permutedPlaces, type Stream } from "./streams.ts";

/** What is chosen from: the elements of a 1-d array, or the numbers below n themselves. */
export function poolOf(from: Operand): { readonly elements: LazyArray | null; readonly length: number } {
  const isNumber = isScalar(from);
  const elements = isNumber ? null : asLazy(from);
  const length = isNumber ? lengthOf(from, "the array") : elements!.shape[0];
  if (elements !== null && elements.ndim !== 1)
    throw new ValueError({
      what: `the array has ${elements.ndim} dimensions`,
      cure: "Choose from a 1-d array, or shuffle along an axis",
    });
  return { elements, length: length! };
}

export function placesWithReplacement(
  stream: Stream,
  length: number,
  shape: Shape,
  weights: Operand | undefined,
  chunks: ChunksArgument | undefined,
): LazyArray {
  if (sizeOf(shape) > 0 && length === 0)
    throw new ValueError({
      what: "there is nothing to choose from",
      cure: "Choose from an array that has elements",
    });
  if (weights === undefined)
    return integersArray(stream, shape, [0n, BigInt(Math.max(1, length))], INDEX_DTYPE, chunks);
  const likely = weightsOf(weights, length);
  const sums = cumulativeSum(likely);
  // The last is 1 exactly: nothing is chosen that weighs nothing.
  const ends = divide(sums, sums.get(-1));
  const places = searchsorted(ends, ofBits(uniformOf, stream, shape, DEFAULT_FLOAT, chunks), {
    side: "right",
  });
  // Of weights that are NaN, or all 0, the last.
  return minimum(places, length - 1);
}

/** The first of a permutation; with weights, those of the least e/w for exponential e (Efraimidis and Spirakis, 2006). */
export function placesWithout(
  stream: Stream,
  length: number,
  shape: Shape,
  weights: Operand | undefined,
  chunks: ChunksArgument | undefined,
): LazyArray {
  const count = sizeOf(shape);
  if (count > length)
    throw new ValueError({
      what: `${count} of ${length} elements are wanted, none twice`,
      cure: "Choose fewer, or leave replace: false away",
    });
  if (weights === undefined) {
    const places = permutedPlaces(
      stream,
      arange(count, { dtype: INDEX_DTYPE, chunks: shape.length === 1 ? chunks : undefined }),
      length,
    );
    return reshape(places, shape);
  }
  const keys = divide(
    ofBits(exponentialOf, stream, [length], DEFAULT_FLOAT, undefined),
    weightsOf(weights, length),
  );
  return reshape(argsort(keys).get(`:${count}`), shape);
}

function weightsOf(weights: Operand, length: number): LazyArray {
  const array = castTo(asLazy(weights), DEFAULT_FLOAT);
  if (array.ndim === 1 && array.shape[0] === length) return array;
  throw new ValueError({
    what: `the weights have the shape ${describe(array.shape)}`,
    cure: `Give one for each of ${length} elements`,
  });
}
