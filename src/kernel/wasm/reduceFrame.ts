// What the parts of a reduction kernel share: the writer, the programs, the locals that hold the parameters, and
// the planes of scratch that hold the state's parts. Must hold: row r of a plane begins at base + r · width · bytes,
// where width is the tile's; so neighbouring rows are neighbours in memory and are combined in one loop.

import { infoOf, type RealDType } from "../../core/dtype.ts";
import type { ScalarProgram } from "../program.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import { SCRATCH } from "./module.ts";
import { REDUCE_WORDS, type ReduceWord } from "./reduceLayout.ts";

/** One part of one component of the state. */
export interface Plane {
  readonly component: number;
  readonly part: 0 | 1;
  readonly type: RealDType;
  readonly bytes: number;
  readonly base: Local;
}

export interface OperandLocals {
  readonly address: Local;
  readonly rowStride: Local;
  readonly columnStride: Local;
}

export interface ReduceFrame {
  readonly w: FunctionWriter;
  readonly words: { readonly [W in ReduceWord]: Local };
  readonly operands: readonly OperandLocals[];
  readonly outputs: readonly Local[];
  readonly planes: readonly Plane[];
  /** Columns of the tile under way. */
  readonly width: Local;
  /** Bytes of the parameters that were read. */
  readonly end: number;
}

/** Reads the parameters and lays scratch out; `outputs` results are written, as many as the state has parts unless said. */
export function openFrame(
  w: FunctionWriter,
  parameters: Local,
  lift: ScalarProgram,
  combine: ScalarProgram,
  outputs: number = combine.operands.length / 2,
): ReduceFrame {
  let offset = 0;
  const next = (): Local => {
    const local = w.local("i32");
    w.get(parameters).memory("i32.load", offset).set(local);
    offset += 4;
    return local;
  };
  const words = Object.fromEntries(REDUCE_WORDS.map((word) => [word, next()])) as {
    [W in ReduceWord]: Local;
  };
  const operands = lift.operands.map(() => ({
    address: next(),
    rowStride: next(),
    columnStride: next(),
  }));
  const results = Array.from({ length: outputs }, next);
  const planes = layPlanes(w, combine, words);
  return { w, words, operands, outputs: results, planes, width: w.local("i32"), end: offset };
}

function layPlanes(w: FunctionWriter, combine: ScalarProgram, words: ReduceFrame["words"]): Plane[] {
  const states = combine.operands.slice(0, combine.operands.length / 2);
  const planes: Plane[] = [];
  let before = 0;
  states.forEach((dtype, component) => {
    const { part: type, slots } = infoOf(dtype);
    for (const part of ([0, 1] as const).slice(0, slots)) {
      const base = w.local("i32");
      w.get(words.tileColumns).get(words.scratchRows).op("i32.mul").i32(before).op("i32.mul");
      w.global(SCRATCH).op("i32.add").set(base);
      planes.push({ component, part, type, bytes: infoOf(type).bytes, base });
      before += infoOf(type).bytes;
    }
  });
  return planes;
}

/** into = the address of a plane's row. */
export function setRow({ w, width }: ReduceFrame, plane: Plane, row: Local, into: Local): void {
  w.get(row).get(width).op("i32.mul").i32(plane.bytes).op("i32.mul");
  w.get(plane.base).op("i32.add").set(into);
}
