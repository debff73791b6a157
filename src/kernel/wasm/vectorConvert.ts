// Conversions of several lanes in WebAssembly SIMD. In: a vector value and a type. Out: code that leaves the converted
// vector on the stack. Must hold: the same bits as the scalar code.

import { isFloat, isWide, type RealDType } from "../../core/dtype.ts";
import type { Instruction } from "../program.ts";
import type { FunctionWriter } from "./assembler.ts";
import { lanewise } from "./lanewise.ts";
import { pushConstant } from "./scalarCode.ts";
import { bitsOf, type LaneCount, laneShape, pushMask, type VectorValue, wrapNarrow } from "./vectorCode.ts";

export function convertVector(
  w: FunctionWriter,
  instruction: Instruction,
  x: VectorValue,
  lanes: LaneCount,
): 32 | 64 {
  const { type: to } = instruction;
  const { type: from } = x;
  if (from === "bool") return convertMask(w, to, x);
  if (to === "bool") {
    w.get(x.local);
    pushZero(w, from);
    w.op(`${laneShape(from)}.ne`);
    return bitsOf(from);
  }
  const direct = DIRECT[`${from} ${to}`] ?? (isNarrowOrWord(from) && isNarrowOrWord(to) ? [] : undefined);
  if (direct === undefined) return lanewise(w, instruction, [x], lanes);
  w.get(x.local);
  for (const name of direct) w.op(name);
  if (isNarrowOrWord(from)) wrapNarrow(w, to);
  return 32;
}

const isNarrowOrWord = (type: RealDType): boolean => !isFloat(type) && !isWide(type) && type !== "bool";

const DIRECT: { readonly [pair: string]: readonly string[] } = {
  "float32 float64": ["f64x2.promote_low_f32x4"],
  "float64 float32": ["f32x4.demote_f64x2_zero"],
  "int32 float64": ["f64x2.convert_low_i32x4_s"],
  "uint32 float64": ["f64x2.convert_low_i32x4_u"],
  ...Object.fromEntries(
    ["int8", "int16", "uint8", "uint16"].map((type) => [`${type} float64`, ["f64x2.convert_low_i32x4_s"]]),
  ),
  ...Object.fromEntries(
    ["int8", "int16", "uint8", "uint16", "int32"].map((type) => [
      `${type} float32`,
      ["f32x4.convert_i32x4_s"],
    ]),
  ),
  "uint32 float32": ["f32x4.convert_i32x4_u"],
  "float64 int32": ["i32x4.trunc_sat_f64x2_s_zero"],
  "float64 uint32": ["i32x4.trunc_sat_f64x2_u_zero"],
  "float32 int32": ["i32x4.trunc_sat_f32x4_s"],
  "float32 uint32": ["i32x4.trunc_sat_f32x4_u"],
  ...Object.fromEntries(
    ["int8", "int16", "int32"].flatMap((type) =>
      ["int64", "uint64"].map((wide) => [`${type} ${wide}`, ["i64x2.extend_low_i32x4_s"]]),
    ),
  ),
  ...Object.fromEntries(
    ["uint8", "uint16", "uint32"].flatMap((type) =>
      ["int64", "uint64"].map((wide) => [`${type} ${wide}`, ["i64x2.extend_low_i32x4_u"]]),
    ),
  ),
  "int64 uint64": [],
  "uint64 int64": [],
};

/** A mask as 0 and 1 of a number type: the constant one where the mask is set. */
function convertMask(w: FunctionWriter, to: RealDType, x: VectorValue): 32 | 64 {
  pushConstant(w, to, 1);
  w.op(`${laneShape(to)}.splat`);
  pushMask(w, x, bitsOf(to));
  w.op("v128.and");
  return 32;
}

function pushZero(w: FunctionWriter, type: RealDType): void {
  pushConstant(w, type, 0);
  w.op(`${laneShape(type)}.splat`);
}
