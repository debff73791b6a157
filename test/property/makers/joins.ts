// Makers of moves with several arrays, in or out: concat, stack, unstack, meshgrid, broadcastArrays.

import type * as cw from "chunkwise";
import type { Choices } from "../choices.ts";
import type { Ref } from "../program.ts";
import type { Maker, ProgramWriter } from "../writer.ts";
import { broadcasts } from "./elementwise.ts";
import { axisOf } from "./reductions.ts";

const unstack: Maker = (writer, choices) => {
  const x = writer.any(choices, ({ ndim, size }) => ndim > 0 && size > 0);
  if (x === null) return null;
  const axis = axisOf(writer.of(x).ndim, choices);
  return writer.callItem(choices.below(writer.of(x).shape.at(axis)!), "unstack", x, { axis });
};

/** Another value of the same shape but, where an axis is named, for that axis. */
function fellow(writer: ProgramWriter, x: Ref, along: number | null, choices: Choices): Ref {
  const { shape } = writer.of(x);
  const alike = (other: cw.LazyArray): boolean =>
    other.ndim === shape.length && other.shape.every((n, axis) => axis === along || n === shape[axis]);
  return writer.any(choices, alike)!;
}

const concat: Maker = (writer, choices) => {
  const x = writer.any(choices, ({ ndim }) => ndim > 0);
  if (x === null) return null;
  if (choices.below(4) === 3) return writer.call("concat", [x, writer.any(choices)!], { axis: null });
  const along = choices.below(writer.of(x).ndim);
  const others = Array.from({ length: choices.between(1, 2) }, () => fellow(writer, x, along, choices));
  return writer.call("concat", [x, ...others], { axis: along });
};

const stack: Maker = (writer, choices) => {
  const x = writer.any(choices)!;
  const list = [x, fellow(writer, x, null, choices)];
  return writer.call("stack", list, { axis: axisOf(writer.of(x).ndim + 1, choices) });
};

const meshgrid: Maker = (writer, choices) => {
  const list = [0, 1].map(() => writer.any(choices, ({ ndim }) => ndim < 2));
  if (list.includes(null)) return null;
  const indexing = choices.pick(["xy", "ij"]);
  return writer.callItem(choices.below(2), "meshgrid", ...(list as Ref[]), { indexing });
};

const broadcastArrays: Maker = (writer, choices) => {
  const x = writer.any(choices)!;
  const y = writer.any(choices, ({ shape }) => broadcasts(shape, writer.of(x).shape))!;
  return writer.callItem(choices.below(2), "broadcastArrays", x, y);
};

export const JOINS: ReadonlyMap<string, Maker> = new Map(
  Object.entries({ concat, stack, unstack, meshgrid, broadcastArrays }),
);
