// Keys: numbers without sign whose order is that of the elements. In: an element's address. Out: code for its bits,
// its key, and back. A float's bits ascend when those of negative numbers are inverted and the sign bit of the
// others is set. To sort downward, keys are inverted once more. NaN has no key.
// −0 lies below 0 for sort, which puts zeros back in their order at the end; for argsort it is 0.

import { keyBits, keyConstant, type Row, signBit } from "./row.ts";

const LOADS: { readonly [bytes: number]: string } = { 1: "i32.load8", 2: "i32.load16" };

/** Leaves the bits of the element at the address on the stack. */
export function pushBits(row: Row): void {
  const { w, bytes, keyType, isSigned } = row;
  if (row.isFloat && row.kind === "argsort") return pushBitsOfPlusZero(row);
  if (bytes < 4) w.memory(`${LOADS[bytes]}_${isSigned ? "s" : "u"}`);
  else w.memory(`${keyType}.load`);
}

/** x + 0 is x, but for −0. */
function pushBitsOfPlusZero({ w, dtype }: Row): void {
  if (dtype === "float64") w.memory("f64.load").f64(0).op("f64.add").op("i64.reinterpret_f64");
  else w.memory("f32.load").f32(0).op("f32.add").op("i32.reinterpret_f32");
}

/** `flip`: what every key is inverted with, at the begin of a job. */
export function setFlip(row: Row): void {
  const { w, at } = row;
  const sign = row.isSigned ? signBit(row) : 0n;
  keyConstant(row, ~sign);
  keyConstant(row, sign);
  w.get(at.descending).select(row.keyType).set(at.flip);
}

/** Leaves the key of the element whose bits are in `raw`. */
export function pushKey(row: Row): void {
  const { w, at, keyType } = row;
  w.get(at.raw).get(at.flip).op(`${keyType}.xor`);
  if (!row.isFloat) return;
  w.get(at.raw);
  keyConstant(row, BigInt(keyBits(row) - 1)).op(`${keyType}.shr_s`);
  keyConstant(row, signBit(row)).op(`${keyType}.or`).op(`${keyType}.xor`);
}

/** Makes `raw` of `key`. */
export function bitsFromKey(row: Row): void {
  const { w, at, keyType } = row;
  w.get(at.key).get(at.flip).op(`${keyType}.xor`).set(at.raw);
  if (!row.isFloat) return;
  w.get(at.raw).get(at.raw);
  keyConstant(row, BigInt(keyBits(row) - 1)).op(`${keyType}.shr_s`);
  keyConstant(row, -1n).op(`${keyType}.xor`);
  keyConstant(row, signBit(row)).op(`${keyType}.or`).op(`${keyType}.xor`).set(at.raw);
}

/** Leaves 1 if `raw` is a NaN's: its exponent is full and the rest is not empty. */
export function pushIsNaN(row: Row): void {
  const { w, at, keyType, dtype } = row;
  w.get(at.raw);
  keyConstant(row, 1n).op(`${keyType}.shl`);
  keyConstant(row, dtype === "float64" ? -(1n << 53n) : -(1n << 24n)).op(`${keyType}.gt_u`);
}

/** Runs one of two for the element in `raw`. Only floats have NaN. */
export function eitherNumber(row: Row, number: () => void, nan: () => void): void {
  if (!row.isFloat) return number();
  pushIsNaN(row);
  row.w.either(nan, number);
}

/** Stores `raw` at `write`. */
export function storeBits({ w, at, bytes, keyType }: Row): void {
  const name = bytes === 1 ? "i32.store8" : bytes === 2 ? "i32.store16" : `${keyType}.store`;
  w.get(at.write).get(at.raw).memory(name);
}
