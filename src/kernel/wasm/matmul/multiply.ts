// The product of a with packed panels of b. Units are blocks of rows × groups of panels, counted row by row. A
// thread packs the block of rows it is at into its scratch, one block of depth after another, and runs the
// micro-kernel over all tiles: the block stays in the second cache, a panel of b in the first.

import type { FunctionWriter, Local } from "../assembler.ts";
import { moduleOf, type RunArguments, SCRATCH } from "../module.ts";
import { columnsOf, type Family, packedBytes } from "./family.ts";
import { spillBytes, Tile } from "./microKernel.ts";
import { writePanel } from "./panels.ts";
import { advance, place, pushMin, readWords, upTo } from "./productLoops.ts";

export const MULTIPLY_WORDS = [
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
