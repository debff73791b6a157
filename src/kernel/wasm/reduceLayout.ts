// What a reduction kernel is told and where it keeps things. In: how much there is to reduce and where it lies.
// Out: the words of its parameters. Must hold: what the kernel keeps fits in a thread's scratch.

import { type DType, infoOf } from "../../core/dtype.ts";
import { REDUCE_LANES } from "../interpret/reduce.ts";
import type { LaneWalk } from "./laneCode.ts";
import { SCRATCH_BYTES } from "./module.ts";

/** The parameters' words before those of operands and outputs. */
export const REDUCE_WORDS = [
  "rows",
  "columns",
  "blockRows",
  "segmentRows",
  "tileColumns",
  "lanesTogether",
  "scratchRows",
] as const;
export type ReduceWord = (typeof REDUCE_WORDS)[number];

/** Scratch holds, for every part of the state, rows of a tile's width: one per lane, then one per level. */
export const FIRST_LEVEL: number = REDUCE_LANES;

/** Wide enough for long reads; what is kept of a row of them, and of a few more, should stay in cache. */
const MAX_TILE_COLUMNS = 4096;
/** From here on a row of columns is long enough to be read by itself. */
const MAX_FLAT_COLUMNS = 64;
const MIN_OUTER_COLUMNS = 8;

/** An operand as rows that are reduced by columns that are kept; strides are in bytes. */
export interface PlaneOperand {
  readonly dtype: DType;
  readonly address: number;
  readonly rowStride: number;
  readonly columnStride: number;
}

export interface ReducePlane {
  readonly rows: number;
  readonly columns: number;
  readonly operands: readonly PlaneOperand[];
}

/**
 * Which way a kernel goes through a plane. Lanes are neighbours along the rows of one column ("inner"), along the
 * columns of one row ("outer"), or along both where rows lie one behind another and are short ("flat").
 */
export interface ReduceWalk {
  readonly mode: "inner" | "outer" | "flat";
  /** How each operand moves from lane to lane. */
  readonly walks: readonly LaneWalk[];
  readonly tileColumns: number;
  readonly lanesTogether: number;
  readonly scratchRows: number;
}

export function reduceWalk(plane: ReducePlane, states: readonly DType[]): ReduceWalk {
  const inner = walksAlong(plane, "rowStride");
  const outer = walksAlong(plane, "columnStride");
  // As many levels as a counter of all rows could need: blocks may be single rows.
  const scratchRows = FIRST_LEVEL + 32 - Math.clz32(plane.rows);
  const widest = maxTileColumns(scratchRows, states);
  if (goesFlat(plane) && !outer.includes("strided"))
    return {
      mode: "flat",
      walks: outer,
      tileColumns: plane.columns,
      lanesTogether: REDUCE_LANES,
      scratchRows,
    };
  if (goesOuter(plane, inner, outer))
    return { mode: "outer", walks: outer, tileColumns: widest, lanesTogether: 1, scratchRows };
  return { mode: "inner", walks: inner, tileColumns: 1, lanesTogether: REDUCE_LANES, scratchRows };
}

const walksAlong = ({ operands }: ReducePlane, stride: "rowStride" | "columnStride"): LaneWalk[] =>
  operands.map((operand) => walkOf(operand.dtype, operand[stride]));

/** Few columns, rows one behind another: 64 rows are then one run of memory. */
const goesFlat = ({ columns, operands }: ReducePlane): boolean =>
  columns > 1 && columns < MAX_FLAT_COLUMNS && operands.every((operand) => liesFlat(operand, columns));

/** Along the axis that vectors can follow; along the one with the shorter strides if both or none can. */
function goesOuter(
  { columns, operands }: ReducePlane,
  inner: readonly LaneWalk[],
  outer: readonly LaneWalk[],
): boolean {
  if (columns === 1) return false;
  if (outer.includes("strided") !== inner.includes("strided")) return inner.includes("strided");
  const reach = (stride: "rowStride" | "columnStride"): number =>
    operands.reduce((sum, operand) => sum + Math.abs(operand[stride]), 0);
  return columns >= MIN_OUTER_COLUMNS && reach("columnStride") <= reach("rowStride");
}

function walkOf(dtype: DType, stride: number): LaneWalk {
  if (stride === 0) return "fixed";
  return stride === infoOf(dtype).bytes ? "unit" : "strided";
}

/** Rows one behind another, or one element for all. */
const liesFlat = ({ dtype, rowStride, columnStride }: PlaneOperand, columns: number): boolean =>
  (columnStride === infoOf(dtype).bytes && rowStride === columns * columnStride) ||
  (columnStride === 0 && rowStride === 0);

function maxTileColumns(scratchRows: number, states: readonly DType[]): number {
  const bytes = states.reduce((sum, dtype) => sum + infoOf(dtype).bytes, 0);
  return Math.min(MAX_TILE_COLUMNS, Math.floor(SCRATCH_BYTES / (scratchRows * bytes)));
}

/** How the rows are cut: what one unit of work reduces, and what counts as a block. */
export interface ReduceCut {
  /** BLOCK_ROWS, or 1 where each row is the total of a segment. */
  readonly blockRows: number;
  /** A power of two times BLOCK_ROWS, or at least the number of rows. */
  readonly segmentRows: number;
}

/** Units of work: segments × column tiles. */
export function reduceUnits({ rows, columns }: ReducePlane, walk: ReduceWalk, cut: ReduceCut): number {
  return Math.ceil(rows / cut.segmentRows) * Math.ceil(columns / walk.tileColumns);
}

/** The block of parameters; outputs are the addresses of [segments][columns] values of each component. */
export function reduceParameters(
  plane: ReducePlane,
  walk: ReduceWalk,
  cut: ReduceCut,
  outputs: readonly number[],
): number[] {
  const words: { readonly [W in ReduceWord]: number } = { ...plane, ...walk, ...cut };
  return [
    ...REDUCE_WORDS.map((word) => words[word]),
    ...plane.operands.flatMap(({ address, rowStride, columnStride }) => [address, rowStride, columnStride]),
    ...outputs,
  ];
}
