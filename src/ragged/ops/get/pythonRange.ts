// Ranges as Python has them. In: start:stop:step, any of them missing or negative, and a length. Out: the first place
// and how many there are.

export interface RangeItem {
  readonly start: number | null;
  readonly stop: number | null;
  readonly step: number;
}

export interface Cut {
  readonly first: number;
  readonly count: number;
}

export function rangeOf({ start, stop, step }: RangeItem, length: number): Cut {
  const [least, most] = step > 0 ? [0, length] : [-1, length - 1];
  const first = bounded(start, step > 0 ? least : most, length, least, most);
  const last = bounded(stop, step > 0 ? most : least, length, least, most);
  return { first, count: Math.max(0, Math.ceil((last - first) / step)) };
}

function bounded(bound: number | null, missing: number, length: number, least: number, most: number): number {
  if (bound === null) return missing;
  return Math.min(most, Math.max(least, bound < 0 ? bound + length : bound));
}

/** How many elements of every list of one size. */
export const sizeOfRange = (item: RangeItem, size: number): number => rangeOf(item, size).count;
