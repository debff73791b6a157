// The system's BLAS behind contract. A stand-in for the library shows how it is called; the library itself is used
// where koffi and a BLAS are installed.

import { expect, test } from "vitest";
import type { Block } from "../../src/core/block.ts";
import { stridesOf } from "../../src/core/chunks.ts";
import { infoOf, type TypedArray } from "../../src/core/dtype.ts";
import { referenceBackend } from "../../src/kernel/interpret/backend.ts";
import { contract } from "../../src/kernel/routines/contract.ts";
import type { MatrixProduct } from "../../src/kernel/routines/outsideProduct.ts";
import { type BlasDType, blasProduct, type Gemm } from "../../src/native/blas.ts";
import { findBlas, type Koffi, loadKoffi, NativeBlasError, nativeBlasFor } from "../../src/native/index.ts";

const FLOATS: readonly BlasDType[] = ["float32", "float64", "complex64", "complex128"];
const attrs = { batchA: [0], batchB: [0], contractA: [2], contractB: [1] };
const [BATCH, M, K, N] = [2, 17, 19, 23];

/** What a backend is told to use. */
async function nativeProduct(options = {}): Promise<MatrixProduct> {
  const used: (MatrixProduct | null)[] = [];
  const backend = {
    ...referenceBackend,
    useProduct: (product: MatrixProduct | null) => void used.push(product),
  };
  const { release } = await nativeBlasFor(backend, options);
  release();
  expect(used[1]).toBeNull();
  return used[0]!;
}

/** Real matrices in rows, as cblas has them. */
const plainGemm: Gemm = (_order, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) => {
  expect([alpha, beta]).toEqual([1, 0]);
  const output = c as Float64Array;
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let p = 0; p < k; p++) {
        const left = Number(a[transA === 112 ? p * lda + i : i * lda + p]);
        sum += left * Number(b[transB === 112 ? j * ldb + p : p * ldb + j]);
      }
      output[i * ldc + j] = sum;
    }
};

function blockOf(dtype: BlasDType, shape: readonly number[], seed: number): Block {
  const { array: ArrayOf, slots } = infoOf(dtype);
  const size = shape.reduce((x, y) => x * y, slots);
  const data = new ArrayOf(size) as Float64Array;
  for (let i = 0; i < size; i++) data[i] = Math.sin(seed + i);
  return { dtype, shape, strides: stridesOf(shape), offset: 0, data };
}

/** The last two axes swapped, in memory only. */
function byColumns(block: Block): Block {
  const [batch, rows, columns] = block.shape as [number, number, number];
  const swapped = stridesOf([batch, columns, rows]);
  return { ...block, strides: [swapped[0]!, 1, swapped[1]!] };
}

function contracted([a, b, output]: readonly [Block, Block, Block], product: MatrixProduct | null): number[] {
  contract({ inputs: [a, b], outputs: [output], attrs, starts: [], product });
  return Array.from(output.data as Iterable<number>);
}

function expectSame(
  product: MatrixProduct,
  dtype: BlasDType,
  change: (block: Block, position: number) => Block,
): void {
  const shapes = [
    [BATCH, M, K],
    [BATCH, K, N],
    [BATCH, M, N],
  ];
  const blocks = (): [Block, Block, Block] =>
    shapes.map((shape, at) => change(blockOf(dtype, shape, at), at)) as [Block, Block, Block];
  const found = contracted(blocks(), product);
  const expected = contracted(blocks(), null);
  const tolerance = infoOf(dtype).part === "float32" ? 1e-5 : 1e-13;
  found.forEach((value, i) => expect(Math.abs(value - expected[i]!)).toBeLessThan(tolerance));
}

test("rows or columns, of every operand and the result", () => {
  let calls = 0;
  const counted: Gemm = (...args) => {
    calls++;
    plainGemm(...args);
  };
  const product = blasProduct({
    float32: counted,
    float64: counted,
    complex64: counted,
    complex128: counted,
  });
  for (let flips = 0; flips < 8; flips++) {
    expectSame(product, "float64", (block, at) => ((flips >> at) & 1 ? byColumns(block) : block));
  }
  expect(calls).toBe(8 * BATCH);
});

test("what BLAS cannot walk, or is too small, stays with the kernels", () => {
  const never: Gemm = () => expect.unreachable();
  const product = blasProduct({ float32: never, float64: never, complex64: never, complex128: never });
  const view = (rowStride: number, columnStride: number, data: TypedArray = new Float64Array(9)) => ({
    data,
    offset: 0,
    rowStride,
    columnStride,
  });
  const [m, n, k] = [20, 20, 20];
  const rows = view(20, 1);
  const call = { dtype: "float64" as const, m, n, k, a: rows, b: rows, c: rows };
  expect(product({ ...call, a: view(40, 2) })).toBe(false);
  expect(product({ ...call, a: view(-20, 1) })).toBe(false);
  expect(product({ ...call, b: view(0, 1) })).toBe(false);
  expect(product({ ...call, dtype: "int32" })).toBe(false);
  expect(product({ ...call, m: 2, n: 2, k: 2 })).toBe(false);
});

test("without koffi or a library, errors say what to install", async () => {
  await expect(loadKoffi("koffi-that-is-not-there")).rejects.toThrow(/npm install koffi/);
  const koffi: Koffi = {
    load: (name) => {
      throw new Error(`cannot open ${name}`);
    },
  };
  expect(() => findBlas(koffi, "libnone.so", "linux")).toThrow(/libnone\.so \(cannot open.*Install OpenBLAS/);
  await expect(nativeProduct({ koffi })).rejects.toBeInstanceOf(NativeBlasError);
});

const missing = await nativeProduct().then(
  () => undefined,
  (error: Error) => error.message,
);

test.skipIf(missing !== undefined)(
  `the library gives what the kernels give${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  async () => {
    const product = await nativeProduct();
    for (const dtype of FLOATS)
      for (let flips = 0; flips < 8; flips++)
        expectSame(product, dtype, (block, at) => ((flips >> at) & 1 ? byColumns(block) : block));
  },
);
