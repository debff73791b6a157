// Loops, and programs on lanes. In: a step and the blocks its buffers are. Out: the result blocks, filled.

import type { Block } from "../../core/block.ts";
import { allocate, infoOf, type TypedArray } from "../../core/dtype.ts";
import { slotOf } from "../../core/elements.ts";
import { Complex, type Scalar } from "../../core/numbers.ts";
import type { LoopStep } from "../blockProgram.ts";
import type { ScalarProgram } from "../program.ts";
import { runProgram } from "./runLanes.ts";
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
    (lanes as Float64Array).fill(slotOf(x, part) as number);
    return lanes;
  });
}
