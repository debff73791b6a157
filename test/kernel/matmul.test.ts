// Matrix products in WebAssembly against plain sums: integers bit for bit, floats within the bound that depth and
// magnitudes give, over dtypes, sizes, strides, threads' ways of sharing units, and special values. A second tool
// validates every module.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import loadWabt from "wabt";
import type { Block } from "../../src/core/block.ts";
import { stridesOf } from "../../src/core/chunks.ts";
import { type DType, infoOf, isComplex, isFloat, isWide, type TypedArray } from "../../src/core/dtype.ts";
import { contract } from "../../src/kernel/routines/contract.ts";
import { inMatrixOrder, type MatrixCall } from "../../src/kernel/routines/matrices.ts";
import { contractAsMatrices } from "../../src/kernel/wasm/contracting.ts";
import { familyOf } from "../../src/kernel/wasm/matmul/family.ts";
import { multiplyModule } from "../../src/kernel/wasm/matmul/packedJobs.ts";
import { packModule } from "../../src/kernel/wasm/matmul/panels.ts";
import type { Matrix, MatrixKernel, Product } from "../../src/kernel/wasm/matmul/product.ts";
import { hasFma, multiplyMatrices, type ProductOptions } from "../../src/kernel/wasm/matmul/productJobs.ts";
import { columnSumsModule, rowDotsModule } from "../../src/kernel/wasm/matmul/rowDots.ts";
import { KernelMemory } from "../../src/kernel/wasm/memory.ts";
import { SCRATCH_BYTES } from "../../src/kernel/wasm/module.ts";
import { COMPUTED } from "../computed.ts";

const NUMERIC = COMPUTED.filter((dtype) => dtype !== "bool");
const RUNS = 2000;
const SEED = Number(process.env["CHUNKWISE_SEED"] ?? 20261115);

// ---- a memory, and jobs run in it as two threads would ----

const PARAMETERS_AT = 64;
const SCRATCHES = [4096, 4096 + SCRATCH_BYTES];
const DATA_AT = 4096 + 2 * SCRATCH_BYTES;
const memory = new WebAssembly.Memory({ initial: 512 });

type Run = (parameters: number, from: number, to: number) => void;
const instances = new Map<string, Run[]>();

function runsOf({ key, bytes }: MatrixKernel): Run[] {
  const known = instances.get(key);
  if (known !== undefined) return known;
  const module = new WebAssembly.Module(bytes(false));
  const trap = (): never => {
    throw new Error("a product has no traps");
  };
  const runs = SCRATCHES.map(
    (scratch) => new WebAssembly.Instance(module, { env: { memory, trap, scratch } }).exports["run"] as Run,
  );
  instances.set(key, runs);
  return runs;
}

/** Units in parts of `part`, each by the other thread in turn, the last part first. */
function runProduct(product: Product, options: ProductOptions, buffer: number, part: number): void {
  const plan = multiplyMatrices(product, options)!;
  expect(buffer + plan.bufferBytes).toBeLessThanOrEqual(memory.buffer.byteLength);
  for (const { kernel, parameters, units } of plan.jobs(buffer)) {
    new Int32Array(memory.buffer, PARAMETERS_AT, parameters.length).set(parameters);
    const runs = runsOf(kernel);
    const starts = Array.from({ length: Math.ceil(units / part) }, (_, i) => i * part).reverse();
    starts.forEach((from, i) => runs[i % 2]!(PARAMETERS_AT, from, Math.min(units, from + part)));
  }
}

// ---- matrices of any layout ----

/** How a matrix lies in memory: rows or columns are contiguous, or neither; lines may run backwards. */
interface Layout {
  readonly byColumns: boolean;
  readonly gap: number;
  readonly padding: number;
  readonly flipRows: boolean;
  readonly flipColumns: boolean;
}

const layout: fc.Arbitrary<Layout> = fc.record({
  byColumns: fc.boolean(),
  gap: fc.constantFrom(1, 1, 1, 2, 3),
  padding: fc.constantFrom(0, 0, 5),
  flipRows: fc.constantFrom(false, false, true),
  flipColumns: fc.constantFrom(false, false, true),
});

