// Short rows of sort: a network of comparisons for each length (Batcher's), all in registers. There is one jump a row, by its
// length; what is chosen by comparing is chosen without jumps, which nobody could foresee. In: a row. Out: its output, or
// nothing where the row has NaN or −0: then equal keys are not equal elements, and the row goes the way of long ones.

import type { Local } from "../assembler.ts";
import { bitsFromKey, pushBits, pushIsNaN, pushKey, storeBits } from "./keys.ts";
import { keyConstant, type Row, signBit } from "./row.ts";

/** Longer rows are not worth the code. */
const LONGEST = 16;

/** Leaves the code that `done` is behind of if the row could be sorted. */
export function sortShort(row: Row, done: number): void {
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
