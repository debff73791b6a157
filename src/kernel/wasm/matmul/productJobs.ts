// The product of two matrices as jobs. In: where a [m, k], b [k, n] and c [m, n] lie in the kernels' memory.
// Out: kernels with their parameters, to be run one after another, each by any number of threads, and how large a
// buffer they need for packed panels. Must hold: c overlaps neither a nor b, and no two elements of it lie in one
// place; all addresses fit 32 bits.

import { moduleOf } from "../module.ts";
import { type Family, familyOf, isPlain } from "./family.ts";
import { packedProduct } from "./packedJobs.ts";
import {
  ceilDiv,
  evenBlock,
  kernelOf,
  type Matrix,
  type MatrixJob,
  type MatrixJobs,
  type MatrixKernel,
  type Product,
} from "./product.ts";
import { listWords } from "./productLoops.ts";
import { COLUMN_ROWS, columnSumsModule, rowDotsModule, VECTOR_WORDS } from "./rowDots.ts";

// The job of a product with a vector. In: a product with one column. Out: its job, or null where neither rows nor
// columns of the matrix are contiguous, or its elements are no plain lanes.

/** Bytes of the matrix that are worth a turn. */
const UNIT_BYTES = 256 << 10;

function vectorJob(product: Product, family: Family): MatrixJob | null {
  if (!isPlain(family)) return null;
  const { m, k, a } = product;
  const { elementBytes } = family;
  const rowsAtATurn = UNIT_BYTES / (Math.max(1, k) * elementBytes);
  if (a.columnStride === elementBytes) {
    const kernel = kernelOf("rowDots", family, rowDotsModule);
    return jobOf(kernel, product, a.rowStride, evenBlock(m, rowsAtATurn, 4));
  }
  if (a.rowStride !== elementBytes) return null;
  const kernel = kernelOf("columnSums", family, columnSumsModule);
  return jobOf(kernel, product, a.columnStride, evenBlock(m, COLUMN_ROWS / 2, 16));
}

function jobOf(
  kernel: MatrixKernel,
  { m, k, a, b, c }: Product,
  stride: number,
  unitRows: number,
): MatrixJob {
  const parameters = listWords(VECTOR_WORDS, {
    a: a.address,
    stride,
    x: b.address,
    xStride: b.rowStride,
    y: c.address,
    yStride: c.rowStride,
    rows: m,
    depth: k,
    unitRows,
  });
  return { kernel, parameters, units: ceilDiv(m, unitRows), part: 1 };
}

// Does this engine have relaxed SIMD? Its multiply-add rounds once on machines that can, so the last bits of a
// product may differ between machines and engines; nothing but matmul uses it, and matmul can be told not to.

function hasRelaxedSimd(): boolean {
  const probe = moduleOf(false, (w) => {
    const sum = w.local("v128");
    w.get(sum).get(sum).get(sum).op("f64x2.relaxed_madd").set(sum);
  });
  return WebAssembly.validate(probe);
}

export const hasFma: boolean = hasRelaxedSimd();

export interface ProductOptions {
  /** False: no fused multiply-add, so that every engine gives the same bits. */
  readonly fma?: boolean;
  /** Bytes that the packed panels may take. */
  readonly bufferLimit?: number;
  /** c += a·b. */
  readonly isSum?: boolean;
}

const BUFFER_LIMIT = 8 << 20;

/** Null for a dtype that has no products. */
export function multiplyMatrices(product: Product, options: ProductOptions = {}): MatrixJobs | null {
  const family = familyOf(product.dtype, (options.fma ?? true) && hasFma);
  if (family === null) return null;
  if (product.m === 0 || product.n === 0) return { bufferBytes: 0, jobs: () => [] };
  const { isSum = false, bufferLimit = BUFFER_LIMIT } = options;
  const asVectors = isSum ? null : vectorProduct(product, family);
  return asVectors ?? packedProduct(upright(product, family), family, bufferLimit, isSum);
}

/** As many columns, or rows, are each a product with a vector: the matrix comes from memory once for each. */
const FEW = 3;

function vectorProduct(product: Product, family: Family): MatrixJobs | null {
  if (Math.min(product.m, product.n) > FEW) return null;
  const upright = product.n <= FEW ? product : transposed(product);
  const jobs = Array.from({ length: upright.n }, (_, column) => vectorJob(columnOf(upright, column), family));
  return jobs.every((job) => job !== null) ? { bufferBytes: 0, jobs: () => jobs } : null;
}

const columnOf = (product: Product, column: number): Product => ({
  ...product,
  n: 1,
  b: { ...product.b, address: product.b.address + column * product.b.columnStride },
  c: { ...product.c, address: product.c.address + column * product.c.columnStride },
});

/** b is so much larger than a that packing all of it first would take longer than storing c by columns. */
const isWide = ({ m, n, k }: Product): boolean => 8 * m <= n && k >= 64;

/** Contiguous rows of c can be stored as vectors. */
function upright(product: Product, { elementBytes }: Family): Product {
  const { rowStride, columnStride } = product.c;
  const hasColumns = columnStride !== elementBytes && rowStride === elementBytes;
  return hasColumns || isWide(product) ? transposed(product) : product;
}

/** cᵀ = bᵀ · aᵀ */
const transposed = ({ dtype, m, n, k, a, b, c }: Product): Product => ({
  dtype,
  m: n,
  n: m,
  k,
  a: flip(b),
  b: flip(a),
  c: flip(c),
});

const flip = ({ address, rowStride, columnStride }: Matrix): Matrix => ({
  address,
  rowStride: columnStride,
  columnStride: rowStride,
});
