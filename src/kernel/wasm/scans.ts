// Runs scan steps as kernels. In: a step and blocks. Out: true, with the result written; false when there is no room
// for copies of what lies outside.

import type { Block } from "../../core/block.ts";
import { infoOf } from "../../core/dtype.ts";
import type { Access, ScanStep } from "../blockProgram.ts";
import { bind } from "../interpret/tile.ts";
import { workInside } from "./inside.ts";
import { kernelOf } from "./kernels.ts";
import { isShared, placedAddress } from "./memory.ts";
import { type ScanPlace, scanJob, scanKey } from "./scan/scanJobs.ts";
import { scanModule } from "./scan/scanKernel.ts";
import { runJob } from "./threads.ts";

export function runScanKernel(step: ScanStep, blocks: readonly Block[], threads: number): boolean {
  const { domain, axis, operand, before, result } = step;
  const view = (access: Access): Block => {
    const { offset, strides } = bind(access, blocks);
    // A stretched axis is one element long, so that a copy of the block is no larger than it.
    const shape = domain.map((length, d) => (strides[d] === 0 ? Math.min(1, length) : length));
    return { ...blocks[access.buffer]!, shape, offset, strides };
  };
  const inputs = before === null ? [view(operand)] : [view(operand), view(before)];
  return workInside(inputs, [view(result)], ([x, start], [y]) => {
    const job = scanJob({
      ...{ domain, axis, exclusive: step.exclusive, bytes: infoOf(y!.dtype).bytes },
      operand: placeOf(x!),
      before: start === undefined ? null : placeOf(start),
      result: placeOf(y!),
    });
    if (job === null) return;
    const { combine, identity } = step;
    const kernel = kernelOf(scanKey(combine, identity, job.shape), () =>
      scanModule(isShared, combine, identity, job.shape),
    );
    runJob(kernel, job.parameters, job.units, job.part, threads);
  });
}

function placeOf(block: Block): ScanPlace {
  const { bytes } = infoOf(block.dtype);
  const strides = block.strides.map((stride, d) => (block.shape[d] === 1 ? 0 : stride * bytes));
  return { address: placedAddress(block), strides };
}
