// A WebAssembly module with one exported function `run`, an imported memory and an imported `trap`.

import { FunctionWriter, TYPE_CODE } from "./assembler.ts";
import { name, sized, unsigned, vector } from "./bytes.ts";
import type { ValueType } from "./instructions.ts";

/** The imported function that ends a kernel: trap(kind, origin) throws. */
export const TRAP = 0;
export const TRAP_TAKES: readonly ValueType[] = ["i32", "i32"];

const functionType = (takes: readonly ValueType[]): number[] => [
  0x60,
  ...vector(takes.map((type) => [TYPE_CODE[type]])),
  0,
];

const section = (code: number, bytes: readonly number[]): number[] => [code, ...sized(bytes)];

/** `parameters` of run, and what writes its body. */
export function moduleOf(
  parameters: readonly ValueType[],
  write: (writer: FunctionWriter) => void,
): Uint8Array<ArrayBuffer> {
  const writer = new FunctionWriter(parameters);
  write(writer);
  const types = vector([functionType(TRAP_TAKES), functionType(parameters)]);
  const imports = vector([
    [...name("env"), ...name("trap"), 0x00, ...unsigned(0)],
    [...name("env"), ...name("memory"), 0x02, 0x00, ...unsigned(0)],
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
