// Contractions as kernels: products of matrices. In: a routine's call. Out: true, with the output written; false where
// the routine itself has to do it: little work, a dtype without a kernel, or no room for copies.

import type { Attrs, Block } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import { type DType, infoOf } from "../../core/dtype.ts";
import type { RoutineCall } from "../routine.ts";
import { contract, contractByProduct, isAdded, partsOf } from "../routines/contract.ts";
import { inMatrixOrder, type MatrixView, matrixCalls } from "../routines/matrices.ts";
import { copyElements } from "../routines/stridedWalk.ts";
import { withBuffer, workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";
import type { Matrix, Product } from "./matmul/product.ts";
import { multiplyMatrices } from "./matmul/productJobs.ts";
import type { KernelMemory } from "./memory.ts";

// Contractions as products of matrices in the kernels' memory. In: a contract call whose blocks lie there. Out: one
// product for every place along the batch axes; null where axes have to be copied together first (inMatrixOrder).

export function contractAsMatrices(
  memory: KernelMemory,
  a: Block,
  b: Block,
  output: Block,
  attrs: Attrs,
): Product[] | null {
  const calls = matrixCalls(a, b, output, attrs);
  if (calls === null) return null;
  return calls.map((call) => ({
    ...call,
    a: inBytes(memory, call.a, call.dtype),
    b: inBytes(memory, call.b, call.dtype),
    c: inBytes(memory, call.c, call.dtype),
  }));
}

function inBytes(memory: KernelMemory, view: MatrixView, dtype: DType): Matrix {
  const { bytes } = infoOf(dtype);
  return {
    address: memory.placedAddress({ ...view, dtype }),
    rowStride: view.rowStride * bytes,
    columnStride: view.columnStride * bytes,
  };
}

export function runContract(machine: WasmMachine, call: RoutineCall, threads: number): boolean {
  if (call.attrs["blocks"] === undefined) return runPart(machine, call, threads);
  for (const part of partsOf(call)) if (!runPart(machine, part, threads)) contract(part);
  return true;
}

function runPart(machine: WasmMachine, call: RoutineCall, threads: number): boolean {
  const [a, b] = call.inputs;
  const [c] = call.outputs;
  if (sizeOf(a!.shape) === 0 || sizeOf(c!.shape) === 0) return false;
  if (contractByProduct(a!, b!, c!, call.attrs, call.product)) return true;
  let isDone = false;
  // A sum that goes on is read, too.
  const read = isAdded(call.attrs) ? [...call.inputs, ...call.outputs] : call.inputs;
  const isInside = workInside(machine.memory, read, call.outputs, (inputs, outputs) => {
    const products = contractAsMatrices(machine.memory, inputs[0]!, inputs[1]!, outputs[0]!, call.attrs);
    isDone =
      products === null
        ? contractCopies(machine, { ...call, inputs, outputs }, threads)
        : runProducts(machine, products, isAdded(call.attrs), threads);
  });
  return isInside && isDone;
}

function runProducts(
  { memory, kernels, jobs }: WasmMachine,
  products: readonly Product[],
  isSum: boolean,
  threads: number,
): boolean {
  for (const product of products) {
    const work = multiplyMatrices(product, { isSum });
    if (work === null) return false;
    const isDone = withBuffer(memory, work.bufferBytes, (buffer) => {
      for (const { kernel, parameters, units, part } of work.jobs(buffer))
        jobs.run(kernels.get(`matmul ${kernel.key}`, kernel.bytes), parameters, units, part, threads);
    });
    if (!isDone) return false;
  }
  return true;
}

/** Axes that do not lie together are copied together. */
function contractCopies(
  machine: WasmMachine,
  { inputs, outputs, attrs }: RoutineCall,
  threads: number,
): boolean {
  const { memory } = machine;
  const ordered = inMatrixOrder(inputs[0]!, inputs[1]!, attrs);
  const views = [ordered.a, ordered.b];
  const [output] = outputs;
  const copies = [...views, output!].map(({ dtype, shape }) => memory.takeBlock(dtype, shape));
  try {
    if (copies.includes(null)) return false;
    const [a, b, c] = copies as Block[];
    copyElements(views[0]!, a!);
    copyElements(views[1]!, b!);
    if (isAdded(attrs)) copyElements(output!, c!);
    const products = contractAsMatrices(memory, a!, b!, c!, ordered.attrs);
    if (products === null || !runProducts(machine, products, isAdded(attrs), threads)) return false;
    copyElements(c!, output!);
    return true;
  } finally {
    for (const copy of copies) if (copy !== null) memory.giveBlock(copy);
  }
}
