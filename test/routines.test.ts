// The block routines against slow and plain models of them. In: blocks of every dtype, laid out in every way
// (transposed, flipped, with gaps, broadcast). Each run also checks that the inputs, and the memory around the
// output's elements, are left as they were.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Attrs } from "../src/core/block.ts";
import { type Block, newBlock } from "../src/core/block.ts";
import type { Shape } from "../src/core/chunks.ts";
import {
  allocate,
  DTYPES,
  type DType,
  infoOf,
  isComplex,
  isFloat,
  isInteger,
  isWide,
  kindOf,
} from "../src/core/dtype.ts";
import { Complex, integerRange } from "../src/core/numbers.ts";
import { Trap } from "../src/kernel/routine.ts";
import { ROUTINES } from "../src/kernel/routines/index.ts";
import { copyElements, fromContiguous, toContiguous } from "../src/kernel/routines/stridedWalk.ts";
import { OPS } from "../src/ops/index.ts";
import { COMPUTED } from "./computed.ts";

type Value = number | bigint | Complex;
type Index = readonly number[];

const NUMERIC = COMPUTED.filter((dtype) => dtype !== "bool");
const REAL = NUMERIC.filter((dtype) => !isComplex(dtype));
const RUNS = { numRuns: 300 };

// ---- blocks as plain lists ----

function* indicesOf(shape: Shape): Generator<Index> {
  if (shape.length === 0) yield [];
  else {
    for (let first = 0; first < shape[0]!; first++) {
      for (const rest of indicesOf(shape.slice(1))) yield [first, ...rest];
    }
  }
}

const placeOf = (block: Block, index: Index): number =>
  index.reduce((at, x, axis) => at + x * block.strides[axis]!, block.offset);

function read(block: Block, index: Index): Value {
  const at = placeOf(block, index);
  if (!isComplex(block.dtype)) return block.data[at]!;
  return new Complex(Number(block.data[2 * at]), Number(block.data[2 * at + 1]));
}

function write(block: Block, at: number, value: Value): void {
  const data = block.data as unknown as Record<number, number | bigint>;
  if (value instanceof Complex) [data[2 * at], data[2 * at + 1]] = [value.re, value.im];
  else data[at] = value;
}

const valuesOf = (block: Block): Value[] => [...indicesOf(block.shape)].map((index) => read(block, index));

function blockOf(dtype: DType, shape: Shape, values: readonly Value[]): Block {
  const block = newBlock(dtype, shape);
  values.forEach((value, i) => {
    write(block, i, value);
  });
  return block;
}

const int64 = (...values: number[]): Block => blockOf("int64", [values.length], values.map(BigInt));
const float64 = (...values: number[]): Block => blockOf("float64", [values.length], values);

/** Runs a routine and gives its output's values. */
function run(name: string, inputs: Block[], output: Block, attrs: Attrs, starts?: Index[]): Value[] {
  const before = [...inputs, output].map((block) => block.data.slice());
  const zeros = [...inputs, output].map((block) => block.shape.map(() => 0));
  ROUTINES.get(name)!({ inputs, outputs: [output], attrs, starts: starts ?? zeros });
  inputs.forEach((input, i) => {
    expect(input.data, `input ${i} is only read`).toEqual(before[i]);
  });
  const result = valuesOf(output);
  expectUntouchedAround(output, before[inputs.length] as Block["data"]);
  return result;
}

function expectUntouchedAround(output: Block, before: Block["data"]): void {
  const after = { ...output, data: output.data.slice() };
  const was = { ...output, data: before };
  for (const index of indicesOf(output.shape)) write(after, placeOf(output, index), read(was, index));
  expect(after.data, "memory around the output").toEqual(before);
}

// ---- arbitrary blocks ----

type Lie = "plain" | "flipped" | "gapped" | "broadcast";

function elements(dtype: DType): fc.Arbitrary<Value> {
  if (dtype === "bool") return fc.constantFrom(0, 1);
  if (isComplex(dtype)) return fc.tuple(floats, floats).map(([re, im]) => new Complex(re, im));
  if (isFloat(dtype)) return floats;
  const [min, max] = integerRange(dtype);
  const some = fc.oneof(fc.bigInt({ min, max }), fc.bigInt({ min: 0n, max: 3n }), fc.constantFrom(min, max));
  return isWide(dtype) ? some : some.map(Number);
}
const floats = fc.oneof(
  fc.constantFrom(Number.NaN, 0, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1, 2),
  fc.double(),
);

