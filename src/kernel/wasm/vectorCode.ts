// Several lanes in WebAssembly SIMD. In: an instruction and vector locals. Out: code that leaves the vector
// on the stack. There are 4 lanes of 32 bits, or 2 of 64 where a program has 64-bit types; then 32-bit lanes
// use the low half of a vector. A bool is a mask as wide as what was compared. What SIMD lacks is done lane
// by lane with the scalar code. Must hold: the same bits as the scalar code.

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

const isUnsigned = (type: RealDType): boolean => kindOf(type) === "uint" || type === "bool";

/** How a register type is laid out: what its lanes are called. */
function laneShape(type: RealDType): "f64x2" | "f32x4" | "i64x2" | "i32x4" {
  if (type === "float64") return "f64x2";
  if (type === "float32") return "f32x4";
  return isWide(type) ? "i64x2" : "i32x4";
}

const HALF_FROM_WIDE = [0, 1, 2, 3, 8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11];

/** The mask of a bool with lanes of the wanted width. */
function pushMask(w: FunctionWriter, { local, maskBits }: VectorValue, bits: 32 | 64): void {
  w.get(local);
  if (maskBits === 32 && bits === 64) w.op("i64x2.extend_low_i32x4_s");
  if (maskBits === 64 && bits === 32) w.get(local).shuffle(HALF_FROM_WIDE);
}

const bitsOf = (type: RealDType): 32 | 64 => (infoOf(type).bytes === 8 ? 64 : 32);

/** Emits the value and tells how wide its mask is, if it is a bool. */
export function emitVector(
  w: FunctionWriter,
  instruction: Instruction,
  args: readonly VectorValue[],
  lanes: LaneCount,
): 32 | 64 {
  const { prim, type } = instruction;
  const from = args[0]!.type;
  const bits = bitsOf(from);
  switch (prim) {
    case "select":
    case "rarely":
      return selectVector(w, type, args);
    case "eq":
    case "ne":
    case "lt":
    case "le":
    case "gt":
    case "ge":
      return compareVector(w, prim, from, args, instruction, lanes);
    case "bitcast":
      w.get(args[0]!.local);
      return 32;
    case "signbit":
      w.get(args[0]!.local)
        .i32(bits - 1)
        .op(`i${bits}x${128 / bits}.shr_s`);
      return bits === 64 ? 64 : 32;
    case "convert":
      return convertVector(w, instruction, args[0]!, lanes);
    case "and":
    case "or":
    case "xor":
      if (type === "bool") return logicVector(w, prim, args);
      w.get(args[0]!.local).get(args[1]!.local).op(`v128.${prim}`);
      return 32;
    case "not":
      w.get(args[0]!.local).op("v128.not");
      if (type !== "bool") wrapNarrow(w, type);
      return args[0]!.maskBits;
    case "copysign":
      return copysignVector(w, from, args);
    case "shl":
    case "shr":
      return shiftVector(w, instruction, args, lanes);
    default:
      return arithmeticVector(w, instruction, args, lanes);
  }
}

function selectVector(
  w: FunctionWriter,
  type: RealDType,
  [condition, yes, no]: readonly VectorValue[],
): 32 | 64 {
  const bits = type === "bool" ? condition!.maskBits : bitsOf(type);
  if (type === "bool") {
    pushMask(w, yes!, bits);
    pushMask(w, no!, bits);
  } else w.get(yes!.local).get(no!.local);
  pushMask(w, condition!, bits);
  w.op("v128.bitselect");
  return bits;
}

function logicVector(w: FunctionWriter, prim: string, [x, y]: readonly VectorValue[]): 32 | 64 {
  pushMask(w, x!, 32);
  pushMask(w, y!, 32);
  w.op(`v128.${prim}`);
  return 32;
}

