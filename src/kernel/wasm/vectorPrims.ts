// Primitives on several lanes in WebAssembly SIMD. In: an instruction and vector values. Out: code that leaves the
// vector on the stack. Must hold: the same bits as the scalar code.

import { infoOf, isFloat, isWide, type RealDType } from "../../core/dtype.ts";
import type { Instruction } from "../program.ts";
import type { FunctionWriter } from "./assembler.ts";
import { tableAddress } from "./memoryLayout.ts";
import { philoxAddress } from "./philoxCode.ts";
import {
  bitsOf,
  convertVector,
  isUnsigned,
  type LaneCount,
  laneShape,
  lanewise,
  loadLanes,
  pushMask,
  type VectorValue,
  wrapNarrow,
} from "./vectorCode.ts";

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
      return selectVector(w, type, args, type === "bool" ? args[0]!.maskBits : bitsOf(type));
    case "eq":
    case "ne":
    case "lt":
    case "le":
    case "gt":
    case "ge":
      return compareVector(w, prim, from, args);
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
    case "lookup":
      return lookupVector(w, instruction, args[0]!, lanes);
    case "philox":
      return philoxVector(w, instruction, args);
    default:
      return arithmeticVector(w, instruction, args, lanes);
  }
}

const SIGN_BIT = -(1n << 63n);

/** `bits` is how wide the result's lanes are: a bool's are as wide as one likes. */
export function selectVector(
  w: FunctionWriter,
  type: RealDType,
  [condition, yes, no]: readonly VectorValue[],
  bits: 32 | 64 = bitsOf(type),
): 32 | 64 {
  if (type === "bool") {
    pushMask(w, yes!, bits);
    pushMask(w, no!, bits);
    pushMask(w, condition!, bits);
    w.op("v128.bitselect");
    return bits;
  }
  const width = bitsOf(type);
  // Where one side has no bits set, the mask itself selects.
  if (isAllZero(no!)) pushMask(w.get(yes!.local), condition!, width).op("v128.and");
  else if (isAllZero(yes!)) pushMask(w.get(no!.local), condition!, width).op("v128.andnot");
  else pushMask(w.get(yes!.local).get(no!.local), condition!, width).op("v128.bitselect");
  return bits;
}

const isAllZero = ({ constant }: VectorValue): boolean => Object.is(constant, 0) || constant === 0n;

function logicVector(w: FunctionWriter, prim: string, [x, y]: readonly VectorValue[]): 32 | 64 {
  const bits = x!.maskBits === y!.maskBits ? x!.maskBits : 32;
  pushMask(w, x!, bits);
  pushMask(w, y!, bits);
  w.op(`v128.${prim}`);
  return bits;
}

function compareVector(
  w: FunctionWriter,
  prim: "eq" | "ne" | "lt" | "le" | "gt" | "ge",
  from: RealDType,
  [x, y]: readonly VectorValue[],
): 32 | 64 {
  if (from === "bool") {
    // Masks as numbers are 0 and −1: as unsigned numbers they have bool's order.
    pushMask(w, x!, 32);
    pushMask(w, y!, 32);
    w.op(`i32x4.${prim}${prim === "eq" || prim === "ne" ? "" : "_u"}`);
    return 32;
  }
  const isEquality = prim === "eq" || prim === "ne";
  const sign = isFloat(from) || isEquality ? "" : isUnsigned(from) && from !== "uint64" ? "_u" : "_s";
  if (from === "uint64" && !isEquality) {
    pushShifted(w, x!);
    pushShifted(w, y!);
  } else w.get(x!.local).get(y!.local);
  w.op(`${laneShape(from)}.${prim}${sign}`);
  return bitsOf(from);
}

/** A uint64 less 2⁶³: as signed numbers these have the order that the unsigned ones have. */
function pushShifted(w: FunctionWriter, { local }: VectorValue): void {
  w.get(local).i64(SIGN_BIT).op("i64x2.splat").op("v128.xor");
}

/** |x| with the sign bit of y. */
function copysignVector(w: FunctionWriter, type: RealDType, [x, y]: readonly VectorValue[]): 32 | 64 {
  w.get(y!.local).get(x!.local);
  if (type === "float64") w.i64(SIGN_BIT).op("i64x2.splat");
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

/** Each lane from its own place in the table. */
function lookupVector(
  w: FunctionWriter,
  { imm, type }: Instruction,
  { local }: VectorValue,
  lanes: LaneCount,
): 32 | 64 {
  const table = tableAddress(Number(imm));
  return loadLanes(w, type, lanes, (lane) => {
    w.get(local).op("i64x2.extract_lane", lane).op("i32.wrap_i64").i32(3).op("i32.shl");
    return table;
  });
}

/** Each lane's bits from where they are kept. */
function philoxVector(
  w: FunctionWriter,
  instruction: Instruction,
  [places, stream, key]: readonly VectorValue[],
): 32 | 64 {
  const push =
    ({ local }: VectorValue) =>
    (): void =>
      void w.get(local).op("i64x2.extract_lane", 0);
  const [bits, place] = [w.local("v128"), w.local("i64")];
  for (const lane of [0, 1]) {
    w.get(places!.local).op("i64x2.extract_lane", lane).set(place);
    const offset = philoxAddress(w, instruction, place, push(stream!), push(key!));
    if (lane === 0) w.memory("v128.load64_zero", offset).set(bits);
    else w.get(bits).memory("v128.load64_lane", offset, 1);
  }
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
const INTEGER_PRIMS = ["add", "sub", "mul", "neg", "abs"];

function arithmeticVector(
  w: FunctionWriter,
  instruction: Instruction,
  args: readonly VectorValue[],
  lanes: LaneCount,
): 32 | 64 {
  const { prim, type } = instruction;
  if (type === "bool") return lanewise(w, instruction, args, lanes);
  if (prim === "min" || prim === "max") return extremeVector(w, prim, type, args);
  const isDirect = (isFloat(type) ? FLOAT_PRIMS : INTEGER_PRIMS).includes(prim);
  if (!isDirect) return lanewise(w, instruction, args, lanes);
  for (const { local } of args) w.get(local);
  if (prim === "abs" && isUnsigned(type)) return 32;
  w.op(`${laneShape(type)}.${prim}`);
  if (!isFloat(type)) wrapNarrow(w, type);
  return 32;
}

/** Of 64-bit integers, which have no such instruction, by a comparison. */
function extremeVector(
  w: FunctionWriter,
  prim: "min" | "max",
  type: RealDType,
  args: readonly VectorValue[],
): 32 | 64 {
  for (const { local } of args) w.get(local);
  if (isFloat(type)) w.op(`${laneShape(type)}.${prim}`);
  else if (!isWide(type)) w.op(`i32x4.${prim}_${isUnsigned(type) ? "u" : "s"}`);
  else {
    compareVector(w, prim === "min" ? "lt" : "gt", type, args);
    w.op("v128.bitselect");
  }
  return 32;
}
