// Reductions, pairwise: the rows of a tile are folded in halves, and the tiles along the reduced axes
// are combined as a binary counter carries. So n numbers are added up in a tree of depth ~log₂ n, and
// rounding errors grow with log n.

import type { Block } from "../../core/block.ts";
import type { TypedArray } from "../../core/dtype.ts";
import type { ReduceStep } from "../blockProgram.ts";
import { constantLanes, runOnLanes } from "./loop.ts";
import { runProgram } from "./run.ts";
import { bind, TILE_LANES, Tile } from "./tile.ts";

/** One entry per component of the state, one typed array per part. */
type State = readonly (readonly TypedArray[])[];

export function runReduce(step: ReduceStep, blocks: readonly Block[]): void {
  const tile = new Tile(
    step.domain,
    step.axes,
    step.operands.map((access) => bind(access, blocks)),
    step.from,
  );
  const results = step.results.map((access) => bind(access, blocks));
  for (let column = 0; column < tile.outerSize; column += TILE_LANES) {
    const columns = Math.min(TILE_LANES, tile.outerSize - column);
    const state = reduceColumns(step, tile, column, columns);
    const finished = step.finish === null ? state : runOnLanes(step.finish, state, columns);
    tile.moveTo(0, 1, column, columns);
    results.forEach((result, i) => tile.store(result, finished[i]!));
  }
}

function reduceColumns(step: ReduceStep, tile: Tile, column: number, columns: number): State {
  const inner = tile.innerSize;
  const rows = Math.max(1, Math.floor(TILE_LANES / columns));
  const carried = new Carry((a, b) => runOnLanes(step.combine, [...a, ...b], columns));
  for (let row = 0; row < inner; row += rows) {
    tile.moveTo(row, Math.min(rows, inner - row), column, columns);
    const registers = runProgram(step.lift, tile.count, tile);
    // Folding works in place, and two components may have come from one register.
    const state = step.lift.results.map((parts) => parts.map((at) => registers[at]!.slice()));
    carried.push(foldRows(step, state, tile.rows, columns));
  }
  return carried.total() ?? step.identity.map((value, i) => constantLanes(step.combine, i, value, columns));
}

/** Lower half ⊕ upper half, until one row is left. */
function foldRows(step: ReduceStep, lifted: State, allRows: number, columns: number): State {
  const state = lifted;
  for (let rows = allRows; rows > 1; ) {
    const half = Math.ceil(rows / 2);
    const pairs = (rows - half) * columns;
    const upper = state.map((parts) => parts.map((lanes) => lanes.subarray(half * columns)));
    const folded = runOnLanes(step.combine, [...state, ...upper], pairs);
    // With an odd number of rows the middle one waits for the next round.
    state.forEach((parts, i) =>
      parts.forEach((lanes, part) => (lanes as Float64Array).set(folded[i]![part] as Float64Array)),
    );
    rows = half;
  }
  return state.map((parts) => parts.map((lanes) => lanes.subarray(0, columns)));
}

/** A binary counter of states: level k holds the total of 2ᵏ of them. */
class Carry {
  readonly #levels: (State | null)[] = [];
  readonly #combine: (a: State, b: State) => State;

  constructor(combine: (a: State, b: State) => State) {
    this.#combine = combine;
  }

  push(state: State): void {
    let carry = state;
    let level = 0;
    for (; this.#levels[level]; level++) {
      carry = this.#combine(this.#levels[level]!, carry);
      this.#levels[level] = null;
    }
    this.#levels[level] = carry;
  }

  total(): State | null {
    return this.#levels.reduce<State | null>((sum, state) => {
      if (sum === null || state === null) return sum ?? state;
      return this.#combine(state, sum);
    }, null);
  }
}
