// Loops and scans. In: a step and the blocks its buffers are. Out: the result blocks, filled.

import type { Block } from "../../core/block.ts";
import { allocate, infoOf, isWide, type TypedArray } from "../../core/dtype.ts";
import { Complex, type Scalar } from "../../core/numbers.ts";
import type { LoopStep, ScanStep } from "../blockProgram.ts";
import type { ScalarProgram } from "../program.ts";
import type { Prim } from "../scalar.ts";
import { numberFunction, wideFunction } from "./lanes.ts";
import { runProgram } from "./run.ts";
import { bind, TILE_LANES, Tile } from "./tile.ts";

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
    (lanes as Float64Array).fill((isWide(part) ? BigInt(x) : Number(x)) as number);
    return lanes;
  });
}

/** Along the axis one place after another: what NumPy adds up first, we add up first. */
export function runScan(step: ScanStep, blocks: readonly Block[]): void {
  const operands = step.before === null ? [step.operand] : [step.operand, step.before];
  const tile = new Tile(
    step.domain,
    [step.axis],
    operands.map((access) => bind(access, blocks)),
    [],
  );
  const result = bind(step.result, blocks);
  const length = step.domain[step.axis]!;
  for (let column = 0; column < tile.outerSize; column += TILE_LANES) {
    const columns = Math.min(TILE_LANES, tile.outerSize - column);
    // One row at a time if there are many columns; few columns are read many rows at a time.
    const rows = Math.max(1, Math.floor(TILE_LANES / columns));
    let running = startLanes(step, tile, column, columns);
    for (let row = 0; row < length; row += rows) {
      tile.moveTo(row, Math.min(rows, length - row), column, columns);
      running = scanTile(step, tile, running, (lanes) => tile.store(result, lanes));
    }
  }
}

function startLanes(step: ScanStep, tile: Tile, column: number, columns: number): TypedArray[] {
  const empty = constantLanes(step.combine, 0, step.identity, columns);
  if (step.before === null) return empty;
  tile.moveTo(0, 1, column, columns);
  empty.forEach((lanes, part) => tile.load(1, part as 0 | 1, lanes, columns));
  return empty;
}

/** Scans the rows of one tile and gives the running lanes after them. */
function scanTile(
  step: ScanStep,
  tile: Tile,
  start: TypedArray[],
  store: (lanes: TypedArray[]) => void,
): TypedArray[] {
  const { rows, columns } = tile;
  const input = start.map((_, part) => {
    const register = allocate(infoOf(step.combine.operands[0]!).part, rows * columns);
    tile.load(0, part as 0 | 1, register, rows * columns);
    return register;
  });
  const output = input.map((lanes) => lanes.slice());
  let running = start;
  const advance = singlePrimitive(step.combine) ?? combineRow(step.combine);
  for (let row = 0; row < rows; row++) {
    const at = row * columns;
    const next = advance(
      running,
      input.map((lanes) => lanes.subarray(at, at + columns)),
      columns,
    );
    const written = step.exclusive ? running : next;
    output.forEach((lanes, part) => (lanes as Float64Array).set(written[part] as Float64Array, at));
    running = next;
  }
  store(output);
  return running;
}

type Advance = (running: TypedArray[], next: TypedArray[], columns: number) => TypedArray[];

const combineRow =
  (combine: ScalarProgram): Advance =>
  (running, next, columns) =>
    runOnLanes(combine, [running, next], columns)[0]!;

/** A combination of one instruction (add, mul) needs no registers of its own: a million rows of one lane are common. */
function singlePrimitive(combine: ScalarProgram): Advance | null {
  const [x, y, operation] = combine.instructions;
  if (combine.instructions.length !== 3 || x!.prim !== "load" || y!.prim !== "load") return null;
  const { prim, type } = operation!;
  const f = (isWide(type) ? wideFunction(prim as Prim, type) : numberFunction(prim as Prim, type)) as (
    a: number,
    b: number,
  ) => number;
  return ([running], [next], columns) => {
    const out = allocate(type, columns) as Float64Array;
    for (let i = 0; i < columns; i++) out[i] = f(running![i] as number, next![i] as number);
    return [out];
  };
}
