// Insertion: the last step of a row that is nearly in order, and the only one of a short row. In: entries. Out: the
// same in order; or, where that would take too many moves, `moves` beyond `budget` and entries half in order.

import { increase } from "../module.ts";
import { times } from "./flow.ts";
import { pushBits, pushKey } from "./keys.ts";
import { loadEntry, type Row, storeEntry } from "./row.ts";

/** By whole entries. */
export function insertEntries(row: Row): void {
  const { w, at, entryType } = row;
  walkEntries(row, () => {
    w.get(at.entry).get(at.last).op(`${entryType}.ge_u`);
    w.either(
      () => w.get(at.entry).set(at.last),
      () =>
        moveDown(row, () => {
          loadBefore(row).get(at.entry).op(`${entryType}.gt_u`);
        }),
    );
  });
}

/** argsort of keys beyond 32 bits: entries with the same 32 bits, by the rest, which is read from the input. */
export function insertTies(row: Row): void {
  const { w, at, keyType } = row;
  const isTie = (other: () => void): void => {
    w.get(at.entry);
    other();
    w.op("i64.xor").i64(32n).op("i64.shr_u").op("i64.eqz");
  };
  walkEntries(row, () => {
    isTie(() => w.get(at.last));
    w.when(() => {
      pushWholeKey(row, () => w.get(at.entry));
      w.set(at.least);
      moveDown(row, () => {
        loadBefore(row).set(at.other);
        isTie(() => w.get(at.other));
        pushWholeKey(row, () => w.get(at.other));
        w.get(at.least).op(`${keyType}.gt_u`).op("i32.and");
      });
    });
    w.get(at.entry).set(at.last);
  });
}

/** For each entry but the first, with the one before it in `last`; ends when the budget is spent. */
function walkEntries(row: Row, body: () => void): void {
  const { w, at, entryBytes } = row;
  w.i32(0).set(at.moves);
  w.get(at.entries).set(at.read).get(at.read);
  loadEntry(row).set(at.last);
  w.get(at.numbers).i32(1).op("i32.sub").set(at.temporary);
  w.block((spent) => {
    times(w, at.temporary, at.left, () => {
      increase(w, at.read, entryBytes);
      w.get(at.read);
      loadEntry(row).set(at.entry);
      body();
      w.get(at.moves).get(at.budget).op("i32.gt_u").branchIf(spent);
    });
  });
}

/** Moves `entry` from `read` down below the entries before it, as long as `isBehind` leaves 1. */
function moveDown(row: Row, isBehind: () => void): void {
  const { w, at, entryBytes } = row;
  w.get(at.read).set(at.write);
  w.block((end) => {
    w.loop((again) => {
      w.get(at.write).get(at.entries).op("i32.eq").branchIf(end);
      isBehind();
      w.op("i32.eqz").branchIf(end);
      w.get(at.write);
      loadBefore(row);
      storeEntry(row);
      increase(w, at.write, -entryBytes);
      increase(w, at.moves, 1);
      w.branch(again);
    });
  });
  w.get(at.write).get(at.entry);
  storeEntry(row);
}

function loadBefore(row: Row) {
  const { w, at, entryBytes } = row;
  w.get(at.write).i32(entryBytes).op("i32.sub");
  return loadEntry(row);
}

/** The key of the element whose position is in an entry. */
export function pushWholeKey(row: Row, entry: () => void): void {
  const { w, at } = row;
  entry();
  w.op("i32.wrap_i64").get(at.inputStride).op("i32.mul").get(at.input).op("i32.add");
  pushBits(row);
  w.set(at.raw);
  pushKey(row);
}
