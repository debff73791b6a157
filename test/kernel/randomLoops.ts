// Random loops for comparing kernels with the interpreter: programs over all register types, operands with
// special values, transposed, flipped and broadcast accesses, lengths around the vector width.

import fc from "fast-check";
import { type Block, newBlock } from "../../src/core/block.ts";
import { sizeOf } from "../../src/core/chunks.ts";
import {
  type DType,
  infoOf,
  isFloat,
  isInteger,
  isWide,
  type RealDType,
  type TypedArray,
} from "../../src/core/dtype.ts";
import type { Access, LoopStep } from "../../src/kernel/blockProgram.ts";
import { ProgramWriter } from "../../src/kernel/program.ts";
import * as s from "../../src/kernel/scalar.ts";

export const REAL_TYPES: readonly RealDType[] = [
  ...(["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"] as const),
  ...(["float32", "float64"] as const),
];

type Make = (x: s.Term, y: s.Term) => s.Term;

/** The sign bit of a computed NaN is the engine's choice, so nothing here looks at it. */
const withoutNaN = (x: s.Term): s.Term => s.select(s.ne(x, x), s.one(x.type), x);

const FLOAT_OPS: readonly Make[] = [
  ...[s.add, s.sub, s.mul, s.div, s.min, s.max],
  (x, y) => s.copysign(withoutNaN(x), withoutNaN(y)),
  ...[s.neg, s.abs, s.sqrt, s.floor, s.ceil, s.trunc, s.nearest],
];
const INTEGER_OPS: readonly Make[] = [
  ...[s.add, s.sub, s.mul, s.min, s.max, s.and, s.or, s.xor, s.neg, s.abs, s.not],
  (x) => s.shl(x, s.constant(x.type, 3)),
  (x) => s.shr(x, s.constant(x.type, 5)),
  (x, y) => s.shr(x, s.and(y, s.constant(y.type, 7))),
  (x, y) => s.quot(x, s.or(y, s.one(y.type))),
  (x, y) => s.rem(x, s.or(y, s.one(y.type))),
];
const BOOL_OPS: readonly Make[] = [s.and, s.or, s.xor, s.not, s.min, s.max];
const COMPARISONS: readonly Make[] = [s.eq, s.ne, s.lt, s.le, s.gt, s.ge];

/** One random step of a program: it takes two earlier values and gives a new one. */
export interface Choice {
  readonly first: number;
  readonly second: number;
  readonly third: number;
  readonly kind: number;
  readonly op: number;
  readonly type: RealDType;
}

export interface RandomLoop {
  readonly operands: readonly DType[];
  readonly choices: readonly Choice[];
  readonly shape: readonly number[];
  /** Per operand: which axes it is broadcast along, flipped along, and whether it is transposed. */
  readonly layouts: readonly {
    readonly broadcast: number;
    readonly flip: number;
    readonly transpose: boolean;
  }[];
  readonly seed: number;
}

const dtype: fc.Arbitrary<DType> = fc.constantFrom<DType>(
  ...REAL_TYPES,
  "float64",
  "float32",
  "int32",
  "complex64",
  "complex128",
);
const choice: fc.Arbitrary<Choice> = fc.record({
  first: fc.nat(50),
  second: fc.nat(50),
  third: fc.nat(50),
  kind: fc.nat(9),
  op: fc.nat(50),
  type: fc.constantFrom(...REAL_TYPES),
});

export const randomLoop: fc.Arbitrary<RandomLoop> = fc.record({
  operands: fc.array(dtype, { minLength: 1, maxLength: 3 }),
  choices: fc.array(choice, { minLength: 1, maxLength: 8 }),
  shape: fc.array(fc.constantFrom(1, 2, 3, 4, 5, 7, 8, 9, 17, 37), { minLength: 1, maxLength: 3 }),
  layouts: fc.array(fc.record({ broadcast: fc.nat(7), flip: fc.nat(7), transpose: fc.boolean() }), {
    minLength: 3,
    maxLength: 3,
  }),
  seed: fc.nat(1_000_000),
});

