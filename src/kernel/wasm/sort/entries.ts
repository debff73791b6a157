// Entries. In: a row's elements. Out: the entries of its numbers, one after another, and how often each digit occurs.

import { increase } from "../module.ts";
import { timesUnrolled } from "./flow.ts";
import { eitherNumber, pushBits, pushKey } from "./keys.ts";
import { loadEntry, type Row, storeEntry, TABLE_BYTES, TABLES } from "./row.ts";

/** Writes the entries, and runs `then` for each while it is in `entry`. */
export function writeEntries(row: Row, then: () => void): void {
  const { w, at } = row;
  w.get(at.input).set(at.read).get(at.entries).set(at.write).i32(0).set(at.place);
  timesUnrolled(w, at.length, at.left, () => {
    w.get(at.read);
    pushBits(row);
    w.set(at.raw);
    const skip = (): void => undefined;
    eitherNumber(row, () => writeEntry(row, then), skip);
    increase(w, at.read, at.inputStride);
    if (row.kind === "argsort") increase(w, at.place, 1);
  });
}

function writeEntry(row: Row, then: () => void): void {
  const { w, at } = row;
  pushKey(row);
  if (row.kind === "argsort") packPosition(row);
  w.set(at.entry);
  w.get(at.write).get(at.entry);
  storeEntry(row);
  increase(w, at.write, row.entryBytes);
  then();
}

/** The key on the stack becomes an entry: 32 of its bits from `drop` on, above the place. */
function packPosition({ w, at, keyType }: Row): void {
  if (keyType === "i64") w.get(at.drop).op("i64.extend_i32_u").op("i64.shr_u");
  else w.op("i64.extend_i32_u");
  w.i64(32n).op("i64.shl").get(at.place).op("i64.extend_i32_u").op("i64.or");
}

/** Leaves the digit of `entry` at a bit, times four. */
export function pushDigit({ w, at, entryType }: Row, shift: () => void): void {
  w.get(at.entry);
  shift();
  if (entryType === "i64") w.op("i64.extend_i32_u").op("i64.shr_u").op("i32.wrap_i64");
  else w.op("i32.shr_u");
  w.get(at.mask).op("i32.and").i32(2).op("i32.shl");
}

/** All counters of digits that can occur become 0. */
export function clearCounters({ w, at }: Row): void {
  w.get(at.counters).set(at.write);
  w.get(at.mask).i32(1).op("i32.add").set(at.temporary);
  timesUnrolled(w, at.temporary, at.left, () => {
    for (let table = 0; table < TABLES; table++)
      w.get(at.write)
        .i32(0)
        .memory("i32.store", table * TABLE_BYTES);
    increase(w, at.write, 4);
  });
}

/** Counts the digits of `entry`, from the bit `low` on. */
export function countDigits(row: Row): void {
  const { w, at } = row;
  for (let table = 0; table < TABLES; table++) {
    pushDigit(row, () => w.get(at.low).i32(table).get(at.width).op("i32.mul").op("i32.add"));
    w.get(at.counters).op("i32.add").tee(at.slot);
    w.get(at.slot).memory("i32.load", table * TABLE_BYTES);
    w.i32(1)
      .op("i32.add")
      .memory("i32.store", table * TABLE_BYTES);
  }
}

/** The same for all entries. */
export function countEntries(row: Row): void {
  const { w, at } = row;
  clearCounters(row);
  w.get(at.entries).set(at.read);
  timesUnrolled(w, at.numbers, at.left, () => {
    w.get(at.read);
    loadEntry(row).set(at.entry);
    countDigits(row);
    increase(w, at.read, row.entryBytes);
  });
}
