// Reductions, in one order that depends on the number of rows alone (docs/adr/0006). The rows are the elements
// of one result, row-major over the reduced axes. Blocks of 256 rows: row r of a block goes to lane r mod 16,
// each lane combines its rows one after another, the lanes are folded in halves. Blocks are combined as a
// binary counter carries. So n numbers are added in chains of 16 and trees of depth ~log₂ n, and rounding
// errors grow with log n. Must hold: the identity is used only where there are no rows (−0 + 0 is not −0).

import type { Block } from "../../core/block.ts";
import type { TypedArray } from "../../core/dtype.ts";
import type { ReduceStep } from "../blockProgram.ts";
import { constantLanes, runOnLanes } from "./loop.ts";
import { type LaneSource, runProgram } from "./runLanes.ts";
import { bind, TILE_LANES, Tile } from "./tile.ts";

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