/** The loop as a step over blocks: operands first, then results filled with nothing yet. */
export function buildLoop(loop: RandomLoop): { step: LoopStep; blocks: Block[]; results: number[] } {
  const writer = new ProgramWriter();
  const terms = loop.operands.flatMap((type, k) => s.partsOf(writer.operand(type, k)));
  if (loop.seed % 5 === 0) terms.push(...s.partsOf(writer.emit(s.index(loop.seed % loop.shape.length), 0)));
  for (const item of loop.choices) terms.push(...s.partsOf(writer.emit(applyChoice(item, terms), 0)));
  const last = resultsOf(terms.slice(-2), loop.seed);
  for (const value of last) writer.result(value);
  const inputs = loop.operands.map((type, k) => randomBlock(type, loop, k));
  const outputs = last.map((value) => newBlock(dtypeOf(value), loop.shape));
  const step: LoopStep = {
    kind: "loop",
    domain: loop.shape,
    operands: inputs.map(({ access }) => access),
    program: writer.finish(),
    results: outputs.map((_, i) => ({
      buffer: inputs.length + i,
      start: loop.shape.map(() => 0),
      axes: loop.shape.map((_, d) => d),
      steps: loop.shape.map(() => 1),
    })),
    from: loop.shape.map((_, d) => d * 1000 + (loop.seed % 7)),
  };
  return {
    step,
    blocks: [...inputs.map(({ block }) => block), ...outputs],
    results: outputs.map((_, i) => inputs.length + i),
  };
}

/** The last terms, now and then as one complex number. */
function resultsOf(last: readonly s.Term[], seed: number): readonly s.Value[] {
  const [re, im] = last;
  const isPair = last.length === 2 && re!.type === im!.type && isFloat(re!.type) && seed % 3 === 0;
  return isPair ? [{ re: re!, im: im! }] : last;
}

function dtypeOf(value: s.Value): DType {
  if (!s.isComplexTerm(value)) return value.type;
  return value.re.type === "float64" ? "complex128" : "complex64";
}

function applyChoice({ first, second, third, kind, op, type }: Choice, terms: readonly s.Term[]): s.Term {
  const x = terms[first % terms.length]!;
  const y = s.convert(terms[second % terms.length]!, x.type);
  const z = terms[third % terms.length]!;
  if (kind === 0) return s.convert(x, type);
  if (kind === 1) return COMPARISONS[op % COMPARISONS.length]!(x, y);
  if (kind === 2) return (op % 2 === 0 ? s.select : s.rarely)(s.nonZero(z), x, y);
  if (kind === 3 && isFloat(x.type)) {
    const number = withoutNaN(x);
    return op % 2 === 0 ? s.signbit(number) : s.bitcast(number, x.type === "float64" ? "int64" : "int32");
  }
  const ops = isFloat(x.type) ? FLOAT_OPS : isInteger(x.type) ? INTEGER_OPS : BOOL_OPS;
  return ops[op % ops.length]!(x, y);
}

/** Deterministic values with many special ones. */
function randomBlock(
  type: DType,
  { shape, layouts, seed }: RandomLoop,
  k: number,
): { block: Block; access: Access } {
  const layout = layouts[k]!;
  const own = shape.map((n, d) => ((layout.broadcast >> d) & 1 ? 1 : n));
  const order = own.map((_, d) => d);
  if (layout.transpose) order.reverse();
  const block = newBlock(
    type,
    order.map((d) => own[d]!),
  );
  fillSpecial(block.data, infoOf(type).part, seed + k, sizeOf(own) * infoOf(type).slots);
  const flipped = (d: number): boolean => ((layout.flip >> d) & 1) === 1 && own[d]! > 1;
  const access: Access = {
    buffer: k,
    start: order.map((d) => (flipped(d) ? own[d]! - 1 : 0)),
    axes: own.map((n, d) => (n === 1 ? -1 : order.indexOf(d))),
    steps: own.map((n, d) => (n === 1 ? 0 : flipped(d) ? -1 : 1)),
  };
  return { block, access };
}

const FLOATS = [
  0,
  -0,
  1,
  -1,
  0.5,
  1.5,
  2.5,
  -2.5,
  Number.NaN,
  Infinity,
  -Infinity,
  1e300,
  -1e-310,
  3e9,
  -3e9,
  2 ** 63,
  1e10,
  255.7,
  -128.9,
];
const INTEGERS = [
  0n,
  1n,
  -1n,
  2n,
  127n,
  -128n,
  255n,
  32767n,
  -32768n,
  2147483647n,
  -2147483648n,
  9223372036854775807n,
  -9223372036854775808n,
  12345678901n,
];

function fillSpecial(data: TypedArray, type: RealDType, seed: number, count: number): void {
  let state = seed * 2654435761 + 1;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const pick = state >>> 8;
    if (isFloat(type))
      (data as Float64Array)[i] = pick % 3 === 0 ? (pick % 2001) / 7 - 100 : FLOATS[pick % FLOATS.length]!;
    else if (isWide(type)) (data as BigInt64Array)[i] = INTEGERS[pick % INTEGERS.length]!;
    else if (type === "bool") data[i] = pick % 2;
    else data[i] = Number(BigInt.asIntN(32, INTEGERS[pick % INTEGERS.length]!)) + (pick % 3);
  }
}
