// Compiled code has the interpreter's bits: every primitive on reference points, special values and random bits,
// in vectors and in single lanes; and a second tool finds every module valid.

import { describe, expect, test } from "vitest";
import loadWabt from "wabt";
import {
  allocate,
  isFloat,
  isInteger,
  isWide,
  type RealDType,
  type TypedArray,
} from "../../src/core/dtype.ts";
import { runOnLanes } from "../../src/kernel/interpret/reduce.ts";
import { programOf, type ScalarProgram } from "../../src/kernel/program.ts";
import * as s from "../../src/kernel/scalar.ts";
import { moduleOver, runCompiled } from "./compiled.ts";
import { arityOf, NAMES, TYPES } from "./evaluate.ts";
import { referenceOf } from "./fixtures.ts";

const wabt = await loadWabt();

const NAN = Number.NaN;
const EDGES = [
  0, -0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 1.5, 2.5, NAN, Infinity, -Infinity, 5e-324, -5e-324, 2 ** -1022, 2 ** -149,
  2 ** -126, 1e-310, 1e300, -1e300, 1.7976931348623157e308, 3.4028234663852886e38, 710, -745, 88.7, 2 ** 18, 2 ** 20,
  1e22, 1e5, 2 ** 53, 2 ** 63, Math.PI, Math.PI / 2,
]; // biome-ignore format: a table

/** The next of a fixed sequence of 32 random bits. */
function randomBits(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    return mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ (mixed >>> 14);
  };
}

/** Any bits at all, and numbers of moderate size. */
function randomLanes(type: RealDType, count: number, seed: number): TypedArray {
  const next = randomBits(seed);
  const lanes = allocate(type, count);
  const words = new Int32Array(lanes.buffer, 0, Math.floor(lanes.byteLength / 4));
  words.forEach((_, i) => (words[i] = next()));
  if (type === "bool") lanes.forEach((_, i) => (lanes[i] = next() & 1));
  for (let i = 0; i < count; i += 2) {
    const small = next() >> 20;
    if (isFloat(type)) lanes[i] = i % 3 === 0 ? small / 64 : next() / 2 ** 31;
    else if (isInteger(type))
      (lanes as Float64Array)[i] = (isWide(type) ? BigInt(small >> 6) : small >> 6) as number;
  }
  return lanes;
}

function lanesFrom(type: RealDType, values: readonly number[]): TypedArray {
  const lanes = allocate(type, values.length);
  values.forEach((value, i) => (lanes[i] = value));
  return lanes;
}

/** All pairs of edges. */
function edgePairs(type: RealDType): TypedArray[] {
  const pairs = EDGES.flatMap((x) => EDGES.map((y) => [x, y] as const));
  return [0, 1].map((k) =>
    lanesFrom(
      type,
      pairs.map((pair) => pair[k]!),
    ),
  );
}

/** Any NaN is any other: engines choose the bits of a computed NaN. */
function differences(got: TypedArray, wanted: TypedArray, args: readonly TypedArray[]): string[] {
  const found: string[] = [];
  for (let i = 0; i < wanted.length && found.length < 3; i++)
    if (!Object.is(got[i], wanted[i])) found.push(`(${args.map((x) => x[i])}): ${got[i]} not ${wanted[i]}`);
  return found;
}

/** At every alignment of vectors and tail: the first lanes are left out one by one. */
function expectSame(program: ScalarProgram, args: readonly TypedArray[]): void {
  for (const skipped of [0, 1]) {
    const part = args.map((x) => x.slice(skipped));
    const wanted = runOnLanes(
      program,
      part.map((x) => [x]),
      part[0]!.length,
    );
    const got = runCompiled(program, part);
    got.forEach((lanes, i) => expect(differences(lanes, wanted[i]![0]!, part)).toEqual([]));
  }
  // The tail alone, too.
  const few = args.map((x) => x.slice(0, 1));
  expect(
    differences(
      runCompiled(program, few)[0]!,
      runOnLanes(
        program,
        few.map((x) => [x]),
        1,
      )[0]![0]!,
      few,
    ),
  ).toEqual([]);
}

