// contract: sums of products over shared axes, as XLA's dot_general. In: a and b of one numeric dtype; batchA and
// batchB, contractA and contractB name pairs of equally long axes. Out: the batch axes in batchA's order, then a's
// free axes, then b's. Integers wrap, floats add up in float64, the sum of nothing is 0. With isSum, sums go on from what
// the output holds; with blocks, the lengths of blocks along the contracted axes, they are made block by block. A
// product from outside comes first (outsideProduct.ts). This is the plain way, sum by sum: what kernels are compared with.

import { type Attrs, type Block, subBlock } from "../../core/block.ts";
import { placeOf, sizeOf } from "../../core/chunks.ts";
import { isComplex, isFloat, isWide, type TypedArray } from "../../core/dtype.ts";
import type { Routine, RoutineCall } from "../routine.ts";
import { blockAt, integersAttr } from "./attributes.ts";
import { groupAxes, matrixCalls } from "./matrices.ts";
import type { MatrixProduct } from "./outsideProduct.ts";
import type { Room } from "./room.ts";
import { stepsOf } from "./stridedWalk.ts";

export const contract: Routine = (call) => {
  for (const part of partsOf(call)) {
    const { inputs, outputs, attrs, product, room } = part;
    const [a, b, output] = [blockAt(inputs, 0), blockAt(inputs, 1), blockAt(outputs, 0)];
    if (!contractByProduct(a, b, output, attrs, product)) contractBySums(a, b, output, attrs, room);
  }
};

/** Block by block of the contracted axes, in their order: the first is written, the others are added. */
export function* partsOf(call: RoutineCall): Iterable<RoutineCall> {
  const { blocks, ...attrs } = call.attrs;
  if (blocks === undefined) return yield call;
  const lengths = integersAttr(call.attrs, "blocks");
  const axes = [integersAttr(attrs, "contractA"), integersAttr(attrs, "contractB")];
  const shape = axes[0]!.map((axis) => call.inputs[0]!.shape[axis]!);
  const counts = shape.map((n, i) => Math.max(1, Math.ceil(n / lengths[i]!)));
  for (let number = 0; number < sizeOf(counts); number++) {
    const first = placeOf(number, counts).map((place, i) => place * lengths[i]!);
    const inputs = call.inputs.map((block, k) => blockAlong(block, axes[k]!, first, lengths));
    yield { ...call, inputs, attrs: number === 0 ? attrs : { ...attrs, isSum: true } };
  }
}

/** The part of a block along some axes, from `first` on and no longer than `lengths`. */
function blockAlong(
  block: Block,
  axes: readonly number[],
  first: readonly number[],
  lengths: readonly number[],
): Block {
  const start = block.shape.map((_, axis) => first[axes.indexOf(axis)] ?? 0);
  const shape = block.shape.map((n, axis) => Math.min(n - start[axis]!, lengths[axes.indexOf(axis)] ?? n));
  return subBlock(block, start, shape);
}

/** True if the product from outside has done it. */
export function contractByProduct(
  a: Block,
  b: Block,
  output: Block,
  attrs: Attrs,
  product: MatrixProduct | null = null,
): boolean {
  if (product === null || isAdded(attrs)) return false;
  const calls = matrixCalls(a, b, output, attrs);
  return calls?.every(product) ?? false;
}

/** True when the product is added to what the output holds. */
export const isAdded = (attrs: Attrs): boolean => attrs["isSum"] === true;

/** Writes to output[to] the sum over k of a[inA + stepsA[k]] · b[inB + stepsB[k]]. */
type SumOfProducts = (inA: number, inB: number, to: number) => void;

function contractBySums(a: Block, b: Block, output: Block, attrs: Attrs, room?: Room): void {
  const steps = (block: Block): Int32Array => stepsOf(block, room);
  const { batch, rows, columns, depth } = groupAxes(a, b, output, attrs);
  const [batchA, batchB, batchOut] = batch.map(steps) as [Int32Array, Int32Array, Int32Array];
  const [rowsA, rowsOut] = rows.map(steps) as [Int32Array, Int32Array];
  const [columnsB, columnsOut] = columns.map(steps) as [Int32Array, Int32Array];
  const [stepsA, stepsB] = depth.map(steps) as [Int32Array, Int32Array];
  const sum = sumFor(a.data, b.data, output, { stepsA, stepsB, isAdded: isAdded(attrs) });
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

function sumFor(a: TypedArray, b: TypedArray, { data, dtype }: Block, way: Way): SumOfProducts {
  if (isComplex(dtype)) return complexSum(a as Float64Array, b as Float64Array, data as Float64Array, way);
  if (isWide(dtype)) return wideSum(a as BigInt64Array, b as BigInt64Array, data as BigInt64Array, way);
  const [x, y, z] = [a as Float64Array, b as Float64Array, data as Float64Array];
  return isFloat(dtype) ? floatSum(x, y, z, way) : integerSum(x, y, z, way);
}

/** Through the contracted axes of both; from nothing, or from what the output holds. */
interface Way {
  readonly stepsA: Int32Array;
  readonly stepsB: Int32Array;
  readonly isAdded: boolean;
}

type SumOf<Data> = (a: Data, b: Data, out: Data, way: Way) => SumOfProducts;

const floatSum: SumOf<Float64Array> =
  (a, b, out, { stepsA, stepsB, isAdded }) =>
  (inA, inB, to) => {
    let sum = isAdded ? out[to]! : 0;
    for (let k = 0; k < stepsA.length; k++) sum += a[inA + stepsA[k]!]! * b[inB + stepsB[k]!]!;
    out[to] = sum;
    // A sum that is too small for a float32 rounds to −0; added up in float32 it is 0.
    out[to]! += 0;
  };

const integerSum: SumOf<Float64Array> =
  (a, b, out, { stepsA, stepsB, isAdded }) =>
  (inA, inB, to) => {
    let sum = isAdded ? out[to]! : 0;
    for (let k = 0; k < stepsA.length; k++)
      sum = (sum + Math.imul(a[inA + stepsA[k]!]!, b[inB + stepsB[k]!]!)) | 0;
    out[to] = sum;
  };

const wideSum: SumOf<BigInt64Array> =
  (a, b, out, { stepsA, stepsB, isAdded }) =>
  (inA, inB, to) => {
    let sum = isAdded ? out[to]! : 0n;
    for (let k = 0; k < stepsA.length; k++)
      sum = BigInt.asIntN(64, sum + a[inA + stepsA[k]!]! * b[inB + stepsB[k]!]!);
    out[to] = sum;
  };

const complexSum: SumOf<Float64Array> =
  (a, b, out, { stepsA, stepsB, isAdded }) =>
  (inA, inB, to) => {
    let [re, im] = isAdded ? [out[2 * to]!, out[2 * to + 1]!] : [0, 0];
    for (let k = 0; k < stepsA.length; k++) {
      const [x, y] = [2 * (inA + stepsA[k]!), 2 * (inB + stepsB[k]!)];
      re += a[x]! * b[y]! - a[x + 1]! * b[y + 1]!;
      im += a[x]! * b[y + 1]! + a[x + 1]! * b[y]!;
    }
    out[2 * to] = re;
    out[2 * to + 1] = im;
  };
