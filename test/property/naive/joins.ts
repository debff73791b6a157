// Moves of several nested lists: one after another, side by side, apart again, as coordinates.

import { at, cast, commonShape, fromEnd, make, meet, type Naive, product, seenFrom } from "./lists.ts";
import { broadcastTo, expandDims, reshape, squeeze } from "./moves.ts";

export function concat(list: readonly Naive[], { axis = 0 }: { axis?: number | null } = {}): Naive {
  if (axis === null)
    return concat(
      list.map((x) => reshape(x, [-1])),
      { axis: 0 },
    );
  const a = fromEnd(axis, list[0]!.shape.length);
  const dtype = list.map((x) => x.dtype).reduce(meet);
  const origin = list.flatMap((x) => Array.from({ length: x.shape[a]! }, (_, i) => [x, i] as const));
  return make(dtype, list[0]!.shape.with(a, origin.length), (place) => {
    const [x, i] = origin[place[a]!]!;
    return cast(at(x.list, place.with(a, i)), dtype);
  });
}

export function stack(list: readonly Naive[], { axis }: { axis: number }): Naive {
  const at = fromEnd(axis, list[0]!.shape.length + 1);
  return concat(
    list.map((x) => expandDims(x, { axis: at })),
    { axis: at },
  );
}

export const unstack = (x: Naive, { axis }: { axis: number }): Naive[] => {
  const a = fromEnd(axis, x.shape.length);
  const part = (i: number): Naive =>
    make(x.dtype, x.shape.with(a, 1), (place) => at(x.list, place.with(a, i)));
  return Array.from({ length: x.shape[a]! }, (_, i) => squeeze(part(i), a));
};

export function meshgrid(x: Naive, y: Naive, { indexing }: { indexing: string }): Naive[] {
  const along = indexing === "xy" ? [1, 0] : [0, 1];
  const dtype = meet(x.dtype, y.dtype);
  const lines = [x, y].map((line, i) => reshape(line, [1, 1].with(along[i]!, product(line.shape))));
  const shape = commonShape(lines.map((line) => line.shape));
  return lines.map((line) =>
    make(dtype, shape, (place) => cast(at(line.list, seenFrom(place, line.shape)), dtype)),
  );
}

export function broadcastArrays(...list: Naive[]): Naive[] {
  const shape = commonShape(list.map((x) => x.shape));
  return list.map((x) => broadcastTo(x, shape));
}
