// Turns of radix sort. In: a row and what the survey found. Out: its entries in order.
// The digits at the top of the keys, as many as tell most elements apart, are sorted by radix; what is then out of
// order is few and goes in place by insertion. Where it is not few, radix sort goes over all bits instead.

import type { FunctionWriter } from "../assembler.ts";
import { increase } from "../module.ts";
import { clearCounters, countDigits, countEntries, pushDigit, writeEntries } from "./entries.ts";
import { least, times, timesUnrolled } from "./flow.ts";
import { pushBits, pushKey } from "./keys.ts";
import { loadEntry, MAX_WIDTH, type Row, storeEntry, TABLE_BYTES, TABLES } from "./row.ts";

// Insertion: the last step of a row that is nearly in order, and the only one of a short row. In: entries. Out: the
// same in order; or, where that would take too many moves, `moves` beyond `budget` and entries half in order.

/** By whole entries. */
function insertEntries(row: Row): void {
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
function insertTies(row: Row): void {
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
function pushWholeKey(row: Row, entry: () => void): void {
  const { w, at } = row;
  entry();
  w.op("i32.wrap_i64").get(at.inputStride).op("i32.mul").get(at.input).op("i32.add");
  pushBits(row);
  w.set(at.raw);
  pushKey(row);
}

// Radix sort, the lowest digit first. In: entries, the bits that they are to be ordered by, and their digits'
// counts. Out: `entries` in that order, equal ones as they were; `spare` is what the other buffer is then.

/** Divides the bits from `low` on, as many as on the stack, into digits of equal width, none above `widest`. */
function chooseDigits({ w, at }: Row): void {
  w.set(at.temporary);
  w.get(at.temporary).get(at.widest).op("i32.add").i32(1).op("i32.sub");
  w.get(at.widest).op("i32.div_u").set(at.passes);
  w.get(at.temporary).get(at.passes).op("i32.add").i32(1).op("i32.sub");
  w.get(at.passes).op("i32.div_u").set(at.width);
  w.i32(1).get(at.width).op("i32.shl").i32(1).op("i32.sub").set(at.mask);
}

function radixPasses(row: Row): void {
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

/** Up to here a row is sorted by insertion alone. */
const SHORT = 40;
/** Bits at the top beyond log2 of the length: with so many, nearly all random floats differ. */
const SPARE_BITS = 13;
/** What one turn of radix sort can do. */
const TURN_BITS: number = TABLES * MAX_WIDTH;
/** So many moves by insertion for each element cost less than radix sort over all bits. */
const MOVES = 4;

/** Chooses the bits at the top to begin with, and counts their digits while it writes the entries. */
export function prepareEntries(row: Row): void {
  const { w, at } = row;
  if (row.kind === "argsort") limitBits(row);
  w.i32(row.keyShift).set(at.low).i32(0).set(at.passes);
  pushIsShort(row);
  w.get(at.bits).op("i32.eqz").op("i32.or");
  w.either(
    () => writeEntries(row, () => undefined),
    () => {
      pushTopBits(row);
      w.tee(at.sum).get(at.bits).get(at.sum).op("i32.sub");
      w.get(at.low).op("i32.add").set(at.low);
      chooseDigits(row);
      clearCounters(row);
      writeEntries(row, () => countDigits(row));
    },
  );
}

/** argsort looks at the 32 highest bits that differ. */
function limitBits({ w, at, keyType }: Row): void {
  w.i32(0).set(at.drop);
  if (keyType === "i32") return;
  w.get(at.bits).i32(32).op("i32.gt_u");
  w.when(() => w.get(at.bits).i32(32).op("i32.sub").set(at.drop).i32(32).set(at.bits));
}

const pushIsShort = ({ w, at }: Row): FunctionWriter => w.get(at.numbers).i32(SHORT).op("i32.le_u");

/** Leaves how many bits the first turn looks at; a short row gets narrow digits, whose counters are few. */
function pushTopBits({ w, at }: Row): void {
  w.i32(32).get(at.numbers).op("i32.clz").op("i32.sub").set(at.sum);
  w.i32(MAX_WIDTH).set(at.widest);
  least(w, at.sum, at.widest);
  w.set(at.widest);
  increase(w, at.sum, SPARE_BITS);
  w.get(at.widest).i32(TABLES).op("i32.mul").set(at.temporary);
  least(w, at.sum, at.temporary);
  w.set(at.sum);
  least(w, at.sum, at.bits);
}

/** Turns of radix sort: one over the top bits, and if insertion does not get along with the rest, over all bits. */
export function orderEntries(row: Row): void {
  const { w, at } = row;
  w.i32(0).set(at.stage);
  w.loop((again) => {
    radixPasses(row);
    w.get(at.stage).op("i32.eqz");
    w.when(() => {
      insertRest(row);
      w.get(at.moves).get(at.budget).op("i32.gt_u");
      w.when(() => {
        startOver(row);
        w.branch(again);
      });
    });
    w.get(at.stage).i32(1).op("i32.eq");
    w.when(() => {
      goOnToHighBits(row);
      w.branch(again);
    });
  });
}

function insertRest(row: Row): void {
  const { w, at } = row;
  w.get(at.numbers)
    .i32(MOVES)
    .op("i32.mul")
    .i32(SHORT * SHORT)
    .op("i32.add")
    .set(at.budget);
  w.i32(0).set(at.moves);
  pushIsShort(row).get(at.low).i32(row.keyShift).op("i32.gt_u").op("i32.or");
  w.get(at.bits).i32(0).op("i32.gt_u").op("i32.and");
  w.when(() => insertEntries(row));
  if (!isWideArgsort(row)) return;
  w.get(at.drop).i32(0).op("i32.gt_u").get(at.moves).get(at.budget).op("i32.le_u").op("i32.and");
  w.when(() => insertTies(row));
}

const isWideArgsort = ({ kind, keyType }: Row): boolean => kind === "argsort" && keyType === "i64";

/** The first turn over all bits. `stage` 1: another turn must follow; 2: none. */
function startOver(row: Row): void {
  const { w, at } = row;
  w.i32(2).set(at.stage);
  if (isWideArgsort(row)) {
    w.get(at.drop);
    w.when(() => {
      w.i32(1).set(at.stage).i32(0).set(at.drop);
      writeEntries(row, () => undefined);
    });
  } else if (row.entryType === "i64" && row.kind === "sort")
    w.get(at.bits).i32(TURN_BITS).op("i32.gt_u").i32(1).op("i32.xor").i32(1).op("i32.add").set(at.stage);
  w.i32(row.keyShift).set(at.low).i32(MAX_WIDTH).set(at.widest);
  w.i32(TURN_BITS).set(at.sum);
  least(w, at.bits, at.sum);
  chooseDigits(row);
  countEntries(row);
}

function goOnToHighBits(row: Row): void {
  const { w, at } = row;
  w.i32(2).set(at.stage);
  if (isWideArgsort(row)) {
    takeHighHalves(row);
    w.i32(32);
  } else {
    w.i32(TURN_BITS).set(at.low);
    w.get(at.bits).i32(TURN_BITS).op("i32.sub");
  }
  chooseDigits(row);
  countEntries(row);
}

/** The upper 32 bits of the keys go into the entries, in the order that the lower ones gave. */
function takeHighHalves(row: Row): void {
  const { w, at } = row;
  w.get(at.entries).set(at.read);
  times(w, at.numbers, at.left, () => {
    w.get(at.read).get(at.read);
    loadEntry(row).set(at.entry);
    pushWholeKey(row, () => w.get(at.entry));
    w.i64(-(1n << 32n))
      .op("i64.and")
      .get(at.entry)
      .i64(0xffffffffn)
      .op("i64.and")
      .op("i64.or");
    storeEntry(row);
    increase(w, at.read, row.entryBytes);
  });
}