interface Placed {
  readonly matrix: Matrix;
  readonly end: number;
}

function placeAt(start: number, dtype: DType, rows: number, columns: number, how: Layout): Placed {
  const { bytes } = infoOf(dtype);
  const inner = how.gap * bytes;
  const outer = ((how.byColumns ? rows : columns) * how.gap + how.padding) * bytes;
  const [down, along] = how.byColumns ? [inner, outer] : [outer, inner];
  const address =
    start +
    (how.flipRows ? Math.max(0, rows - 1) * down : 0) +
    (how.flipColumns ? Math.max(0, columns - 1) * along : 0);
  const size = Math.max(rows, 1) * down + Math.max(columns, 1) * along;
  return {
    matrix: {
      address,
      rowStride: how.flipRows ? -down : down,
      columnStride: how.flipColumns ? -along : along,
    },
    end: Math.ceil((start + size) / 64) * 64,
  };
}

const slotOf = ({ address, rowStride, columnStride }: Matrix, dtype: DType, i: number, j: number): number =>
  (address + i * rowStride + j * columnStride) / (infoOf(dtype).bytes / infoOf(dtype).slots);

const viewOf = (dtype: DType): TypedArray => new (infoOf(dtype).array)(memory.buffer, 0);

// ---- what is expected ----

interface Sum {
  readonly value: bigint | number;
  /** The sum of the products' magnitudes. */
  readonly size: number;
}

/** The elements of a row of a, or a column of b, and the imaginary parts of complex ones. */
function lineOf(
  dtype: DType,
  matrix: Matrix,
  length: number,
  element: (p: number) => [number, number],
): TypedArray[] {
  const data = viewOf(dtype);
  const { array: ArrayOf, slots } = infoOf(dtype);
  return Array.from({ length: slots }, (_, part) => {
    const line = new ArrayOf(length) as unknown as Record<number, number | bigint>;
    for (let p = 0; p < length; p++) line[p] = data[slotOf(matrix, dtype, ...element(p)) + part]!;
    return line as unknown as TypedArray;
  });
}

function wideSum(x: TypedArray, y: TypedArray): Sum {
  let sum = 0n;
  for (let p = 0; p < x.length; p++) sum += (x[p] as bigint) * (y[p] as bigint);
  return { value: sum, size: 0 };
}

function integerSum(x: TypedArray, y: TypedArray): Sum {
  let sum = 0;
  for (let p = 0; p < x.length; p++) sum = (sum + Math.imul(x[p] as number, y[p] as number)) | 0;
  return { value: BigInt(sum), size: 0 };
}

function floatSum(x: TypedArray, y: TypedArray): { value: number; size: number } {
  let [value, size] = [0, 0];
  for (let p = 0; p < x.length; p++) {
    const product = (x[p] as number) * (y[p] as number);
    value += product;
    size += Math.abs(product);
  }
  return { value, size };
}

function complexSums([re, im]: TypedArray[], [re2, im2]: TypedArray[]): Sum[] {
  const [a, b, c, d] = [floatSum(re!, re2!), floatSum(im!, im2!), floatSum(re!, im2!), floatSum(im!, re2!)];
  return [
    { value: a.value - b.value, size: a.size + b.size },
    { value: c.value + d.value, size: c.size + d.size },
  ];
}

/** An element of c: one sum, or one for each part of a complex number. */
function expectedAt({ dtype, a, b, k }: Product, i: number, j: number): Sum[] {
  const [left, right] = [lineOf(dtype, a, k, (p) => [i, p]), lineOf(dtype, b, k, (p) => [p, j])];
  if (isComplex(dtype)) return complexSums(left, right);
  const sum = isFloat(dtype) ? floatSum : isWide(dtype) ? wideSum : integerSum;
  return [sum(left[0]!, right[0]!)];
}

const wrap = (value: bigint, dtype: DType): bigint | number => {
  const one = new (infoOf(dtype).array)(1);
  if (isWide(dtype)) return dtype === "int64" ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value);
  one[0] = Number(BigInt.asIntN(32, value));
  return one[0]!;
};

