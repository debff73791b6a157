// contract: sums of products over chosen axes, for every combination of the others. matmul, tensordot and
// vecdot are this one op. Output axes: batch axes, then a's free axes, then b's.

import type { Attrs } from "../core/block.ts";
import { type Box, describe, shapeText } from "../core/chunks.ts";
import { checkKind } from "../core/dtype.ts";
import { ShapeError } from "../core/errors.ts";
import { type ContractAxes, freeAxes } from "../expr/expr.ts";
import { type ContractOp, type DenseType, denseType } from "../expr/op.ts";
import type { Calculus, Handle, Pulled } from "../expr/pullback.ts";

export const contractAxes = (attrs: Attrs): ContractAxes => attrs as unknown as ContractAxes;

export const contract: ContractOp = {
  name: "contract",
  class: "contract",
  pullback: contractPullback,
  routine: "contract",
  infer([a, b], attrs) {
    const axes = contractAxes(attrs);
    checkKind("numeric", a!.dtype);
    checkPairs(a!, b!, axes.batchA, axes.batchB);
    checkPairs(a!, b!, axes.contractA, axes.contractB);
    checkBlocks(attrs, axes.contractA.length);
    const freeA = freeAxes(a!.shape.length, axes.batchA, axes.contractA).map((axis) => a!.shape[axis]!);
    const freeB = freeAxes(b!.shape.length, axes.batchB, axes.contractB).map((axis) => b!.shape[axis]!);
    return denseType(a!.dtype, [...axes.batchA.map((axis) => a!.shape[axis]!), ...freeA, ...freeB]);
  },
};

/** A product with the other operand: what was free of it is summed, what was summed is free. */
function contractPullback({ inputs: [a, b], attrs, cotangent }: Pulled, use: Calculus): Handle[] {
  const { batchA, batchB, contractA, contractB } = contractAxes(attrs);
  const freeA = freeAxes(a!.shape.length, batchA, contractA);
  const freeB = freeAxes(b!.shape.length, batchB, contractB);
  const batch = batchA.map((_, i) => i);
  const ofA = freeA.map((_, i) => batch.length + i);
  const ofB = freeB.map((_, i) => batch.length + freeA.length + i);
  const toA = use.contract(cotangent, b!, {
    ...{ batchA: batch, batchB, contractA: ofB, contractB: freeB },
  });
  const toB = use.contract(cotangent, a!, {
    ...{ batchA: batch, batchB: batchA, contractA: ofA, contractB: freeA },
  });
  return [
    use.permute(toA, ordered(batchA, freeA, contractB, contractA)),
    use.permute(toB, ordered(batchB, freeB, contractA, contractB)),
  ];
}

/** Axes come as batch, free, and those that were summed, in the order that they have in the other operand: where each of them belongs. */
function ordered(
  batch: readonly number[],
  free: readonly number[],
  others: readonly number[],
  own: readonly number[],
): number[] {
  const summed = [...others].sort((x, y) => x - y).map((axis) => own[others.indexOf(axis)]!);
  const axes = [...batch, ...free, ...summed];
  return axes.map((_, axis) => axes.indexOf(axis));
}

function checkPairs(a: DenseType, b: DenseType, axesA: readonly number[], axesB: readonly number[]): void {
  axesA.forEach((axisA, i) => {
    const axisB = axesB[i]!;
    if (a.shape[axisA] === b.shape[axisB]) return;
    throw new ShapeError({
      what:
        `shapes ${shapeText(a.shape)} and ${shapeText(b.shape)} do not fit: ` +
        `axis ${axisA} of the first is ${a.shape[axisA]} long and axis ${axisB} of the second ${b.shape[axisB]}`,
      cure: "Axes that are summed together must be equally long; transpose or reshape one operand",
    });
  });
}

/** Plans say in which blocks of the contracted axes a product is added up; not that one is added to what is there. */
function checkBlocks({ blocks, isSum }: Attrs, count: number): void {
  const isList = Array.isArray(blocks) && blocks.length === count && blocks.every(isBlock);
  if (isSum === undefined && (blocks === undefined || isList)) return;
  throw new ShapeError({ what: `blocks of a contraction are ${describe(blocks)}, not one length per axis` });
}

const isBlock = (length: unknown): boolean => Number.isSafeInteger(length) && (length as number) >= 1;

/** The boxes of a and b that a box of the output needs: whole along the contracted axes. */
export function contractDemand(out: Box, [a, b]: readonly DenseType[], axes: ContractAxes): readonly Box[] {
  const batch = axes.batchA.length;
  const freeA = freeAxes(a!.shape.length, axes.batchA, axes.contractA);
  const freeB = freeAxes(b!.shape.length, axes.batchB, axes.contractB);
  const boxOf = (
    type: DenseType,
    batchAxes: readonly number[],
    free: readonly number[],
    offset: number,
  ): Box => {
    const start = type.shape.map(() => 0);
    const shape = [...type.shape];
    const take = (axis: number, from: number): void => {
      start[axis] = out.start[from]!;
      shape[axis] = out.shape[from]!;
    };
    batchAxes.forEach((axis, i) => take(axis, i));
    free.forEach((axis, i) => take(axis, offset + i));
    return { start, shape };
  };
  return [boxOf(a!, axes.batchA, freeA, batch), boxOf(b!, axes.batchB, freeB, batch + freeA.length)];
}
