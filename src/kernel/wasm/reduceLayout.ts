// What a reduction kernel is told and where it keeps things. In: how much there is to reduce and where it lies.
// Out: the words of its parameters. Must hold: what the kernel keeps fits in a thread's scratch.

import { type DType, infoOf, type RealDType } from "../../core/dtype.ts";
import { REDUCE_LANES } from "../interpret/reduce.ts";
import type { ScalarProgram } from "../program.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import type { LanePlace, Lanes, LaneWalk } from "./body.ts";
import { SCRATCH, SCRATCH_BYTES } from "./module.ts";

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

/** The parameter that is an operand's address. */
export const operandWord = (operand: number): number => REDUCE_WORDS.length + 3 * operand;

// What the parts of a reduction kernel share: the writer, the programs, the locals that hold the parameters, and
// the planes of scratch that hold the state's parts. Must hold: row r of a plane begins at base + r · width · bytes,
// where width is the tile's; so neighbouring rows are neighbours in memory and are combined in one loop.

/** One part of one component of the state. */
export interface Plane {
  readonly component: number;
  readonly part: 0 | 1;
  readonly type: RealDType;
  readonly bytes: number;
  readonly base: Local;
}

export interface OperandLocals {
  readonly address: Local;
  readonly rowStride: Local;
  readonly columnStride: Local;
}

export interface ReduceFrame {
  readonly w: FunctionWriter;
  readonly words: { readonly [W in ReduceWord]: Local };
  readonly operands: readonly OperandLocals[];
  readonly outputs: readonly Local[];
  readonly planes: readonly Plane[];
  /** Columns of the tile under way. */
  readonly width: Local;
  /** Bytes of the parameters that were read. */
  readonly end: number;
}

/** Reads the parameters and lays scratch out; `outputs` results are written, as many as the state has parts unless said. */
export function openFrame(
  w: FunctionWriter,
  parameters: Local,
  lift: ScalarProgram,
  combine: ScalarProgram,
  outputs: number = combine.operands.length / 2,
): ReduceFrame {
  let offset = 0;
  const next = (): Local => {
    const local = w.local("i32");
    w.get(parameters).memory("i32.load", offset).set(local);
    offset += 4;
    return local;
  };
  const words = Object.fromEntries(REDUCE_WORDS.map((word) => [word, next()])) as {
    [W in ReduceWord]: Local;
  };
  const operands = lift.operands.map(() => ({
    address: next(),
    rowStride: next(),
    columnStride: next(),
  }));
  const results = Array.from({ length: outputs }, next);
  const planes = layPlanes(w, combine, words);
  return { w, words, operands, outputs: results, planes, width: w.local("i32"), end: offset };
}

function layPlanes(w: FunctionWriter, combine: ScalarProgram, words: ReduceFrame["words"]): Plane[] {
  const states = combine.operands.slice(0, combine.operands.length / 2);
  const planes: Plane[] = [];
  let before = 0;
  states.forEach((dtype, component) => {
    const { part: type, slots } = infoOf(dtype);
    for (const part of ([0, 1] as const).slice(0, slots)) {
      const base = w.local("i32");
      w.get(words.tileColumns).get(words.scratchRows).op("i32.mul").i32(before).op("i32.mul");
      w.global(SCRATCH).op("i32.add").set(base);
      planes.push({ component, part, type, bytes: infoOf(type).bytes, base });
      before += infoOf(type).bytes;
    }
  });
  return planes;
}

/** into = the address of a plane's row. */
export function setRow({ w, width }: ReduceFrame, plane: Plane, row: Local, into: Local): void {
  w.get(row).get(width).op("i32.mul").i32(plane.bytes).op("i32.mul");
  w.get(plane.base).op("i32.add").set(into);
}

// What happens to one value (a lane, or a vector of lanes) in one round: it is lifted, combined, stored. In: where
// the operands are in this round. Out: locals that hold the parts of the state, as many as there are planes.

/** The parts of a state. */
export type StateLocals = readonly Local[];

export interface RoundPrograms {
  readonly lift: ScalarProgram;
  readonly combine: ScalarProgram;
  readonly walks: readonly LaneWalk[];
}

export class RoundCode {
  readonly #frame: ReduceFrame;
  readonly #programs: RoundPrograms;
  readonly #strides: readonly Local[];

  constructor(frame: ReduceFrame, programs: RoundPrograms) {
    const { w, operands, words } = frame;
    this.#frame = frame;
    this.#programs = programs;
    this.#strides = operands.map(({ rowStride, columnStride }) => {
      const stride = w.local("i32");
      w.get(columnStride).get(rowStride).get(words.lanesTogether).i32(1).op("i32.eq");
      w.select("i32").set(stride);
      return stride;
    });
  }

  /** The v-th value from the operands' cursors on. */
  lifted(lanes: Lanes, cursors: readonly Local[], v: number): StateLocals {
    const { lift, walks } = this.#programs;
    return lanes.compute(lift, (operand, type, part) => {
      const { slots } = infoOf(lift.operands[operand]!);
      const place = { address: cursors[operand]!, walk: walks[operand]!, slots };
      lanes.load({ ...place, stride: this.#strides[operand]!, ahead: v * lanes.count }, type, part);
    });
  }

  combined(lanes: Lanes, a: StateLocals, b: StateLocals): StateLocals {
    const { w, planes } = this.#frame;
    const { combine } = this.#programs;
    const components = combine.operands.length / 2;
    return lanes.compute(combine, (operand, _type, part) => {
      const component = operand % components;
      const k = planes.findIndex((plane) => plane.component === component && plane.part === part);
      w.get((operand < components ? a : b)[k]!);
    });
  }

  /** The v-th value of what is kept from these addresses on. */
  load(lanes: Lanes, kept: readonly Local[], v: number): StateLocals {
    const { w, planes } = this.#frame;
    return planes.map(({ type }, k) => {
      const local = lanes.local(type);
      lanes.load(keptPlace(kept[k]!, v * lanes.count), type, 0);
      w.set(local);
      return local;
    });
  }

  store(lanes: Lanes, kept: readonly Local[], v: number, state: StateLocals): void {
    const { planes } = this.#frame;
    state.forEach((local, k) => lanes.store(keptPlace(kept[k]!, v * lanes.count), planes[k]!.type, local));
  }

  /** A new home for a state that changes. */
  variables(lanes: Lanes): StateLocals {
    return this.#frame.planes.map(({ type }) => lanes.local(type));
  }

  assign(into: StateLocals, state: StateLocals): void {
    state.forEach((local, k) => this.#frame.w.get(local).set(into[k]!));
  }

  /** Leaves the bytes from one lane of an operand to the next on the stack. */
  pushStride(operand: number): void {
    const { w } = this.#frame;
    const walk = this.#programs.walks[operand]!;
    if (walk === "strided") w.get(this.#strides[operand]!);
    else w.i32(walk === "fixed" ? 0 : infoOf(this.#programs.lift.operands[operand]!).bytes);
  }

  moveOn(operand: number, cursor: Local, lanes: number): void {
    if (this.#programs.walks[operand] === "fixed") return;
    this.pushStride(operand);
    this.#frame.w.i32(lanes).op("i32.mul").get(cursor).op("i32.add").set(cursor);
  }
}

const keptPlace = (address: Local, ahead: number): LanePlace => ({ address, walk: "unit", slots: 1, ahead });
