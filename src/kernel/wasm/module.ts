// A WebAssembly module as every kernel is one: it exports `run(parameters, from, to)`, which does the units
// from ≤ u < to of the work that the block of parameters at that address describes, so that several threads can
// share a job. It imports the memory, `trap`, and `scratch`: the address of this thread's own SCRATCH_BYTES.

import { FunctionWriter, type Local, TYPE_CODE } from "./assembler.ts";
import { name, sized, unsigned, vector } from "./bytes.ts";
import type { ValueType } from "./instructions.ts";

/** The imported function that ends a kernel: trap(kind, origin) throws. */
export const TRAP = 0;
export const TRAP_TAKES: readonly ValueType[] = ["i32", "i32"];

/** Private memory of one thread, for what a kernel keeps between its loops. */
export const SCRATCH_BYTES: number = 1 << 20;
/** The global that holds its address. */
export const SCRATCH = 0;

/** What a kernel's memory may grow to: all that 32 bits can address. */
export const MAX_PAGES = 65536;

const RUN_TAKES: readonly ValueType[] = ["i32", "i32", "i32"];

/** What `run` is given. */
export interface RunArguments {
  readonly parameters: Local;
  readonly from: Local;
  readonly to: Local;
}

const functionType = (takes: readonly ValueType[]): number[] => [
  0x60,
  ...vector(takes.map((type) => [TYPE_CODE[type]])),
  0,
];

const section = (code: number, bytes: readonly number[]): number[] => [code, ...sized(bytes)];

/** `isShared` must be what the memory is. */
export function moduleOf(
  isShared: boolean,
  write: (writer: FunctionWriter, run: RunArguments) => void,
): Uint8Array<ArrayBuffer> {
  const writer = new FunctionWriter(RUN_TAKES);
  const [parameters, from, to] = [0, 1, 2].map((number) => writer.parameter(number));
  write(writer, { parameters: parameters!, from: from!, to: to! });
  const types = vector([functionType(TRAP_TAKES), functionType(RUN_TAKES)]);
  const limits = isShared ? [0x03, ...unsigned(0), ...unsigned(MAX_PAGES)] : [0x00, ...unsigned(0)];
  const imports = vector([
    [...name("env"), ...name("trap"), 0x00, ...unsigned(0)],
    [...name("env"), ...name("memory"), 0x02, ...limits],
    [...name("env"), ...name("scratch"), 0x03, TYPE_CODE.i32, 0x00],
  ]);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, types),
    ...section(2, imports),
    ...section(3, vector([unsigned(1)])),
    ...section(7, vector([[...name("run"), 0x00, ...unsigned(1)]])),
    ...section(10, vector([writer.body()])),
  ]);
}