/** Values whose sums of products are exact in any order, and so must come out to the last bit. */
function summands(dtype: DType): fc.Arbitrary<Value> {
  const quarters = fc.integer({ min: -40, max: 40 }).map((x) => x / 4);
  if (isFloat(dtype)) return quarters;
  return isComplex(dtype)
    ? fc.tuple(quarters, quarters).map(([re, im]) => new Complex(re, im))
    : elements(dtype);
}

/** Blocks that are laid out in any way; what lies between and around their elements is arbitrary too. */
function blocks(dtype: DType, shape: Shape, element: fc.Arbitrary<Value>, lies: Lie[]): fc.Arbitrary<Block> {
  const axes = shape.map((_, axis) => axis);
  const order = fc.shuffledSubarray(axes, { minLength: axes.length });
  const lie = fc.array(fc.constantFrom(...lies), { minLength: axes.length, maxLength: axes.length });
  return fc.tuple(order, lie, fc.nat(3)).chain(([order, lie, lead]) => {
    const { strides, offset, span } = layOut(shape, order, lie, lead);
    const filling = fc.array(element, { minLength: span, maxLength: span });
    return filling.map((values) => {
      const block = { dtype, shape, strides, offset, data: allocate(dtype, span) };
      values.forEach((value, at) => {
        write(block, at, value);
      });
      return block;
    });
  });
}

function layOut(shape: Shape, order: readonly number[], lie: readonly Lie[], lead: number) {
  const strides = shape.map(() => 0);
  let [offset, span] = [lead, 1];
  for (const axis of order) {
    if (lie[axis] === "broadcast") continue;
    const stride = lie[axis] === "gapped" ? 2 * span : span;
    strides[axis] = lie[axis] === "flipped" ? -stride : stride;
    if (lie[axis] === "flipped") offset += Math.max(0, shape[axis]! - 1) * stride;
    span = stride * Math.max(1, shape[axis]!);
  }
  return { strides, offset, span: span + lead + 1 };
}

const inputs = (dtype: DType, shape: Shape, element = elements(dtype)): fc.Arbitrary<Block> =>
  blocks(dtype, shape, element, ["plain", "flipped", "gapped", "broadcast"]);
const outputs = (dtype: DType, shape: Shape): fc.Arbitrary<Block> =>
  blocks(dtype, shape, elements(dtype), ["plain", "flipped", "gapped"]);
const lengths = (min: number, max: number, most: number) =>
  fc.array(fc.integer({ min, max }), { maxLength: most });
const dtypes = fc.constantFrom(...DTYPES);

// ---- contiguous copies ----

describe("contiguous copies", () => {
  test("are the elements in row-major order, and go back where they came from", () => {
    const cases = fc
      .tuple(dtypes, lengths(0, 4, 4))
      .chain(([dtype, shape]) => fc.tuple(inputs(dtype, shape), outputs(dtype, shape)));
    fc.assert(
      fc.property(cases, ([source, target]) => {
        const data = toContiguous(source);
        expect(valuesOf(blockOfData(source, data))).toEqual(valuesOf(source));
        const before = target.data.slice();
        fromContiguous(data, target);
        expect(valuesOf(target)).toEqual(valuesOf(source));
        expectUntouchedAround(target, before);
      }),
      RUNS,
    );
  });

  test.each(DTYPES)("of transposed %s planes larger than a strip", (dtype) => {
    const block = ramp(dtype, [70, 90]);
    const transposed = { ...block, shape: [90, 70], strides: [1, 90] };
    expect(valuesOf(blockOfData(transposed, toContiguous(transposed)))).toEqual(valuesOf(transposed));
  });

  test("step over gaps that both blocks have", () => {
    const gapped = (block: Block) => ({ ...block, shape: [4, 2], strides: [4, 1] });
    const source = gapped(ramp("float64", [16]));
    const target = gapped(newBlock("float64", [16]));
    copyElements(source, target);
    expect(valuesOf(target)).toEqual(valuesOf(source));
    expectUntouchedAround(target, new Float64Array(16));
  });

  test("keep every bit of an int64 that is a NaN to a float", () => {
    const block = blockOf("int64", [2, 2], [0x7ff0000000000001n, -1n, 0x7ff8000000000002n, 3n]);
    const data = toContiguous({ ...block, strides: [1, 2] });
    expect([...data]).toEqual([0x7ff0000000000001n, 0x7ff8000000000002n, -1n, 3n]);
  });
});

