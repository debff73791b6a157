// Nested lists → arrays. In: what the user wrote. Out: a contiguous block, or an error that says where the
// list is ragged or holds something else. Depth and size are bounded by what was handed in.

import { type Block, newBlock, storeElement } from "../core/block.ts";
import { describe, type Shape, shapeText, sizeOf } from "../core/chunks.ts";
import { type DType, isTime, type TimeDType } from "../core/dtype.ts";
import { DTypeError, ShapeError } from "../core/errors.ts";
import { isScalar, resultDType, type Scalar, scalarKind } from "../core/numbers.ts";
import { storedTime } from "../core/times.ts";
import type { NestedList, NestedScalars } from "./ndarray.ts";

const MAX_DEPTH = 32;
const MOST_ELEMENTS = 1e8;

export function blockOfNested(list: NestedScalars, dtype: DType | undefined): Block {
  if (dtype !== undefined && isTime(dtype)) return blockOfTimes(list as NestedTimes, dtype);
  const shape = checkedShape(list);
  const scalars: Scalar[] = [];
  collect(list, shape, [], (value, place) => {
    if (!isScalar(value)) throw notAScalar(value, place);
    scalars.push(value);
  });
  const chosen = dtype ?? (scalars.length === 0 ? "float64" : resultDType([], distinctKinds(scalars)));
  const block = newBlock(chosen, shape);
  scalars.forEach((value, i) => storeElement(block.data, chosen, i, value));
  return block;
}

/** Dates and times as people write them: "2020-07-01", a Date, or whole steps. */
export type NestedTimes = NestedList<string | number | bigint | Date>;

function blockOfTimes(list: NestedTimes, dtype: TimeDType): Block {
  const shape = checkedShape(list);
  const block = newBlock(dtype, shape);
  let at = 0;
  collect(list, shape, [], (value) => {
    block.data[at++] = storedTime(value, dtype);
  });
  return block;
}

function checkedShape(list: NestedList<unknown>): Shape {
  const shape = shapeOfNested(list);
  // Lists that share sublists can stand for far more elements than they hold.
  if (sizeOf(shape) <= MOST_ELEMENTS) return shape;
  throw new ShapeError({
    what: `the nested list has shape ${shapeText(shape)}`,
    cure: "Use a typed array for so many elements",
  });
}

/** One scalar of each weak kind is enough to find the dtype. */
function distinctKinds(scalars: readonly Scalar[]): Scalar[] {
  const kinds = new Map<string, Scalar>();
  for (const value of scalars) {
    const kind = scalarKind(value);
    if (!kinds.has(kind)) kinds.set(kind, value);
  }
  return [...kinds.values()];
}

/** The shape that the first elements suggest. */
function shapeOfNested(list: NestedList<unknown>): Shape {
  const shape: number[] = [];
  let level: unknown = list;
  while (Array.isArray(level)) {
    shape.push(level.length);
    level = level[0] as unknown;
    if (shape.length > MAX_DEPTH) {
      throw new ShapeError({
        what: `lists are nested deeper than ${MAX_DEPTH}`,
        cure: "Does a list contain itself",
      });
    }
  }
  return shape;
}

function collect(
  list: unknown,
  shape: Shape,
  place: readonly number[],
  take: (value: unknown, place: readonly number[]) => void,
): void {
  const depth = place.length;
  if (depth === shape.length) return take(list, place);
  if (!Array.isArray(list) || list.length !== shape[depth]) {
    const found = Array.isArray(list) ? `has ${list.length} elements` : `is ${describe(list)}`;
    throw new ShapeError({
      what: `the nested list is ragged: [${place.join(", ")}] ${found} where ${shape[depth]} elements were expected`,
      cure: "All lists of one level must be equally long; ragged data belongs in chunkwise/ragged",
    });
  }
  // Not forEach: it would pass over holes.
  for (let i = 0; i < list.length; i++) collect(list[i], shape, [...place, i], take);
}

function notAScalar(value: unknown, place: readonly number[]): Error {
  const where = place.length === 0 ? "the value" : `[${place.join(", ")}]`;
  if (Array.isArray(value)) {
    return new ShapeError({
      what: `the nested list is ragged: ${where} is a list of ${value.length} where a number was expected`,
      cure: "All lists of one level must be equally long; ragged data belongs in chunkwise/ragged",
    });
  }
  return new DTypeError({
    what: `${where} is ${describe(value)}, not a number, bigint, boolean or complex`,
    cure:
      ArrayBuffer.isView(value) || isArrayLike(value) ? "Use stack to join arrays" : "Arrays hold numbers",
  });
}

const isArrayLike = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "dtype" in value && "shape" in value;
