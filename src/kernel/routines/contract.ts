// contract: sums of products over shared axes, as XLA's dot_general. In: a and b of one numeric dtype; batchA and
// batchB, contractA and contractB name pairs of equally long axes. Out: the batch axes in batchA's order, then a's
// free axes, then b's. Integers wrap, floats add up in float64, the sum of nothing is 0. A product from outside comes
// first (product.ts). This is the plain way, sum by sum: what kernels are compared with.

import type { Attrs } from "../../core/attrs.ts";
import type { Block } from "../../core/block.ts";
import { isComplex, isFloat, isWide, type TypedArray } from "../../core/dtype.ts";
import type { Routine } from "../routine.ts";
import { blockAt } from "./attributes.ts";
import { groupAxes, matrixCalls } from "./matrices.ts";
import { currentProduct } from "./product.ts";
import { stepsOf } from "./walk.ts";

export const contract: Routine = ({ inputs, outputs, attrs }) => {
  const [a, b, output] = [blockAt(inputs, 0), blockAt(inputs, 1), blockAt(outputs, 0)];
  if (!contractByProduct(a, b, output, attrs)) contractBySums(a, b, output, attrs);
};

/** True if the product from outside has done it. */
export function contractByProduct(a: Block, b: Block, output: Block, attrs: Attrs): boolean {
  const product = currentProduct();
  if (product === null) return false;
  const calls = matrixCalls(a, b, output, attrs);
  return calls?.every(product) ?? false;
}

/** Writes to output[to] the sum over k of a[inA + stepsA[k]] · b[inB + stepsB[k]]. */
type SumOfProducts = (inA: number, inB: number, to: number) => void;

function contractBySums(a: Block, b: Block, output: Block, attrs: Attrs): void {
  const { batch, rows, columns, depth } = groupAxes(a, b, output, attrs);
  const [batchA, batchB, batchOut] = batch.map(stepsOf) as [Int32Array, Int32Array, Int32Array];
  const [rowsA, rowsOut] = rows.map(stepsOf) as [Int32Array, Int32Array];
  const [columnsB, columnsOut] = columns.map(stepsOf) as [Int32Array, Int32Array];
  const [stepsA, stepsB] = depth.map(stepsOf) as [Int32Array, Int32Array];
  const sum = sumFor(a.data, b.data, output, stepsA, stepsB);
  for (let i = 0; i < batchA.length; i++) {
    for (let row = 0; row < rowsA.length; row++) {
      for (let column = 0; column < columnsB.length; column++) {
        sum(
          a.offset + batchA[i]! + rowsA[row]!,
          b.offset + batchB[i]! + columnsB[column]!,
          output.offset + batchOut[i]! + rowsOut[row]! + columnsOut[column]!,
        );
      }
    }
  }
}

function sumFor(
  a: TypedArray,
  b: TypedArray,
  { data, dtype }: Block,
  stepsA: Int32Array,
  stepsB: Int32Array,
): SumOfProducts {
  if (isComplex(dtype))
    return complexSum(a as Float64Array, b as Float64Array, data as Float64Array, stepsA, stepsB);
  if (isWide(dtype))
    return wideSum(a as BigInt64Array, b as BigInt64Array, data as BigInt64Array, stepsA, stepsB);
  const [x, y, z] = [a as Float64Array, b as Float64Array, data as Float64Array];
  return isFloat(dtype) ? floatSum(x, y, z, stepsA, stepsB) : integerSum(x, y, z, stepsA, stepsB);
}

type SumOf<Data> = (a: Data, b: Data, out: Data, stepsA: Int32Array, stepsB: Int32Array) => SumOfProducts;

const floatSum: SumOf<Float64Array> = (a, b, out, stepsA, stepsB) => (inA, inB, to) => {
  let sum = 0;
  for (let k = 0; k < stepsA.length; k++) sum += a[inA + stepsA[k]!]! * b[inB + stepsB[k]!]!;
  out[to] = sum;
};

const integerSum: SumOf<Float64Array> = (a, b, out, stepsA, stepsB) => (inA, inB, to) => {
  let sum = 0;
  for (let k = 0; k < stepsA.length; k++)
    sum = (sum + Math.imul(a[inA + stepsA[k]!]!, b[inB + stepsB[k]!]!)) | 0;
  out[to] = sum;
};

const wideSum: SumOf<BigInt64Array> = (a, b, out, stepsA, stepsB) => (inA, inB, to) => {
  let sum = 0n;
  for (let k = 0; k < stepsA.length; k++)
    sum = BigInt.asIntN(64, sum + a[inA + stepsA[k]!]! * b[inB + stepsB[k]!]!);
  out[to] = sum;
};

const complexSum: SumOf<Float64Array> = (a, b, out, stepsA, stepsB) => (inA, inB, to) => {
  let [re, im] = [0, 0];
  for (let k = 0; k < stepsA.length; k++) {
    const [x, y] = [2 * (inA + stepsA[k]!), 2 * (inB + stepsB[k]!)];
    re += a[x]! * b[y]! - a[x + 1]! * b[y + 1]!;
    im += a[x]! * b[y + 1]! + a[x + 1]! * b[y]!;
  }
  out[2 * to] = re;
  out[2 * to + 1] = im;
};
