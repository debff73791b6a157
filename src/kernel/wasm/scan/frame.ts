// What the code of a scan works with: its parameters in locals, and elements by their parts.

import { infoOf, type RealDType } from "../../../core/dtype.ts";
import { Complex, type Scalar } from "../../../core/numbers.ts";
import type { ScalarProgram } from "../../program.ts";
import type { FunctionWriter, Local } from "../assembler.ts";
import { scalarBody } from "../body.ts";
import { increase, type RunArguments, repeat, setMin } from "../module.ts";
import { moveToRow } from "../rowPlace.ts";
import { loadName, pushConstant, storeName } from "../scalarCode.ts";

export interface ScanShape {
  readonly walk: "across" | "along";
  /** Each place gets what came before it. */
  readonly exclusive: boolean;
  /** Lanes go on from a block of earlier results; else from the identity. */
  readonly hasBefore: boolean;
  /** Neighbours along the scanned axis are neighbours in memory. */
  readonly isDense: boolean;
}

/**
 * The parameters' words; then the axes of planes (rowPlace.ts), with strides of operand, before and result. A plane is
 * `count` columns, `tile` of them a unit: the words with "Column" lead to the next one, steps down a column.
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
  "operandColumn",
  "beforeColumn",
  "resultColumn",
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

/**
 * For every unit, with the parameters read anew. An exclusive scan is the same one place further on: the place after
 * the last is not there, and `length` is one less.
 */
export function eachUnit({ w, run, at, shape }: ScanFrame, body: () => void): void {
  w.get(run.from).set(at.unit);
  repeat(w, at.unit, run.to, 1, () => {
    SCAN_WORDS.forEach((word, number) =>
      w
        .get(run.parameters)
        .memory("i32.load", 4 * number)
        .set(at[word]),
    );
    if (shape.exclusive) increase(w, at.length, -1);
    body();
  });
}

/** Addresses to the first column of the unit's tile; `count` becomes its number of columns. */
export function moveToTile({ w, run, at }: ScanFrame): void {
  const [tiles, first] = [w.local("i32"), w.local("i32")];
  w.get(at.count).get(at.tile).op("i32.add").i32(1).op("i32.sub").get(at.tile).op("i32.div_u").set(tiles);
  w.get(at.unit).get(tiles).op("i32.rem_u").get(at.tile).op("i32.mul").set(first);
  w.get(at.unit).get(tiles).op("i32.div_u").set(at.number);
  const addresses = [at.operand, at.before, at.result];
  moveToRow(w, run.parameters, 4 * SCAN_WORDS.length, at.number, addresses);
  for (const [address, column] of [
    [at.operand, at.operandColumn],
    [at.before, at.beforeColumn],
    [at.result, at.resultColumn],
  ] as const)
    w.get(first).get(column).op("i32.mul").get(address).op("i32.add").set(address);
  const left = (): void => void w.get(at.count).get(first).op("i32.sub");
  setMin(w, at.count, left, () => w.get(at.tile));
}

/** Leaves a part of the element at an address. */
export function pushPart({ w, type }: ScanFrame, address: Local, part: 0 | 1, offset = 0): void {
  w.get(address).memory(loadName(type), offset + part * infoOf(type).bytes);
}

/** Stores a part of the element at an address. */
export function storePart(
  { w, type }: ScanFrame,
  address: Local,
  part: 0 | 1,
  value: Push,
  offset = 0,
): void {
  w.get(address);
  value(part);
  w.memory(storeName(type), offset + part * infoOf(type).bytes);
}

/** Leaves a part of what a lane starts with. */
export function pushStart(frame: ScanFrame, before: Local, part: 0 | 1): void {
  if (frame.shape.hasBefore) pushPart(frame, before, part);
  else pushConstant(frame.w, frame.type, frame.identity[part]!);
}

/** Leaves a part of a value. */
export type Push = (part: 0 | 1) => void;

/** x ⊕ y of one lane, by part. */
export function combined({ w, combine }: ScanFrame, x: Push, y: Push): Local[] {
  const locals = scalarBody(w, combine, {
    load: (number, _, part) => (number === 0 ? x(part) : y(part)),
    index: () => undefined,
  });
  return combine.results[0]!.map((at) => locals[at]!);
}

export const fromLocals =
  ({ w }: ScanFrame, locals: readonly Local[]): Push =>
  (part) =>
    void w.get(locals[part]!);

export function setLocals(frame: ScanFrame, locals: readonly Local[], value: Push): void {
  for (const part of frame.parts) {
    value(part);
    frame.w.set(locals[part]!);
  }
}
