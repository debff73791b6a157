// Contractions as kernels: products of matrices. In: a routine's call. Out: true, with the output written; false where
// the routine itself has to do it: little work, a dtype without a kernel, or no room for copies.

import type { Block } from "../../core/block.ts";
import { sizeOf } from "../../core/shape.ts";
import type { RoutineCall } from "../routine.ts";
import { contract, contractByProduct, isAdded, partsOf } from "../routines/contract.ts";
import { inMatrixOrder } from "../routines/matrices.ts";
import { copyElements } from "../routines/walk.ts";
import { withBuffer, workInside } from "./inside.ts";
import { kernelOf } from "./kernels.ts";
import { multiplyMatrices } from "./matmul/jobs.ts";
import { contractAsMatrices } from "./matmul/matrices.ts";
import type { Product } from "./matmul/product.ts";
import { giveBlock, isShared, takeBlock } from "./memory.ts";
import { runJob } from "./threads.ts";

export function runContract(call: RoutineCall, threads: number): boolean {
  if (call.attrs["blocks"] === undefined) return runPart(call, threads);
  for (const part of partsOf(call)) if (!runPart(part, threads)) contract(part);
  return true;
}

function runPart(call: RoutineCall, threads: number): boolean {
  const [a, b] = call.inputs;
  const [c] = call.outputs;
  if (sizeOf(a!.shape) === 0 || sizeOf(c!.shape) === 0) return false;
  if (contractByProduct(a!, b!, c!, call.attrs)) return true;
  let isDone = false;
  // A sum that goes on is read, too.
  const read = isAdded(call.attrs) ? [...call.inputs, ...call.outputs] : call.inputs;
  const isInside = workInside(read, call.outputs, (inputs, outputs) => {
    const products = contractAsMatrices(inputs[0]!, inputs[1]!, outputs[0]!, call.attrs);
    isDone =
      products === null
        ? contractCopies({ ...call, inputs, outputs }, threads)
        : runProducts(products, isAdded(call.attrs), threads);
  });
  return isInside && isDone;
}

function runProducts(products: readonly Product[], isSum: boolean, threads: number): boolean {
  for (const product of products) {
    const work = multiplyMatrices(product, { isSum });
    if (work === null) return false;
    const isDone = withBuffer(work.bufferBytes, (buffer) => {
      for (const { kernel, parameters, units, part } of work.jobs(buffer))
        runJob(
          kernelOf(`matmul ${kernel.key}`, () => kernel.bytes(isShared)),
          parameters,
          units,
          part,
          threads,
        );
    });
    if (!isDone) return false;
  }
  return true;
}

/** Axes that do not lie together are copied together. */
function contractCopies({ inputs, outputs, attrs }: RoutineCall, threads: number): boolean {
  const ordered = inMatrixOrder(inputs[0]!, inputs[1]!, attrs);
  const views = [ordered.a, ordered.b];
  const [output] = outputs;
  const copies = [...views, output!].map(({ dtype, shape }) => takeBlock(dtype, shape));
  try {
    if (copies.includes(null)) return false;
    const [a, b, c] = copies as Block[];
    copyElements(views[0]!, a!);
    copyElements(views[1]!, b!);
    if (isAdded(attrs)) copyElements(output!, c!);
    const products = contractAsMatrices(a!, b!, c!, ordered.attrs);
    if (products === null || !runProducts(products, isAdded(attrs), threads)) return false;
    copyElements(c!, output!);
    return true;
  } finally {
    for (const copy of copies) if (copy !== null) giveBlock(copy);
  }
}
