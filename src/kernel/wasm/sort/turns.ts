// Turns of radix sort. In: a row and what the survey found. Out: its entries in order.
// The digits at the top of the keys, as many as tell most elements apart, are sorted by radix; what is then out of
// order is few and goes in place by insertion. Where it is not few, radix sort goes over all bits instead.

import type { FunctionWriter } from "../assembler.ts";
import { increase } from "../module.ts";
import { clearCounters, countDigits, countEntries, writeEntries } from "./entries.ts";
import { least, times } from "./flow.ts";
import { insertEntries, insertTies, pushWholeKey } from "./insertion.ts";
import { chooseDigits, radixPasses } from "./radix.ts";
import { loadEntry, MAX_WIDTH, type Row, storeEntry, TABLES } from "./row.ts";

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
