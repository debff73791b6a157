// Scans, in one order that depends on the place along the axis alone (docs/adr/0008). In: a step and the blocks its
// buffers are. Out: the result block, filled. Places are cut into blocks of 8. Those of the first are combined one after
// another, from what came before or the identity on. Those of each other block are combined one after another by
// themselves, and every one of these with the result at the end of the block before. An exclusive scan writes the
// same results one place further on.

import type { Block } from "../../core/block.ts";
import { allocate, infoOf, isWide, type TypedArray } from "../../core/dtype.ts";
import type { ScanStep } from "../blockProgram.ts";
import type { ScalarProgram } from "../program.ts";
import type { Prim } from "../scalar.ts";
import { numberFunction, wideFunction } from "./lanes.ts";
import { constantLanes, runOnLanes } from "./reduce.ts";
import { type Bound, bind, TILE_LANES, Tile } from "./tile.ts";

/** Places whose combination begins anew. */
export const SCAN_BLOCK = 8;

/** One typed array per part, one lane per column. */
type Row = readonly TypedArray[];
type Combine = (a: Row, b: Row) => Row;

export function runScan(step: ScanStep, blocks: readonly Block[]): void {
  const operands = step.before === null ? [step.operand] : [step.operand, step.before];
  const tile = new Tile(
    step.domain,
    [step.axis],
    operands.map((access) => bind(access, blocks)),
    [],
  );
  const result = bind(step.result, blocks);
  for (let column = 0; column < tile.outerSize; column += TILE_LANES)
    scanColumns(step, tile, result, column, Math.min(TILE_LANES, tile.outerSize - column));
}

function scanColumns(step: ScanStep, tile: Tile, result: Bound, column: number, columns: number): void {
  const length = step.domain[step.axis]!;
  // One row at a time if there are many columns; few columns are read many rows at a time.
  const rows = Math.max(1, Math.floor(TILE_LANES / columns));
  const running = new Running(combineOf(step.combine, columns), startRow(step, tile, column, columns));
  for (let row = 0; row < length; row += rows) {
    tile.moveTo(row, Math.min(rows, length - row), column, columns);
    tile.store(result, scanTile(step, tile, running));
  }
}

function startRow(step: ScanStep, tile: Tile, column: number, columns: number): Row {
  const start = constantLanes(step.combine, 0, step.identity, columns);
  if (step.before === null) return start;
  tile.moveTo(0, 1, column, columns);
  start.forEach((lanes, part) => tile.load(1, part as 0 | 1, lanes, columns));
  return start;
}

/** The results of a tile's rows. */
function scanTile(step: ScanStep, tile: Tile, running: Running): TypedArray[] {
  const { part: type, slots } = infoOf(step.combine.operands[0]!);
  const input = Array.from({ length: slots }, (_, part) => {
    const register = allocate(type, tile.count);
    tile.load(0, part as 0 | 1, register, tile.count);
    return register;
  });
  const output = input.map(() => allocate(type, tile.count));
  for (let row = 0; row < tile.rows; row++) {
    const at = row * tile.columns;
    const before = running.result;
    running.add(input.map((lanes) => lanes.subarray(at, at + tile.columns)));
    const written = step.exclusive ? before : running.result;
    output.forEach((lanes, part) => (lanes as Float64Array).set(written[part] as Float64Array, at));
  }
  return output;
}

/** The scan's order: what is kept from one row to the next. */
class Running {
  /** Of the rows so far. */
  result: Row;
  /** The result at the end of the block before. */
  #carry: Row;
  /** The rows of this block. */
  #local: Row;
  #rows = 0;
  readonly #combine: Combine;

  constructor(combine: Combine, start: Row) {
    this.#combine = combine;
    this.result = start;
    this.#carry = start;
    this.#local = start;
  }

  add(row: Row): void {
    if (this.#rows < SCAN_BLOCK) this.result = this.#combine(this.result, row);
    else this.#addToBlock(row, this.#rows % SCAN_BLOCK === 0);
    this.#rows++;
  }

  #addToBlock(row: Row, isFirst: boolean): void {
    if (isFirst) this.#carry = this.result;
    this.#local = isFirst ? row : this.#combine(this.#local, row);
    this.result = this.#combine(this.#carry, this.#local);
  }
}

const combineOf = (combine: ScalarProgram, columns: number): Combine =>
  singlePrimitive(combine, columns) ?? ((a, b) => runOnLanes(combine, [a, b], columns)[0]!);

/** A combination of one instruction (add, mul) needs no registers of its own: a million rows of one lane are common. */
function singlePrimitive(combine: ScalarProgram, columns: number): Combine | null {
  const [x, y, operation] = combine.instructions;
  if (combine.instructions.length !== 3 || x!.prim !== "load" || y!.prim !== "load") return null;
  const { prim, type } = operation!;
  const f = (isWide(type) ? wideFunction(prim as Prim, type) : numberFunction(prim as Prim, type)) as (
    a: number,
    b: number,
  ) => number;
  return ([a], [b]) => {
    const out = allocate(type, columns) as Float64Array;
    for (let i = 0; i < columns; i++) out[i] = f(a![i] as number, b![i] as number);
    return [out];
  };
}
