// Runs scan steps as kernels. In: a step and blocks. Out: true, with the result written; false when there is no room
// for copies of what lies outside.

import type { Block } from "../../core/block.ts";
import { infoOf } from "../../core/dtype.ts";
import type { Access, ScanStep } from "../blockProgram.ts";
import { bind } from "../interpret/tile.ts";
import { workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";
import type { KernelMemory } from "./memory.ts";
import { type ScanPlace, scanJob, scanKey } from "./scan/scanJobs.ts";
import { scanModule } from "./scan/scanKernel.ts";

export function runScanKernel(
  { memory, kernels, jobs }: WasmMachine,
  step: ScanStep,
  blocks: readonly Block[],
  threads: number,
): boolean {
  const { domain, axis, operand, before, result } = step;
  const view = (access: Access): Block => {
    const { offset, strides } = bind(access, blocks);
    // A stretched axis is one element long, so that a copy of the block is no larger than it.
    const shape = domain.map((length, d) => (strides[d] === 0 ? Math.min(1, length) : length));
    return { ...blocks[access.buffer]!, shape, offset, strides };
  };
  const inputs = before === null ? [view(operand)] : [view(operand), view(before)];
  return workInside(memory, inputs, [view(result)], ([x, start], [y]) => {
    const job = scanJob({
      ...{ domain, axis, exclusive: step.exclusive, bytes: infoOf(y!.dtype).bytes },
      operand: placeOf(memory, x!),
      before: start === undefined ? null : placeOf(memory, start),
      result: placeOf(memory, y!),
    });
    if (job === null) return;
    const { combine, identity } = step;
    const kernel = kernels.get(scanKey(combine, identity, job.shape), (isShared) =>
      scanModule(isShared, combine, identity, job.shape),
    );
    jobs.run(kernel, job.parameters, job.units, job.part, threads);
  });
}

function placeOf(memory: KernelMemory, block: Block): ScanPlace {
  const { bytes } = infoOf(block.dtype);
  const strides = block.strides.map((stride, d) => (block.shape[d] === 1 ? 0 : stride * bytes));
  return { address: memory.placedAddress(block), strides };
}
