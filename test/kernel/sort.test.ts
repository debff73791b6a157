// Sort kernels against the plain routines, to the last bit: dtypes, directions, lengths around every threshold,
// rows that lie in any way, special values; and against Array.prototype.sort.

import { describe, expect, test } from "vitest";
import loadWabt from "wabt";
import type { Block } from "../../src/core/block.ts";
import { infoOf, isComplex, isFloat, type RealDType } from "../../src/core/dtype.ts";
import { ROUTINES } from "../../src/kernel/routines/index.ts";
import { SCRATCH_BYTES } from "../../src/kernel/wasm/module.ts";
import type { SortKind } from "../../src/kernel/wasm/sort/row.ts";
import { sortModule } from "../../src/kernel/wasm/sort/sortKernel.ts";
import { type SortRows, sortBufferBytes, sortJobs } from "../../src/kernel/wasm/sorting.ts";
import { COMPUTED } from "../computed.ts";

const REAL = COMPUTED.filter((dtype): dtype is RealDType => !isComplex(dtype));
const KINDS = ["sort", "argsort"] as const;

// ---- a memory to run in ----

const PARAMETERS = 0;
const SCRATCH = 4096;
const FREE = SCRATCH + SCRATCH_BYTES;
const memory = new WebAssembly.Memory({ initial: 160 });

type Run = (parameters: number, from: number, to: number) => void;
const runs = new Map<string, Run>();

function runOf(kind: SortKind, dtype: RealDType): Run {
  const key = `${kind} ${dtype}`;
  const known = runs.get(key);
  if (known !== undefined) return known;
  const trap = (): never => {
    throw new Error("a sort kernel never traps");
  };
  const module = new WebAssembly.Module(sortModule(false, kind, dtype, false));
  const { exports } = new WebAssembly.Instance(module, { env: { memory, trap, scratch: SCRATCH } });
  runs.set(key, exports["run"] as Run);
  return exports["run"] as Run;
}

/** How rows of a matrix lie, in elements: row r begins at first + r · row, its elements are `step` apart. */
interface Layout {
  readonly first: number;
  readonly row: number;
  readonly step: number;
  readonly span: number;
}
type LayoutOf = (rows: number, length: number) => Layout;

const LAYOUTS: { readonly [name: string]: LayoutOf } = {
  dense: (rows, length) => ({ first: 0, row: length, step: 1, span: rows * length }),
  gapped: (rows, length) => ({ first: 3, row: 2 * length + 1, step: 2, span: rows * (2 * length + 1) + 3 }),
  transposed: (rows, length) => ({ first: 0, row: 1, step: rows, span: rows * length }),
  backward: (rows, length) => ({ first: rows * length - 1, row: -length, step: -1, span: rows * length }),
};

interface Case {
  readonly kind: SortKind;
  readonly dtype: RealDType;
  readonly descending: boolean;
  readonly rows: number;
  readonly length: number;
  readonly from: Layout;
  readonly to: Layout;
}

const outputType = ({ kind, dtype }: Case): RealDType => (kind === "sort" ? dtype : "int64");

function blockIn(
  dtype: RealDType,
  { first, row, step, span }: Layout,
  c: Case,
  buffer: ArrayBufferLike,
  at: number,
): Block {
  const { array: ArrayOf } = infoOf(dtype);
  const data = new ArrayOf(buffer, at, span);
  return { dtype, shape: [c.rows, c.length], strides: [row, step], offset: first, data };
}

function runKernel(c: Case, bits: Uint8Array): Uint8Array {
  const [inBytes, outBytes] = [infoOf(c.dtype).bytes, infoOf(outputType(c)).bytes];
  const output = FREE + Math.ceil(bits.length / 16) * 16;
  const buffer = output + Math.ceil((c.to.span * outBytes) / 16) * 16;
  new Uint8Array(memory.buffer, FREE, bits.length).set(bits);
  new Uint8Array(memory.buffer, output, c.to.span * outBytes).fill(0xa5);
  const rows: SortRows = {
    ...c,
    input: FREE + c.from.first * inBytes,
    inputStride: c.from.step * inBytes,
    output: output + c.to.first * outBytes,
    outputStride: c.to.step * outBytes,
    axes: [{ count: c.rows, strides: [c.from.row * inBytes, c.to.row * outBytes] }],
  };
  expect(buffer + sortBufferBytes(rows, 2)).toBeLessThanOrEqual(memory.buffer.byteLength);
  for (const job of sortJobs(rows, 2, buffer)) {
    new Int32Array(memory.buffer, PARAMETERS, job.parameters.length).set(job.parameters);
    for (let from = 0; from < job.units; from += job.part)
      runOf(c.kind, c.dtype)(PARAMETERS, from, Math.min(job.units, from + job.part));
  }
  expect(firstDifference(new Uint8Array(memory.buffer, FREE, bits.length), bits), "input is only read").toBe(
    -1,
  );
  return new Uint8Array(memory.buffer, output, c.to.span * outBytes).slice();
}

