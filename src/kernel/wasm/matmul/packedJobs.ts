// The jobs of a product whose operands are packed: the panels of b into the buffer, then a times them; in parts
// where b is larger than the buffer may be. In: a product. Out: jobs, and how large the buffer is.

import type { FunctionWriter, Local } from "../assembler.ts";
import { moduleOf, type RunArguments, SCRATCH } from "../module.ts";
import { columnsOf, type Family, packedBytes } from "./family.ts";
import { spillBytes, Tile } from "./microKernel.ts";
import { PACK_WORDS, packModule, writePanel } from "./panels.ts";
import { ceilDiv, evenBlock, kernelOf, type MatrixJob, type MatrixJobs, type Product } from "./product.ts";
import { advance, listWords, place, pushMin, readWords, upTo } from "./productLoops.ts";

// The product of a with packed panels of b. Units are blocks of rows × groups of panels, counted row by row. A
// thread packs the block of rows it is at into its scratch, one block of depth after another, and runs the
// micro-kernel over all tiles: the block stays in the second cache, a panel of b in the first.

const MULTIPLY_WORDS = [
  "a",
  "aRowStride",
  "aDepthStride",
  /** What the pack kernel left. */
  "panelsAt",
  "c",
  "cRowStride",
  "cColumnStride",
  "rows",
  "columns",
  "depth",
  /** Rows of a block, a multiple of a tile's. */
  "rowBlock",
  "depthBlock",
  "panels",
  "groupPanels",
  "groups",
  /** Not 0: c += a·b. */
  "isSum",
] as const;

export const multiplyModule = (family: Family, isShared: boolean): Uint8Array<ArrayBuffer> =>
  moduleOf(isShared, (w, run) => new MultiplyWriter(w, run, family).write());

class MultiplyWriter {
  readonly #w: FunctionWriter;
  readonly #run: RunArguments;
  readonly #family: Family;
  readonly #words: { readonly [name in (typeof MULTIPLY_WORDS)[number]]: Local };
  readonly #tile: Tile;
  readonly #spill: Local;
  readonly #packed: Local;
  /** The rows of the unit under way: where they start in a and c, how many. */
  readonly #aRows: Local;
  readonly #cRows: Local;
  readonly #rows: Local;
  readonly #panelEnd: Local;
  /** The block of depth under way. */
  readonly #depth: Local;
  readonly #blockPanels: Local;
  readonly #isSum: Local;