const blockOfData = ({ dtype, shape }: Block, data: Block["data"]): Block => ({
  ...newBlock(dtype, shape),
  data,
});

/** Values that are small, but all the way different. */
function ramp(dtype: DType, shape: Shape): Block {
  const block = newBlock(dtype, shape);
  for (let i = 0; i < block.data.length; i++) {
    const value = (i * 7919) % 101;
    (block.data as unknown as (number | bigint)[])[i] = isWide(dtype)
      ? BigInt(value)
      : value % 2
        ? -value
        : value;
  }
  return block;
}

// ---- contract ----

/** Exact integers of any size, wrapped at the end; floats in float64, rounded at the end. */
function sumOfProducts(dtype: DType, pairs: readonly (readonly [Value, Value])[]): Value {
  if (isInteger(dtype)) {
    const sum = pairs.reduce((sum, [x, y]) => sum + BigInt(x as number) * BigInt(y as number), 0n);
    const bits = 8 * infoOf(dtype).bytes;
    const wrapped = kindOf(dtype) === "int" ? BigInt.asIntN(bits, sum) : BigInt.asUintN(bits, sum);
    return isWide(dtype) ? wrapped : Number(wrapped);
  }
  let [re, im] = [0, 0];
  for (const [x, y] of pairs) {
    const [a, b] = [x instanceof Complex ? x.re : Number(x), x instanceof Complex ? x.im : 0];
    const [c, d] = [y instanceof Complex ? y.re : Number(y), y instanceof Complex ? y.im : 0];
    re += a * c - b * d;
    im += a * d + b * c;
  }
  const round = infoOf(dtype).part === "float32" ? Math.fround : (x: number) => x;
  return isComplex(dtype) ? new Complex(round(re), round(im)) : round(re);
}

interface ContractAxes {
  readonly batchA: number[];
  readonly contractA: number[];
  readonly batchB: number[];
  readonly contractB: number[];
}

const freeAxes = (block: Block, ...taken: Index[]): number[] =>
  block.shape.map((_, axis) => axis).filter((axis) => !taken.flat().includes(axis));

function contractModel(a: Block, b: Block, { batchA, contractA, batchB, contractB }: ContractAxes): Value[] {
  const freeA = freeAxes(a, batchA, contractA);
  const freeB = freeAxes(b, batchB, contractB);
  const at = (named: [Index, Index][]): Index => {
    const index: number[] = [];
    for (const [axes, part] of named) for (const [i, axis] of axes.entries()) index[axis] = part[i]!;
    return index;
  };
  const lengthsOf = (block: Block, axes: Index) => axes.map((axis) => block.shape[axis]!);
  const values: Value[] = [];
  for (const batch of indicesOf(lengthsOf(a, batchA))) {
    for (const row of indicesOf(lengthsOf(a, freeA))) {
      for (const column of indicesOf(lengthsOf(b, freeB))) {
        const pairs = [...indicesOf(lengthsOf(a, contractA))].map((depth): [Value, Value] => [
          read(
            a,
            at([
              [batchA, batch],
              [contractA, depth],
              [freeA, row],
            ]),
          ),
          read(
            b,
            at([
              [batchB, batch],
              [contractB, depth],
              [freeB, column],
            ]),
          ),
        ]);
        values.push(sumOfProducts(a.dtype, pairs));
      }
    }
  }
  return values;
}

function contractShape(a: Block, b: Block, axes: ContractAxes): Shape {
  const batch = axes.batchA.map((axis) => a.shape[axis]!);
  const rows = freeAxes(a, axes.batchA, axes.contractA).map((axis) => a.shape[axis]!);
  const columns = freeAxes(b, axes.batchB, axes.contractB).map((axis) => b.shape[axis]!);
  return [...batch, ...rows, ...columns];
}

/** The axes of one operand in any order: which lengths, and where its batch and contracted axes went. */
function operand(batch: Shape, depth: Shape, free: Shape) {
  const all = [...batch, ...depth, ...free];
  const order = fc.shuffledSubarray(
    all.map((_, i) => i),
    { minLength: all.length },
  );
  return order.map((order) => ({
    shape: order.map((i) => all[i]!),
    batch: batch.map((_, i) => order.indexOf(i)),
    contract: depth.map((_, i) => order.indexOf(batch.length + i)),
  }));
}

