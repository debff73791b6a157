// Primitives of one lane that take a loop. In: locals that hold the arguments. Out: code that leaves the value on
// the stack. Must hold: the same bits as the interpreter.

import type { FunctionWriter, Local } from "./assembler.ts";

const MANTISSA_BITS = 52n;
const FRACTION = (1n << MANTISSA_BITS) - 1n;
/** A remainder has up to 53 bits: so many more fit in 64. */
const STEP = 11n;

/**
 * C's fmod of float64. |x| = m·2^(e − 1075), |y| = n·2^(f − 1075) with whole m, n < 2⁵³; m·2^(e − f) mod n is taken
 * 11 bits at a time, and the result is that times 2^(f − 1075), which is exact.
 */
export function pushFmod(w: FunctionWriter, x: Local, y: Local): void {
  const result = w.local("f64");
  w.block((done) => {
    w.f64(Number.NaN).set(result);
    w.get(x).op("f64.abs").f64(Infinity).op("f64.lt");
    w.get(y).op("f64.abs").f64(0).op("f64.gt");
    w.op("i32.and").op("i32.eqz").branchIf(done);
    w.get(x).set(result);
    const [top, bottom] = [partsOf(w, x), partsOf(w, y)];
    const shifts = top.exponent;
    w.get(top.exponent).get(bottom.exponent).op("i64.sub").set(shifts);
    // |x| < |y|, infinite y too.
    w.get(shifts).i64(0n).op("i64.lt_s").branchIf(done);
    reduceMantissa(w, top.mantissa, bottom.mantissa, shifts);
    w.get(top.mantissa)
      .op("f64.convert_i64_u")
      .f64(2 ** -52)
      .op("f64.mul");
    w.get(bottom.exponent).i64(MANTISSA_BITS).op("i64.shl").op("f64.reinterpret_i64").op("f64.mul");
    w.get(x).op("f64.copysign").set(result);
  });
  w.get(result);
}

interface Parts {
  readonly exponent: Local;
  readonly mantissa: Local;
}

/** Subnormal numbers have the exponent of the least normal ones, and no implied bit. */
function partsOf(w: FunctionWriter, x: Local): Parts {
  const [bits, exponent, mantissa] = [w.local("i64"), w.local("i64"), w.local("i64")];
  w.get(x).op("f64.abs").op("i64.reinterpret_f64").set(bits);
  w.get(bits).i64(MANTISSA_BITS).op("i64.shr_u").set(exponent);
  w.get(bits).i64(FRACTION).op("i64.and");
  w.get(exponent).i64(0n).op("i64.ne").op("i64.extend_i32_u").i64(MANTISSA_BITS).op("i64.shl");
  w.op("i64.or").set(mantissa);
  w.get(exponent).get(exponent).op("i64.eqz").op("i64.extend_i32_u").op("i64.add").set(exponent);
  return { exponent, mantissa };
}

/** m ← m·2^shifts mod n */
function reduceMantissa(w: FunctionWriter, m: Local, n: Local, shifts: Local): void {
  const step = w.local("i64");
  w.get(m).get(n).op("i64.rem_u").set(m);
  w.block((end) => {
    w.loop((again) => {
      w.get(shifts).op("i64.eqz").branchIf(end);
      w.get(shifts).i64(STEP).get(shifts).i64(STEP).op("i64.lt_s").select("i64").set(step);
      w.get(m).get(step).op("i64.shl").get(n).op("i64.rem_u").set(m);
      w.get(shifts).get(step).op("i64.sub").set(shifts);
      w.branch(again);
    });
  });
}

/** xʸ by squares, modulo the machine's width; y ≥ 0. */
export function pushPower(w: FunctionWriter, machine: "i32" | "i64", x: Local, y: Local): void {
  const [result, base, rest] = [w.local(machine), w.local(machine), w.local(machine)];
  const push = (value: number): FunctionWriter => (machine === "i64" ? w.i64(BigInt(value)) : w.i32(value));
  push(1).set(result);
  w.get(x).set(base).get(y).set(rest);
  w.block((end) => {
    w.loop((again) => {
      w.get(rest).op(`${machine}.eqz`).branchIf(end);
      w.get(rest);
      push(1).op(`${machine}.and`).op(`${machine}.eqz`).op("i32.eqz");
      w.when(() => w.get(result).get(base).op(`${machine}.mul`).set(result));
      w.get(base).get(base).op(`${machine}.mul`).set(base);
      w.get(rest);
      push(1).op(`${machine}.shr_u`).set(rest);
      w.branch(again);
    });
  });
  w.get(result);
}
