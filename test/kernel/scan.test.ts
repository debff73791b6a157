// Scan kernels against the interpreter: every dtype and combination, along any axis, rows that lie in any way,
// inclusive and exclusive, from the identity and from a block of earlier results. And the interpreter against the
// order that docs/adr/0008 defines.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import loadWabt from "wabt";
import type { Block } from "../../src/core/block.ts";
import { type Shape, sizeOf } from "../../src/core/chunks.ts";
import { type DType, infoOf, isComplex, isFloat } from "../../src/core/dtype.ts";
import { fitScalar } from "../../src/core/numbers.ts";
import type { Access, ScanStep } from "../../src/kernel/blockProgram.ts";
import { runScan, SCAN_BLOCK } from "../../src/kernel/interpret/scan.ts";
import { bind } from "../../src/kernel/interpret/tile.ts";
import { programOf } from "../../src/kernel/program.ts";
import { SCRATCH_BYTES } from "../../src/kernel/wasm/module.ts";
import { scanModule } from "../../src/kernel/wasm/scan/scanKernel.ts";
import { scanJob, scanKey } from "../../src/kernel/wasm/scans.ts";
import { cumulativeProd, cumulativeSum } from "../../src/ops/scans.ts";
import { COMPUTED } from "../computed.ts";

const SCANS = [cumulativeSum, cumulativeProd];

const NUMERIC = COMPUTED.filter((dtype) => dtype !== "bool");
const SEED = Number(process.env["CHUNKWISE_SEED"] ?? 20261115);

const FREE = 4096 + SCRATCH_BYTES;
const memory = new WebAssembly.Memory({ initial: 100 });
type Run = (parameters: number, from: number, to: number) => void;
const runs = new Map<string, Run>();

function runOf(step: ScanStep, shape: Parameters<typeof scanModule>[3]): Run {
  const key = scanKey(step.combine, step.identity, shape);
  const known = runs.get(key);
  if (known !== undefined) return known;
  const trap = (): never => {
    throw new Error("a scan never traps");
  };
  const module = new WebAssembly.Module(scanModule(false, step.combine, step.identity, shape));
  const instance = new WebAssembly.Instance(module, { env: { memory, trap, scratch: 4096 } });
  runs.set(key, instance.exports["run"] as Run);
  return instance.exports["run"] as Run;
}

/** Units in reverse, one or all at a time: threads take them in any order. */
function runKernel(step: ScanStep, blocks: readonly Block[], atOnce: boolean): string {
  const { bytes } = infoOf(step.combine.operands[0]!);
  const place = (access: Access) => {
    const { data, offset, strides } = bind(access, blocks);
    return { address: data.byteOffset + offset * bytes, strides: strides.map((stride) => stride * bytes) };
  };
  const before = step.before === null ? null : place(step.before);
  const job = scanJob({ ...step, bytes, operand: place(step.operand), before, result: place(step.result) });
  if (job === null) return "nothing";
  new Int32Array(memory.buffer, 0, job.parameters.length).set(job.parameters);
  const run = runOf(step, job.shape);
  if (atOnce) run(0, 0, job.units);
  else for (let unit = job.units - 1; unit >= 0; unit--) run(0, unit, unit + 1);
  return job.shape.walk;
}

// ---- steps ----

let free = FREE;

/** A block whose axes lie in memory in the given order, the first the widest, with a gap behind each row. */
function blockOf(dtype: DType, shape: Shape, order: readonly number[], gap: number): Block {
  const { array: ArrayOf, slots, bytes } = infoOf(dtype);
  const strides = shape.map(() => 0);
  let span = 1;
  for (const axis of order.toReversed()) {
    strides[axis] = span;
    span = span * shape[axis]! + gap;
  }
  const data = new ArrayOf(memory.buffer, free, span * slots);
  free += Math.ceil((span * bytes) / 16) * 16;
  return { dtype, shape, strides, offset: 0, data };
}

function fill({ data, dtype }: Block, seed: number): void {
  let state = seed | 1;
  const random = (): number => {
    state = (Math.imul(state, 1103515245) + 12345) | 0;
    return (state >>> 8) / 2 ** 24;
  };
  const hasFractions = isFloat(dtype) || isComplex(dtype);
  const value = (): number => (hasFractions ? random() * 4 - 2 : Math.floor(random() * 200 - 100));
  const out = data as unknown as (number | bigint)[];
  const isBig = data instanceof BigInt64Array || data instanceof BigUint64Array;
  for (let i = 0; i < data.length; i++) out[i] = isBig ? BigInt(value()) * 0x1234567_89abcdefn : value();
  if (!hasFractions || data.length === 0) return;
  for (let i = 0; i < data.length; i++) if (random() < 0.05) out[i] = -0;
  if (random() < 0.3)
    out[Math.floor(random() * data.length)] = random() < 0.5 ? Number.NaN : Number.POSITIVE_INFINITY;
}

