// Reductions of segments: the interpreter gives the bits of a dense reduction of each segment by itself, and kernels give
// the interpreter's, for every reduction and dtype, wherever the data lie.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Block, newBlock } from "../../src/core/block.ts";
import { checkKind, type DType, infoOf, isComplex, isFloat, isWide, resultOf } from "../../src/core/dtype.ts";
import { fitScalar } from "../../src/core/numbers.ts";
import { Borrowed, type ReduceStep, type SegmentStep } from "../../src/kernel/blockProgram.ts";
import { runReduce, runSegments } from "../../src/kernel/interpret/reduce.ts";
import { programOf } from "../../src/kernel/program.ts";
import * as s from "../../src/kernel/scalar.ts";
import { wasmBackend } from "../../src/kernel/wasm/backend.ts";
import { WasmMachine } from "../../src/kernel/wasm/machine.ts";
import { runSegmentKernel } from "../../src/kernel/wasm/segments.ts";
import { castValue } from "../../src/lazy/cast.ts";
import type { ReduceRecord } from "../../src/ops/define.ts";
import { REDUCE_OPS } from "../../src/ops/index.ts";
import { reducerNamed } from "../../src/ragged/ops/reduce.ts";
import { COMPUTED } from "../computed.ts";
import { expectSame } from "../property/compare.ts";
import { check } from "../property/settings.ts";

const machine = new WasmMachine();
const { memory } = machine;
const room = new Borrowed(wasmBackend(machine));

const ATTRS = { correction: 1 };
const OPS: readonly ReduceRecord[] = [...REDUCE_OPS, reducerNamed("std").op!];

const takes = ({ accepts }: ReduceRecord, dtype: DType): boolean => {
  try {
    checkKind(accepts, dtype);
    return true;
  } catch {
    return false;
  }
};

const CASES = OPS.flatMap((op) =>
  COMPUTED.filter((dtype) => takes(op, dtype)).map((dtype) => ({ op, dtype })),
);

const computed = (op: ReduceRecord, dtype: DType): DType => resultOf(dtype, op.computesIn);
const result = (op: ReduceRecord, dtype: DType): DType => resultOf(computed(op, dtype), op.result);
const states = (op: ReduceRecord, dtype: DType): readonly DType[] => op.state(computed(op, dtype), ATTRS);

/** What both kinds of steps have. */
const common = (op: ReduceRecord, dtype: DType): Pick<ReduceStep, "lift" | "combine" | "identity"> => ({
  lift: programOf([dtype], (x) => op.lift(castValue(x!, computed(op, dtype)), () => s.index(0), ATTRS)),
  combine: programOf([...states(op, dtype), ...states(op, dtype)], (...both) =>
    op.combine(both.slice(0, both.length / 2), both.slice(both.length / 2)),
  ),
  identity: op
    .identity(computed(op, dtype), ATTRS)
    .map((value, i) => fitScalar(value, states(op, dtype)[i]!)),
});

const segmentStep = (op: ReduceRecord, dtype: DType): SegmentStep => ({
  ...{ kind: "segments", offsets: 0, operands: [1], results: [2], ...common(op, dtype) },
  finish: programOf([...states(op, dtype), "int64"], (...state) => [
    op.finish(state.slice(0, -1), {
      count: (type) => s.convert(state.at(-1) as s.Term, type),
      ...{ attrs: ATTRS, dtype: result(op, dtype) },
    }),
  ]),
});

const reduceStep = (op: ReduceRecord, dtype: DType, start: number, length: number): ReduceStep => ({
  ...{ kind: "reduce", domain: [length], axes: [0], from: [0], absorbing: null, ...common(op, dtype) },
  operands: [{ buffer: 1, start: [start], axes: [0], steps: [1] }],
  results: [{ buffer: 0, start: [0], axes: [-1], steps: [0] }],
  finish: programOf(states(op, dtype), (...state) => [
    op.finish(state, {
      count: (type) => s.constant(type, length),
      ...{ attrs: ATTRS, dtype: result(op, dtype) },
    }),
  ]),
});

const ODD = [Number.NaN, -0, 0, Infinity, -Infinity, 1e300, -1e-300];

