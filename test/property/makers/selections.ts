// Makers of indexing: get and set with every kind of item, take, takeAlongAxis. Indices that are data are made of
// other values, as remainders, so that they are in range whatever those are.

import type * as cw from "chunkwise";
import { DTYPES, type DType, isComplex, isInteger } from "../../../src/core/dtype.ts";
import type { Choices } from "../choices.ts";
import type { Arg, Ref } from "../program.ts";
import type { Maker, ProgramWriter } from "../writer.ts";
import { axisOf } from "./reductions.ts";

const REAL_TYPES: readonly DType[] = DTYPES.filter((dtype) => !isComplex(dtype));

/** Whole numbers from −length to length − 1, made of another value. */
export function indicesOf(writer: ProgramWriter, from: Ref, length: number, choices: Choices): Ref {
  const real = writer.coerced(from, REAL_TYPES, choices);
  const whole = isInteger(writer.of(real).dtype) ? real : writer.call("astype", real, "int64");
  const wide = writer.call("astype", whole, "int64");
  const places = writer.call("remainder", wide, length);
  return choices.flip() ? writer.call("subtract", places, length) : places;
}

/** "start:stop:step" with bounds inside and outside of the axis. */
export function sliceText(length: number, choices: Choices): string {
  const bound = (): number | "" => (choices.flip() ? choices.between(-length - 2, length + 2) : "");
  const step = choices.pick(["", ":1", ":-1", ":2", ":-2", ":3"]);
  return `${bound()}:${bound()}${step}`;
}

function itemFor(length: number, choices: Choices): Arg {
  if (length > 0 && choices.below(3) === 2) return choices.between(-length, length - 1);
  return sliceText(length, choices);
}

/** An item per axis, some of them behind an ellipsis, new axes between. */
function regularItems(x: cw.LazyArray, choices: Choices): Arg[] {
  const items: Arg[] = x.shape.map((n) => itemFor(n, choices));
  const left = choices.below(items.length + 1);
  const cut = choices.flip() ? [...items.slice(0, left), "..."] : items;
  if (choices.below(4) === 3) cut.splice(choices.below(cut.length + 1), 0, null);
  return cut;
}

/** One axis (or two) indexed by data, the others regularly. Null where an axis has nothing to index. */
function itemsWithArrays(writer: ProgramWriter, x: Ref, choices: Choices): Arg[] | null {
  const { shape } = writer.of(x);
  const index = writer.any(choices, ({ ndim, size }) => ndim <= 2 && size <= 12);
  const usable = shape.flatMap((n, axis) => (n > 0 ? [axis] : []));
  if (index === null || usable.length === 0) return null;
  const items: Arg[] = shape.map((n) => itemFor(n, choices));
  const chosen = choices.shuffled(usable).slice(0, choices.between(1, 2));
  for (const axis of chosen) items[axis] = indicesOf(writer, index, shape[axis]!, choices);
  return items;
}

const itemsFor = (writer: ProgramWriter, x: Ref, choices: Choices): Arg[] | null =>
  choices.flip() ? itemsWithArrays(writer, x, choices) : regularItems(writer.of(x), choices);

const get: Maker = (writer, choices) => {
  const x = writer.any(choices)!;
  const items = itemsFor(writer, x, choices);
  return items === null ? null : writer.call("get", x, ...items);
};

/** The value that is set: a scalar, a part of another array of the same dtype, or the selection itself, doubled. */
const set: Maker = (writer, choices) => {
  const x = writer.any(choices)!;
  const items = itemsFor(writer, x, choices);
  if (items === null) return null;
  const value = choices.flip() ? valueLike(writer, x, items) : choices.pick<Arg>([1, 0, true]);
  return writer.call("set", x, items, value);
};

/** The selection, reversed along its last axis: another value of its shape. */
function valueLike(writer: ProgramWriter, x: Ref, items: readonly Arg[]): Ref {
  const part = writer.call("get", x, ...items);
  return writer.of(part).ndim === 0 ? part : writer.call("flip", part, { axis: -1 });
}

const take: Maker = (writer, choices) => {
  const x = writer.any(choices, ({ ndim, size }) => ndim > 0 && size > 0);
  const from = writer.any(choices, ({ ndim, size }) => ndim <= 1 && size <= 12);
  if (x === null || from === null) return null;
  const axis = axisOf(writer.of(x).ndim, choices);
  const length = writer.of(x).shape.at(axis)!;
  // Places that are known are another operation.
  if (choices.flip()) {
    const places = Array.from({ length: choices.between(1, 5) }, () => choices.between(-length, length - 1));
    return writer.call("take", x, places, { axis });
  }
  return writer.call("take", x, indicesOf(writer, from, length, choices), { axis });
};

/** Indices made of the array itself, or of its places in order. */
const takeAlongAxis: Maker = (writer, choices) => {
  const x = writer.any(choices, ({ ndim, size }) => ndim > 0 && size > 0);
  if (x === null) return null;
  const axis = axisOf(writer.of(x).ndim, choices);
  const indices = choices.flip()
    ? indicesOf(writer, x, writer.of(x).shape.at(axis)!, choices)
    : writer.call("argsort", x, { axis });
  return writer.call("takeAlongAxis", x, indices, { axis });
};

export const SELECTIONS: ReadonlyMap<string, Maker> = new Map(
  Object.entries({ get, set, take, takeAlongAxis }),
);
