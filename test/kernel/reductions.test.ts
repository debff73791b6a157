// Whole reduce steps as kernels against the interpreter, bit for bit: one or several axes, transposed and broadcast
// operands, inside the kernels' memory and outside, segments, patches, coordinates, states of several components.

import fc from "fast-check";
import { expect, test } from "vitest";
import { type Block, newBlock } from "../../src/core/block.ts";
import { sizeOf } from "../../src/core/chunks.ts";
import { type DType, infoOf, isWide } from "../../src/core/dtype.ts";
import type { Access, ReduceStep } from "../../src/kernel/blockProgram.ts";
import { runReduce } from "../../src/kernel/interpret/reduce.ts";
import { joinReductions } from "../../src/kernel/joinedReductions.ts";
import { programOf } from "../../src/kernel/program.ts";
import * as s from "../../src/kernel/scalar.ts";
import { WasmMachine } from "../../src/kernel/wasm/machine.ts";
import { runReduceKernel } from "../../src/kernel/wasm/reductions.ts";

const machine = new WasmMachine();
const { memory } = machine;

type Operation = Pick<ReduceStep, "lift" | "combine" | "identity" | "absorbing" | "finish"> & {
  readonly inputs: readonly DType[];
  readonly results: readonly DType[];
};

const t = (value: s.Value | undefined): s.Term => value as s.Term;

const sumOf = (dtype: DType): Operation => ({
  inputs: [dtype],
  lift: programOf([dtype], (x) => [x!]),
  combine: programOf([dtype, dtype], (a, b) => [
    s.isComplexTerm(a!)
      ? { re: s.add(a.re, (b as s.ComplexTerm).re), im: s.add(a.im, (b as s.ComplexTerm).im) }
      : s.add(a!, t(b)),
  ]),
  identity: [isWide(infoOf(dtype).part) ? 0n : 0],
  absorbing: null,
  finish: null,
  results: [dtype],
});

/** √(x² + y²) added up, and halved at the end. */
const lengths: Operation = {
  ...sumOf("float64"),
  inputs: ["float64", "float64"],
  lift: programOf(["float64", "float64"], (x, y) => [s.sqrt(s.add(s.mul(t(x), t(x)), s.mul(t(y), t(y))))]),
  finish: programOf(["float64"], (x) => [s.mul(t(x), s.constant("float64", 0.5))]),
};

/** The largest and the first of its coordinates along axis 0. */
const largest: Operation = {
  inputs: ["float32"],
  lift: programOf(["float32"], (x) => [x!, s.index(0)]),
  combine: programOf(["float32", "int64", "float32", "int64"], (x, i, y, j) => {
    const wins = s.or(s.gt(t(y), t(x)), s.and(s.eq(t(y), t(x)), s.lt(t(j), t(i))));
    return [s.select(wins, t(y), t(x)), s.select(wins, t(j), t(i))];
  }),
  identity: [-Infinity, 0n],
  absorbing: null,
  finish: null,
  results: ["float32", "int64"],
};

const some: Operation = {
  inputs: ["bool"],
  lift: programOf(["bool"], (x) => [x!]),
  combine: programOf(["bool", "bool"], (a, b) => [s.or(t(a), t(b))]),
  identity: [false],
  absorbing: true,
  finish: null,
  results: ["bool"],
};

const OPERATIONS: readonly Operation[] = [
  ...[sumOf("float64"), sumOf("float32"), sumOf("int32"), sumOf("int64"), sumOf("complex128")],
  ...[lengths, largest, some],
];

const SHAPES: readonly (readonly number[])[] = [
  ...[[5], [1024], [70_001], [3000, 5], [5, 3000], [300, 90], [2, 40_000]],
  ...[
    [40, 30, 20],
    [3, 900, 31],
    [7, 1, 300],
    [6, 5, 4, 3],
    [1, 1],
  ],
];

const cases = fc.record({
  operation: fc.nat(OPERATIONS.length - 1),
  shape: fc.nat(SHAPES.length - 1),
  axes: fc.nat(14),
  transpose: fc.nat(3),
  broadcast: fc.nat(20),
  inside: fc.nat(3),
  seed: fc.nat(1e6),
});

function filled(dtype: DType, shape: readonly number[], seed: number): Block {
  const block = newBlock(dtype, shape);
  for (let i = 0; i < block.data.length; i++) {
    const x = Math.sin(seed + i * 1.7) * 10 ** ((seed + i) % 9);
    if (isWide(infoOf(dtype).part)) block.data[i] = BigInt(Math.trunc(x)) as never;
    else block.data[i] = dtype === "bool" ? Number(x > 9.9e7) : x;
  }
  return block;
}

