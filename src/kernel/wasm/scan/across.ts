// Scans of columns that lie side by side. In: a frame. Out: code. A unit is a tile of columns, and its rows are taken
// in blocks: for some vectors of columns at a time, what a block's rows come to and the carry stay in registers. The
// carry is read back from the result: it is the row before the block.

import { SCAN_BLOCK } from "../../interpret/scan.ts";
import type { Local } from "../assembler.ts";
import { lanesOf } from "../body.ts";
import { increase, repeat, setMin } from "../module.ts";
import { eachUnit, moveToTile, pushStart, type ScanFrame, storePart } from "./frame.ts";
import { type Columns, ScalarColumn, VectorColumns, type Walkers } from "./scanColumns.ts";

/** Vectors that are worked on at once: of 32 and 64 bits, a line of the cache; then what is left. */
const VECTORS = [4, 1];

/** What a unit walks with; `rows` counts a block's rows, `place` and `end` are bytes in a row. */
interface Walk extends Walkers {
  readonly rows: Local;
  readonly row: Local;
  readonly place: Local;
  readonly end: Local;
}

export function scanAcross(frame: ScanFrame): void {
  const { w, at, shape } = frame;
  const names = ["carry", "next", "target", "rows", "row", "place", "end"] as const;
  const walk = Object.fromEntries(names.map((name) => [name, w.local("i32")])) as unknown as Walk;
  const lanes = frame.parts.length === 2 ? null : lanesOf(frame.combine);
  const vectors = lanes === null ? [] : VECTORS.map((count) => new VectorColumns(frame, walk, lanes, count));
  const ways = [...vectors, new ScalarColumn(frame, walk)];
  eachUnit(frame, () => {
    moveToTile(frame);
    w.get(at.count).i32(frame.bytes).op("i32.mul").set(walk.end).i32(0).set(at.turn);
    if (shape.exclusive) copyStart(frame, walk);
    scanRows(frame, walk, ways, scanFirst);
    w.block((done) => {
      w.loop((again) => {
        w.get(at.turn).get(at.length).op("i32.ge_u").branchIf(done);
        scanRows(frame, walk, ways, scanFurther);
        w.branch(again);
      });
    });
  });
}

/** An exclusive scan's first row is what it starts with. */
function copyStart(frame: ScanFrame, { carry, target, place, end }: Walk): void {
  const { w, at, parts, bytes } = frame;
  w.get(at.before).set(carry).get(at.result).set(target).i32(0).set(place);
  repeat(w, place, end, bytes, () => {
    for (const part of parts) storePart(frame, target, part, () => pushStart(frame, carry, part));
    increase(w, carry, bytes);
    increase(w, target, bytes);
  });
  increase(w, at.result, at.resultStep);
}

/** Writes the code for some columns of a block, down its rows. */
type ScanColumns = (frame: ScanFrame, walk: Walk, columns: Columns) => void;

/** A block of rows, or as many as are left. Addresses go on to the next. */
function scanRows(frame: ScanFrame, walk: Walk, ways: readonly Columns[], scan: ScanColumns): void {
  const { w, at, bytes } = frame;
  const { rows, next, target, place, end } = walk;
  const left = (): void => void w.get(at.length).get(at.turn).op("i32.sub");
  setMin(w, rows, left, () => w.i32(SCAN_BLOCK));
  w.i32(0).set(place);
  for (const columns of ways)
    repeat(w, place, end, columns.count * bytes, () => {
      w.get(at.operand).get(place).op("i32.add").set(next);
      w.get(at.result).get(place).op("i32.add").set(target);
      scan(frame, walk, columns);
    });
  increase(w, at.turn, rows);
  for (const [address, step] of [
    [at.operand, at.operandStep],
    [at.result, at.resultStep],
  ] as const)
    w.get(rows).get(step).op("i32.mul").get(address).op("i32.add").set(address);
}

/** The first block goes on from the start, and no carry is needed. There may be no rows. */
function scanFirst({ w, at }: ScanFrame, walk: Walk, columns: Columns): void {
  const { carry, next, target, rows, row, place } = walk;
  w.get(at.before).get(place).op("i32.add").set(carry).i32(0).set(row);
  columns.takeStart();
  repeat(w, row, rows, 1, () => {
    columns.addRow();
    columns.store();
    increase(w, next, at.operandStep);
    increase(w, target, at.resultStep);
  });
}

function scanFurther({ w, at }: ScanFrame, walk: Walk, columns: Columns): void {
  const { carry, next, target, rows, row } = walk;
  w.get(target).get(at.resultStep).op("i32.sub").set(carry).i32(1).set(row);
  columns.takeCarry();
  columns.takeRow();
  columns.storeWithCarry();
  repeat(w, row, rows, 1, () => {
    increase(w, next, at.operandStep);
    increase(w, target, at.resultStep);
    columns.addRow();
    columns.storeWithCarry();
  });
}
