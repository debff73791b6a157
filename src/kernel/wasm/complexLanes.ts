// Complex numbers in memory are pairs, in vectors they are apart: a vector of real or of imaginary parts.
// In: the address of consecutive pairs. Out: on the stack, one part of as many pairs as there are lanes.

import { infoOf, type RealDType } from "../../core/dtype.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import type { LaneCount } from "./vectorCode.ts";

/** Every second slot of 32 bytes, from the first or second slot on. */
function everySecond(bytes: number, part: 0 | 1): number[] {
  const slots = Array.from({ length: 16 / bytes }, (_, lane) => (2 * lane + part) * bytes);
  return slots.flatMap((at) => Array.from({ length: bytes }, (_, k) => at + k));
}

export function loadComplexPart(
  w: FunctionWriter,
  address: Local,
  type: RealDType,
  part: 0 | 1,
  lanes: LaneCount,
  offset: number,
): void {
  const { bytes } = infoOf(type);
  w.get(address).memory("v128.load", offset).get(address);
  // Two lanes of 32 bits lie in the first 16 bytes, and no more may be read.
  w.memory("v128.load", 2 * lanes * bytes === 32 ? offset + 16 : offset);
  w.shuffle(everySecond(bytes, part));
}
