// Scans of columns that lie side by side. In: a frame. Out: code. A unit is a tile of columns: each of its rows is
// the row before it combined with the operand's, vector by vector. The row before is read back from the result.

import type { Local } from "../assembler.ts";
import { lanesOf, scalarBody, VectorConstants, vectorBodies } from "../body.ts";
import { increase, repeat, setMin } from "../counting.ts";
import { type LaneCount, loadVector, pushSplat, storeVector } from "../vectorCode.ts";
import { eachUnit, moveToNumber, pushPart, pushStart, type ScanFrame, storePart } from "./frame.ts";

/** Vectors in a turn. */
const UNROLL = 2;

/** Addresses in a row while it is walked. */
interface Walkers {
  readonly running: Local;
  readonly next: Local;
  readonly target: Local;
  readonly column: Local;
}

/** What the first row is combined with has its own place, or is the identity. */
type Source = "row" | "start";

export function scanAcross(frame: ScanFrame): void {
  const { w, at, shape, combine } = frame;
  const lanes = lanesOf(combine);
  const vector =
    lanes === null || frame.parts.length === 2 ? null : { lanes, constants: new VectorConstants(w, combine) };
  const [running, next, target, column] = [0, 1, 2, 3].map(() => w.local("i32")) as [
    Local,
    Local,
    Local,
    Local,
  ];
  const walkers = { running, next, target, column };
  const row = (source: Source): void => combineRow(frame, walkers, source, vector);
  eachUnit(frame, () => {
    moveToTile(frame);
    if (shape.exclusive) copyStart(frame, walkers);
    else {
      row("start");
      increase(w, at.operand, at.operandStep);
    }
    w.i32(1).set(at.turn);
    repeat(w, at.turn, at.length, 1, () => {
      row("row");
      increase(w, at.operand, at.operandStep);
      increase(w, at.result, at.resultStep);
    });
  });
}

/** Addresses to the tile's first column; `count` becomes its number of columns. */
function moveToTile(frame: ScanFrame): void {
  const { w, at, bytes } = frame;
  const tiles = w.local("i32");
  const first = w.local("i32");
  w.get(at.count).get(at.tile).op("i32.add").i32(1).op("i32.sub").get(at.tile).op("i32.div_u").set(tiles);
  w.get(at.unit).get(tiles).op("i32.rem_u").get(at.tile).op("i32.mul").set(first);
  w.get(at.unit).get(tiles).op("i32.div_u").set(at.number);
  moveToNumber(frame);
  for (const address of [at.operand, at.before, at.result])
    w.get(first).i32(bytes).op("i32.mul").get(address).op("i32.add").set(address);
  const left = (): void => void w.get(at.count).get(first).op("i32.sub");
  setMin(w, at.count, left, () => w.get(at.tile));
}

/** An exclusive scan's first row is what it starts with. */
function copyStart(frame: ScanFrame, { running, target, column }: Walkers): void {
  const { w, at, parts, bytes } = frame;
  w.get(at.before).set(running).get(at.result).set(target).i32(0).set(column);
  repeat(w, column, at.count, 1, () => {
    for (const part of parts) storePart(frame, target, part, () => pushStart(frame, running, part));
    increase(w, running, bytes);
    increase(w, target, bytes);
  });
}

interface VectorWay {
  readonly lanes: LaneCount;
  readonly constants: VectorConstants;
}

function combineRow(frame: ScanFrame, walkers: Walkers, source: Source, vector: VectorWay | null): void {
  const { w, at } = frame;
  const { running, next, target, column } = walkers;
  w.get(source === "row" ? at.result : at.before).set(running);
  w.get(at.operand).set(next).get(at.result).set(target).i32(0).set(column);
  if (source === "row") increase(w, target, at.resultStep);
  if (vector !== null) {
    const step = UNROLL * vector.lanes;
    repeat(w, column, at.count, step, () => {
      combineVectors(frame, walkers, source, vector);
      moveOn(frame, walkers, step);
    });
  }
  repeat(w, column, at.count, 1, () => {
    combineElement(frame, walkers, source);
    moveOn(frame, walkers, 1);
  });
}

function moveOn({ w, bytes }: ScanFrame, { running, next, target }: Walkers, columns: number): void {
  for (const address of [running, next, target]) increase(w, address, columns * bytes);
}

function combineVectors(
  frame: ScanFrame,
  walkers: Walkers,
  source: Source,
  { lanes, constants }: VectorWay,
): void {
  const { w, combine, type, bytes, shape, identity } = frame;
  const { running, next, target } = walkers;
  const offsets = Array.from({ length: UNROLL }, (_, copy) => copy * lanes * bytes);
  const inputs = offsets.map((offset) => ({
    load: (number: number): 32 | 64 => {
      if (number === 1) return loadVector(w.get(next), type, lanes, offset);
      if (source === "row" || shape.hasBefore) return loadVector(w.get(running), type, lanes, offset);
      pushSplat(w, type, identity[0]!);
      return 32;
    },
    index: (): 32 => 32,
  }));
  const result = combine.results[0]![0]!;
  vectorBodies(w, combine, lanes, constants, inputs).forEach((values, copy) =>
    storeVector(w, target, values[result]!, lanes, offsets[copy]!),
  );
}

function combineElement(frame: ScanFrame, { running, next, target }: Walkers, source: Source): void {
  const { w, combine, parts } = frame;
  const locals = scalarBody(w, combine, {
    load: (number, _, part) => {
      if (number === 1) pushPart(frame, next, part);
      else if (source === "row") pushPart(frame, running, part);
      else pushStart(frame, running, part);
    },
    index: () => undefined,
  });
  for (const part of parts) storePart(frame, target, part, () => w.get(locals[combine.results[0]![part]!]!));
}
