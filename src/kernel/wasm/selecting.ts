// select as a kernel. In: a routine's call, and memory that was stated for it. Out: true, with the output written; false where the
// routine itself has to do it.

import { sizeOf } from "../../core/chunks.ts";
import { infoOf, type RealDType } from "../../core/dtype.ts";
import type { RoutineCall } from "../routine.ts";
import { booleanAttr } from "../routines/attributes.ts";
import { withBuffer, workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";
import { SCRATCH_BYTES } from "./module.ts";
import { axisWords } from "./rowPlace.ts";
import { keyBytesOf, SELECT_WORDS, selectModule } from "./select/selectKernel.ts";
import { COUNTER_BYTES } from "./sort/row.ts";

/** Elements for which it pays to fetch another line. */
const PART_ELEMENTS = 16384;

/** The keys of a line, and one more. */
const workBytes = (length: number, bytes: number): number =>
  Math.ceil(((length + 1) * keyBytesOf(bytes)) / 64) * 64;

export function runSelect(
  machine: WasmMachine,
  { inputs, outputs, attrs }: RoutineCall,
  threads: number,
): boolean {
  const { memory, kernels, jobs } = machine;
  const [x, output] = [inputs[0]!, outputs[0]!];
  if (sizeOf(x.shape) === 0 || sizeOf(output.shape) === 0) return false;
  const dtype = x.dtype as RealDType;
  const length = x.shape.at(-1)!;
  const lines = sizeOf(x.shape) / length;
  const bytes = workBytes(length, infoOf(dtype).bytes);
  const isSmall = bytes + COUNTER_BYTES <= SCRATCH_BYTES;
  const atOnce = Math.min(threads, lines);
  const kernel = kernels.get(`select ${dtype}`, (isShared) => selectModule(isShared, dtype));
  let isDone = false;
  const isInside = workInside(memory, inputs, outputs, ([from, ranks], [to]) => {
    const blocks = [from!, to!, ranks!];
    const strides = blocks.map((block) =>
      block.strides.map((stride) => stride * infoOf(block.dtype).bytes),
    ) as [number[], number[], number[]];
    const axes = x.shape
      .slice(0, -1)
      .map((count, axis) => ({ count, strides: strides.map((own) => own[axis]!) }));
    const [input, target, rank] = blocks.map((block) => memory.placedAddress(block));
    isDone = withBuffer(memory, isSmall ? 0 : atOnce * bytes, (work) => {
      const step = isSmall ? lines : atOnce;
      for (let firstRow = 0; firstRow < lines; firstRow += step) {
        const words: { readonly [N in (typeof SELECT_WORDS)[number]]: number } = {
          ...{
            length,
            input: input!,
            inputStride: strides[0].at(-1)!,
            output: target!,
            outputStride: strides[1].at(-1)!,
          },
          ...{ ranks: rank!, ranksStride: strides[2].at(-1)!, count: output.shape.at(-1)! },
          ...{ poison: Number(booleanAttr(attrs, "poison")), work, workStride: bytes, firstRow },
        };
        const parameters = [...SELECT_WORDS.map((word) => words[word]), ...axisWords(axes)];
        const part = isSmall ? Math.max(1, Math.floor(PART_ELEMENTS / length)) : 1;
        jobs.run(kernel, parameters, Math.min(step, lines - firstRow), part, threads);
      }
    });
  });
  return isInside && isDone;
}
