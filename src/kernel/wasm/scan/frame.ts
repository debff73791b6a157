// What the code of a scan works with: its parameters in locals, and elements by their parts.

import { infoOf, type RealDType } from "../../../core/dtype.ts";
import { Complex, type Scalar } from "../../../core/numbers.ts";
import type { ScalarProgram } from "../../program.ts";
import type { FunctionWriter, Local } from "../assembler.ts";
import { repeat } from "../counting.ts";
import type { RunArguments } from "../module.ts";
import { moveToRow } from "../rowPlace.ts";
import { loadName, pushConstant, storeName } from "../scalarCode.ts";

export interface ScanShape {
  readonly walk: "across" | "along";
  /** Each place gets what came before it. */
  readonly exclusive: boolean;
  /** Lanes go on from a block of earlier results; else from the identity. */
  readonly hasBefore: boolean;
}

/**
 * The parameters' words; then the axes of lanes, or of planes of columns (rowPlace.ts), with strides of operand,
 * before and result. Steps lead along the scanned axis. `count`: lanes, or columns; `tile`: how many are a unit.
 */
export const SCAN_WORDS = [
  "length",
  "operand",
  "operandStep",
  "before",
  "result",
  "resultStep",
  "count",
  "tile",
] as const;

export interface ScanFrame {
  readonly w: FunctionWriter;
  readonly run: RunArguments;
  readonly combine: ScalarProgram;
  /** By part. */
  readonly identity: readonly (number | bigint)[];
  readonly shape: ScanShape;
  /** Of a part; a complex number has two. */
  readonly type: RealDType;
  readonly parts: readonly (0 | 1)[];
  /** Of an element. */
  readonly bytes: number;
  readonly at: { readonly [N in (typeof SCAN_WORDS)[number] | "unit" | "number" | "turn"]: Local };
}

export function openFrame(
  w: FunctionWriter,
  run: RunArguments,
  combine: ScalarProgram,
  identity: Scalar,
  shape: ScanShape,
): ScanFrame {
  const { part: type, slots, bytes } = infoOf(combine.operands[0]!);
  const names = [...SCAN_WORDS, "unit", "number", "turn"];
  const at = Object.fromEntries(names.map((name) => [name, w.local("i32")])) as ScanFrame["at"];
  const values = identity instanceof Complex ? [identity.re, identity.im] : [numberOf(identity), 0];
  return { w, run, combine, identity: values, shape, type, parts: slots === 2 ? [0, 1] : [0], bytes, at };
}

const numberOf = (x: number | bigint | boolean): number | bigint => (typeof x === "boolean" ? Number(x) : x);

/** For every unit, with the parameters read anew. */
export function eachUnit({ w, run, at }: ScanFrame, body: () => void): void {
  w.get(run.from).set(at.unit);
  repeat(w, at.unit, run.to, 1, () => {
    SCAN_WORDS.forEach((word, number) =>
      w
        .get(run.parameters)
        .memory("i32.load", 4 * number)
        .set(at[word]),
    );
    body();
  });
}

/** Addresses of the first lane or plane go to the one whose number is in `number`. */
export function moveToNumber({ w, run, at }: ScanFrame): void {
  moveToRow(w, run.parameters, 4 * SCAN_WORDS.length, at.number, [at.operand, at.before, at.result]);
}

/** Leaves a part of the element at an address. */
export function pushPart({ w, type }: ScanFrame, address: Local, part: 0 | 1): void {
  w.get(address).memory(loadName(type), part * infoOf(type).bytes);
}

/** Stores a part at an address. */
export function storePart({ w, type }: ScanFrame, address: Local, part: 0 | 1, value: () => void): void {
  w.get(address);
  value();
  w.memory(storeName(type), part * infoOf(type).bytes);
}

/** Leaves a part of what a lane starts with. */
export function pushStart(frame: ScanFrame, before: Local, part: 0 | 1): void {
  if (frame.shape.hasBefore) pushPart(frame, before, part);
  else pushConstant(frame.w, frame.type, frame.identity[part]!);
}