function expectValid(program: ScalarProgram): void {
  const features = { simd: true, sat_float_to_int: true, sign_extension: true };
  const module = wabt.readWasm(moduleOver(program, 2), { ...features, readDebugNames: false });
  module.validate();
  module.destroy();
}

type Make = (...x: s.Term[]) => s.Term;
const named = new Map(Object.entries(s)) as ReadonlyMap<string, unknown> as ReadonlyMap<string, Make>;
const program = (types: readonly RealDType[], make: Make): ScalarProgram =>
  programOf(types, (...x) => [make(...(x as s.Term[]))]);

describe.each(TYPES)("elementary functions of %s", (type) => {
  test.each(NAMES)("%s", (name) => {
    const arity = arityOf(name);
    const code = program(Array(arity).fill(type), named.get(name)!);
    expectValid(code);
    expectSame(
      code,
      referenceOf(name, type).args.map((x) => x.slice(0, 4000)),
    );
    expectSame(code, edgePairs(type).slice(0, arity));
    expectSame(
      code,
      [0, 1].slice(0, arity).map((k) => randomLanes(type, 4001, 7 + k)),
    );
  });
});

const FLOAT_UNARY = ["neg", "abs", "sqrt", "floor", "ceil", "trunc", "nearest"] as const;
const FLOAT_BINARY = ["add", "sub", "mul", "div", "min", "max", "fmod", "nextafter"] as const;
const COMPARE = ["eq", "ne", "lt", "le", "gt", "ge"] as const;

describe.each(TYPES)("basic primitives of %s", (type) => {
  test.each([...FLOAT_UNARY, ...FLOAT_BINARY, ...COMPARE])("%s", (name) => {
    const arity = (FLOAT_UNARY as readonly string[]).includes(name) ? 1 : 2;
    const code = program(Array(arity).fill(type), named.get(name)!);
    expectValid(code);
    expectSame(code, edgePairs(type).slice(0, arity));
    expectSame(
      code,
      [0, 1].slice(0, arity).map((k) => randomLanes(type, 4001, 11 + k)),
    );
  });
});

const INTEGERS: readonly RealDType[] = [
  "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
]; // biome-ignore format: a table
const INTEGER_OPS: { readonly [name: string]: Make } = {
  ...Object.fromEntries(
    (["add", "sub", "mul", "min", "max", "and", "or", "xor"] as const).map((name) => [
      name,
      named.get(name)!,
    ]),
  ),
  ...Object.fromEntries(COMPARE.map((name) => [name, named.get(name)!])),
  neg: (x) => s.neg(x!),
  abs: (x) => s.abs(x!),
  not: (x) => s.not(x!),
  quot: (x, y) => s.quot(x!, s.or(y!, s.one(y!.type))),
  rem: (x, y) => s.rem(x!, s.or(y!, s.one(y!.type))),
  ipow: (x, y) => s.ipow(x!, s.and(y!, s.constant(y!.type, 31))),
  shl: (x, y) => s.shl(x!, s.and(y!, s.constant(y!.type, 127))),
  shr: (x, y) => s.shr(x!, s.and(y!, s.constant(y!.type, 127))),
};

describe.each(INTEGERS)("integer primitives of %s", (type) => {
  test.each(Object.keys(INTEGER_OPS))("%s", (name) => {
    const code = program([type, type], INTEGER_OPS[name]!);
    expectValid(code);
    expectSame(code, [randomLanes(type, 1001, 3), randomLanes(type, 1001, 4)]);
  });
});

test.each(["int8", "int16", "int32"] as const)("%s to a negative power fails with its reason", (type) => {
  const code = program([type, type], (x, y) => s.ipow(x!, y!));
  const operands = [lanesFrom(type, [3, 3, 3, 3, 3]), lanesFrom(type, [1, 1, 1, -1, 1])];
  expect(() => runCompiled(code, operands)).toThrow(/negative integer power/);
});