function inside(block: Block): Block {
  const copy = memory.takeBlock(block.dtype, block.shape)!;
  (copy.data as Float64Array).set(block.data as Float64Array);
  return copy;
}

interface Built {
  readonly step: ReduceStep;
  readonly blocks: readonly Block[];
}

/** A step over blocks: operands transposed or stretched along an axis as asked, results as they come. */
function build(
  operation: Operation,
  domain: readonly number[],
  axes: readonly number[],
  layout: typeof cases extends fc.Arbitrary<infer C> ? C : never,
): Built {
  const blocks: Block[] = [];
  const operands = operation.inputs.map((dtype, k): Access => {
    const stretched = layout.broadcast === k ? layout.seed % domain.length : -1;
    const order = domain.map((_, axis) => axis);
    if ((layout.transpose >> k) & 1) order.reverse();
    const shape = order.map((axis) => (axis === stretched ? 1 : domain[axis]!));
    blocks.push(filled(dtype, shape, layout.seed + k));
    const own = domain.map((_, axis) => (axis === stretched ? -1 : order.indexOf(axis)));
    return { buffer: k, start: shape.map(() => 0), axes: own, steps: own.map((axis) => (axis < 0 ? 0 : 1)) };
  });
  const kept = domain.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  const results = operation.results.map((dtype): Access => {
    const shape = kept.map((axis) => domain[axis]!);
    const own = domain.map((_, axis) => kept.indexOf(axis));
    blocks.push(newBlock(dtype, shape));
    const steps = own.map((axis) => (axis < 0 ? 0 : 1));
    return { buffer: blocks.length - 1, start: shape.map(() => 0), axes: own, steps };
  });
  const { lift, combine, identity, absorbing, finish } = operation;
  const from = domain.map((_, axis) => 10 * axis);
  return {
    step: {
      kind: "reduce",
      domain,
      axes,
      operands,
      lift,
      combine,
      identity,
      absorbing,
      finish,
      results,
      from,
    },
    blocks,
  };
}

function expectSame(step: ReduceStep, mine: readonly Block[], expected: readonly Block[]): void {
  for (const { buffer } of step.results) {
    const [a, b] = [mine[buffer]!.data, expected[buffer]!.data];
    const at = Array.prototype.findIndex.call(a, (x: unknown, i: number) => !Object.is(x, b[i]));
    if (at >= 0) throw new Error(`result ${buffer}, column ${at}: ${a[at]} instead of ${b[at]}`);
  }
}

const axesOf = (domain: readonly number[], bits: number): number[] =>
  domain.map((_, axis) => axis).filter((axis) => (((bits % (2 ** domain.length - 1)) + 1) >> axis) & 1);

test("1200 random reductions give the interpreter's bits", () => {
  fc.assert(
    fc.property(cases, (layout) => {
      const domain = SHAPES[layout.shape]!;
      const { step, blocks } = build(
        OPERATIONS[layout.operation]!,
        domain,
        axesOf(domain, layout.axes),
        layout,
      );
      const place = (k: number): boolean => layout.inside === 3 || (layout.inside >> (k % 2)) % 2 === 1;
      const mine = blocks.map((block, k) =>
        place(k) ? inside(block) : { ...block, data: block.data.slice() },
      ) as Block[];
      runReduce(step, blocks);
      expect(runReduceKernel(machine, step, mine, 2)).toBe(true);
      expectSame(step, mine, blocks);
      mine.forEach((block) => memory.giveBlock(block));
    }),
    { numRuns: 1200, seed: 20261115 },
  );
});

test("joined reductions give what each gives alone", () => {
  const domain = [300, 70];
  const layout = { operation: 0, shape: 0, axes: 0, transpose: 0, broadcast: 9, inside: 0, seed: 3 };
  for (const axes of [[0], [1], [0, 1]]) {
    const alone = [sumOf("float64"), lengths].map((operation) => build(operation, domain, axes, layout));
    const first = alone[0]!;
    const second = alone[1]!;
    const moved = (access: Access): Access => ({ ...access, buffer: access.buffer + first.blocks.length });
    const other = {
      ...second.step,
      operands: second.step.operands.map(moved),
      results: second.step.results.map(moved),
      finish: null,
    };
    const joined = joinReductions(first.step, other)!;
    const blocks = [...first.blocks, ...second.blocks];
    const expected = blocks.map((block) => ({ ...block, data: block.data.slice() })) as Block[];
    runReduce(first.step, expected);
    runReduce(other, expected);
    expect(runReduceKernel(machine, joined, blocks, 1)).toBe(true);
    expectSame(joined, blocks, expected);
    expect(sizeOf(domain)).toBeGreaterThan(blocks.at(-1)!.data.length);
  }
});
