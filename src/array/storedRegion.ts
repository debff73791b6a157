// A region of a stored array that whole chunks make up. In: slices, the stored array, and the shape of what is
// written. Out: where the region begins.

import { IndexError, ShapeError } from "../core/errors.ts";
import { sameShape, shapeText } from "../core/shape.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import { type AxisItem, resolveSelection, type SelectionItem } from "./selection.ts";

export function regionStart(
  region: readonly SelectionItem[],
  { shape, metadata }: ZarrArray,
  written: readonly number[],
): number[] {
  const spans = resolveSelection(region, shape).map((item) => span(item, shape, metadata.unitShape));
  const lengths = spans.map(([start, end]) => end - start);
  if (!sameShape(lengths, written))
    throw new ShapeError({
      what: `a region of shape ${shapeText(lengths)} for an array of shape ${shapeText(written)}`,
      cure: "They must be equal",
    });
  return spans.map(([start]) => start);
}

function span(item: AxisItem, shape: readonly number[], units: readonly number[]): [number, number] {
  if (item.kind !== "range" || item.step !== 1)
    throw new IndexError({ what: "a region has slices without steps only", cure: 'Write ["10:20", ":"]' });
  const { axis, start, length } = item;
  const [end, unit, all] = [start + length, units[axis]!, shape[axis]!];
  if (start % unit === 0 && (end % unit === 0 || end === all)) return [start, end];
  throw new IndexError({
    what: `${start}:${end} of axis ${axis} (length ${all}) does not begin and end at chunks of ${unit}`,
    cure: `Begin and end at multiples of ${unit}, or at the end of the axis`,
  });
}
