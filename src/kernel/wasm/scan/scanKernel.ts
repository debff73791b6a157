// Scans as WebAssembly modules. In: a combination (running, next → running), what lanes start with, and how the
// scan walks. Out: bytes. The order is the interpreter's (docs/adr/0008), so the same bits: in blocks of a few places,
// so that a block need not wait for the one before until it is done itself, and the processor works on several.
// Must hold: the result shares no memory with the operand.

import { isFloat } from "../../../core/dtype.ts";
import type { Scalar } from "../../../core/numbers.ts";
import { SCAN_BLOCK } from "../../interpret/scan.ts";
import type { ScalarProgram } from "../../program.ts";
import type { Local } from "../assembler.ts";
import { lanesOf, VectorConstants, vectorBodies } from "../body.ts";
import { increase, moduleOf, repeat, setMin } from "../module.ts";
import { machineType } from "../scalarCode.ts";
import { type LaneCount, laneShape, storeVector } from "../vectorCode.ts";
import { scanAcross } from "./across.ts";
import {
  combined,
  eachUnit,
  fromLocals,
  moveToTile,
  openFrame,
  pushPart,
  pushStart,
  type ScanFrame,
  type ScanShape,
  setLocals,
  storePart,
} from "./frame.ts";

// A block of a scan whose elements, and results, lie side by side. In: a frame, the result at the end of the block
// before. Out: code that stores the block's results and moves on. The elements are combined one after another; what
// they come to is combined with the carry and stored. Floating numbers are gathered into vectors for that: they
// are in vector registers already, and half as many stores matter. For integers gathering costs more than it saves.

/** A value's parts. */
type Parts = readonly Local[];

/** Writes a block: to be made before the loops, as constants are kept in locals. */
function denseBlock(frame: ScanFrame): (carry: Parts) => void {
  const { w, at, bytes, combine, parts, type } = frame;
  const lanes = isFloat(type) && parts.length === 1 ? lanesOf(combine) : null;
  const constants = new VectorConstants(w, combine);
  return (carry) => {
    const prefixes = prefixesOf(frame);
    if (lanes === null) storeEach(frame, carry, prefixes);
    else storeVectors(frame, carry[0]!, gathered(frame, prefixes, lanes), lanes, constants);
    const total = combined(frame, fromLocals(frame, carry), fromLocals(frame, prefixes.at(-1)!));
    setLocals(frame, carry, fromLocals(frame, total));
    for (const address of [at.operand, at.result]) increase(w, address, SCAN_BLOCK * bytes);
  };
}

/** Each element combined with those before it in the block. */
function prefixesOf(frame: ScanFrame): Parts[] {
  const { w, at, bytes, parts, type } = frame;
  const first = parts.map(() => w.local(machineType(type)));
  setLocals(frame, first, (part) => pushPart(frame, at.operand, part));
  const prefixes = [first];
  for (let place = 1; place < SCAN_BLOCK; place++) {
    const next = (part: 0 | 1): void => pushPart(frame, at.operand, part, place * bytes);
    prefixes.push(combined(frame, fromLocals(frame, prefixes.at(-1)!), next));
  }
  return prefixes;
}

function storeEach(frame: ScanFrame, carry: Parts, prefixes: readonly Parts[]): void {
  const { at, bytes, parts } = frame;
  prefixes.forEach((prefix, place) => {
    const result = combined(frame, fromLocals(frame, carry), fromLocals(frame, prefix));
    for (const part of parts) storePart(frame, at.result, part, fromLocals(frame, result), place * bytes);
  });
}

function gathered({ w, type }: ScanFrame, prefixes: readonly Parts[], lanes: LaneCount): Local[] {
  const shape = laneShape(type);
  return Array.from({ length: SCAN_BLOCK / lanes }, (_, number) => {
    const [first, ...others] = prefixes.slice(number * lanes, (number + 1) * lanes);
    w.get(first![0]!).op(`${shape}.splat`);
    others.forEach(([local], k) => w.get(local!).op(`${shape}.replace_lane`, k + 1));
    const vector = w.local("v128");
    w.set(vector);
    return vector;
  });
}

function storeVectors(
  { w, at, combine, type, bytes }: ScanFrame,
  carry: Local,
  vectors: readonly Local[],
  lanes: LaneCount,
  constants: VectorConstants,
): void {
  const carries = w.local("v128");
  w.get(carry)
    .op(`${laneShape(type)}.splat`)
    .set(carries);
  const inputs = vectors.map((vector) => ({
    load: (number: number): 32 => {
      w.get(number === 0 ? carries : vector);
      return 32;
    },
    index: (): 32 => 32,
  }));
  const bodies = vectorBodies(w, combine, lanes, constants, inputs);
  bodies.forEach((values, number) =>
    storeVector(w, at.result, values[combine.results[0]![0]!]!, lanes, number * lanes * bytes),
  );
}

