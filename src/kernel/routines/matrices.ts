// A contraction as products of matrices. In: the blocks of a contract call and its axes. Out: its axes in groups, and
// one product for every place along the batch axes: null where the free axes of a, those of b, or the contracted
// ones do not each walk as one. Contiguous copies of a and b with their axes `inMatrixOrder`, and a contiguous output, do.

import type { Attrs, Block, Place } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import type { DType, TypedArray } from "../../core/dtype.ts";
import { integersAttr } from "./attributes.ts";
import { joinAxes, Odometer, otherAxes, selectAxes } from "./stridedWalk.ts";

/** The same axes as two of the operands see them. */
export type Pair = readonly [Block, Block];

export interface AxisGroups {
  /** In a, b and the output. */
  readonly batch: readonly [Block, Block, Block];
  /** a's free axes, in a and in the output. */
  readonly rows: Pair;
  /** b's free axes, in b and in the output. */
  readonly columns: Pair;
  /** The contracted axes, in a and in b. */
  readonly depth: Pair;
}

export function groupAxes(a: Block, b: Block, output: Block, attrs: Attrs): AxisGroups {
  const [inA, inB] = [axesOf(a, attrs, "A"), axesOf(b, attrs, "B")];
  const outputAxes = otherAxes(output.shape.length, []);
  const firstColumn = inA.batch.length + inA.free.length;
  const outputOf = (from: number, to?: number) => selectAxes(output, outputAxes.slice(from, to));
  return {
    batch: [selectAxes(a, inA.batch), selectAxes(b, inB.batch), outputOf(0, inA.batch.length)],
    rows: [selectAxes(a, inA.free), outputOf(inA.batch.length, firstColumn)],
    columns: [selectAxes(b, inB.free), outputOf(firstColumn)],
    depth: [selectAxes(a, inA.contract), selectAxes(b, inB.contract)],
  };
}

interface OperandAxes {
  readonly batch: readonly number[];
  readonly free: readonly number[];
  readonly contract: readonly number[];
}

function axesOf({ shape }: Block, attrs: Attrs, operand: "A" | "B"): OperandAxes {
  const batch = integersAttr(attrs, `batch${operand}`);
  const contract = integersAttr(attrs, `contract${operand}`);
  return { batch, contract, free: otherAxes(shape.length, [...batch, ...contract]) };
}

export interface OrderedOperands {
  readonly a: Block;
  readonly b: Block;
  readonly attrs: Attrs;
}

/** The same contraction with the axes as matrices have them: batch, then rows, then columns. */
export function inMatrixOrder(a: Block, b: Block, attrs: Attrs): OrderedOperands {
  const [inA, inB] = [axesOf(a, attrs, "A"), axesOf(b, attrs, "B")];
  const count = (length: number, from: number): number[] => Array.from({ length }, (_, i) => from + i);
  const batch = count(inA.batch.length, 0);
  return {
    a: selectAxes(a, [...inA.batch, ...inA.free, ...inA.contract]),
    b: selectAxes(b, [...inB.batch, ...inB.contract, ...inB.free]),
    attrs: {
      batchA: batch,
      batchB: batch,
      contractA: count(inA.contract.length, batch.length + inA.free.length),
      contractB: count(inB.contract.length, batch.length),
    },
  };
}

/** Offsets and strides count elements. Along an axis of length 1 the stride is 0. */
export interface MatrixView {
  readonly data: TypedArray;
  /** Of the block that it is a part of. */
  readonly place?: Place | undefined;
  readonly offset: number;
  readonly rowStride: number;
  readonly columnStride: number;
}

/** c [m, n] = a [m, k] · b [k, n] */
export interface MatrixCall {
  readonly dtype: DType;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly a: MatrixView;
  readonly b: MatrixView;
  readonly c: MatrixView;
}

export function matrixCalls(a: Block, b: Block, output: Block, attrs: Attrs): MatrixCall[] | null {
  const groups = groupAxes(a, b, output, attrs);
  const [rows, columns, depth] = [lineOf(groups.rows), lineOf(groups.columns), lineOf(groups.depth)];
  if (rows === null || columns === null || depth === null) return null;
  return placesOf(groups).map(([inA, inB, inOutput]) => ({
    dtype: output.dtype,
    m: rows.length,
    n: columns.length,
    k: depth.length,
    a: { ...memoryOf(a), offset: inA, rowStride: rows.first, columnStride: depth.first },
    b: { ...memoryOf(b), offset: inB, rowStride: depth.second, columnStride: columns.first },
    c: { ...memoryOf(output), offset: inOutput, rowStride: rows.second, columnStride: columns.second },
  }));
}

const memoryOf = ({ data, place }: Block): Pick<MatrixView, "data" | "place"> => ({ data, place });

/** Axes that both operands walk as one. */
interface Line {
  readonly length: number;
  readonly first: number;
  readonly second: number;
}

function lineOf([first, second]: Pair): Line | null {
  const length = sizeOf(first.shape);
  const { shape, operands } = joinAxes(first.shape, [first, second]);
  if (length > 0 && shape.length > 1) return null;
  return { length, first: operands[0]!.strides[0] ?? 0, second: operands[1]!.strides[0] ?? 0 };
}

/** Where the matrices of each place along the batch axes start. */
function placesOf({ batch }: AxisGroups): [number, number, number][] {
  const odometer = new Odometer(batch[0].shape, batch);
  return Array.from({ length: sizeOf(batch[0].shape) }, () => {
    const [a, b, output] = odometer.offsets as [number, number, number];
    odometer.step();
    return [a, b, output];
  });
}
