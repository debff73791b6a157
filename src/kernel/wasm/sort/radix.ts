// Radix sort, the lowest digit first. In: entries, the bits that they are to be ordered by, and their digits'
// counts. Out: `entries` in that order, equal ones as they were; `spare` is what the other buffer is then.

import { increase } from "../module.ts";
import { pushDigit } from "./entries.ts";
import { times, timesUnrolled } from "./flow.ts";
import { loadEntry, type Row, storeEntry, TABLE_BYTES } from "./row.ts";

/** Divides the bits from `low` on, as many as on the stack, into digits of equal width, none above `widest`. */
export function chooseDigits({ w, at }: Row): void {
  w.set(at.temporary);
  w.get(at.temporary).get(at.widest).op("i32.add").i32(1).op("i32.sub");
  w.get(at.widest).op("i32.div_u").set(at.passes);
  w.get(at.temporary).get(at.passes).op("i32.add").i32(1).op("i32.sub");
  w.get(at.passes).op("i32.div_u").set(at.width);
  w.i32(1).get(at.width).op("i32.shl").i32(1).op("i32.sub").set(at.mask);
}

export function radixPasses(row: Row): void {
  const { w, at } = row;
  w.get(at.low).set(at.shift).get(at.counters).set(at.table);
  times(w, at.passes, at.pass, () => {
    countsToAddresses(row);
    w.get(at.isSingle).op("i32.eqz");
    w.when(() => {
      scatter(row);
      w.get(at.entries).get(at.spare).set(at.entries).set(at.spare);
    });
    increase(w, at.shift, at.width);
    increase(w, at.table, TABLE_BYTES);
  });
}

/** Each counter becomes the address where its first entry goes. If all entries have one digit, nothing has to go. */
function countsToAddresses({ w, at, entryBytes }: Row): void {
  w.get(at.spare).set(at.sum).i32(0).set(at.isSingle);
  w.get(at.table).set(at.slot);
  w.get(at.mask).i32(1).op("i32.add").set(at.temporary);
  timesUnrolled(w, at.temporary, at.left, () => {
    w.get(at.slot).memory("i32.load").set(at.place);
    w.get(at.place).get(at.numbers).op("i32.eq").get(at.isSingle).op("i32.or").set(at.isSingle);
    w.get(at.slot).get(at.sum).memory("i32.store");
    w.get(at.place).i32(Math.log2(entryBytes)).op("i32.shl").get(at.sum).op("i32.add").set(at.sum);
    increase(w, at.slot, 4);
  });
}

function scatter(row: Row): void {
  const { w, at, entryBytes } = row;
  w.get(at.entries).set(at.read);
  timesUnrolled(w, at.numbers, at.left, () => {
    w.get(at.read);
    loadEntry(row).set(at.entry);
    pushDigit(row, () => w.get(at.shift));
    w.get(at.table).op("i32.add").tee(at.slot).memory("i32.load").tee(at.write).get(at.entry);
    storeEntry(row);
    w.get(at.slot).get(at.write).i32(entryBytes).op("i32.add").memory("i32.store");
    increase(w, at.read, entryBytes);
  });
}
