// Reductions of segments, by the interpreter of reductions: segments of one length are the columns of a tile. In: a step and
// blocks. Out: its results written. Must hold: the bits are those of a reduction of each segment by itself.

import type { Block } from "../../core/block.ts";
import { infoOf, type TypedArray } from "../../core/dtype.ts";
import type { SegmentStep } from "../blockProgram.ts";
import { runOnLanes } from "./loop.ts";
import { columnsAtOnce, type RowTile, reduceColumns } from "./reduce.ts";

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
