// Makers of arrays whose lengths depend on data: what a mask selects, places that are not 0, values once each, rows as often as
// counts say. Later steps use none of them (their lengths are not known), but these makers themselves go on with some.

import type { Choices } from "../choices.ts";
import type { Arg, Ref } from "../program.ts";
import { type Maker, type ProgramWriter, REAL } from "../writer.ts";
import { indicesOf } from "./selections.ts";

/** As it is, in order, a part of it, or together with itself. */
function goneOnWith(writer: ProgramWriter, x: Ref, choices: Choices): Ref {
  switch (choices.below(4)) {
    case 1:
      return writer.call("sort", x, { axis: 0 });
    case 2:
      return writer.call("get", x, choices.pick(["1:", "::2", "::-1", ":-1"]));
    case 3:
      return writer.call("equal", x, x);
    default:
      return x;
  }
}

/** Of a shape that ends, or begins, as that of another value. */
function maskOf(writer: ProgramWriter, x: Ref, rank: number, choices: Choices): Ref {
  const part = rank === writer.of(x).ndim ? x : writer.call("all", x, { axis: axesFrom(writer, x, rank) });
  const real = writer.coerced(part, ["bool", ...REAL], choices);
  return choices.flip() ? writer.call("greater", real, 0) : writer.call("astype", real, "bool");
}

const axesFrom = (writer: ProgramWriter, x: Ref, rank: number): number[] =>
  Array.from({ length: writer.of(x).ndim - rank }, (_, axis) => rank + axis);

const selected: Maker = (writer, choices) => {
  const x = writer.any(choices, ({ ndim }) => ndim > 0);
  if (x === null) return null;
  const rank = choices.between(1, writer.of(x).ndim);
  return goneOnWith(writer, writer.call("get", x, maskOf(writer, x, rank, choices)), choices);
};

/** What was selected goes back, in another order. */
const placed: Maker = (writer, choices) => {
  const x = writer.any(choices, ({ ndim }) => ndim > 0);
  if (x === null) return null;
  const mask = maskOf(writer, x, writer.of(x).ndim, choices);
  const values = writer.call("flip", writer.call("get", x, mask));
  return writer.call("set", x, [mask], values);
};

const nonzero: Maker = (writer, choices) => {
  const x = writer.any(choices, ({ ndim }) => ndim > 0);
  if (x === null) return null;
  return goneOnWith(writer, writer.callItem(choices.below(writer.of(x).ndim), "nonzero", x), choices);
};

const unique =
  (name: string, items: readonly string[]): Maker =>
  (writer, choices) => {
    const x = writer.coerced(writer.any(choices)!, ["bool", ...REAL], choices);
    return items.length === 0
      ? goneOnWith(writer, writer.call(name, x), choices)
      : writer.callItem(choices.pick(items), name, x);
  };

const repeated: Maker = (writer, choices) => {
  const x = writer.any(choices, ({ ndim, size }) => ndim > 0 && size > 0);
  if (x === null) return null;
  const length = writer.of(x).shape[0]!;
  const zeros: Arg[] = Array.from({ length: writer.of(x).ndim - 1 }, () => 0);
  const column = writer.call("get", x, ":", ...zeros);
  const counts = writer.call("remainder", indicesOf(writer, column, length, choices), 3);
  return goneOnWith(writer, writer.call("repeat", x, counts, { axis: 0 }), choices);
};

export const STAGED: ReadonlyMap<string, Maker> = new Map(
  Object.entries({
    nonzero,
    uniqueAll: unique("uniqueAll", ["values", "indices", "inverseIndices", "counts"]),
    uniqueCounts: unique("uniqueCounts", ["values", "counts"]),
    uniqueInverse: unique("uniqueInverse", ["values", "inverseIndices"]),
    uniqueValues: unique("uniqueValues", []),
    "get by a mask": selected,
    "set by a mask": placed,
    "repeat by counts": repeated,
  }),
);
