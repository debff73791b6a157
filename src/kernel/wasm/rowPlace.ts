// Rows on several axes, by number. In: a row's number, and the axes as words in memory. Out: addresses moved there.
// The words: how many axes; then for each, the fastest first, its length and the stride of every address in bytes.

import type { FunctionWriter, Local } from "./assembler.ts";
import { increase } from "./module.ts";

/** An axis across rows, with one stride for each address. */
export interface RowAxis {
  readonly count: number;
  readonly strides: readonly number[];
}

/** `axes` is outermost first, as shapes are. */
export function axisWords(axes: readonly RowAxis[]): number[] {
  return [axes.length, ...axes.toReversed().flatMap(({ count, strides }) => [count, ...strides])];
}

export const rowCount = (axes: readonly RowAxis[]): number =>
  axes.reduce((product, { count }) => product * count, 1);

/** The words are `offset` bytes from `words` on. The number is used up. */
export function moveToRow(
  w: FunctionWriter,
  words: Local,
  offset: number,
  number: Local,
  addresses: readonly Local[],
): void {
  const [left, axis] = [w.local("i32"), w.local("i32")];
  w.get(words).memory("i32.load", offset).set(left);
  w.get(words)
    .i32(offset + 4)
    .op("i32.add")
    .set(axis);
  w.block((end) => {
    w.loop((again) => {
      w.get(left).op("i32.eqz").branchIf(end);
      moveAlongAxis(w, axis, number, addresses);
      increase(w, axis, 4 * (1 + addresses.length));
      increase(w, left, -1);
      w.branch(again);
    });
  });
}

/** address += stride · (number mod length), number = number / length */
function moveAlongAxis(w: FunctionWriter, axis: Local, number: Local, addresses: readonly Local[]): void {
  const word = (at: number): FunctionWriter => w.get(axis).memory("i32.load", 4 * at);
  addresses.forEach((address, k) => {
    w.get(address).get(number);
    word(0).op("i32.rem_u");
    word(k + 1)
      .op("i32.mul")
      .op("i32.add")
      .set(address);
  });
  w.get(number);
  word(0).op("i32.div_u").set(number);
}