const contractions = fc
  .tuple(fc.constantFrom(...NUMERIC), lengths(0, 3, 2), lengths(0, 3, 2), lengths(0, 3, 2), lengths(0, 3, 2))
  .chain(([dtype, batch, depth, rows, columns]) =>
    fc.tuple(fc.constant(dtype), operand(batch, depth, rows), operand(batch, depth, columns)),
  )
  .chain(([dtype, left, right]) =>
    fc.record({
      a: inputs(dtype, left.shape, summands(dtype)),
      b: inputs(dtype, right.shape, summands(dtype)),
      axes: fc.constant({
        batchA: left.batch,
        contractA: left.contract,
        batchB: right.batch,
        contractB: right.contract,
      }),
    }),
  )
  .chain(({ a, b, axes }) =>
    fc.record({
      a: fc.constant(a),
      b: fc.constant(b),
      axes: fc.constant(axes),
      output: outputs(a.dtype, contractShape(a, b, axes)),
    }),
  );

const LARGER_THAN_TILES = [
  { rows: 67, depth: 513, columns: 2 },
  { rows: 2, depth: 300, columns: 67 },
  { rows: 131, depth: 2, columns: 65 },
];
const MATMUL = { batchA: [], contractA: [1], batchB: [], contractB: [0] };

describe("contract", () => {
  test("is the sum of products, whatever the axes and the layout", () => {
    fc.assert(
      fc.property(contractions, ({ a, b, axes, output }) => {
        expect(run("contract", [a, b], output, { ...axes })).toEqual(contractModel(a, b, axes));
      }),
      RUNS,
    );
  });

  test.each(NUMERIC)("of %s matrices larger than a tile", (dtype) => {
    for (const { rows, depth, columns } of LARGER_THAN_TILES) {
      const [a, b] = [ramp(dtype, [rows, depth]), ramp(dtype, [depth, columns])];
      const output = newBlock(dtype, [rows, columns]);
      expect(run("contract", [a, b], output, MATMUL)).toEqual(contractModel(a, b, MATMUL));
    }
  });

  test("multiplies matrices", () => {
    const a = blockOf("float64", [2, 2], [1, 2, 3, 4]);
    const b = blockOf("float64", [2, 2], [5, 6, 7, 8]);
    expect(run("contract", [a, b], newBlock("float64", [2, 2]), MATMUL)).toEqual([19, 22, 43, 50]);
  });

  test("adds float32 up in float64", () => {
    const [a, b] = [blockOf("float32", [1, 3], [1e8, 1, -1e8]), blockOf("float32", [3, 1], [1, 1, 1])];
    expect(run("contract", [a, b], newBlock("float32", [1, 1]), MATMUL)).toEqual([1]);
  });

  test("wraps integers", () => {
    const square = (dtype: DType, value: Value) =>
      run(
        "contract",
        [blockOf(dtype, [1, 1], [value]), blockOf(dtype, [1, 1], [value])],
        newBlock(dtype, [1, 1]),
        MATMUL,
      );
    expect(square("uint8", 255)).toEqual([1]);
    expect(square("int32", 65_537)).toEqual([131_073]);
    expect(square("uint32", 4_294_967_295)).toEqual([1]);
    expect(square("uint64", 2n ** 64n - 1n)).toEqual([1n]);
    expect(square("int64", 2n ** 32n + 3n)).toEqual([6n * 2n ** 32n + 9n]);
  });

  test("of nothing is 0", () => {
    const output = blockOf("int16", [2, 1], [7, 7]);
    expect(run("contract", [newBlock("int16", [2, 0]), newBlock("int16", [0, 1])], output, MATMUL)).toEqual([
      0, 0,
    ]);
  });
});

// ---- gather and scatter ----

const resolved = (index: Value, length: number): number =>
  Number(index) < 0 ? Number(index) + length : Number(index);

/** The place in x for an index of the side that has S at `at`. */
function indexedPlace(index: Index, axes: Index, at: number, indices: readonly Block[], whole: Shape): Index {
  const ndim = indices[0]!.shape.length;
  const s = index.slice(at, at + ndim);
  const place = [...index.slice(0, at), ...index.slice(at + ndim)];
  axes.forEach((axis, i) => {
    place.splice(axis, 0, resolved(read(indices[i]!, s), whole[axis]!));
  });
  return place;
}

