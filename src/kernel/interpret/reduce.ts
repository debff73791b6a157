// Reductions, in one order that depends on the number of rows alone (docs/adr/0006). The rows are the elements
// of one result, row-major over the reduced axes. Blocks of 256 rows: row r of a block goes to lane r mod 16,
// each lane combines its rows one after another, the lanes are folded in halves. Blocks are combined as a
// binary counter carries. So n numbers are added in chains of 16 and trees of depth ~log₂ n, and rounding
// errors grow with log n. Must hold: the identity is used only where there are no rows (−0 + 0 is not −0).

import { type Block, slotOf } from "../../core/block.ts";
import { allocate, infoOf, type TypedArray } from "../../core/dtype.ts";
import { Complex, type Scalar } from "../../core/numbers.ts";
import type { LoopStep, ReduceStep, SegmentStep } from "../blockProgram.ts";
import type { ScalarProgram } from "../program.ts";
import { type LaneSource, runProgram } from "./lanes.ts";
import { bind, TILE_LANES, Tile } from "./tile.ts";

// Loops, and programs on lanes. In: a step and the blocks its buffers are. Out: the result blocks, filled.

export function runLoop(step: LoopStep, blocks: readonly Block[]): void {
  const results = step.results.map((access) => bind(access, blocks));
  const tile = new Tile(
    step.domain,
    [],
    step.operands.map((access) => bind(access, blocks)),
    step.from,
  );
  for (let column = 0; column < tile.outerSize; column += TILE_LANES) {
    tile.moveTo(0, 1, column, Math.min(TILE_LANES, tile.outerSize - column));
    const registers = runProgram(step.program, tile.count, tile);
    results.forEach((result, i) =>
      tile.store(
        result,
        step.program.results[i]!.map((at) => registers[at]!),
      ),
    );
  }
}

/** Lanes that are in registers already: operand n, part p is `lanes[n][p]`. */
export function runOnLanes(
  program: ScalarProgram,
  lanes: readonly (readonly TypedArray[])[],
  count: number,
): TypedArray[][] {
  const registers = runProgram(program, count, {
    load: (operand, part, into) =>
      (into as Float64Array).set(lanes[operand]![part]!.subarray(0, count) as Float64Array),
    index: () => {
      throw new Error("lanes in registers have no coordinates");
    },
  });
  return program.results.map((parts) => parts.map((at) => registers[at]!));
}

/** Registers that all hold one value of an operand's dtype. */
export function constantLanes(
  program: ScalarProgram,
  operand: number,
  value: Scalar,
  count: number,
): TypedArray[] {
  const dtype = program.operands[operand]!;
  const { part, slots } = infoOf(dtype);
  const parts = value instanceof Complex ? [value.re, value.im] : [value, 0];
  return parts.slice(0, slots).map((x) => {
    const lanes = allocate(part, count);
    (lanes as Float64Array).fill(slotOf(x, part) as number);
    return lanes;
  });
}

export const REDUCE_LANES = 16;
const BLOCK_ROUNDS = 16;
/** Rows that become one value before the counter carries. */
export const BLOCK_ROWS: number = REDUCE_LANES * BLOCK_ROUNDS;

/** One entry per component of the state, one typed array per part; rows × columns values each. */
export type State = readonly (readonly TypedArray[])[];
export type Combine = (a: State, b: State, count: number) => State;

export function runReduce(step: ReduceStep, blocks: readonly Block[]): void {
  const operands = step.operands.map((access) => bind(access, blocks));
  const tile = new Tile(step.domain, step.axes, operands, step.from);
  const results = step.results.map((access) => bind(access, blocks));
  const wide = columnsAtOnce(tile.innerSize);
  for (let column = 0; column < tile.outerSize; column += wide) {
    const columns = Math.min(wide, tile.outerSize - column);
    const state = reduceColumns(step, tile, column, columns);
    const finished = step.finish === null ? state : runOnLanes(step.finish, state, columns);
    tile.moveTo(0, 1, column, columns);
    results.forEach((result, i) => tile.store(result, finished[i]!));
  }
}

/** Rows by columns of elements, of which some are shown at a time. */
export interface RowTile extends LaneSource {
  /** How many rows there are in all. */
  readonly innerSize: number;
  readonly rows: number;
  readonly count: number;
  moveTo(row: number, rows: number, column: number, columns: number): void;
}

/** How many columns of so many rows are worked on at once. */
export const columnsAtOnce = (rows: number): number =>
  Math.max(1, Math.floor(TILE_LANES / Math.min(BLOCK_ROWS, Math.max(1, rows))));

/** The states of some columns, before they are finished. */
export function reduceColumns(
  step: Pick<ReduceStep, "lift" | "combine" | "identity">,
  tile: RowTile,
  column: number,
  columns: number,
): State {
  const rows = tile.innerSize;
  const combine: Combine = (a, b, count) => runOnLanes(step.combine, [...a, ...b], count);
  const counter = new BlockCounter(combine, columns);
  for (let row = 0; row < rows; row += BLOCK_ROWS) {
    tile.moveTo(row, Math.min(BLOCK_ROWS, rows - row), column, columns);
    const registers = runProgram(step.lift, tile.count, tile);
    // Lanes are combined in place, and two components may have come from one register.
    const lifted = step.lift.results.map((parts) => parts.map((at) => registers[at]!.slice()));
    addRounds(combine, lifted, tile.rows, columns);
    counter.add(foldLanes(combine, lifted, Math.min(REDUCE_LANES, tile.rows), columns));
  }
  return counter.total() ?? step.identity.map((value, i) => constantLanes(step.combine, i, value, columns));
}