function compareVector(
  w: FunctionWriter,
  prim: "eq" | "ne" | "lt" | "le" | "gt" | "ge",
  from: RealDType,
  args: readonly VectorValue[],
  instruction: Instruction,
  lanes: LaneCount,
): 32 | 64 {
  const [x, y] = args;
  if (from === "bool") {
    // Masks as numbers are 0 and −1: as unsigned numbers they have bool's order.
    pushMask(w, x!, 32);
    pushMask(w, y!, 32);
    w.op(`i32x4.${prim}${prim === "eq" || prim === "ne" ? "" : "_u"}`);
    return 32;
  }
  const isEquality = prim === "eq" || prim === "ne";
  if (from === "uint64" && !isEquality) return lanewise(w, instruction, args, lanes);
  const sign = isFloat(from) || isEquality ? "" : isUnsigned(from) ? "_u" : "_s";
  w.get(x!.local)
    .get(y!.local)
    .op(`${laneShape(from)}.${prim}${sign}`);
  return bitsOf(from);
}

/** |x| with the sign bit of y. */
function copysignVector(w: FunctionWriter, type: RealDType, [x, y]: readonly VectorValue[]): 32 | 64 {
  w.get(y!.local).get(x!.local);
  if (type === "float64") w.i64(-(1n << 63n)).op("i64x2.splat");
  else w.i32(-0x80000000).op("i32x4.splat");
  w.op("v128.bitselect");
  return 32;
}

function shiftVector(
  w: FunctionWriter,
  instruction: Instruction,
  args: readonly VectorValue[],
  lanes: LaneCount,
): 32 | 64 {
  const { prim, type } = instruction;
  const count = Number(args[1]!.constant ?? -1);
  const isWhole = infoOf(type).bytes >= 4;
  if (!isWhole || count < 0 || count >= bitsOf(type)) return lanewise(w, instruction, args, lanes);
  const sign = prim === "shl" ? "" : isUnsigned(type) ? "_u" : "_s";
  w.get(args[0]!.local)
    .i32(count)
    .op(`${laneShape(type)}.${prim}${sign}`);
  return 32;
}

const FLOAT_PRIMS = [
  "add",
  "sub",
  "mul",
  "div",
  "min",
  "max",
  "sqrt",
  "floor",
  "ceil",
  "trunc",
  "nearest",
  "abs",
  "neg",
];
const INTEGER_PRIMS = ["add", "sub", "mul", "neg"];

function arithmeticVector(
  w: FunctionWriter,
  instruction: Instruction,
  args: readonly VectorValue[],
  lanes: LaneCount,
): 32 | 64 {
  const { prim, type } = instruction;
  const push = (): FunctionWriter => {
    for (const { local } of args) w.get(local);
    return w;
  };
  if (isFloat(type) && FLOAT_PRIMS.includes(prim)) {
    push().op(`${laneShape(type)}.${prim}`);
    return 32;
  }
  if (type !== "bool" && !isFloat(type) && INTEGER_PRIMS.includes(prim)) {
    push().op(`${laneShape(type)}.${prim}`);
    wrapNarrow(w, type);
    return 32;
  }
  if ((prim === "min" || prim === "max") && laneShape(type) === "i32x4" && type !== "bool") {
    push().op(`i32x4.${prim}_${isUnsigned(type) ? "u" : "s"}`);
    return 32;
  }
  return lanewise(w, instruction, args, lanes);
}

/** Back into the range of a narrow integer. */
function wrapNarrow(w: FunctionWriter, type: RealDType): void {
  const { bytes } = infoOf(type);
  if (bytes >= 4) return;
  const unused = 32 - 8 * bytes;
  w.i32(unused)
    .op("i32x4.shl")
    .i32(unused)
    .op(isUnsigned(type) ? "i32x4.shr_u" : "i32x4.shr_s");
}

function convertVector(
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
export function loadSplat(w: FunctionWriter, type: RealDType): 32 | 64 {
  w.memory(loadName(type)).op(`${laneShape(type)}.splat`);
  if (type === "bool") w.i32(0).op("i32x4.splat").op("i32x4.ne");
  return 32;
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
  if (value.type === "bool") {
    pushMask(w, value, 32);
    w.i32(1).op("i32x4.splat").op("v128.and");
  } else w.get(value.local);
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
