// One lane in WebAssembly. In: an instruction of a scalar program and locals that hold its arguments. Out:
// code that leaves the value on the stack. Narrow integers are i32 kept in range, bool is 0 or 1.
// Must hold: the same bits as the interpreter.

import { infoOf, isFloat, isWide, kindOf, type RealDType } from "../../core/dtype.ts";
import type { Instruction } from "../program.ts";
import { TRAP_KINDS, type TrapKind } from "../traps.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import type { ValueType } from "./instructions.ts";
import { tableAddress } from "./memoryLayout.ts";
import { TRAP, TRAP_TAKES } from "./module.ts";
import { philoxAddress } from "./philoxCode.ts";
import { pushFmod, pushPower } from "./scalarLoops.ts";

export function machineType(type: RealDType): ValueType {
  if (type === "float64") return "f64";
  if (type === "float32") return "f32";
  return isWide(type) ? "i64" : "i32";
}

const isUnsigned = (type: RealDType): boolean => kindOf(type) === "uint" || type === "bool";

/** Back into the range of a narrow integer. */
function normalize(w: FunctionWriter, type: RealDType): void {
  if (type === "int8") w.op("i32.extend8_s");
  else if (type === "int16") w.op("i32.extend16_s");
  else if (type === "uint8") w.i32(0xff).op("i32.and");
  else if (type === "uint16") w.i32(0xffff).op("i32.and");
}

export function pushConstant(w: FunctionWriter, type: RealDType, value: number | bigint): void {
  const machine = machineType(type);
  if (machine === "f64") w.f64(Number(value));
  else if (machine === "f32") w.f32(Number(value));
  else if (machine === "i64") w.i64(BigInt(value));
  else w.i32(Number(value));
}

type Emit = (w: FunctionWriter, type: RealDType, args: readonly Local[], origin: number) => void;

const FLOAT_NAMES = [
  "add",
  "sub",
  "mul",
  "div",
  "copysign",
  "sqrt",
  "floor",
  "ceil",
  "trunc",
  "nearest",
  "abs",
  "neg",
];
const COMPARE = ["eq", "ne", "lt", "le", "gt", "ge"];

/** `from` is the type of the first argument. */
export function emitScalar(
  w: FunctionWriter,
  instruction: Instruction,
  from: RealDType,
  args: readonly Local[],
): void {
  const { prim, type, origin, imm } = instruction;
  if (prim === "convert") return convertScalar(w, from, type, args[0]!);
  if (prim === "bitcast")
    return void w.get(args[0]!).op(`${machineType(type)}.reinterpret_${machineType(from)}`);
  if (prim === "lookup") return lookupScalar(w, Number(imm), args[0]!);
  if (prim === "philox") return philoxScalar(w, instruction, args);
  if (prim === "fmod") return pushFmod(w, args[0]!, args[1]!);
  if (prim === "select") return selectScalar(w, type, args);
  if (prim === "signbit") return signbitScalar(w, from, args[0]!);
  if (COMPARE.includes(prim)) return compareScalar(w, prim, from, args);
  if (isFloat(from) && (prim === "min" || prim === "max")) return extremeScalar(w, from, prim, args);
  if (isFloat(from) && FLOAT_NAMES.includes(prim)) {
    for (const argument of args) w.get(argument);
    return void w.op(`${machineType(from)}.${prim}`);
  }
  INTEGER[prim]!(w, type, args, origin);
}

function philoxScalar(w: FunctionWriter, instruction: Instruction, args: readonly Local[]): void {
  const [place, stream, key] = args as [Local, Local, Local];
  const push = (local: Local) => (): void => void w.get(local);
  w.memory("i64.load", philoxAddress(w, instruction, place, push(stream), push(key)));
}

/** Of floats as integers: engines jump to choose between floats, and nobody foresees which way. */
function selectScalar(w: FunctionWriter, type: RealDType, [test, yes, no]: readonly Local[]): void {
  const machine = machineType(type);
  if (!isFloat(type)) return void w.get(yes!).get(no!).get(test!).select(machine);
  const whole = type === "float64" ? "i64" : "i32";
  const asWhole = (x: Local): FunctionWriter => w.get(x).op(`${whole}.reinterpret_${machine}`);
  asWhole(yes!);
  asWhole(no!).get(test!).select(whole).op(`${machine}.reinterpret_${whole}`);
}

