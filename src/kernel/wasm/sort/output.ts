// The end of a row. In: entries in order. Out: the output row: elements, or positions as int64; NaNs behind the
// numbers, in their order; zeros of both signs in theirs.

import { increase } from "../module.ts";
import { times, timesUnrolled } from "./flow.ts";
import { bitsFromKey, eitherNumber, pushBits, storeBits } from "./keys.ts";
import { loadEntry, type Row } from "./row.ts";

/** A row that is in order already. */
export function copyInput(row: Row): void {
  const { w, at } = row;
  startRow(row);
  timesUnrolled(w, at.length, at.left, () => {
    if (row.kind === "sort") {
      w.get(at.read);
      pushBits(row);
      w.set(at.raw);
    }
    storeElement(row);
    nextElement(row);
  });
}

export function copyEntries(row: Row): void {
  const { w, at, entryBytes } = row;
  w.get(at.entries).set(at.read).get(at.output).set(at.write);
  timesUnrolled(w, at.numbers, at.left, () => {
    w.get(at.read);
    loadEntry(row).set(at.entry);
    if (row.kind === "argsort") w.get(at.entry).op("i32.wrap_i64").set(at.place);
    else {
      w.get(at.entry).set(at.key);
      bitsFromKey(row);
    }
    storeElement(row);
    increase(w, at.read, entryBytes);
  });
}

/** Goes on where the numbers ended. */
export function appendNaNs(row: Row): void {
  const { w, at } = row;
  if (!row.isFloat) return;
  w.get(at.numbers).get(at.length).op("i32.lt_u");
  w.when(() => {
    w.get(at.write).set(at.temporary);
    startRow(row);
    w.get(at.temporary).set(at.write);
    times(w, at.length, at.left, () => {
      w.get(at.read);
      pushBits(row);
      w.set(at.raw);
      const skip = (): void => undefined;
      eitherNumber(row, skip, () => storeElement(row));
      nextElement(row);
    });
  });
}

/** Radix sort has put −0 below 0; here zeros are written again as they come in the input. */
export function restoreZeros(row: Row): void {
  const { w, at } = row;
  if (!row.isFloat || row.kind === "argsort") return;
  w.get(at.hasNegativeZero);
  w.when(() => {
    startRow(row);
    times(w, at.length, at.left, () => {
      pushGoesBeforeZero(row);
      w.get(at.outputStride).op("i32.mul").get(at.write).op("i32.add").set(at.write);
      increase(w, at.read, at.inputStride);
    });
    w.get(at.input).set(at.read);
    times(w, at.length, at.left, () => {
      pushComparedToZero(row, "eq");
      w.when(() => {
        w.get(at.read);
        pushBits(row);
        w.set(at.raw);
        storeElement(row);
      });
      increase(w, at.read, at.inputStride);
    });
  });
}

function pushGoesBeforeZero(row: Row): void {
  pushComparedToZero(row, "gt");
  pushComparedToZero(row, "lt");
  row.w.get(row.at.descending).select("i32");
}

function pushComparedToZero({ w, at, dtype }: Row, compare: "eq" | "lt" | "gt"): void {
  w.get(at.read);
  if (dtype === "float64") w.memory("f64.load").f64(0).op(`f64.${compare}`);
  else w.memory("f32.load").f32(0).op(`f32.${compare}`);
}

function startRow({ w, at }: Row): void {
  w.get(at.input).set(at.read).get(at.output).set(at.write).i32(0).set(at.place);
}

function nextElement({ w, at }: Row): void {
  increase(w, at.read, at.inputStride);
  increase(w, at.place, 1);
}

/** Writes `raw`, or `place`, and moves on in the output. */
function storeElement(row: Row): void {
  const { w, at } = row;
  if (row.kind === "sort") storeBits(row);
  else w.get(at.write).get(at.place).op("i64.extend_i32_u").memory("i64.store");
  increase(w, at.write, at.outputStride);
}