/** Which axes are gathered, where S goes, and an index block for each axis. */
function gatherings(whole: Shape, maxS: number) {
  const axes = fc.subarray(
    whole.map((_, axis) => axis),
    { minLength: 1 },
  );
  const s = whole.includes(0) ? fc.constant([0]) : lengths(0, maxS, 2);
  return fc.tuple(axes, s).chain(([axes, s]) =>
    fc.record({
      axes: fc.constant(axes),
      s: fc.constant(s),
      at: fc.nat(whole.length - axes.length),
      indices: fc.tuple(...axes.map((axis) => inputs("int64", s, indicesInto(whole[axis]!)))),
    }),
  );
}

const indicesInto = (length: number) =>
  fc.bigInt({ min: BigInt(-Math.max(1, length)), max: BigInt(Math.max(0, length - 1)) });

const plainShape = (x: Shape, axes: Index, at: number, s: Shape): Shape => {
  const rest = x.filter((_, axis) => !axes.includes(axis));
  return [...rest.slice(0, at), ...s, ...rest.slice(at)];
};

const wholeShapes = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 3 });

describe("gather", () => {
  const cases = fc
    .tuple(dtypes, wholeShapes)
    .chain(([dtype, shape]) => fc.tuple(fc.constant(dtype), inputs(dtype, shape), gatherings(shape, 5)))
    .chain(([dtype, x, how]) =>
      fc.record({
        x: fc.constant(x),
        how: fc.constant(how),
        output: outputs(dtype, plainShape(x.shape, how.axes, how.at, how.s)),
      }),
    );

  test("picks the elements that the indices name", () => {
    fc.assert(
      fc.property(cases, ({ x, how: { axes, at, indices }, output }) => {
        const expected = [...indicesOf(output.shape)].map((index) =>
          read(x, indexedPlace(index, axes, at, indices, x.shape)),
        );
        expect(run("gather", [x, ...indices], output, { axes, at })).toEqual(expected);
      }),
      RUNS,
    );
  });

  test.each(DTYPES)("of many %s rows and columns", (dtype) => {
    const x = ramp(dtype, [50, 45]);
    const at = blockOf(
      "int64",
      [40],
      Array.from({ length: 40 }, (_, i) => BigInt(((i * 17) % 45) - 20)),
    );
    const rows = [...indicesOf([40, 45])].map(([i, j]) => read(x, [resolved(read(at, [i!]), 50), j!]));
    expect(run("gather", [x, at], newBlock(dtype, [40, 45]), { axes: [0], at: 0 })).toEqual(rows);
    const columns = [...indicesOf([50, 40])].map(([i, j]) => read(x, [i!, resolved(read(at, [j!]), 45)]));
    expect(run("gather", [x, at], newBlock(dtype, [50, 40]), { axes: [1], at: 1 })).toEqual(columns);
  });

  test("takes pairs of indices together", () => {
    const x = blockOf("int32", [2, 3], [0, 1, 2, 10, 11, 12]);
    const output = newBlock("int32", [3]);
    expect(run("gather", [x, int64(0, 1, -1), int64(2, 0, -2)], output, { axes: [0, 1], at: 0 })).toEqual([
      2, 10, 11,
    ]);
  });

  test.each([
    [7, "index 7 is out of range for axis 1 of length 5", "Use -5 to 4"],
    [5, "index 5 is out of range for axis 1 of length 5", "Use -5 to 4"],
    [-6, "index -6 is out of range for axis 1 of length 5", "Use -5 to 4"],
    [2n ** 63n - 1n, "index 9223372036854775807 is out of range for axis 1 of length 5", "Use -5 to 4"],
    [-(2n ** 63n), "index -9223372036854775808 is out of range for axis 1 of length 5", "Use -5 to 4"],
  ])("traps the index %s", (index, message, cure) => {
    const indices = blockOf("int64", [2], [0n, BigInt(index)]);
    const call = () =>
      run("gather", [newBlock("int8", [2, 5]), indices], newBlock("int8", [2, 2]), { axes: [1], at: 1 });
    expect(trapOf(call)).toEqual({ message, cure });
  });

  test("traps any index into an empty axis", () => {
    const call = () =>
      run("gather", [newBlock("int8", [0]), int64(0)], newBlock("int8", [1]), { axes: [0], at: 0 });
    const cure = "An axis of length 0 has no elements";
    expect(trapOf(call)).toEqual({ message: "index 0 is out of range for axis 0 of length 0", cure });
  });
});