/** As the first lane of vectors: engines jump to find the lesser of two floats, and compute it of vectors. */
function extremeScalar(
  w: FunctionWriter,
  type: RealDType,
  prim: "min" | "max",
  args: readonly Local[],
): void {
  const shape = type === "float64" ? "f64x2" : "f32x4";
  for (const argument of args) w.get(argument).op(`${shape}.splat`);
  w.op(`${shape}.${prim}`).op(`${shape}.extract_lane`, 0);
}

const plain =
  (name: string): Emit =>
  (w, type, [x, y]) => {
    w.get(x!)
      .get(y!)
      .op(`${machineType(type)}.${name}`);
    normalize(w, type);
  };

/** select(x, y) by a comparison of the two. */
const choose =
  (compare: "lt" | "gt"): Emit =>
  (w, type, [x, y]) => {
    w.get(x!).get(y!).get(x!).get(y!);
    w.op(`${machineType(type)}.${compare}_${isUnsigned(type) ? "u" : "s"}`).select(machineType(type));
  };

const INTEGER: { readonly [prim: string]: Emit } = {
  add: plain("add"),
  sub: plain("sub"),
  mul: plain("mul"),
  and: plain("and"),
  or: plain("or"),
  xor: plain("xor"),
  min: choose("lt"),
  max: choose("gt"),
  neg: (w, type, [x]) => {
    pushConstant(w, type, 0);
    w.get(x!).op(`${machineType(type)}.sub`);
    normalize(w, type);
  },
  abs: (w, type, [x]) => {
    if (isUnsigned(type)) return void w.get(x!);
    pushConstant(w, type, 0);
    w.get(x!).op(`${machineType(type)}.sub`);
    w.get(x!).get(x!);
    pushConstant(w, type, 0);
    w.op(`${machineType(type)}.lt_s`).select(machineType(type));
    normalize(w, type);
  },
  not: (w, type, [x]) => {
    if (type === "bool") return void w.get(x!).op("i32.eqz");
    w.get(x!);
    pushConstant(w, type, -1);
    w.op(`${machineType(type)}.xor`);
    normalize(w, type);
  },
  quot: (w, type, [x, y], origin) => divide(w, type, x!, y!, origin, "div"),
  rem: (w, type, [x, y], origin) => divide(w, type, x!, y!, origin, "rem"),
  ipow: (w, type, [x, y], origin) => {
    if (!isUnsigned(type)) trapIfNegative(w, type, y!, "exponent", origin);
    pushPower(w, isWide(type) ? "i64" : "i32", x!, y!);
    normalize(w, type);
  },
  shl: (w, type, [x, y], origin) => shift(w, type, x!, y!, origin, "shl"),
  shr: (w, type, [x, y], origin) => shift(w, type, x!, y!, origin, "shr"),
};

function trapWhen(w: FunctionWriter, kind: TrapKind, origin: number): void {
  w.when(() => w.i32(TRAP_KINDS.indexOf(kind)).i32(origin).call(TRAP, TRAP_TAKES));
}

function trapIfNegative(w: FunctionWriter, type: RealDType, y: Local, kind: TrapKind, origin: number): void {
  w.get(y);
  pushConstant(w, type, 0);
  w.op(`${machineType(type)}.lt_s`);
  trapWhen(w, kind, origin);
}

/** A place is within its table: expansions see to that. */
function lookupScalar(w: FunctionWriter, table: number, place: Local): void {
  w.get(place).op("i32.wrap_i64").i32(3).op("i32.shl");
  w.memory("f64.load", tableAddress(table));
}

/** The engine traps on MIN / −1, which wraps to MIN here: that divisor is taken out and negated back. */
function divide(
  w: FunctionWriter,
  type: RealDType,
  x: Local,
  y: Local,
  origin: number,
  operation: "div" | "rem",
): void {
  const machine = machineType(type);
  w.get(y).op(`${machine}.eqz`);
  trapWhen(w, "division", origin);
  if (isUnsigned(type)) {
    w.get(x).get(y).op(`${machine}.${operation}_u`);
  } else if (operation === "rem") {
    w.get(x).get(y).op(`${machine}.rem_s`);
  } else {
    const minusOne = (): void => {
      w.get(y);
      pushConstant(w, type, -1);
      w.op(`${machine}.eq`);
    };
    pushConstant(w, type, 0);
    w.get(x).op(`${machine}.sub`);
    w.get(x);
    pushConstant(w, type, 1);
    w.get(y);
    minusOne();
    w.select(machine).op(`${machine}.div_s`);
    minusOne();
    w.select(machine);
  }
  normalize(w, type);
}