  constructor(w: FunctionWriter, run: RunArguments, family: Family) {
    const i32 = (): Local => w.local("i32");
    this.#w = w;
    this.#run = run;
    this.#family = family;
    this.#words = readWords(w, run.parameters, MULTIPLY_WORDS);
    this.#tile = new Tile(w, family);
    [this.#spill, this.#packed, this.#aRows, this.#cRows, this.#rows] = [i32(), i32(), i32(), i32(), i32()];
    [this.#panelEnd, this.#depth] = [i32(), i32()];
    [this.#blockPanels, this.#isSum] = [i32(), i32()];
  }

  write(): void {
    const w = this.#w;
    w.global(SCRATCH).tee(this.#spill).i32(spillBytes(this.#family)).op("i32.add").set(this.#packed);
    const { from, to } = this.#run;
    const units = w.local("i32");
    upTo(w, from, to, units, () => {
      this.#rowsAndPanels(units);
    });
  }

  /** As many units as share the block of rows at `from`. */
  #rowsAndPanels(units: Local): void {
    const w = this.#w;
    const { groups, groupPanels, panels, rows, rowBlock, a, aRowStride, c, cRowStride } = this.#words;
    const { from, to } = this.#run;
    const [first, group, panel] = [w.local("i32"), w.local("i32"), w.local("i32")];
    w.get(from).get(groups).op("i32.div_u").get(rowBlock).op("i32.mul").set(first);
    w.get(from).get(groups).op("i32.rem_u").set(group);
    w.get(to).get(from).op("i32.sub").set(units);
    w.get(groups).get(group).op("i32.sub").set(panel);
    pushMin(w, units, panel).set(units);
    w.get(group).get(groupPanels).op("i32.mul").set(panel);
    w.get(group).get(units).op("i32.add").get(groupPanels).op("i32.mul").set(this.#panelEnd);
    pushMin(w, this.#panelEnd, panels).set(this.#panelEnd);
    w.get(rows).get(first).op("i32.sub").set(this.#rows);
    pushMin(w, this.#rows, rowBlock).set(this.#rows);
    place(w, this.#aRows, a, first, aRowStride);
    place(w, this.#cRows, c, first, cRowStride);
    this.#depthBlocks(panel);
  }

  /** At least one, so that a product of no depth is 0. */
  #depthBlocks(firstPanel: Local): void {
    const w = this.#w;
    const { depth, depthBlock, panels, panelsAt, isSum, aDepthStride } = this.#words;
    const start = w.local("i32");
    w.i32(0).set(start).get(panelsAt).set(this.#blockPanels).get(isSum).set(this.#isSum);
    w.loop((again) => {
      w.get(depth).get(start).op("i32.sub").set(this.#depth);
      pushMin(w, this.#depth, depthBlock).set(this.#depth);
      this.#packRows();
      this.#panels(firstPanel);
      place(w, this.#aRows, this.#aRows, depthBlock, aDepthStride);
      w.get(this.#blockPanels).get(panels).get(this.#depth).op("i32.mul");
      w.i32(columnsOf(this.#family) * packedBytes(this.#family));
      w.op("i32.mul").op("i32.add").set(this.#blockPanels).i32(1).set(this.#isSum);
      advance(w, start, depthBlock);
      w.get(start).get(depth).op("i32.lt_u").branchIf(again);
    });
  }

  #packRows(): void {
    const w = this.#w;
    const { rows } = this.#family;
    const { aRowStride: lineStride, aDepthStride: depthStride } = this.#words;
    const [row, lines, source, target] = [w.local("i32"), w.local("i32"), w.local("i32"), w.local("i32")];
    w.i32(0).set(row).get(this.#packed).set(target);
    upTo(w, row, this.#rows, rows, () => {
      w.get(this.#rows).get(row).op("i32.sub").set(lines);
      place(w, source, this.#aRows, row, lineStride);
      const depth = this.#depth;
      writePanel(w, this.#family, rows, {
        source,
        lineStride,
        depthStride,
        lines,
        depth,
        target,
      });
      place(w, target, target, depth, rows * packedBytes(this.#family));
    });
  }

  #panels(firstPanel: Local): void {
    const w = this.#w;
    const { cColumnStride, columns } = this.#words;
    const width = columnsOf(this.#family);
    const [panel, b, c, columnsLeft] = [w.local("i32"), w.local("i32"), w.local("i32"), w.local("i32")];
    w.get(firstPanel).set(panel);
    upTo(w, panel, this.#panelEnd, 1, () => {
      w.get(this.#blockPanels).get(panel).get(this.#depth).op("i32.mul");
      w.i32(width * packedBytes(this.#family))
        .op("i32.mul")
        .op("i32.add")
        .set(b);
      w.get(panel).i32(width).op("i32.mul").set(c);
      w.get(columns).get(c).op("i32.sub").set(columnsLeft);
      place(w, c, this.#cRows, c, cColumnStride);
      this.#tiles(b, c, columnsLeft);
    });
  }

  /** One panel of b with every panel of the packed rows. */
  #tiles(panel: Local, cColumn: Local, columns: Local): void {
    const w = this.#w;
    const { rows: height } = this.#family;
    const { cRowStride: rowStride, cColumnStride: columnStride } = this.#words;
    const [row, rows, address] = [w.local("i32"), w.local("i32"), w.local("i32")];
    const [a, aEnd, b] = [w.local("i32"), w.local("i32"), w.local("i32")];
    w.i32(0).set(row).get(this.#packed).set(a);
    upTo(w, row, this.#rows, height, () => {
      w.get(panel).set(b);
      place(w, aEnd, a, this.#depth, height * packedBytes(this.#family));
      place(w, address, cColumn, row, rowStride);
      w.get(this.#rows).get(row).op("i32.sub").set(rows);
      this.#tile.multiply(a, aEnd, b);
      const [isSum, spill] = [this.#isSum, this.#spill];
      this.#tile.store({ address, rowStride, columnStride, rows, columns, isSum, spill });
    });
  }
}

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