function trapOf(call: () => unknown): { message: string; cure: string | undefined } {
  try {
    call();
  } catch (error) {
    if (error instanceof Trap) return { message: error.message, cure: error.cure };
    throw error;
  }
  throw new Error("nothing was trapped");
}

describe("scatter", () => {
  /** A part of a whole array: where it starts and how long it is. */
  const parts = (whole: Shape) =>
    fc.tuple(
      ...whole.map((length) =>
        fc.nat(length).chain((start) => fc.tuple(fc.constant(start), fc.nat(length - start))),
      ),
    );
  const cases = fc
    .tuple(dtypes, wholeShapes)
    .chain(([dtype, whole]) =>
      fc.record({
        dtype: fc.constant(dtype),
        whole: fc.constant(whole),
        part: parts(whole),
        how: gatherings(whole, 4),
      }),
    )
    .chain(({ dtype, whole, part, how }) => {
      const shape = part.map(([, length]) => length);
      const start = part.map(([start]) => start);
      return fc.record({
        whole: fc.constant(whole),
        start: fc.constant(start),
        how: fc.constant(how),
        x: inputs(dtype, shape),
        values: inputs(dtype, plainShape(shape, how.axes, how.at, how.s)),
        output: outputs(dtype, shape),
      });
    });

  test("replaces the elements that lie in the block, the last value wins", () => {
    fc.assert(
      fc.property(cases, ({ whole, start, how: { axes, at, indices }, x, values, output }) => {
        const expected = new Map([...indicesOf(x.shape)].map((index) => [String(index), read(x, index)]));
        for (const index of indicesOf(values.shape)) {
          const place = indexedPlace(index, axes, at, indices, whole);
          const within = place.map((i, axis) => (axes.includes(axis) ? i - start[axis]! : i));
          if (expected.has(String(within))) expected.set(String(within), read(values, index));
        }
        const free = values.shape.map(() => 0);
        const starts = [start, free, ...indices.map((block) => block.shape.map(() => 0)), start];
        const result = run("scatter", [x, values, ...indices], output, { axes, at, shape: whole }, starts);
        expect(result).toEqual([...expected.values()]);
      }),
      RUNS,
    );
  });

  test("lets the last of equal indices win, and skips those of other blocks", () => {
    const inputs = [float64(0, 1, 2), float64(10, 20, 30, 40), int64(4, 4, -1, 9)];
    const attrs = { axes: [0], at: 0, shape: [10] };
    expect(run("scatter", inputs, newBlock("float64", [3]), attrs, [[3], [0], [0], [3]])).toEqual([0, 20, 2]);
    expect(run("scatter", inputs, newBlock("float64", [3]), attrs, [[7], [0], [0], [7]])).toEqual([0, 1, 40]);
  });

  test("finds its indices in an axis beyond 32 bits", () => {
    const [far, length] = [2 ** 33 + 5, 2 ** 40];
    const inputs = [float64(0, 1, 2), float64(10, 20, 30), int64(far, far - length + 1, 5)];
    const attrs = { axes: [0], at: 0, shape: [length] };
    const starts = [[far], [0], [0], [far]];
    expect(run("scatter", inputs, newBlock("float64", [3]), attrs, starts)).toEqual([10, 20, 2]);
  });

  test("traps an index outside of the whole axis, even where the block does not reach", () => {
    const inputs = [float64(0, 1), float64(5), int64(10)];
    const call = () => run("scatter", inputs, newBlock("float64", [2]), { axes: [0], at: 0, shape: [10] });
    expect(trapOf(call)).toEqual({
      message: "index 10 is out of range for axis 0 of length 10",
      cure: "Use -10 to 9",
    });
  });
});

// ---- takeAlongAxis ----

