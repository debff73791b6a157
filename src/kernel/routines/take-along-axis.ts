// takeAlongAxis: along one axis, the elements that the indices name. In: x, whole along the axis, and int64
// indices of x's shape but for that axis. Out: a block of the indices' shape.

import { sizeOf } from "../../core/chunks.ts";
import type { Routine } from "../routine.ts";
import { blockAt, integerAttr } from "./attributes.ts";
import { addSteps, noSteps } from "./positions.ts";
import { moveElements, Odometer, otherAxes, passage, selectAxes, stepsOf } from "./stridedWalk.ts";

export const takeAlongAxis: Routine = ({ inputs, outputs, attrs, room }) => {
  const x = blockAt(inputs, 0);
  const output = blockAt(outputs, 0);
  const axis = integerAttr(attrs, "axis");
  const others = otherAxes(x.shape.length, [axis]);
  const indices = selectAxes(blockAt(inputs, 1), [...others, axis]);
  const length = x.shape[axis]!;
  const along = { axis, length, start: 0, count: length, stride: x.strides[axis]! };
  const { steps: picked } = addSteps(noSteps(sizeOf(indices.shape), room), indices, along, room);

  const placed = stepsOf(selectAxes(output, [axis]), room);
  const way = passage(x.dtype, x.data, output.data);
  const rows = new Odometer(indices.shape.slice(0, -1), [selectAxes(x, others), selectAxes(output, others)]);
  for (let first = 0; first < picked.length; first += placed.length) {
    const [read, write] = rows.offsets as [number, number];
    const from = { base: read, steps: picked, first };
    moveElements(way, from, { base: write, steps: placed, first: 0 }, placed.length);
    rows.step();
  }
};
