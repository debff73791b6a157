// select and digitCounts as kernels. In: a routine's call, and memory that was stated for it. Out: true, with the output written; false where the
// routine itself has to do it.

import type { Block } from "../../core/block.ts";
import { sameShape, sizeOf, stridesOf } from "../../core/chunks.ts";
import { infoOf, type RealDType } from "../../core/dtype.ts";
import type { RoutineCall } from "../routine.ts";
import { booleanAttr, integerAttr } from "../routines/attributes.ts";
import { toContiguous } from "../routines/stridedWalk.ts";
import { withBuffer, workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";
import { SCRATCH_BYTES } from "./module.ts";
import { axisWords } from "./rowPlace.ts";
import { DIGIT_WORDS, digitModule } from "./select/digitKernel.ts";
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
  // A thread's scratch may have room for all keys beside those that are looked at further.
  const keys = 2 * bytes + COUNTER_BYTES <= SCRATCH_BYTES ? bytes : 0;
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
          ...{ poison: Number(booleanAttr(attrs, "poison")), work, workStride: bytes, firstRow, keys },
        };
        const parameters = [...SELECT_WORDS.map((word) => words[word]), ...axisWords(axes)];
        const part = isSmall ? Math.max(1, Math.floor(PART_ELEMENTS / length)) : 1;
        jobs.run(kernel, parameters, Math.min(step, lines - firstRow), part, threads);
      }
    });
  });
  return isInside && isDone;
}

/** Counts go into the output; what has the same digits above has the same counts. */
export function runDigitCounts(machine: WasmMachine, { inputs, outputs, attrs }: RoutineCall): boolean {
  const { memory } = machine;
  const [x, state] = inputs;
  if (sizeOf(x!.shape) === 0 || x!.shape.length === 0 || !isPlain(outputs[0]!)) return false;
  const prefixes: readonly (bigint | null)[] = state === undefined ? [null] : prefixesOf(state);
  const bits = integerAttr(attrs, "bits");
  return workInside(memory, [x!], outputs, ([from], [to]) => {
    const { data, offset } = to!;
    const counts = data.subarray(offset, offset + (prefixes.length << bits)) as Int32Array;
    counts.fill(0);
    prefixes.forEach((prefix, k) => {
      const same = prefixes.indexOf(prefix);
      const at = k << bits;
      if (same < k) counts.copyWithin(at, same << bits, (same + 1) << bits);
      else
        countOne(
          machine,
          from!,
          memory.placedAddress(to!) + 4 * at,
          prefix,
          integerAttr(attrs, "shift"),
          bits,
        );
    });
  });
}

const isPlain = ({ shape, strides }: Block): boolean => sameShape(strides, stridesOf(shape));

const prefixesOf = (state: Block): bigint[] => {
  const words = toContiguous(state) as BigUint64Array;
  return Array.from({ length: words.length / 2 }, (_, k) => words[2 * k]!);
};

/** `prefix`: the digits above, null where there are none. */
function countOne(
  { memory, kernels, jobs }: WasmMachine,
  x: Block,
  counts: number,
  prefix: bigint | null,
  shift: number,
  bits: number,
): void {
  const dtype = x.dtype as RealDType;
  const { bytes } = infoOf(dtype);
  const kernel = kernels.get(`digitCounts ${dtype}`, (isShared) => digitModule(isShared, dtype));
  const strides = x.strides.map((stride) => stride * bytes);
  const words: { readonly [N in (typeof DIGIT_WORDS)[number]]: number } = {
    ...{ length: x.shape.at(-1)!, input: memory.placedAddress(x), inputStride: strides.at(-1)!, counts },
    ...{ shift, mask: 2 ** bits - 1, above: prefix === null ? 64 : shift + bits },
    prefixLow: Number(BigInt.asIntN(32, prefix ?? 0n)),
    prefixHigh: Number(BigInt.asIntN(32, (prefix ?? 0n) >> 32n)),
  };
  const axes = x.shape.slice(0, -1).map((count, axis) => ({ count, strides: [strides[axis]!] }));
  const lines = sizeOf(x.shape) / x.shape.at(-1)!;
  jobs.run(kernel, [...DIGIT_WORDS.map((word) => words[word]), ...axisWords(axes)], lines, lines, 1);
}