function isClose(found: number | bigint, { value, size }: Sum, dtype: DType, depth: number): boolean {
  if (typeof value === "bigint") return found === wrap(value, dtype);
  if (!Number.isFinite(value)) return Object.is(found, value);
  const epsilon = infoOf(dtype).part === "float32" ? 2 ** -24 : 2 ** -53;
  return Math.abs(Number(found) - value) <= (2 * depth + 2) * epsilon * size;
}

/** As many products as are checked of a large matrix: every so many elements, the last one included. */
const CHECKED = 100_000;

function check(product: Product): void {
  const { dtype, m, n, k } = product;
  const step = Math.max(1, Math.floor((m * n * k) / CHECKED));
  for (let at = m * n - 1; at >= 0; at -= step) checkAt(product, Math.floor(at / n), at % n);
  function checkAt(of: Product, i: number, j: number): void {
    expectedAt(of, i, j).forEach((sum, part) => {
      const found = viewOf(dtype)[slotOf(of.c, dtype, i, j) + part]!;
      if (!isClose(found, sum, dtype, k))
        throw new Error(`${dtype} ${m}×${k}×${n}: [${i}, ${j}] is ${found}, not ${sum.value}`);
    });
  }
}

// ---- filling ----

/** A small generator of its own: fast-check's numbers would be too slow by the thousand. */
function randomNumbers(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

const SENTINEL = 0x5a;

function fill(dtype: DType, matrix: Matrix, rows: number, columns: number, next: () => number): void {
  const data = viewOf(dtype) as unknown as Record<number, number | bigint>;
  const value = (): number | bigint => {
    if (isWide(dtype)) return BigInt(Math.floor(next() * 2 ** 53)) * 4099n;
    return infoOf(dtype).kind === "float" || isComplex(dtype) ? next() * 4 - 2 : Math.floor(next() * 2 ** 32);
  };
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++)
      for (let part = 0; part < infoOf(dtype).slots; part++)
        data[slotOf(matrix, dtype, i, j) + part] = value();
}

interface Case {
  readonly dtype: DType;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly layouts: readonly [Layout, Layout, Layout];
  readonly part: number;
  readonly fma: boolean;
  readonly bufferLimit: number;
  readonly seed: number;
  /** Depths from here on are added to the product of those before; none unless given. */
  readonly cut?: number;
}

function build({ dtype, m, n, k, layouts, seed }: Case): {
  product: Product;
  buffer: number;
  cStart: number;
} {
  const next = randomNumbers(seed);
  const a = placeAt(DATA_AT, dtype, m, k, layouts[0]);
  const b = placeAt(a.end, dtype, k, n, layouts[1]);
  const c = placeAt(b.end, dtype, m, n, layouts[2]);
  fill(dtype, a.matrix, m, k, next);
  fill(dtype, b.matrix, k, n, next);
  new Uint8Array(memory.buffer, b.end, c.end - b.end + 64).fill(SENTINEL);
  const product = { dtype, m, n, k, a: a.matrix, b: b.matrix, c: c.matrix };
  return { product, buffer: c.end + 64, cStart: b.end };
}

/** Bytes between and behind the elements of c are as they were. */
function checkGaps({ dtype, m, n, c }: Product, start: number, end: number): void {
  const { bytes } = infoOf(dtype);
  const memoryBytes = new Uint8Array(memory.buffer);
  const isOurs = new Uint8Array(end - start);
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) {
      const at = c.address + i * c.rowStride + j * c.columnStride - start;
      isOurs.fill(1, at, at + bytes);
    }
  const touched = isOurs.findIndex((ours, at) => ours === 0 && memoryBytes[start + at] !== SENTINEL);
  expect(touched).toBe(-1);
}

function runCase(each: Case): void {
  const { product, buffer, cStart } = build(each);
  const { k, a, b } = product;
  const cut = Math.min(each.cut ?? k, k);
  runProduct({ ...product, k: cut }, each, buffer, each.part);
  const rest = {
    ...{ ...product, k: k - cut },
    a: { ...a, address: a.address + cut * a.columnStride },
    b: { ...b, address: b.address + cut * b.rowStride },
  };
  if (cut < k) runProduct(rest, { ...each, isSum: true }, buffer, each.part);
  check(product);
  checkGaps(product, cStart, buffer);
}

