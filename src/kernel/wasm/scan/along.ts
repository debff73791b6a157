// Scans lane by lane. In: a frame. Out: code. A unit is some lanes, and a lane is scanned block by block. Where a lane's
// elements lie side by side, a block's results are made and stored as vectors.

import { SCAN_BLOCK } from "../../interpret/scan.ts";
import type { Local } from "../assembler.ts";
import { increase, repeat, setMin } from "../module.ts";
import { machineType } from "../scalarCode.ts";
import { denseBlock } from "./denseBlock.ts";
import {
  combined,
  eachUnit,
  fromLocals,
  moveToTile,
  pushPart,
  pushStart,
  type ScanFrame,
  setLocals,
  storePart,
} from "./frame.ts";

/** What is kept of a lane, by part. */
interface Kept {
  /** The result at the end of the block before. */
  readonly carry: readonly Local[];
  /** The elements of this block so far, combined. */
  readonly local: readonly Local[];
}

export function scanAlong(frame: ScanFrame): void {
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
