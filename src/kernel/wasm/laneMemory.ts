// Vectors whose lanes do not lie side by side: gathered from, and scattered to, one address each. In: a way to
// push a lane's address (what it gives is a constant offset to add). Narrow types are widened as loadVector does.

import { infoOf, kindOf, type RealDType } from "../../core/dtype.ts";
import type { FunctionWriter } from "./assembler.ts";
import { type LaneCount, pushNumbers, type VectorValue } from "./vectorCode.ts";

/** Leaves an address on the stack and says what has to be added to it. */
export type LaneAddress = (lane: number) => number;

export function loadLanes(
  w: FunctionWriter,
  type: RealDType,
  lanes: LaneCount,
  address: LaneAddress,
): 32 | 64 {
  const { bytes } = infoOf(type);
  const gathered = w.local("v128");
  w.memory(`v128.load${8 * bytes}_splat`, address(0)).set(gathered);
  for (let lane = 1; lane < lanes; lane++) {
    const offset = address(lane);
    w.get(gathered)
      .memory(`v128.load${8 * bytes}_lane`, offset, lane)
      .set(gathered);
  }
  w.get(gathered);
  widen(w, type);
  return 32;
}

function widen(w: FunctionWriter, type: RealDType): void {
  const { bytes } = infoOf(type);
  const sign = kindOf(type) === "uint" || type === "bool" ? "u" : "s";
  if (bytes === 1) w.op(`i16x8.extend_low_i8x16_${sign}`);
  if (bytes <= 2) w.op(`i32x4.extend_low_i16x8_${sign}`);
  if (type === "bool") w.i32(0).op("i32x4.splat").op("i32x4.ne");
}

export function storeLanes(
  w: FunctionWriter,
  stored: VectorValue,
  lanes: LaneCount,
  address: LaneAddress,
): void {
  const { bytes } = infoOf(stored.type);
  const value = w.local("v128");
  pushNumbers(w, stored);
  w.set(value);
  // A narrow number is the low end of a lane of 32 bits.
  const step = bytes < 4 ? 4 / bytes : 1;
  for (let lane = 0; lane < lanes; lane++) {
    const offset = address(lane);
    w.get(value).memory(`v128.store${8 * bytes}_lane`, offset, lane * step);
  }
}
