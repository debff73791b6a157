// Reductions, in an order that does not depend on how the work is cut (docs/adr/0006): the elements of one
// result are dealt out to 64 lanes, element i to lane i mod 64. Rounds of 64 are added lane by lane, 16 rounds
// one after another make a block, blocks are combined as a binary counter carries, the incomplete last round
// comes on top, and the lanes are folded in halves. So n numbers are added in chains of 16 and trees of depth
// ~log₂ n, and rounding errors grow with log n.

import type { Block } from "../../core/block.ts";
import type { TypedArray } from "../../core/dtype.ts";
import type { ReduceStep } from "../blockProgram.ts";
import { constantLanes, runOnLanes } from "./loop.ts";
import { runProgram } from "./run.ts";
import { bind, TILE_LANES, Tile } from "./tile.ts";

export const REDUCE_LANES = 64;
export const BLOCK_ROUNDS = 16;
/** Elements of one result that are combined before the counter carries. */
export const BLOCK_ROWS: number = REDUCE_LANES * BLOCK_ROUNDS;

/** One entry per component of the state, one typed array per part. */
export type State = readonly (readonly TypedArray[])[];
export type Combine = (a: State, b: State, count: number) => State;

export function runReduce(step: ReduceStep, blocks: readonly Block[]): void {
  const operands = step.operands.map((access) => bind(access, blocks));
  const tile = new Tile(step.domain, step.axes, operands, step.from);
  const results = step.results.map((access) => bind(access, blocks));
  const wide = Math.max(1, Math.floor(TILE_LANES / Math.min(BLOCK_ROWS, Math.max(1, tile.innerSize))));
  for (let column = 0; column < tile.outerSize; column += wide) {
    const columns = Math.min(wide, tile.outerSize - column);
    const state = reduceColumns(step, tile, column, columns);
    const finished = step.finish === null ? state : runOnLanes(step.finish, state, columns);
    tile.moveTo(0, 1, column, columns);
    results.forEach((result, i) => tile.store(result, finished[i]!));
  }
}

function reduceColumns(step: ReduceStep, tile: Tile, column: number, columns: number): State {
  const inner = tile.innerSize;
  const combine: Combine = (a, b, count) => runOnLanes(step.combine, [...a, ...b], count);
  const sum = new RunningState(combine, columns);
  for (let row = 0; row < inner; row += BLOCK_ROWS) {
    tile.moveTo(row, Math.min(BLOCK_ROWS, inner - row), column, columns);
    const registers = runProgram(step.lift, tile.count, tile);
    // Combining works in place, and two components may have come from one register.
    const lifted = step.lift.results.map((parts) => parts.map((at) => registers[at]!.slice()));
    sum.add(lifted, tile.rows);
  }
  return sum.total() ?? step.identity.map((value, i) => constantLanes(step.combine, i, value, columns));
}

/** Lanes from a place on. */
const from = (state: State, lane: number): State =>
  state.map((parts) => parts.map((lanes) => lanes.subarray(lane)));

/** The first lanes of `state` become `folded`. */
function overwrite(state: State, folded: State): void {
  state.forEach((parts, i) =>
    parts.forEach((lanes, part) => (lanes as Float64Array).set(folded[i]![part] as Float64Array)),
  );
}

/** Adds up states of rows × columns lanes in the order above. */
export class RunningState {
  readonly #combine: Combine;
  readonly #columns: number;
  readonly #levels: (State | null)[] = [];
  #tail: { readonly state: State; readonly rows: number } | null = null;

  constructor(combine: Combine, columns: number) {
    this.#combine = combine;
    this.#columns = columns;
  }

  /** A block of at most BLOCK_ROWS rows; only the last may be shorter. */
  add(state: State, rows: number): void {
    const round = REDUCE_LANES * this.#columns;
    const rounds = Math.floor(rows / REDUCE_LANES);
    for (let k = 1; k < rounds; k++) overwrite(state, this.#combine(state, from(state, k * round), round));
    if (rounds > 0) this.carry(state.map((parts) => parts.map((lanes) => lanes.slice(0, round))));
    const left = rows % REDUCE_LANES;
    if (left > 0) this.setTail(from(state, rounds * round), left);
  }

  /** The rows that do not fill a round. */
  setTail(state: State, rows: number): void {
    this.#tail = { state, rows };
  }

  /** A binary counter of states: level k holds the total of 2ᵏ blocks. */
  carry(block: State): void {
    let sum = block;
    let level = 0;
    for (; this.#levels[level]; level++) {
      sum = this.#combine(this.#levels[level]!, sum, REDUCE_LANES * this.#columns);
      this.#levels[level] = null;
    }
    this.#levels[level] = sum;
  }

  /** One row of columns; null if nothing was added. */
  total(): State | null {
    const blocks = this.#levels.reduce<State | null>((sum, state) => {
      if (sum === null || state === null) return sum ?? state;
      return this.#combine(state, sum, REDUCE_LANES * this.#columns);
    }, null);
    if (blocks === null) return this.#tail === null ? null : this.#fold(this.#tail.state, this.#tail.rows);
    // From here on in place: two components of a combination may be one register.
    const state = blocks.map((parts) => parts.map((lanes) => lanes.slice()));
    if (this.#tail !== null) {
      overwrite(state, this.#combine(state, this.#tail.state, this.#tail.rows * this.#columns));
    }
    return this.#fold(state, REDUCE_LANES);
  }

  /** Lower half ⊕ upper half, until one row is left; a middle row waits for the next time. */
  #fold(state: State, allRows: number): State {
    for (let rows = allRows; rows > 1; ) {
      const half = Math.ceil(rows / 2);
      overwrite(
        state,
        this.#combine(state, from(state, half * this.#columns), (rows - half) * this.#columns),
      );
      rows = half;
    }
    return state.map((parts) => parts.map((lanes) => lanes.subarray(0, this.#columns)));
  }
}
