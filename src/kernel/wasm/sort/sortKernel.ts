// sort and argsort of rows, or of segments, as a WebAssembly module: a unit is a row. In: a dtype. Out: bytes.
// Stable; NaN last; the same bits as routines/sort.ts. Must hold: output and work share no memory with the input.

import type { RealDType } from "../../../core/dtype.ts";
import type { Local } from "../assembler.ts";
import { increase, moduleOf, SCRATCH } from "../module.ts";
import { moveToRow } from "../rowPlace.ts";
import { times, timesUnrolled } from "./flow.ts";
import { bitsFromKey, eitherNumber, pushBits, pushIsNaN, pushKey, setFlip, storeBits } from "./keys.ts";
import {
  COUNTER_BYTES,
  keyBits,
  keyConstant,
  loadEntry,
  newRow,
  type Row,
  type SortKind,
  signBit,
} from "./row.ts";
import { orderEntries, prepareEntries } from "./turns.ts";

// Short rows of sort: a network of comparisons for each length (Batcher's), all in registers. There is one jump a row, by its
// length; what is chosen by comparing is chosen without jumps, which nobody could foresee. In: a row. Out: its output, or
// nothing where the row has NaN or −0: then equal keys are not equal elements, and the row goes the way of long ones.

/** Longer rows are not worth the code. */
const LONGEST = 16;

/** Leaves the code that `done` is behind of if the row could be sorted. */
function sortShort(row: Row, done: number): void {
  const { w, at } = row;
  if (row.kind !== "sort") return;
  w.block((other) => {
    const ways = (length: number, labels: readonly number[]): void => {
      if (length < 0) return void w.get(at.length).branchTable(labels, other);
      w.block((label) => ways(length - 1, [label, ...labels]));
      w.reusing(() => sortLength(row, length, other));
      w.branch(done);
    };
    ways(LONGEST, []);
  });
}

function sortLength(row: Row, length: number, other: number): void {
  const { w, at, keyType } = row;
  const keys = Array.from({ length }, () => w.local(keyType));
  if (length === 0) return;
  w.get(at.input).set(at.read).i32(0).set(at.isSingle);
  for (const key of keys) {
    w.get(at.read);
    pushBits(row);
    w.set(at.raw);
    noteOdd(row);
    pushKey(row);
    w.set(key);
    w.get(at.read).get(at.inputStride).op("i32.add").set(at.read);
  }
  if (row.isFloat) w.get(at.isSingle).branchIf(other);
  for (const [low, high] of comparisons(length)) exchange(row, keys[low]!, keys[high]!);
  w.get(at.output).set(at.write);
  for (const key of keys) {
    w.get(key).set(at.key);
    bitsFromKey(row);
    storeBits(row);
    w.get(at.write).get(at.outputStride).op("i32.add").set(at.write);
  }
}

/** `isSingle`: whether `raw`, or one before it, is NaN or −0. */
function noteOdd(row: Row): void {
  const { w, at, keyType } = row;
  if (!row.isFloat) return;
  pushIsNaN(row);
  w.get(at.raw);
  keyConstant(row, signBit(row)).op(`${keyType}.eq`).op("i32.or");
  w.get(at.isSingle).op("i32.or").set(at.isSingle);
}

/** The lesser key becomes the first. */
function exchange({ w, keyType }: Row, low: Local, high: Local): void {
  const [test, lesser] = [w.local("i32"), w.local(keyType)];
  w.get(low).get(high).op(`${keyType}.lt_u`).set(test);
  w.get(low).get(high).get(test).select(keyType).set(lesser);
  w.get(high).get(low).get(test).select(keyType).set(high);
  w.get(lesser).set(low);
}

/** Batcher's merge exchange sort, for any number of elements. */
function comparisons(length: number): [number, number][] {
  const pairs: [number, number][] = [];
  for (let p = 1; p < length; p *= 2)
    for (let k = p; k >= 1; k /= 2)
      for (let j = k % p; j + k < length; j += 2 * k)
        for (let i = 0; i < k && i + j + k < length; i++)
          if (Math.floor((i + j) / (2 * p)) === Math.floor((i + j + k) / (2 * p)))
            pairs.push([i + j, i + j + k]);
  return pairs;
}

// The first look at a row, before anything is written. In: the row. Out: how many of its elements are numbers (not
// NaN), which bits of their keys differ, whether they are in order already, whether −0 is among them.

function survey(row: Row): void {
  const { w, at, keyType } = row;
  for (const local of [at.isUnsorted, at.hasNegativeZero, at.numbers]) w.i32(0).set(local);
  keyConstant(row, -1n).set(at.all);
  keyConstant(row, 0n).tee(at.some).set(at.least);
  w.get(at.input).set(at.read);
  timesUnrolled(w, at.length, at.left, () => {
    w.get(at.read);
    pushBits(row);
    w.set(at.raw);
    const nothing = (): void => undefined;
    eitherNumber(row, () => surveyNumber(row), nothing);
    increase(w, at.read, at.inputStride);
  });
  if (!row.isFloat) w.get(at.length).set(at.numbers);
  w.get(at.some).get(at.all).op(`${keyType}.xor`).set(at.some);
  setBits(row);
}

