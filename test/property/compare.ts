// Comparing results. Bits must be equal, except that all NaNs are alike.

import type * as cw from "chunkwise";
import { expect } from "vitest";
import { type Block, slotAt } from "../../src/core/block.ts";
import { infoOf } from "../../src/core/dtype.ts";
import { toContiguous } from "../../src/kernel/routines/stridedWalk.ts";

/** Values in row-major order, two a complex number. */
export function slotsOf(block: Block): (number | bigint)[] {
  const data = toContiguous(block);
  const { part } = infoOf(block.dtype);
  return Array.from({ length: data.length }, (_, i) => slotAt(data, part, i));
}

const named = ({ dtype, shape }: Block): string => `${dtype} [${shape}]`;

export function expectSame(actual: Block, expected: Block): void {
  expect(named(actual)).toBe(named(expected));
  const [a, b] = [slotsOf(actual), slotsOf(expected)];
  // Object.is: −0 is not 0, NaN is NaN.
  if (!a.every((value, i) => Object.is(value, b[i]))) expect(a).toStrictEqual(b);
}

export const expectAllSame = (actual: readonly cw.NDArray[], expected: readonly Block[]): void => {
  expect(actual.length).toBe(expected.length);
  actual.forEach((array, i) => expectSame(array, expected[i]!));
};
