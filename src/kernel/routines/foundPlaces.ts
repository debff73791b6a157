// foundPlaces: places of extremes, as they are. In: int64 places. Out: the same; an error where one is below 0, which says that
// nothing was found.

import { type Routine, Trap } from "../routine.ts";
import { blockAt } from "./attributes.ts";
import { fromContiguous, toContiguous } from "./stridedWalk.ts";

export const foundPlaces: Routine = ({ inputs, outputs, room }) => {
  const places = toContiguous(blockAt(inputs, 0), room) as BigInt64Array;
  for (let i = 0; i < places.length; i++)
    if (places[i]! < 0n)
      throw new Trap(
        "a slice holds nothing but NaN",
        "It has no largest or smallest: leave it out, or put a number in the place of NaN with where",
      );
  fromContiguous(places, blockAt(outputs, 0));
};