function surveyNumber(row: Row): void {
  const { w, at, keyType } = row;
  pushKey(row);
  w.set(at.key);
  w.get(at.key).get(at.some).op(`${keyType}.or`).set(at.some);
  w.get(at.key).get(at.all).op(`${keyType}.and`).set(at.all);
  w.get(at.key).get(at.least).op(`${keyType}.lt_u`).get(at.isUnsorted).op("i32.or").set(at.isUnsorted);
  w.get(at.key).set(at.least);
  if (!row.isFloat) return;
  increase(w, at.numbers, 1);
  if (row.kind === "argsort") return;
  w.get(at.raw);
  keyConstant(row, signBit(row)).op(`${keyType}.eq`);
  w.get(at.hasNegativeZero).op("i32.or").set(at.hasNegativeZero);
}

/** `bits`: how many low bits of the keys are not the same in all; 0 if there is nothing to sort. */
function setBits(row: Row): void {
  const { w, at, keyType } = row;
  w.i32(keyBits(row)).get(at.some).op(`${keyType}.clz`);
  if (keyType === "i64") w.op("i32.wrap_i64");
  w.op("i32.sub").i32(0).get(at.isUnsorted).select("i32").set(at.bits);
}

// The end of a row. In: entries in order. Out: the output row: elements, or positions as int64; NaNs behind the
// numbers, in their order; zeros of both signs in theirs.

/** A row that is in order already. */
function copyInput(row: Row): void {
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

function copyEntries(row: Row): void {
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
function appendNaNs(row: Row): void {
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
function restoreZeros(row: Row): void {
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

/** The parameters' words; then the axes of rows (rowPlace.ts), strides of the input and of the output; or no axes, and
 * where the offsets of segments lie. */
export const WORDS = [
  "length", "input", "inputStride", "output", "outputStride",
  "descending", "work", "workStride", "firstRow", "offsets",
] as const; // biome-ignore format: a list

export function sortModule(
  isShared: boolean,
  kind: SortKind,
  dtype: RealDType,
  isSegmented: boolean,
): Uint8Array<ArrayBuffer> {
  return moduleOf(isShared, (w, run) => writeRows(newRow(w, run, kind, dtype, isSegmented)));
}

function writeRows(row: Row): void {
  const { w, at, run } = row;
  w.global(SCRATCH).set(at.counters);
  w.get(run.from).set(at.unit);
  w.block((end) => {
    w.loop((again) => {
      w.get(at.unit).get(run.to).op("i32.ge_u").branchIf(end);
      readParameters(row);
      setFlip(row);
      findRow(row);
      w.block((done) => {
        sortShort(row, done);
        findBuffers(row);
        sortRow(row);
      });
      increase(w, at.unit, 1);
      w.branch(again);
    });
  });
}

function readParameters({ w, at, run }: Row): void {
  WORDS.forEach((word, number) =>
    w
      .get(run.parameters)
      .memory("i32.load", 4 * number)
      .set(at[word]),
  );
}

function findRow({ w, at, run, isSegmented }: Row): void {
  w.get(at.unit).get(at.firstRow).op("i32.add").set(at.place);
  if (isSegmented) {
    w.get(at.place).i32(4).op("i32.mul").get(at.offsets).op("i32.add").set(at.read);
    w.get(at.read).memory("i32.load").set(at.place);
    w.get(at.read).memory("i32.load", 4).get(at.place).op("i32.sub").set(at.length);
    w.get(at.place).get(at.inputStride).op("i32.mul").get(at.input).op("i32.add").set(at.input);
    w.get(at.place).get(at.outputStride).op("i32.mul").get(at.output).op("i32.add").set(at.output);
  } else moveToRow(w, run.parameters, 4 * WORDS.length, at.place, [at.input, at.output]);
}

/** The output itself is one of the two buffers where entries fit it. Work at 0 is the thread's scratch. */
function findBuffers({ w, at, kind, bytes, entryBytes }: Row): void {
  w.get(at.work).get(at.unit).get(at.workStride).op("i32.mul").op("i32.add");
  w.get(at.counters).i32(COUNTER_BYTES).op("i32.add");
  w.get(at.work).select("i32").tee(at.entries);
  w.get(at.length).i32(entryBytes).op("i32.mul").op("i32.add").set(at.spare);
  if (kind === "sort" && bytes !== entryBytes) return;
  w.get(at.outputStride).i32(entryBytes).op("i32.eq");
  w.when(() => w.get(at.entries).set(at.spare).get(at.output).set(at.entries));
}

function sortRow(row: Row): void {
  const { w, at } = row;
  survey(row);
  w.get(at.isUnsorted).get(at.numbers).get(at.length).op("i32.ne").op("i32.or");
  w.either(
    () => {
      prepareEntries(row);
      orderEntries(row);
      copyEntries(row);
      appendNaNs(row);
      restoreZeros(row);
    },
    () => copyInput(row),
  );
}