function shift(
  w: FunctionWriter,
  type: RealDType,
  x: Local,
  y: Local,
  origin: number,
  operation: "shl" | "shr",
): void {
  const machine = machineType(type);
  const width = 8 * infoOf(type).bytes;
  const limit = (count: number): void => {
    w.get(y);
    pushConstant(w, type, count);
    w.op(`${machine}.lt_u`);
  };
  if (!isUnsigned(type)) trapIfNegative(w, type, y, "shift", origin);
  if (operation === "shr" && !isUnsigned(type)) {
    w.get(x).get(y);
    pushConstant(w, type, width - 1);
    limit(width - 1);
    w.select(machine).op(`${machine}.shr_s`);
    return;
  }
  w.get(x)
    .get(y)
    .op(`${machine}.${operation === "shl" ? "shl" : "shr_u"}`);
  normalize(w, type);
  pushConstant(w, type, 0);
  limit(width);
  w.select(machine);
}

function compareScalar(w: FunctionWriter, prim: string, from: RealDType, [x, y]: readonly Local[]): void {
  const sign = isFloat(from) || prim === "eq" || prim === "ne" ? "" : isUnsigned(from) ? "_u" : "_s";
  w.get(x!)
    .get(y!)
    .op(`${machineType(from)}.${prim}${sign}`);
}

function signbitScalar(w: FunctionWriter, from: RealDType, x: Local): void {
  if (from === "float64") w.get(x).op("i64.reinterpret_f64").i64(0n).op("i64.lt_s");
  else w.get(x).op("i32.reinterpret_f32").i32(0).op("i32.lt_s");
}

function convertScalar(w: FunctionWriter, from: RealDType, to: RealDType, x: Local): void {
  const source = machineType(from);
  const target = machineType(to);
  w.get(x);
  if (to === "bool") {
    pushConstant(w, from, 0);
    w.op(`${source}.ne`);
  } else if (isFloat(from)) {
    if (isFloat(to)) {
      if (from !== to) w.op(to === "float64" ? "f64.promote_f32" : "f32.demote_f64");
    } else saturate(w, from, to);
  } else if (isFloat(to)) {
    w.op(`${target}.convert_${source}_${isUnsigned(from) ? "u" : "s"}`);
  } else {
    if (source === "i64" && target === "i32") w.op("i32.wrap_i64");
    if (source === "i32" && target === "i64")
      w.op(isUnsigned(from) ? "i64.extend_i32_u" : "i64.extend_i32_s");
    normalize(w, to);
  }
}

/** Truncated and cut to the range; NaN is 0. Narrow integers are cut as floats first. */
function saturate(w: FunctionWriter, from: RealDType, to: RealDType): void {
  const machine = machineType(from);
  const narrow = infoOf(to).bytes < 4;
  if (narrow) {
    const bits = 8 * infoOf(to).bytes;
    const [low, high] = isUnsigned(to) ? [0, 2 ** bits - 1] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1];
    // min and max keep NaN, which trunc_sat makes 0.
    pushConstant(w, from, low);
    w.op(`${machine}.max`);
    pushConstant(w, from, high);
    w.op(`${machine}.min`);
  }
  w.op(`${machineType(to)}.trunc_sat_${machine}_${isUnsigned(to) && !narrow ? "u" : "s"}`);
}

const LOADS: { readonly [T in RealDType]: string } = {
  bool: "i32.load8_u",
  int8: "i32.load8_s",
  uint8: "i32.load8_u",
  int16: "i32.load16_s",
  uint16: "i32.load16_u",
  int32: "i32.load",
  uint32: "i32.load",
  int64: "i64.load",
  uint64: "i64.load",
  float16: "i32.load16_u",
  float32: "f32.load",
  float64: "f64.load",
};

export const loadName = (type: RealDType): string => LOADS[type];

export function storeName(type: RealDType): string {
  const { bytes } = infoOf(type);
  if (bytes === 1) return "i32.store8";
  return bytes === 2 ? "i32.store16" : `${machineType(type)}.store`;
}