const whole = (buffer: number, shape: Shape): Access => ({
  buffer,
  start: shape.map(() => 0),
  axes: shape.map((_, axis) => axis),
  steps: shape.map(() => 1),
});

interface Case {
  readonly dtype: DType;
  readonly op: number;
  readonly shape: Shape;
  readonly axis: number;
  readonly exclusive: boolean;
  readonly hasBefore: boolean;
  readonly order: readonly number[];
  readonly resultOrder: readonly number[];
  readonly gap: number;
  readonly seed: number;
  readonly atOnce: boolean;
}

function check(c: Case): string {
  free = FREE;
  const { dtype, shape, axis } = c;
  const first = shape.map((length, d) => (d === axis ? 1 : length));
  const blocks = [
    blockOf(dtype, shape, c.order, c.gap),
    blockOf(dtype, first, c.order, c.gap),
    blockOf(dtype, shape, c.resultOrder, c.gap),
  ];
  blocks.forEach((block, k) => {
    fill(block, c.seed + k);
  });
  const op = SCANS[c.op]!;
  const fixed = { ...whole(1, first), axes: shape.map((_, d) => (d === axis ? -1 : d)) };
  const step: ScanStep = {
    ...{ kind: "scan", domain: shape, axis, exclusive: c.exclusive },
    combine: programOf([dtype, dtype], (a, b) => [op.combine(a!, b!)]),
    identity: fitScalar(op.identity, dtype),
    operand: whole(0, shape),
    before: c.hasBefore ? fixed : null,
    result: whole(2, shape),
  };
  const mine = blocks[2]!;
  const theirs = { ...mine, data: mine.data.slice() };
  runScan(step, [blocks[0]!, blocks[1]!, theirs]);
  const walk = runKernel(step, blocks, c.atOnce);
  const at = mine.data.findIndex((x, i) => !Object.is(x, theirs.data[i]));
  if (at >= 0) throw new Error(`place ${at}: ${mine.data[at]} instead of ${theirs.data[at]}`);
  return walk;
}

const cases: fc.Arbitrary<Case> = fc
  .array(fc.constantFrom(1, 2, 3, 5, 7, 8, 9, 16, 17, 40, 41), { minLength: 1, maxLength: 3 })
  .chain((shape) => {
    const axes = shape.map((_, axis) => axis);
    const order = fc.oneof(
      fc.constant(axes),
      fc.constant(axes),
      fc.shuffledSubarray(axes, { minLength: axes.length }),
    );
    return fc.record({
      dtype: fc.constantFrom(...NUMERIC),
      op: fc.nat(SCANS.length - 1),
      shape: fc.constant(shape),
      axis: fc.nat(shape.length - 1),
      exclusive: fc.boolean(),
      hasBefore: fc.boolean(),
      order,
      resultOrder: order,
      gap: fc.constantFrom(0, 0, 1),
      seed: fc.integer(),
      atOnce: fc.boolean(),
    });
  });