// Scans lane by lane. In: a frame. Out: code. A unit is some lanes, and a lane is scanned block by block. Where a lane's
// elements lie side by side, a block's results are made and stored as vectors.

/** What is kept of a lane, by part. */
interface Kept {
  /** The result at the end of the block before. */
  readonly carry: readonly Local[];
  /** The elements of this block so far, combined. */
  readonly local: readonly Local[];
}

function scanAlong(frame: ScanFrame): void {
  const { w, at, parts, type, shape } = frame;
  const [carry, local] = [0, 1].map(() => parts.map(() => w.local(machineType(type))));
  const kept = { carry: carry!, local: local! };
  const block = shape.isDense ? denseBlock(frame) : () => scanBlock(frame, kept);
  const lane = w.local("i32");
  const [operand, result] = [w.local("i32"), w.local("i32")];
  eachUnit(frame, () => {
    moveToTile(frame);
    w.get(at.operand).set(operand).get(at.result).set(result).i32(0).set(lane);
    repeat(w, lane, at.count, 1, () => {
      w.get(operand).set(at.operand).get(result).set(at.result);
      scanLane(frame, kept, block);
      increase(w, operand, at.operandColumn);
      increase(w, at.before, at.beforeColumn);
      increase(w, result, at.resultColumn);
    });
  });
}

function scanLane(frame: ScanFrame, kept: Kept, block: (carry: readonly Local[]) => void): void {
  const { w, at, shape, parts } = frame;
  setLocals(frame, kept.carry, (part) => pushStart(frame, at.before, part));
  if (shape.exclusive) {
    for (const part of parts) storePart(frame, at.result, part, fromLocals(frame, kept.carry));
    increase(w, at.result, at.resultStep);
  }
  w.i32(0).set(at.turn);
  scanFirst(frame, kept);
  repeat(w, at.turn, at.length, SCAN_BLOCK, () => block(kept.carry));
  scanRest(frame, kept);
}

/** The first block goes on from the start, and no carry is needed. */
function scanFirst(frame: ScanFrame, { carry }: Kept): void {
  const { w, at } = frame;
  const end = w.local("i32");
  setMin(
    w,
    end,
    () => w.get(at.length),
    () => w.i32(SCAN_BLOCK),
  );
  repeat(w, at.turn, end, 1, () => {
    const sofar = combined(frame, fromLocals(frame, carry), (part) => pushPart(frame, at.operand, part));
    setLocals(frame, carry, fromLocals(frame, sofar));
    storeAndMoveOn(frame, carry);
  });
}

function storeAndMoveOn(frame: ScanFrame, result: readonly Local[]): void {
  const { w, at, parts } = frame;
  for (const part of parts) storePart(frame, at.result, part, fromLocals(frame, result));
  increase(w, at.operand, at.operandStep);
  increase(w, at.result, at.resultStep);
}

function scanBlock(frame: ScanFrame, kept: Kept): void {
  for (let place = 0; place < SCAN_BLOCK - 1; place++) scanElement(frame, kept, place === 0);
  setLocals(frame, kept.carry, fromLocals(frame, scanElement(frame, kept, false)));
}

/** Fewer elements than a block has. */
function scanRest(frame: ScanFrame, kept: Kept): void {
  const { w, at } = frame;
  w.get(at.turn)
    .get(at.length)
    .op("i32.lt_u")
    .when(() => {
      scanElement(frame, kept, true);
      increase(w, at.turn, 1);
      repeat(w, at.turn, at.length, 1, () => void scanElement(frame, kept, false));
    });
}

/** Stores an element's result, gives it, and goes to the next. */
function scanElement(frame: ScanFrame, { carry, local }: Kept, isFirst: boolean): Local[] {
  const { at } = frame;
  const next = (part: 0 | 1): void => pushPart(frame, at.operand, part);
  const sofar = fromLocals(frame, local);
  setLocals(frame, local, isFirst ? next : fromLocals(frame, combined(frame, sofar, next)));
  const result = combined(frame, fromLocals(frame, carry), sofar);
  storeAndMoveOn(frame, result);
  return result;
}

export function scanModule(
  isShared: boolean,
  combine: ScalarProgram,
  identity: Scalar,
  shape: ScanShape,
): Uint8Array<ArrayBuffer> {
  return moduleOf(isShared, (w, run) => {
    const frame = openFrame(w, run, combine, identity, shape);
    if (shape.walk === "across") scanAcross(frame);
    else scanAlong(frame);
  });
}
