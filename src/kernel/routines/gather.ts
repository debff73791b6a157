// Gather and scatter: elements of x at computed positions, read or replaced. In: x, (for scatter the new values)
// and one int64 block for each axis in `axes`, all of one shape S. Gather's output and scatter's values have x's
// other axes in order, with S inserted at position `at`. Out: the output block, filled.
// Must hold: gather's x covers the axes in `axes` wholly; on the others all blocks start at the same place.

import type { Routine } from "../routine.ts";
import { blockAt, integerAttr, integersAttr } from "./attributes.ts";
import { dropAbsent, indexedSide, moveSides, plainSide } from "./indexed.ts";
import { copyElements } from "./stridedWalk.ts";

export const gather: Routine = ({ inputs, outputs, attrs, room }) => {
  const at = integerAttr(attrs, "at");
  const x = blockAt(inputs, 0);
  const whole = { whole: x.shape, start: x.shape.map(() => 0) };
  const from = indexedSide(x, integersAttr(attrs, "axes"), inputs.slice(1), whole, room);
  moveSides(from, plainSide(blockAt(outputs, 0), at, blockAt(inputs, 1).shape.length, room), at);
};

/** Indices outside of the output block are another block's; where several name one place, the last wins. */
export const scatter: Routine = ({ inputs, outputs, attrs, starts, room }) => {
  const at = integerAttr(attrs, "at");
  const output = blockAt(outputs, 0);
  copyElements(blockAt(inputs, 0), output);
  const extent = { whole: integersAttr(attrs, "shape"), start: starts[inputs.length]! };
  const indexed = indexedSide(output, integersAttr(attrs, "axes"), inputs.slice(2), extent, room);
  const values = plainSide(blockAt(inputs, 1), at, blockAt(inputs, 2).shape.length, room);
  const [to, from] = dropAbsent(indexed, values);
  moveSides(from, to, at);
};
