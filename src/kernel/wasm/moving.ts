// pick and spread as kernels. In: a routine's call. Out: true, with the output written; false where the routine itself has to
// do it: few elements of many that lie outside, or no room for copies.

import { infoOf } from "../../core/dtype.ts";
import type { RoutineCall } from "../routine.ts";
import { workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";
import { pickModule, spreadModule } from "./moveKernel.ts";

/** Elements that one thread takes at a time, and from which on others are asked for help. */
const PART = 65_536;
const WORTH_SHARING = 1 << 19;
/** What lies outside is brought in where at least one in so many of its elements is asked for. */
const WORTH_BRINGING = 4;

export function runPick(
  { memory, kernels, jobs }: WasmMachine,
  { inputs, outputs }: RoutineCall,
  threads: number,
): boolean {
  const [x, index] = inputs;
  const { bytes } = infoOf(x!.dtype);
  const count = index!.shape[0]!;
  if (memory.addressOf(x!) === null && count * WORTH_BRINGING < x!.shape[0]!) return false;
  return workInside(memory, inputs, outputs, ([data, places, other], [out]) => {
    const parameters = [data!, places!, out!, other!].map((block) => memory.placedAddress(block));
    const kernel = kernels.get(`pick ${bytes}`, (isShared) => pickModule(isShared, bytes));
    jobs.run(kernel, parameters, count, PART, count < WORTH_SHARING ? 1 : threads);
  });
}

export function runSpread(
  { memory, kernels, jobs }: WasmMachine,
  { inputs, outputs }: RoutineCall,
  threads: number,
): boolean {
  const { bytes } = infoOf(inputs[0]!.dtype);
  const count = inputs[1]!.shape[0]! - 1;
  const elements = outputs[0]!.shape[0]!;
  return workInside(memory, inputs, outputs, (given, outs) => {
    const parameters = [...given, ...outs].map((block) => memory.placedAddress(block));
    const kernel = kernels.get(`spread ${bytes}`, (isShared) => spreadModule(isShared, bytes));
    const part = Math.max(1, Math.ceil((PART * count) / (elements + count)));
    jobs.run(kernel, parameters, count, part, elements < WORTH_SHARING ? 1 : threads);
  });
}