function runRoutine(c: Case, bits: Uint8Array): Uint8Array {
  const result = new Uint8Array(c.to.span * infoOf(outputType(c)).bytes).fill(0xa5);
  const input = blockIn(c.dtype, c.from, c, bits.buffer, 0);
  const output = blockIn(outputType(c), c.to, c, result.buffer, 0);
  const attrs = { axis: 1, descending: c.descending };
  ROUTINES.get(c.kind)!({
    inputs: [input],
    outputs: [output],
    attrs,
    starts: [
      [0, 0],
      [0, 0],
    ],
  });
  return result;
}

function firstDifference(a: Uint8Array, b: Uint8Array): number {
  const differs = Buffer.compare(a, b) !== 0;
  return differs ? a.findIndex((byte, i) => byte !== b[i]) : -1;
}

// ---- values ----

type Random = () => number;

/** xorshift: the same numbers every time. */
function randomOf(seed: number): Random {
  let state = (seed * 2654435761 + 1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const SPECIAL = [Number.NaN, 0, -0, Infinity, -Infinity, 1, -1, 5e-324, -5e-324, 2 ** 53];

type Fill = (data: Float64Array, i: number, random: Random) => number;
/** What the elements are: as numbers, or (`bits`) any bits at all. */
const FILLS: { readonly [name: string]: Fill } = {
  uniform: (_, __, random) => random(),
  signed: (_, __, random) => (random() - 0.5) * 2000,
  few: (_, __, random) => Math.floor(random() * 5) - 2,
  special: (_, __, random) => SPECIAL[Math.floor(random() * SPECIAL.length)]!,
  ascending: (_, i) => i,
  descending: (data, i) => data.length - i,
  "nearly ascending": (_, i, random) => (random() < 0.05 ? random() * i : i),
  equal: () => 7,
  // Far apart at the top, close together below: the first turn of radix sort tells little apart.
  clustered: (_, i, random) => (i % 2 === 0 ? 1e300 : 1 + Math.floor(random() * 2 ** 32) * 2 ** -49),
  // The same for integers.
  "two ends": (_, i, random) => (i % 2 === 0 ? 2 ** 31 - 1 : 1 + Math.floor(random() * 128)),
  "with NaN": (_, __, random) => (random() < 0.3 ? Number.NaN : random()),
};

function bitsOf(dtype: RealDType, count: number, fill: string, seed: number): Uint8Array {
  const random = randomOf(seed);
  const { array: ArrayOf, bytes } = infoOf(dtype);
  if (fill === "bits") {
    const all = Uint8Array.from({ length: count * bytes }, () => random() * 256);
    return dtype === "bool" ? all.map((byte) => byte & 1) : all;
  }
  const numbers = new Float64Array(count);
  for (let i = 0; i < count; i++) numbers[i] = FILLS[fill]!(numbers, i, random);
  const data = new ArrayOf(count);
  numbers.forEach((x, i) => {
    const whole = Number.isNaN(x) ? 0 : Math.trunc(Math.abs(x) < 1 ? x * 100 : x);
    if (bytes === 8 && !isFloat(dtype))
      data[i] = BigInt.asIntN(64, BigInt(Math.abs(whole) === Infinity ? 0 : whole));
    else data[i] = isFloat(dtype) ? x : dtype === "bool" ? whole & 1 : whole;
  });
  return new Uint8Array(data.buffer);
}

function check(c: Case, fill: string, seed: number): void {
  const bits = bitsOf(c.dtype, c.from.span, fill, seed);
  const at = firstDifference(runKernel(c, bits), runRoutine(c, bits));
  if (at >= 0)
    throw new Error(`${c.kind} ${c.dtype} ${c.length} ${fill} ${c.descending}: byte ${at} differs`);
}

const layout = (name: string, rows: number, length: number): Layout => LAYOUTS[name]!(rows, length);

// ---- tests ----

describe.each(KINDS)("%s", (kind) => {
  test.each(REAL)("of %s: every kind of values, lengths around every threshold", (dtype) => {
    const lengths = [0, 1, 2, 3, 17, 40, 41, 64, 500, 2049];
    let seed = 0;
    for (const fill of ["bits", ...Object.keys(FILLS)])
      for (const length of lengths)
        for (const descending of [false, true]) {
          const dense = layout("dense", 2, length);
          check({ kind, dtype, descending, rows: 2, length, from: dense, to: dense }, fill, seed++);
        }
  });

  test.each(REAL)("of %s: rows that lie in any way", (dtype) => {
    let seed = 0;
    for (const from of Object.keys(LAYOUTS))
      for (const to of Object.keys(LAYOUTS))
        for (const [rows, length] of [
          [1, 5],
          [7, 33],
          [3, 300],
        ] as const) {
          const place = { from: layout(from, rows, length), to: layout(to, rows, length) };
          check({ kind, dtype, descending: seed % 2 === 1, rows, length, ...place }, "bits", seed++);
          check({ kind, dtype, descending: seed % 2 === 1, rows, length, ...place }, "few", seed++);
        }
  });

  test.each(["float64", "float32", "int64"] as const)("of long rows of %s, beyond scratch", (dtype) => {
    const [rows, length] = [3, 132_000];
    const place = { from: layout("dense", rows, length), to: layout("dense", rows, length) };
    for (const fill of ["bits", "uniform", "clustered", "with NaN"])
      check({ kind, dtype, descending: fill === "bits", rows, length, ...place }, fill, 1);
    const strided = { from: layout("dense", 1, length), to: layout("gapped", 1, length) };
    check({ kind, dtype, descending: false, rows: 1, length, ...strided }, "signed", 2);
  });

  test("of rows on several axes", () => {
    const bits = bitsOf("int32", 2 * 3 * 10, "bits", 5);
    const outBytes = kind === "sort" ? 4 : 8;
    new Uint8Array(memory.buffer, FREE, bits.length).set(bits);
    const output = FREE + 1024;
    // The middle axis of [2, 10, 3].
    const [job, ...none] = sortJobs(
      {
        ...{ kind, dtype: "int32", descending: false, length: 10 },
        ...{ input: FREE, inputStride: 12, output, outputStride: 3 * outBytes },
        axes: [
          { count: 2, strides: [120, 30 * outBytes] },
          { count: 3, strides: [4, outBytes] },
        ],
      },
      2,
      0,
    );
    expect([none.length, job!.units]).toEqual([0, 6]);
    new Int32Array(memory.buffer, PARAMETERS, job!.parameters.length).set(job!.parameters);
    for (const unit of [5, 0, 3, 1, 4, 2]) runOf(kind, "int32")(PARAMETERS, unit, unit + 1);
    const result = new Uint8Array(60 * outBytes);
    const shape = [2, 10, 3];
    const strides = [30, 3, 1];
    const input = { dtype: "int32" as const, shape, strides, offset: 0, data: new Int32Array(bits.buffer) };
    const data = kind === "sort" ? new Int32Array(result.buffer) : new BigInt64Array(result.buffer);
    const target: Block = { dtype: kind === "sort" ? "int32" : "int64", shape, strides, offset: 0, data };
    ROUTINES.get(kind)!({
      inputs: [input],
      outputs: [target],
      attrs: { axis: 1, descending: false },
      starts: [],
    });
    expect(new Uint8Array(memory.buffer, output, result.length)).toEqual(result);
  });
});

test("argsort is Array.prototype.sort with a comparator, which is stable too", () => {
  const length = 3000;
  const dense = layout("dense", 1, length);
  for (const dtype of ["float64", "float32", "int64", "uint16"] as const)
    for (const descending of [false, true]) {
      const bits = bitsOf(dtype, length, "few", 9);
      const { array: ArrayOf } = infoOf(dtype);
      const values = [...(new ArrayOf(bits.buffer) as Float64Array)];
      const sign = descending ? -1 : 1;
      const order = values.map((_, i) => i).sort((i, j) => sign * (Number(values[i]) - Number(values[j])));
      const c: Case = { kind: "argsort", dtype, descending, rows: 1, length, from: dense, to: dense };
      expect([...new BigInt64Array(runKernel(c, bits).buffer)].map(Number)).toEqual(order);
    }
});

test("buffers: none while scratch is enough, then one for each row at work", () => {
  const rows = (length: number, outputStride: number): SortRows => ({
    ...{ kind: "sort", dtype: "float64", descending: false, length },
    ...{ input: 0, inputStride: 8, output: 0, outputStride },
    axes: [{ count: 5, strides: [0, 0] }],
  });
  expect(sortBufferBytes(rows(100_000, 8), 2)).toBe(0);
  expect(sortBufferBytes(rows(100_000, 16), 2)).toBe(2 * 2 * 800_000);
  expect(sortBufferBytes(rows(200_000, 8), 2)).toBe(2 * 1_600_000);
  expect(sortJobs(rows(200_000, 8), 2, 64).map(({ units }) => units)).toEqual([2, 2, 1]);
  expect(sortJobs(rows(100, 8), 2, 0).map(({ units }) => units)).toEqual([5]);
  expect(sortJobs(rows(0, 8), 2, 0)).toEqual([]);
});

test("wabt reads every module", async () => {
  const wabt = await loadWabt();
  for (const kind of KINDS)
    for (const dtype of REAL) {
      const features = { simd: true, sat_float_to_int: true, sign_extension: true };
      for (const isSegmented of [false, true]) {
        const bytes = sortModule(false, kind, dtype, isSegmented);
        const module = wabt.readWasm(bytes, { ...features, readDebugNames: false });
        module.validate();
        module.destroy();
      }
    }
});
