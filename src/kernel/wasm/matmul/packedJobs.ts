// The jobs of a product whose operands are packed: the panels of b into the buffer, then a times them; in parts
// where b is larger than the buffer may be. In: a product. Out: jobs, and how large the buffer is.

import { columnsOf, type Family, packedBytes } from "./family.ts";
import { MULTIPLY_WORDS, multiplyModule } from "./multiply.ts";
import { PACK_WORDS, packModule } from "./panels.ts";
import { ceilDiv, evenBlock, kernelOf, type MatrixJob, type MatrixJobs, type Product } from "./product.ts";
import { listWords } from "./productLoops.ts";

/** Bytes of a block of rows in the second cache, and of a panel of columns in the first. */
const ROWS_BYTES = 192 << 10;
const PANEL_BYTES = 16 << 10;
/** Blocks of depth that are packed at a time: the fewer, the more columns, and the less often a is packed. */
const PART_BLOCKS = 8;
/** Products of one unit: half a millisecond. */
const UNIT_PRODUCTS = 1 << 22;
/** Elements that are packed at a turn. */
const PART_ELEMENTS = 1 << 16;

interface Blocking {
  readonly depthBlock: number;
  readonly rowBlock: number;
  /** What is packed at a time. */
  readonly depthPart: number;
  readonly columnPart: number;
}

function blockingOf({ m, n, k }: Product, family: Family, bufferLimit: number): Blocking {
  const width = columnsOf(family);
  const bytes = packedBytes(family);
  const depthBlock = evenBlock(k, PANEL_BYTES / (width * bytes), 1);
  const rowBlock = evenBlock(m, ROWS_BYTES / (depthBlock * bytes), family.rows);
  const depthPart = Math.min(k, depthBlock * PART_BLOCKS);
  const columnPart = evenBlock(n, bufferLimit / (Math.max(1, depthPart) * bytes), width);
  return { depthBlock, rowBlock, depthPart, columnPart };
}

export function packedProduct(
  product: Product,
  family: Family,
  bufferLimit: number,
  isSum: boolean,
): MatrixJobs {
  const blocking = blockingOf(product, family, bufferLimit);
  const { depthPart, columnPart } = blocking;
  return {
    bufferBytes: columnPart * depthPart * packedBytes(family),
    jobs: (buffer) => {
      const jobs: MatrixJob[] = [];
      for (let column = 0; column < product.n; column += columnPart) {
        let depth = 0;
        do {
          const part = partOf(product, column, columnPart, depth, depthPart);
          jobs.push(...partJobs(part, family, blocking, buffer, isSum || depth > 0));
          depth += depthPart;
        } while (depth < product.k);
      }
      return jobs;
    },
  };
}

/** The product of some columns, over some depth. */
function partOf(product: Product, column: number, columns: number, depth: number, depths: number): Product {
  const { n, k, a, b, c } = product;
  return {
    ...product,
    n: Math.min(columns, n - column),
    k: Math.min(depths, k - depth),
    a: { ...a, address: a.address + depth * a.columnStride },
    b: { ...b, address: b.address + depth * b.rowStride + column * b.columnStride },
    c: { ...c, address: c.address + column * c.columnStride },
  };
}

function partJobs(
  part: Product,
  family: Family,
  blocking: Blocking,
  buffer: number,
  isSum: boolean,
): MatrixJob[] {
  const multiply = multiplyJob(part, family, blocking, buffer, isSum);
  return part.k === 0 ? [multiply] : [packJob(part, family, blocking, buffer), multiply];
}

const panelsOf = ({ n }: Product, family: Family): number => ceilDiv(n, columnsOf(family));

function packJob(part: Product, family: Family, { depthBlock }: Blocking, buffer: number): MatrixJob {
  const { n, k, b } = part;
  const panels = panelsOf(part, family);
  return {
    kernel: kernelOf("pack", family, packModule),
    parameters: listWords(PACK_WORDS, {
      source: b.address,
      lineStride: b.columnStride,
      depthStride: b.rowStride,
      target: buffer,
      lines: n,
      depth: k,
      depthBlock,
      panels,
    }),
    units: panels,
    part: Math.max(1, Math.round(PART_ELEMENTS / (columnsOf(family) * k))),
  };
}

function multiplyJob(
  part: Product,
  family: Family,
  { depthBlock, rowBlock }: Blocking,
  buffer: number,
  isSum: boolean,
): MatrixJob {
  const { m, n, k, a, c } = part;
  const panels = panelsOf(part, family);
  const panelProducts = rowBlock * Math.max(1, k) * columnsOf(family);
  const groupPanels = Math.min(panels, Math.max(1, Math.round(UNIT_PRODUCTS / panelProducts)));
  const groups = ceilDiv(panels, groupPanels);
  return {
    kernel: kernelOf("multiply", family, multiplyModule),
    parameters: listWords(MULTIPLY_WORDS, {
      a: a.address,
      aRowStride: a.rowStride,
      aDepthStride: a.columnStride,
      panelsAt: buffer,
      c: c.address,
      cRowStride: c.rowStride,
      cColumnStride: c.columnStride,
      rows: m,
      columns: n,
      depth: k,
      rowBlock,
      depthBlock,
      panels,
      groupPanels,
      groups,
      isSum: isSum ? 1 : 0,
    }),
    units: ceilDiv(m, rowBlock) * groups,
    part: 1,
  };
}