describe("takeAlongAxis", () => {
  const cases = fc
    .tuple(dtypes, wholeShapes)
    .chain(([dtype, shape]) =>
      fc.record({
        dtype: fc.constant(dtype),
        shape: fc.constant(shape),
        axis: fc.nat(shape.length - 1),
        count: fc.nat(6),
      }),
    )
    .chain(({ dtype, shape, axis, count }) => {
      const taken = shape.map((length, i) => (i !== axis ? length : length === 0 ? 0 : count));
      return fc.record({
        axis: fc.constant(axis),
        x: inputs(dtype, shape),
        indices: inputs("int64", taken, indicesInto(shape[axis]!)),
        output: outputs(dtype, taken),
      });
    });

  test("picks along the axis", () => {
    fc.assert(
      fc.property(cases, ({ axis, x, indices, output }) => {
        const expected = [...indicesOf(indices.shape)].map((index) =>
          read(
            x,
            index.map((i, at) => (at === axis ? resolved(read(indices, index), x.shape[axis]!) : i)),
          ),
        );
        expect(run("takeAlongAxis", [x, indices], output, { axis })).toEqual(expected);
      }),
      RUNS,
    );
  });

  test("undoes an argsort's disorder", () => {
    const x = blockOf("float64", [2, 3], [3, 1, 2, 4, 6, 5]);
    const indices = blockOf("int64", [2, 3], [1n, 2n, 0n, 0n, 2n, 1n]);
    expect(run("takeAlongAxis", [x, indices], newBlock("float64", [2, 3]), { axis: 1 })).toEqual([
      1, 2, 3, 4, 5, 6,
    ]);
  });

  test("traps an index out of range", () => {
    const call = () =>
      run("takeAlongAxis", [float64(1, 2), int64(0, -3)], newBlock("float64", [2]), { axis: 0 });
    expect(trapOf(call)).toEqual({
      message: "index -3 is out of range for axis 0 of length 2",
      cure: "Use -2 to 1",
    });
  });
});

// ---- order ----

/** NumPy's ascending order, as a list of things to compare one after another. */
function ranks(value: Value): (number | bigint)[] {
  if (!(value instanceof Complex)) return Number.isNaN(value) ? [1] : [0, value];
  const { re, im } = value;
  if (Number.isNaN(re) && Number.isNaN(im)) return [3];
  if (Number.isNaN(re)) return [2, im];
  return Number.isNaN(im) ? [1, re] : [0, re, im];
}

/** Ascending, or descending but for the NaNs, which come last either way. */
function compare(x: Value, y: Value, descending: boolean): number {
  const [a, b] = [ranks(x), ranks(y)];
  for (let i = 0; i < a.length; i++) {
    if (b[i] === undefined || a[i] === b[i]) continue;
    return a[i]! < b[i]! === (descending && i > 0) ? 1 : -1;
  }
  return 0;
}

/** For every element of the output: the position along the axis that belongs there. */
function orderModel(x: Block, axis: number, descending: boolean): number[] {
  return [...indicesOf(x.shape)].map((index) => {
    const along = (i: number) => read(x, index.with(axis, i));
    const order = Array.from({ length: x.shape[axis]! }, (_, i) => i);
    return order.sort((i, j) => compare(along(i), along(j), descending))[index[axis]!]!;
  });
}

describe.each(["sort", "argsort"])("%s", (name) => {
  const cases = fc
    .tuple(
      dtypes,
      fc.oneof(
        wholeShapes,
        lengths(1, 60, 1).filter((shape) => shape.length > 0),
      ),
    )
    .chain(([dtype, shape]) =>
      fc.record({
        axis: fc.nat(shape.length - 1),
        descending: fc.boolean(),
        x: inputs(dtype, shape),
        output: outputs(name === "sort" ? dtype : "int64", shape),
      }),
    );
  const expectedOf = (x: Block, axis: number, descending: boolean): Value[] => {
    const order = orderModel(x, axis, descending);
    if (name === "argsort") return order.map(BigInt);
    return [...indicesOf(x.shape)].map((index, i) => read(x, index.with(axis, order[i]!)));
  };

  test("orders stably along the axis", () => {
    fc.assert(
      fc.property(cases, ({ axis, descending, x, output }) => {
        expect(run(name, [x], output, { axis, descending })).toEqual(expectedOf(x, axis, descending));
      }),
      RUNS,
    );
  });

  test.each(DTYPES)("of long rows of %s with many equal elements", (dtype) => {
    const x = ramp(dtype, [3, 400]);
    const output = newBlock(name === "sort" ? dtype : "int64", [3, 400]);
    for (const descending of [false, true]) {
      const rows = [0, 1, 2].flatMap((row) => {
        const order = Array.from({ length: 400 }, (_, i) => i);
        order.sort((i, j) => compare(read(x, [row, i]), read(x, [row, j]), descending));
        return order.map((i) => (name === "argsort" ? BigInt(i) : read(x, [row, i])));
      });
      expect(run(name, [x], output, { axis: 1, descending })).toEqual(rows);
    }
  });
});

