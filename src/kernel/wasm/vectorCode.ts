// Vector values in WebAssembly SIMD: how lanes are laid out, masks, loads and stores. There are 4 lanes of 32 bits, or
// 2 of 64 where a program has 64-bit types; then 32-bit lanes use the low half of a vector. A bool is a mask as wide
// as what was compared. In: vector locals and addresses. Out: code that leaves a vector on the stack, or stores it.

import { infoOf, isWide, kindOf, type RealDType } from "../../core/dtype.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import { loadName, pushConstant } from "./scalarCode.ts";

/** A vector value: for a bool how wide its mask's lanes are. */
export interface VectorValue {
  readonly local: Local;
  readonly type: RealDType;
  readonly maskBits: 32 | 64;
  /** Known when the kernel is made: SIMD shifts take such counts only. */
  readonly constant?: number | bigint;
}

export type LaneCount = 2 | 4;

export const isUnsigned = (type: RealDType): boolean => kindOf(type) === "uint" || type === "bool";

/** How a register type is laid out: what its lanes are called. */
export function laneShape(type: RealDType): "f64x2" | "f32x4" | "i64x2" | "i32x4" {
  if (type === "float64") return "f64x2";
  if (type === "float32") return "f32x4";
  return isWide(type) ? "i64x2" : "i32x4";
}

export const bitsOf = (type: RealDType): 32 | 64 => (infoOf(type).bytes === 8 ? 64 : 32);

/** Back into the range of a narrow integer. */
export function wrapNarrow(w: FunctionWriter, type: RealDType): void {
  const { bytes } = infoOf(type);
  if (bytes >= 4) return;
  const unused = 32 - 8 * bytes;
  w.i32(unused)
    .op("i32x4.shl")
    .i32(unused)
    .op(isUnsigned(type) ? "i32x4.shr_u" : "i32x4.shr_s");
}

const HALF_FROM_WIDE = [0, 1, 2, 3, 8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11];

/** The mask of a bool with lanes of the wanted width. */
export function pushMask(w: FunctionWriter, { local, maskBits }: VectorValue, bits: 32 | 64): FunctionWriter {
  w.get(local);
  if (maskBits === 32 && bits === 64) w.op("i64x2.extend_low_i32x4_s");
  if (maskBits === 64 && bits === 32) w.get(local).shuffle(HALF_FROM_WIDE);
  return w;
}

/** A constant in all lanes; a bool as a mask. */
export function pushSplat(w: FunctionWriter, type: RealDType, value: number | bigint): void {
  if (type === "bool") w.i32(value === 0 ? 0 : -1);
  else pushConstant(w, type, value);
  w.op(`${laneShape(type)}.splat`);
}

/** Loads consecutive elements at the address on the stack. */
export function loadVector(w: FunctionWriter, type: RealDType, lanes: LaneCount, offset: number): 32 | 64 {
  const bytes = infoOf(type).bytes * lanes;
  w.memory(
    { 16: "v128.load", 8: "v128.load64_zero", 4: "v128.load32_zero", 2: "v128.load16_splat" }[bytes]!,
    offset,
  );
  const sign = isUnsigned(type) ? "u" : "s";
  if (infoOf(type).bytes === 1) w.op(`i16x8.extend_low_i8x16_${sign}`);
  if (infoOf(type).bytes <= 2) w.op(`i32x4.extend_low_i16x8_${sign}`);
  if (type === "bool") w.i32(0).op("i32x4.splat").op("i32x4.ne");
  return 32;
}

/** The same element in all lanes, loaded from the address on the stack. */
export function loadSplat(w: FunctionWriter, type: RealDType, offset = 0): 32 | 64 {
  w.memory(loadName(type), offset).op(`${laneShape(type)}.splat`);
  if (type === "bool") w.i32(0).op("i32x4.splat").op("i32x4.ne");
  return 32;
}

/** The lanes as they are stored: a bool as 0 or 1 of 32 bits. */
export function pushNumbers(w: FunctionWriter, value: VectorValue): void {
  if (value.type !== "bool") return void w.get(value.local);
  pushMask(w, value, 32);
  w.i32(1).op("i32x4.splat").op("v128.and");
}

const LOW_BYTES = [0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12];
const LOW_WORDS = [0, 1, 4, 5, 8, 9, 12, 13, 0, 1, 4, 5, 8, 9, 12, 13];

/** Stores the lanes one after another at an address. */
export function storeVector(
  w: FunctionWriter,
  address: Local,
  value: VectorValue,
  lanes: LaneCount,
  offset: number,
): void {
  const { bytes } = infoOf(value.type);
  const size = bytes * lanes;
  w.get(address);
  pushNumbers(w, value);
  if (bytes <= 2) {
    const packed = w.local("v128");
    w.set(packed)
      .get(packed)
      .get(packed)
      .shuffle(bytes === 1 ? LOW_BYTES : LOW_WORDS);
  }
  if (size === 16) w.memory("v128.store", offset);
  else w.memory({ 8: "v128.store64_lane", 4: "v128.store32_lane", 2: "v128.store16_lane" }[size]!, offset, 0);
}