/** The rows of a block lane by lane into its first 16; the last round may be incomplete. */
function addRounds(combine: Combine, block: State, rows: number, columns: number): void {
  for (let row = REDUCE_LANES; row < rows; row += REDUCE_LANES) {
    const lanes = Math.min(REDUCE_LANES, rows - row);
    overwrite(block, combine(block, from(block, row * columns), lanes * columns));
  }
}

/** Lower half ⊕ upper half, in place, until one lane is left; a middle lane waits for the next time. */
function foldLanes(combine: Combine, lanes: State, laneCount: number, columns: number): State {
  for (let count = laneCount; count > 1; ) {
    const half = Math.ceil(count / 2);
    overwrite(lanes, combine(lanes, from(lanes, half * columns), (count - half) * columns));
    count = half;
  }
  return lanes.map((parts) => parts.map((values) => values.slice(0, columns)));
}

/** Values from a place on. */
const from = (state: State, place: number): State =>
  state.map((parts) => parts.map((values) => values.subarray(place)));

/** The first values of `state` become `folded`. */
function overwrite(state: State, folded: State): void {
  state.forEach((parts, i) =>
    parts.forEach((values, part) => (values as Float64Array).set(folded[i]![part] as Float64Array)),
  );
}

/** Combines the blocks' values as a binary counter carries: level k holds the total of 2ᵏ blocks, or null. */
class BlockCounter {
  readonly #combine: Combine;
  readonly #columns: number;
  readonly #levels: (State | null)[] = [];

  constructor(combine: Combine, columns: number) {
    this.#combine = combine;
    this.#columns = columns;
  }

  add(block: State): void {
    let sum = block;
    let level = 0;
    for (; this.#levels[level]; level++) {
      sum = this.#combine(this.#levels[level]!, sum, this.#columns);
      this.#levels[level] = null;
    }
    this.#levels[level] = sum;
  }

  /** All levels, low ones first; null if nothing was added. */
  total(): State | null {
    return this.#levels.reduce<State | null>((sum, level) => {
      if (sum === null || level === null) return sum ?? level;
      return this.#combine(level, sum, this.#columns);
    }, null);
  }
}

// Reductions of segments, by the interpreter of reductions: segments of one length are the columns of a tile. In: a step and
// blocks. Out: its results written. Must hold: the bits are those of a reduction of each segment by itself.

export function runSegments(step: SegmentStep, blocks: readonly Block[]): void {
  const offsets = elementsOf(blocks[step.offsets]!) as Int32Array;
  const operands = step.operands.map((buffer) => blocks[buffer]!);
  for (const [length, segments] of segmentsByLength(offsets)) {
    const tile = new SegmentTile(
      operands,
      segments.map((g) => offsets[g]!),
      length,
    );
    const wide = columnsAtOnce(length);
    for (let column = 0; column < segments.length; column += wide) {
      const chosen = segments.slice(column, column + wide);
      const state = reduceColumns(step, tile, column, chosen.length);
      const lengths = new BigInt64Array(chosen.length).fill(BigInt(length));
      const values = runOnLanes(step.finish, [...state, [lengths]], chosen.length);
      step.results.forEach((buffer, i) => store(blocks[buffer]!, chosen, values[i]!));
    }
  }
}

/** The elements from the block's first on. */
const elementsOf = ({ data, offset, dtype }: Block): TypedArray =>
  data.subarray(offset * infoOf(dtype).slots);

function segmentsByLength(offsets: Int32Array): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (let g = 0; g + 1 < offsets.length; g++) {
    const length = offsets[g + 1]! - offsets[g]!;
    const known = found.get(length);
    if (known === undefined) found.set(length, [g]);
    else known.push(g);
  }
  return found;
}

function store(block: Block, segments: readonly number[], parts: readonly TypedArray[]): void {
  const data = elementsOf(block);
  parts.forEach((lanes, part) =>
    segments.forEach((g, lane) => {
      data[g * parts.length + part] = lanes[lane]!;
    }),
  );
}

/** Row r of column c is element starts[c] + r. */
class SegmentTile implements RowTile {
  readonly innerSize: number;
  readonly #operands: readonly Block[];
  readonly #starts: readonly number[];
  #row = 0;
  #column = 0;
  rows = 0;
  columns = 0;

  constructor(operands: readonly Block[], starts: readonly number[], length: number) {
    this.#operands = operands;
    this.#starts = starts;
    this.innerSize = length;
  }

  get count(): number {
    return this.rows * this.columns;
  }

  moveTo(row: number, rows: number, column: number, columns: number): void {
    this.#row = row;
    this.rows = rows;
    this.#column = column;
    this.columns = columns;
  }

  load(operand: number, part: 0 | 1, into: TypedArray): void {
    const block = this.#operands[operand]!;
    const data = elementsOf(block);
    const { slots } = infoOf(block.dtype);
    this.#fill(into, (row, start) => data[(start + row) * slots + part]!);
  }

  index(_axis: number, into: TypedArray): void {
    this.#fill(into, (row) => BigInt(row));
  }

  #fill(into: TypedArray, value: (row: number, start: number) => number | bigint): void {
    for (let lane = 0; lane < this.count; lane++) {
      const row = this.#row + Math.floor(lane / this.columns);
      into[lane] = value(row, this.#starts[this.#column + (lane % this.columns)]!);
    }
  }
}