describe("scan kernels", () => {
  test(`3000 random scans give the interpreter's bits (seed ${SEED})`, () => {
    const walks = { across: 0, along: 0, nothing: 0 };
    const property = fc.property(cases, (c) => {
      walks[check(c) as keyof typeof walks]++;
    });
    fc.assert(property, { numRuns: 3000, seed: SEED });
    expect(walks.across).toBeGreaterThan(150);
    expect(walks.along).toBeGreaterThan(150);
  });

  test.each([
    ["one long row", [40_000], 0],
    ["several tiles of columns", [7, 3000], 0],
    ["tiles of columns in planes", [3, 5, 2500], 1],
    ["many rows", [301, 130], 1],
    ["no places", [0, 5], 0],
    ["no lanes", [5, 0], 0],
  ] as const)("%s", (_, shape, axis) => {
    const order = shape.map((__, d) => d);
    const common = { dtype: "float64", op: 0, shape, axis, order, resultOrder: order, gap: 0 } as const;
    for (const exclusive of [false, true])
      for (const hasBefore of [false, true])
        check({ ...common, exclusive, hasBefore, seed: sizeOf(shape), atOnce: false });
  });

  const around = [1, 2, 7, 8, 9, 15, 16, 17, 24, 25, 63, 64, 65].map((length) => [length]);
  const layouts = [
    ["a row", around, 0, [0], 0],
    ["rows side by side", around.map(([length]) => [3, length!]), 1, [0, 1], 1],
    ["places apart", around.map(([length]) => [3, length!]), 1, [1, 0], 1],
    ["columns", around.map(([length], k) => [length!, k + 2]), 0, [0, 1], 1],
    ["many columns", around.map(([length], k) => [length!, 15 + k]), 0, [0, 1], 0],
  ] as const;
  test.each(layouts)(
    "%s of lengths around the ends of blocks, of every dtype",
    (_, shapes, axis, order, gap) => {
      const common = { axis, order, resultOrder: order, gap, atOnce: true };
      for (const shape of shapes)
        for (const dtype of NUMERIC)
          for (const op of SCANS.keys())
            for (const exclusive of [false, true])
              for (const hasBefore of [false, true])
                check({ ...common, dtype, op, shape, exclusive, hasBefore, seed: sizeOf(shape) });
    },
  );

  test("wabt reads every module", async () => {
    const wabt = await loadWabt();
    for (const dtype of NUMERIC)
      for (const op of SCANS)
        for (const walk of ["across", "along"] as const)
          for (const hasBefore of [false, true]) {
            const combine = programOf([dtype, dtype], (a, b) => [op.combine(a!, b!)]);
            const shape = { walk, hasBefore, exclusive: hasBefore, isDense: walk === "along" && hasBefore };
            const bytes = scanModule(false, combine, fitScalar(op.identity, dtype), shape);
            const module = wabt.readWasm(bytes, { simd: true, sign_extension: true, readDebugNames: false });
            module.validate();
            module.destroy();
          }
  });
});

// ---- the order ----

/** A row of float64 through the interpreter. */
function scanned(values: Float64Array<ArrayBuffer>, start: number, exclusive: boolean): Float64Array {
  const shape = [values.length];
  const block = (data: Float64Array<ArrayBuffer>): Block => ({
    ...{ dtype: "float64", shape: [data.length], strides: [1], offset: 0 },
    data,
  });
  const result = block(new Float64Array(values.length));
  const step: ScanStep = {
    ...{ kind: "scan", domain: shape, axis: 0, exclusive, identity: 0 },
    combine: programOf(["float64", "float64"], (a, b) => [SCANS[0]!.combine(a!, b!)]),
    ...{ operand: whole(0, shape), before: { ...whole(1, [1]), axes: [-1] }, result: whole(2, shape) },
  };
  runScan(step, [block(values), block(Float64Array.of(start)), result]);
  return result.data as Float64Array;
}

/** The definition, place by place. */
function defined(values: Float64Array, start: number): number[] {
  const sumFrom = (first: number, from: number, to: number): number =>
    values.subarray(from, to).reduce((sum, x) => sum + x, first);
  const results: number[] = [];
  for (let i = 0; i < values.length; i++) {
    const first = i - (i % SCAN_BLOCK);
    if (first === 0) results.push(sumFrom(start, 0, i + 1));
    else results.push(results[first - 1]! + sumFrom(values[first]!, first + 1, i + 1));
  }
  return results;
}

describe("the order of scans", () => {
  const random = (length: number): Float64Array<ArrayBuffer> => {
    const block = blockOf("float64", [length], [0], 0);
    fill(block, length);
    return Float64Array.from(block.data as Float64Array, (x) => (Number.isFinite(x) ? x : 1));
  };

  test.each([1, 7, 8, 9, 16, 17, 1000, 4095, 4096, 4097, 10_000])("%i places", (length) => {
    const values = random(length);
    const wanted = defined(values, 0.1);
    expect([...scanned(values, 0.1, false)]).toEqual(wanted);
    expect([...scanned(values, 0.1, true)]).toEqual([0.1, ...wanted.slice(0, -1)]);
  });

  test("sums of what is not negative do not fall", () => {
    const sums = scanned(random(100_000).map(Math.abs), 0, false);
    expect(sums.findIndex((sum, i) => i > 0 && sum < sums[i - 1]!)).toBe(-1);
  });
});