describe("sort and argsort", () => {
  const { NaN: nan } = Number;
  const ordered = (x: Block, descending: boolean) =>
    run("sort", [x], newBlock(x.dtype, x.shape), { axis: 0, descending });
  const order = (x: Block, descending: boolean) =>
    run("argsort", [x], newBlock("int64", x.shape), { axis: 0, descending });

  test("put NaN last either way and keep −0 and 0 in their order", () => {
    const x = float64(0, nan, 2, -0, -1, 0);
    expect(ordered(x, false)).toEqual([-1, 0, -0, 0, 2, nan]);
    expect(ordered(x, true)).toEqual([2, 0, -0, 0, -1, nan]);
    expect(order(x, false)).toEqual([4n, 0n, 3n, 5n, 2n, 1n]);
    expect(order(x, true)).toEqual([2n, 0n, 3n, 5n, 4n, 1n]);
  });

  test("tell 64 bit integers apart that are the same float64", () => {
    const large = 2n ** 63n;
    const x = blockOf("uint64", [4], [large + 1n, large, 5n, 2n ** 64n - 1n]);
    expect(ordered(x, false)).toEqual([5n, large, large + 1n, 2n ** 64n - 1n]);
    expect(order(blockOf("int64", [4], [-1n, -large, large - 1n, 0n]), true)).toEqual([2n, 3n, 0n, 1n]);
  });

  test("order complex numbers as NumPy does", () => {
    const numbers = [
      [nan, nan],
      [nan, 1],
      [1, nan],
      [2, -1],
      [1, 5],
      [nan, 0],
      [1, 4],
      [0, nan],
    ];
    const x = blockOf(
      "complex128",
      [8],
      numbers.map(([re, im]) => new Complex(re!, im!)),
    );
    expect(order(x, false)).toEqual([6n, 4n, 3n, 7n, 2n, 5n, 1n, 0n]);
  });
});

// ---- searchsorted ----

describe("searchsorted", () => {
  const cases = fc
    .tuple(fc.constantFrom(...REAL), fc.nat(12), lengths(0, 4, 3))
    .chain(([dtype, count, shape]) =>
      fc.record({
        list: fc.array(elements(dtype), { minLength: count, maxLength: count }),
        place: blocks(dtype, [count], elements(dtype), ["plain", "flipped", "gapped"]),
        values: inputs(dtype, shape),
        output: outputs("int64", shape),
        side: fc.constantFrom("left", "right"),
      }),
    );

  test("counts the elements that go before", () => {
    fc.assert(
      fc.property(cases, ({ list, place: sorted, values, output, side }) => {
        // Written first and ordered then, because float32 rounds what it is given.
        list.forEach((value, i) => {
          write(sorted, placeOf(sorted, [i]), value);
        });
        const ascending = valuesOf(sorted).sort((x, y) => compare(x, y, false));
        ascending.forEach((value, i) => {
          write(sorted, placeOf(sorted, [i]), value);
        });
        const limit = side === "left" ? 0 : 1;
        const expected = valuesOf(values).map((value) =>
          BigInt(ascending.filter((element) => compare(element, value, false) < limit).length),
        );
        expect(run("searchsorted", [sorted, values], output, { side })).toEqual(expected);
      }),
      RUNS,
    );
  });

  test("sides, and NaN last", () => {
    const sorted = float64(1, 2, 2, 3, Number.NaN);
    const values = float64(2, 0, 9, Number.NaN);
    const search = (side: string) => run("searchsorted", [sorted, values], newBlock("int64", [4]), { side });
    expect(search("left")).toEqual([1n, 0n, 4n, 4n]);
    expect(search("right")).toEqual([3n, 0n, 4n, 5n]);
  });
});

test("every op with a routine of its own finds it", () => {
  const named = [...OPS.values()].flatMap((op) =>
    op.class === "routine" || op.class === "contract" ? [op.routine] : [],
  );
  expect(named.filter((name) => !ROUTINES.has(name))).toEqual([]);
});