const length = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 40 }));
const randomCase: fc.Arbitrary<Case> = fc.record({
  dtype: fc.constantFrom(...NUMERIC),
  m: length,
  n: length,
  k: length,
  layouts: fc.tuple(layout, layout, layout),
  part: fc.integer({ min: 1, max: 5 }),
  fma: fc.boolean(),
  bufferLimit: fc.constantFrom(256, 4096, 1 << 20),
  seed: fc.integer(),
  cut: fc.constantFrom(99, 99, 0, 1, 5, 11),
});

const plain: Layout = { byColumns: false, gap: 1, padding: 0, flipRows: false, flipColumns: false };
const upright: Layout = { ...plain, byColumns: true };
const base = { part: 2, fma: true, bufferLimit: 1 << 20, seed: 7 };

describe("matrix products in WebAssembly", () => {
  test(`${RUNS} random products (seed ${SEED})`, { timeout: 60_000 }, () => {
    fc.assert(fc.property(randomCase, runCase), { numRuns: RUNS, seed: SEED });
  });

  const sizes = [
    [129, 70, 1100],
    [5, 100, 3000],
    [260, 9, 140],
    [1, 1, 5000],
    [3, 2, 4099],
    [700, 1, 33],
  ] as const;
  test.each(NUMERIC)("blocks of depth, rows and columns, and long vectors: %s", (dtype) => {
    for (const [m, n, k] of sizes)
      for (const how of [plain, upright])
        runCase({ ...base, dtype, m, n, k, layouts: [how, plain, plain], bufferLimit: 1 << 17 });
  });

  test("a stride of 0 repeats a line", () => {
    const { product, buffer } = build({
      ...base,
      dtype: "float64",
      m: 9,
      n: 11,
      k: 6,
      layouts: [plain, plain, plain],
    });
    const repeated = { ...product, a: { ...product.a, rowStride: 0 }, b: { ...product.b, rowStride: 0 } };
    runProduct(repeated, {}, buffer, 1);
    check(repeated);
  });

  test.each(["float32", "float64"] as const)("NaN and infinity go where they belong: %s", (dtype) => {
    for (const [m, n, k] of [
      [7, 9, 10],
      [9, 1, 10],
    ] as const) {
      const { product, buffer } = build({ ...base, dtype, m, n, k, layouts: [plain, plain, plain] });
      const data = viewOf(dtype) as Float64Array;
      data[slotOf(product.a, dtype, 2, 3)] = Number.NaN;
      data[slotOf(product.a, dtype, 4, 9)] = Number.POSITIVE_INFINITY;
      data[slotOf(product.a, dtype, 6, 0)] = Number.NEGATIVE_INFINITY;
      runProduct(product, {}, buffer, 1);
      check(product);
      expect(data[slotOf(product.c, dtype, 2, 0)]).toBeNaN();
    }
  });

  test("the buffer stays within its limit, and jobs are few", () => {
    const at = { address: 0, rowStride: 8 * 4000, columnStride: 8 };
    const plan = multiplyMatrices({ dtype: "float64", m: 4000, n: 4000, k: 4000, a: at, b: at, c: at })!;
    expect(plan.bufferBytes).toBeLessThanOrEqual(8 << 20);
    expect(plan.jobs(0).length).toBeLessThanOrEqual(32);
  });

  test("bool has no products, and an empty result no jobs", () => {
    const at = { address: 0, rowStride: 8, columnStride: 8 };
    expect(multiplyMatrices({ dtype: "bool", m: 1, n: 1, k: 1, a: at, b: at, c: at })).toBeNull();
    expect(multiplyMatrices({ dtype: "int8", m: 0, n: 1, k: 1, a: at, b: at, c: at })!.jobs(0)).toEqual([]);
  });
});

