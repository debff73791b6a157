// sort and argsort as kernels. In: a routine's call. Out: true, with the output written; false where the routine itself
// has to do it: complex numbers, or no room for copies.

import type { Block } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import { infoOf, isComplex, type RealDType } from "../../core/dtype.ts";
import type { RoutineCall } from "../routine.ts";
import { booleanAttr, integerAttr } from "../routines/attributes.ts";
import { otherAxes } from "../routines/stridedWalk.ts";
import { withBuffer, workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";
import type { KernelMemory } from "./memory.ts";
import type { SortKind } from "./sort/row.ts";
import {
  type SortJob,
  type SortRows,
  type SortSegments,
  segmentBufferBytes,
  segmentJob,
  sortBufferBytes,
  sortJobs,
} from "./sort/sortJobs.ts";
import { sortModule } from "./sort/sortKernel.ts";

export function runSort(
  machine: WasmMachine,
  kind: SortKind,
  { inputs, outputs, attrs }: RoutineCall,
  threads: number,
): boolean {
  const { memory } = machine;
  const { dtype, shape } = inputs[0]!;
  if (isComplex(dtype) || sizeOf(shape) === 0) return false;
  let isDone = false;
  const isInside = workInside(memory, inputs, outputs, ([x], [y]) => {
    const rows = rowsOf(memory, kind, x!, y!, integerAttr(attrs, "axis"), booleanAttr(attrs, "descending"));
    isDone = withBuffer(memory, sortBufferBytes(rows, threads), (buffer) => {
      runJobs(machine, sortJobs(rows, threads, buffer), rows, false, threads);
    });
  });
  return isInside && isDone;
}

/** Segments of the first input: from the second's g-th number on and before the next. */
export function runSegmentSort(
  machine: WasmMachine,
  kind: SortKind,
  { inputs, outputs, attrs }: RoutineCall,
  threads: number,
): boolean {
  const { memory } = machine;
  let isDone = false;
  const isInside = workInside(memory, inputs, outputs, ([x, lists], [y]) => {
    const [inputStride, outputStride] = [infoOf(x!.dtype).bytes, infoOf(y!.dtype).bytes];
    const segments: SortSegments = {
      ...{ kind, dtype: x!.dtype as RealDType, descending: booleanAttr(attrs, "descending") },
      ...{ input: memory.placedAddress(x!), inputStride, output: memory.placedAddress(y!), outputStride },
      ...{ offsets: memory.placedAddress(lists!), ends: lists!.data as Int32Array },
    };
    isDone = withBuffer(memory, segmentBufferBytes(segments), (buffer) => {
      runJobs(machine, [segmentJob(segments, buffer)], segments, true, threads);
    });
  });
  return isInside && isDone;
}

function runJobs(
  { kernels, jobs: shared }: WasmMachine,
  jobs: readonly SortJob[],
  { kind, dtype }: Pick<SortRows, "kind" | "dtype">,
  isSegmented: boolean,
  threads: number,
): void {
  const kernel = kernels.get(`${kind} ${dtype} ${isSegmented}`, (isShared) =>
    sortModule(isShared, kind, dtype, isSegmented),
  );
  for (const { parameters, units, part } of jobs) shared.run(kernel, parameters, units, part, threads);
}

function rowsOf(
  memory: KernelMemory,
  kind: SortKind,
  x: Block,
  y: Block,
  axis: number,
  descending: boolean,
): SortRows {
  const [inBytes, outBytes] = [infoOf(x.dtype).bytes, infoOf(y.dtype).bytes];
  return {
    ...{ kind, dtype: x.dtype as RealDType, descending, length: x.shape[axis]! },
    ...{ input: memory.placedAddress(x), inputStride: x.strides[axis]! * inBytes },
    ...{ output: memory.placedAddress(y), outputStride: y.strides[axis]! * outBytes },
    axes: otherAxes(x.shape.length, [axis]).map((d) => ({
      count: x.shape[d]!,
      strides: [x.strides[d]! * inBytes, y.strides[d]! * outBytes],
    })),
  };
}
