// The first look at a row, before anything is written. In: the row. Out: how many of its elements are numbers (not
// NaN), which bits of their keys differ, whether they are in order already, whether −0 is among them.

import { increase } from "../module.ts";
import { timesUnrolled } from "./flow.ts";
import { eitherNumber, pushBits, pushKey } from "./keys.ts";
import { keyBits, keyConstant, type Row, signBit } from "./row.ts";

export function survey(row: Row): void {
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
