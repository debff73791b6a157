// select: elements of lines by their ranks. In: x with lines along its last axis, and int64 ranks, as many for each line. Out: the elements
// that would stand there if the line were sorted: NaN last, of zeros always 0. A rank of −1 is NaN's. Where attrs.poison
// says so, a line with a NaN gives nothing but NaN.
// Must hold: floats only are asked for rank −1; other ranks are below the length of a line.

import type { Block } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import type { TypedArray } from "../../core/dtype.ts";
import type { Routine } from "../routine.ts";
import { blockAt, booleanAttr } from "./attributes.ts";
import { fromContiguous, toContiguous } from "./stridedWalk.ts";

export const select: Routine = ({ inputs, outputs, attrs, room }) => {
  const [x, output] = [blockAt(inputs, 0), blockAt(outputs, 0)];
  const ranks = toContiguous(blockAt(inputs, 1), room) as BigInt64Array;
  const [length, count] = [x.shape.at(-1)!, output.shape.at(-1)!];
  const lines = count === 0 ? 0 : sizeOf(output.shape) / count;
  const data = toContiguous(x, room);
  const chosen = new (data.constructor as new (length: number) => TypedArray)(lines * count);
  for (let line = 0; line < lines; line++) {
    const sorted = data.slice(line * length, (line + 1) * length).sort();
    const at = line * count;
    chooseInto(chosen, sorted, ranks.subarray(at, at + count), at, booleanAttr(attrs, "poison"));
  }
  fromContiguous(chosen, output as Block);
};

/** Typed arrays sort by numbers, −0 below 0 and NaN last. */
function chooseInto(
  chosen: TypedArray,
  sorted: TypedArray,
  ranks: BigInt64Array,
  at: number,
  poison: boolean,
): void {
  const isPoisoned = poison && Number.isNaN(sorted.at(-1));
  ranks.forEach((rank, i) => {
    if (rank < 0n || isPoisoned) chosen[at + i] = Number.NaN;
    else {
      const element = sorted[Number(rank)]!;
      chosen[at + i] = typeof element === "bigint" ? element : element + 0;
    }
  });
}
