// addAlongAxis: elements added up at places along an axis. In: x, and int64 places of its shape, both whole along the axis. Out: a
// block of the same lines, attrs.length long: at each place the sum of the elements that name it, in their order.

import { sizeOf } from "../../core/chunks.ts";
import { allocate, infoOf } from "../../core/dtype.ts";
import type { Routine } from "../routine.ts";
import { blockAt, integerAttr } from "./attributes.ts";
import { addSteps, noSteps } from "./positions.ts";
import { fromContiguous, otherAxes, selectAxes, toContiguous } from "./stridedWalk.ts";

export const addAlongAxis: Routine = ({ inputs, outputs, attrs, room }) => {
  const axis = integerAttr(attrs, "axis");
  const length = integerAttr(attrs, "length");
  const [x, given, output] = [blockAt(inputs, 0), blockAt(inputs, 1), blockAt(outputs, 0)];
  const order = [...otherAxes(x.shape.length, [axis]), axis];
  const [lines, places] = [selectAxes(x, order), selectAxes(given, order)];
  const along = { axis, length, start: 0, count: length, stride: 1 };
  const { steps } = addSteps(noSteps(sizeOf(places.shape), room), places, along, room);
  const { slots } = infoOf(x.dtype);
  const elements = toContiguous(lines, room);
  const target = selectAxes(output, order);
  const sums = (room ?? allocate)(x.dtype, sizeOf(target.shape));
  const count = x.shape[axis]!;
  for (let i = 0; i < steps.length; i++) {
    const line = Math.floor(i / count) * length;
    for (let slot = 0; slot < slots; slot++) {
      const to = (line + steps[i]!) * slots + slot;
      sums[to] = ((sums[to] as number) + (elements[i * slots + slot] as number)) as never;
    }
  }
  fromContiguous(sums, target);
};