/** Numbers that a seed makes: mostly ordinary ones, some odd, many equal. */
function valuesOf(dtype: DType, count: number, seed: number, oddness: number): Block {
  const block = newBlock(dtype, [count]);
  let state = seed | 1;
  const next = (): number => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return ((state ^ (state >>> 12)) >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < block.data.length; i++) {
    const isOdd = (isFloat(dtype) || isComplex(dtype)) && next() < oddness;
    const plain = dtype === "bool" ? Math.round(next()) : (next() - 0.3) * 100;
    const value = isOdd ? ODD[Math.floor(next() * ODD.length)]! : plain;
    block.data[i] = isWide(dtype) ? BigInt(Math.round(value)) : value;
  }
  return block;
}

function offsetsOf(lengths: readonly number[], first: number): Block {
  const block = newBlock("int32", [lengths.length + 1]);
  let at = first;
  block.data[0] = at;
  lengths.forEach((length, g) => {
    at += length;
    block.data[g + 1] = at;
  });
  return block;
}

const lengths = fc.array(
  fc.oneof(
    { arbitrary: fc.integer({ min: 0, max: 20 }), weight: 14 },
    { arbitrary: fc.constantFrom(31, 32, 33, 255, 256, 257, 600), weight: 1 },
    { arbitrary: fc.constantFrom(5000), weight: 1 },
  ),
  { minLength: 1, maxLength: 24 },
);
const cases = fc.record({
  lengths,
  first: fc.constantFrom(0, 3),
  seed: fc.integer(),
  oddness: fc.constantFrom(0, 0, 0.01, 0.3),
});

const bound = (op: ReduceRecord, dtype: DType, { lengths, first, seed, oddness }: CaseOf): Block[] => {
  const count = lengths.reduce((sum, length) => sum + length, first);
  const values = newBlock(result(op, dtype), [lengths.length]);
  return [offsetsOf(lengths, first), valuesOf(dtype, count, seed, oddness), values];
};
type CaseOf = typeof cases extends fc.Arbitrary<infer C> ? C : never;

function insideOf(block: Block): Block {
  const inside = memory.takeBlock(block.dtype, block.shape)!;
  (inside.data as Float64Array).set(block.data as Float64Array);
  return inside;
}

describe("segments", () => {
  test.each(CASES.map(({ op, dtype }) => [op.name, dtype, op] as const))("%s of %s", (_, dtype, op) =>
    check(6, cases, (given) => {
      const step = segmentStep(op, dtype);
      const blocks = bound(op, dtype, given);
      runSegments(step, blocks);
      const [offsets, , found] = blocks;
      const alone = newBlock(found!.dtype, [1]);
      const { slots } = infoOf(found!.dtype);
      given.lengths.forEach((length, g) => {
        runReduce(reduceStep(op, dtype, Number(offsets!.data[g]), length), [alone, blocks[1]!]);
        const data = found!.data.slice(g * slots, (g + 1) * slots);
        expectSame({ ...alone, data } as Block, alone);
      });
      const outside = newBlock(found!.dtype, found!.shape);
      expect(runSegmentKernel(machine, step, [offsets!, blocks[1]!, outside], room, 2)).toBe(true);
      expectSame(outside, found!);
      const inside = [offsets!, blocks[1]!, outside].map(insideOf);
      expect(runSegmentKernel(machine, step, inside, room, 2)).toBe(true);
      expectSame(inside[2]!, found!);
      inside.forEach((block) => memory.giveBlock(block));
    }),
  );

  test("many segments, and a few long ones", () => {
    const [op] = OPS;
    const many = Array.from({ length: 60_000 }, (_, g) => (g * 7919) % 13);
    const long = [5, 200_000, 0, 17];
    for (const list of [many, long, [200_000], [150_000, 90_000]]) {
      const step = segmentStep(op!, "float64");
      const blocks = bound(op!, "float64", { lengths: list, first: 0, seed: 5, oddness: 0 });
      runSegments(step, blocks);
      const outside = newBlock("float64", [list.length]);
      expect(runSegmentKernel(machine, step, [blocks[0]!, blocks[1]!, outside], room, 2)).toBe(true);
      expectSame(outside, blocks[2]!);
    }
  });
});
