// Scans lane by lane. In: a frame. Out: code. A unit is some lanes, and four of them are scanned at once: each step
// of a lane waits for the one before, and four that do not wait for each other take hardly longer than one.

import type { Local } from "../assembler.ts";
import { scalarBody } from "../body.ts";
import { increase, repeat, setMin } from "../counting.ts";
import { machineType } from "../scalarCode.ts";
import { eachUnit, moveToNumber, pushPart, pushStart, type ScanFrame, storePart } from "./frame.ts";

/** Lanes that are scanned at once. */
const CHAINS = 4;

interface Chain {
  readonly operand: Local;
  readonly result: Local;
  /** By part. */
  readonly running: readonly Local[];
}

export function scanAlong(frame: ScanFrame): void {
  const { w, at } = frame;
  const chains = Array.from({ length: CHAINS }, () => newChain(frame));
  const [lane, end] = [w.local("i32"), w.local("i32")];
  const firsts = [at.operand, at.before, at.result].map((first) => ({ first, kept: w.local("i32") }));
  eachUnit(frame, () => {
    for (const { first, kept } of firsts) w.get(first).set(kept);
    w.get(at.unit).get(at.tile).op("i32.mul").set(lane);
    const endOfTile = (): void => void w.get(at.unit).i32(1).op("i32.add").get(at.tile).op("i32.mul");
    setMin(w, end, endOfTile, () => w.get(at.count));
    for (const count of [CHAINS, 1])
      repeat(w, lane, end, count, () => {
        chains.slice(0, count).forEach((chain, k) => {
          for (const { first, kept } of firsts) w.get(kept).set(first);
          w.get(lane).i32(k).op("i32.add").set(at.number);
          startChain(frame, chain);
        });
        runChains(frame, chains.slice(0, count));
      });
  });
}

function newChain({ w, parts, type }: ScanFrame): Chain {
  const running = parts.map(() => w.local(machineType(type)));
  return { operand: w.local("i32"), result: w.local("i32"), running };
}

/** To the lane in `number`. */
function startChain(frame: ScanFrame, { operand, result, running }: Chain): void {
  const { w, at, parts } = frame;
  moveToNumber(frame);
  w.get(at.operand).set(operand).get(at.result).set(result);
  for (const part of parts) {
    pushStart(frame, at.before, part);
    w.set(running[part]!);
  }
}

function runChains(frame: ScanFrame, chains: readonly Chain[]): void {
  const { w, at, shape } = frame;
  w.i32(0).set(at.turn);
  repeat(w, at.turn, at.length, 1, () => {
    for (const chain of chains) {
      if (shape.exclusive) storeRunning(frame, chain);
      advance(frame, chain);
      if (!shape.exclusive) storeRunning(frame, chain);
      increase(w, chain.operand, at.operandStep);
      increase(w, chain.result, at.resultStep);
    }
  });
}

function storeRunning(frame: ScanFrame, { result, running }: Chain): void {
  for (const part of frame.parts) storePart(frame, result, part, () => frame.w.get(running[part]!));
}

/** running = combine(running, next) */
function advance(frame: ScanFrame, { operand, running }: Chain): void {
  const { w, combine, parts } = frame;
  const locals = scalarBody(w, combine, {
    load: (number, _, part) => (number === 0 ? void w.get(running[part]!) : pushPart(frame, operand, part)),
    index: () => undefined,
  });
  for (const part of parts) w.get(locals[combine.results[0]![part]!]!).set(running[part]!);
}
