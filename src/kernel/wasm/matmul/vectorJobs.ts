// The job of a product with a vector. In: a product with one column. Out: its job, or null where neither rows nor
// columns of the matrix are contiguous, or its elements are no plain lanes.

import { COLUMN_ROWS, columnSumsModule } from "./columnSums.ts";
import { type Family, isPlain } from "./family.ts";
import { ceilDiv, evenBlock, kernelOf, type MatrixJob, type MatrixKernel, type Product } from "./product.ts";
import { listWords } from "./productLoops.ts";
import { rowDotsModule, VECTOR_WORDS } from "./rowDots.ts";

/** Bytes of the matrix that are worth a turn. */
const UNIT_BYTES = 256 << 10;

export function vectorJob(product: Product, family: Family): MatrixJob | null {
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
