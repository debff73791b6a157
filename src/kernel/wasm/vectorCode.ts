// Vector values in WebAssembly SIMD: how lanes are laid out, masks, loads and stores. There are 4 lanes of 32 bits, or
// 2 of 64 where a program has 64-bit types; then 32-bit lanes use the low half of a vector. A bool is a mask as wide
// as what was compared. In: vector locals and addresses. Out: code that leaves a vector on the stack, or stores it.

import { infoOf, isFloat, isWide, kindOf, type RealDType } from "../../core/dtype.ts";
import type { Instruction } from "../program.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import { emitScalar, loadName, machineType, pushConstant } from "./scalarCode.ts";

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

// Vectors whose lanes do not lie side by side: gathered from, and scattered to, one address each. In: a way to
// push a lane's address (what it gives is a constant offset to add). Narrow types are widened as loadVector does.

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

// What SIMD lacks, lane by lane with the scalar code. In: an instruction and vector values. Out: code that leaves the
// vector of results on the stack.

/** Takes the lanes out, computes each, and puts the results in. */
export function lanewise(
  w: FunctionWriter,
  instruction: Instruction,
  args: readonly VectorValue[],
  lanes: LaneCount,
): 32 | 64 {
  const { type } = instruction;
  const shape = type === "bool" ? "i32x4" : laneShape(type);
  const result = w.local("v128");
  pushConstant(w, type === "bool" ? "int32" : type, 0);
  w.op(`${shape}.splat`).set(result);
  const scalars = args.map((argument) => w.local(machineType(argument.type)));
  for (let lane = 0; lane < lanes; lane++) {
    args.forEach((argument, i) => {
      extractLane(w, argument, lane);
      w.set(scalars[i]!);
    });
    w.get(result);
    emitScalar(w, instruction, args[0]!.type, scalars);
    // A bool becomes a mask: 0 − 1 is all ones.
    if (type === "bool") {
      const one = w.local("i32");
      w.set(one).i32(0).get(one).op("i32.sub");
    }
    w.op(`${shape}.replace_lane`, lane).set(result);
  }
  w.get(result);
  return 32;
}

function extractLane(w: FunctionWriter, value: VectorValue, lane: number): void {
  if (value.type === "bool") {
    pushMask(w, value, 32);
    w.op("i32x4.extract_lane", lane).i32(1).op("i32.and");
  } else w.get(value.local).op(`${laneShape(value.type)}.extract_lane`, lane);
}

// Conversions of several lanes in WebAssembly SIMD. In: a vector value and a type. Out: code that leaves the converted
// vector on the stack. Must hold: the same bits as the scalar code.

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