describe("modules", async () => {
  const wabt = await loadWabt();
  const validate = (bytes: Uint8Array<ArrayBuffer>): void => {
    const features = { simd: true, threads: true, relaxed_simd: true };
    const module = wabt.readWasm(bytes, { ...features, readDebugNames: false });
    try {
      (module.validate as (features: object) => void).call(module, features);
    } finally {
      module.destroy();
    }
  };

  test.each(NUMERIC)("wabt validates those of %s", (dtype) => {
    for (const isShared of [false, true])
      for (const fma of [false, true]) {
        const family = familyOf(dtype, fma)!;
        const writers = [
          packModule,
          multiplyModule,
          ...(isComplex(dtype) ? [] : [rowDotsModule, columnSumsModule]),
        ];
        for (const write of writers) validate(write(family, isShared));
      }
  });

  test("an engine takes fused modules if it says so", () => {
    const bytes = multiplyModule(familyOf("float64", true)!, true);
    expect(WebAssembly.validate(bytes)).toBe(hasFma);
  });
});

describe("contractions as matrices", () => {
  const memory = new KernelMemory();
  const place = memory.take(4096 * 8)!;
  const blockOf = (shape: readonly number[], offset = 0): Block => ({
    dtype: "float64",
    shape,
    strides: stridesOf(shape),
    offset,
    data: memory.blockAt(place, "float64", [4096]).data,
    place,
  });
  const attrs = { batchA: [0], batchB: [0], contractA: [3], contractB: [1] };

  test("one product a place, strides in bytes", () => {
    const products = contractAsMatrices(
      memory,
      blockOf([2, 3, 4, 5]),
      blockOf([2, 5, 6], 7),
      blockOf([2, 3, 4, 6]),
      attrs,
    );
    expect(products).toHaveLength(2);
    expect(products![1]).toEqual({
      dtype: "float64",
      m: 12,
      n: 6,
      k: 5,
      a: { address: place.address + 60 * 8, rowStride: 40, columnStride: 8 },
      b: { address: place.address + (7 + 30) * 8, rowStride: 48, columnStride: 8 },
      c: { address: place.address + 72 * 8, rowStride: 48, columnStride: 8 },
    });
  });

  test("null where free axes do not walk as one", () => {
    const a = { ...blockOf([2, 3, 4, 5]), strides: [60, 5, 15, 1] };
    expect(contractAsMatrices(memory, a, blockOf([2, 5, 6]), blockOf([2, 3, 4, 6]), attrs)).toBeNull();
  });

  test("contiguous copies in the order of matrices do", () => {
    const [a, b, output] = [blockOf([5, 3, 7, 2, 4]), blockOf([7, 6, 2, 5, 8]), blockOf([2, 3, 4, 6, 8])];
    const axes = { batchA: [3], batchB: [2], contractA: [0, 2], contractB: [3, 0] };
    expect(contractAsMatrices(memory, a, b, output, axes)).toBeNull();
    const ordered = inMatrixOrder(a, b, axes);
    expect([ordered.a.shape, ordered.b.shape]).toEqual([
      [2, 3, 4, 5, 7],
      [2, 5, 7, 6, 8],
    ]);
    const copies = [ordered.a, ordered.b].map(({ shape }) => blockOf(shape)) as [Block, Block];
    const products = contractAsMatrices(memory, ...copies, output, ordered.attrs);
    expect(products?.map(({ m, n, k }) => [m, n, k])).toEqual([
      [12, 48, 35],
      [12, 48, 35],
    ]);
  });

  test("a product from outside is asked first, and tiles do what it cannot", () => {
    const asked: MatrixCall[] = [];
    const product = (call: MatrixCall): boolean => asked.push(call) < 0;
    const [a, b] = [blockOf([2, 3]), blockOf([3, 2])];
    const output = { ...blockOf([2, 2]), data: new Float64Array(4), place: undefined };
    a.data.set([1, 2, 3, 4, 5, 6] as never);
    const attrs = { batchA: [], batchB: [], contractA: [1], contractB: [0] };
    contract({ inputs: [a, b], outputs: [output], attrs, starts: [], product });
    expect(asked).toHaveLength(1);
    expect([...output.data]).toEqual([22, 28, 49, 64]);
  });
});
