// Reductions in WebAssembly, in the order that interpret/reduce.ts defines. A round is a loop over 64 lanes
// (times columns) whose accumulators stay in cache, so the kernels are the loops' kernels: one that lifts, one
// that combines a lifted element into the state, one that combines two states.
// In: a reduce step and blocks. Out: true, with the results written; false where the interpreter has to do it.

import type { Block } from "../../core/block.ts";
import { type DType, infoOf, type TypedArray } from "../../core/dtype.ts";
import { sizeOf } from "../../core/shape.ts";
import type { ReduceStep } from "../blockProgram.ts";
import { runOnLanes } from "../interpret/loop.ts";
import { BLOCK_ROUNDS, BLOCK_ROWS, REDUCE_LANES, RunningState, type State } from "../interpret/reduce.ts";
import { type Bound, bind, Tile } from "../interpret/tile.ts";
import { accumulateProgram } from "../program.ts";
import { copyElements } from "../routines/walk.ts";
import { type Kernel, kernelFor, SPARE_BYTES, STAGING_BYTES, Staging } from "./memory.ts";

/** Fewer elements per result than this have no block to speak of. */
const MIN_ROWS = 2 * REDUCE_LANES;

/** The domain as rows that are reduced and columns that are kept, each walked by one stride. */
interface Plane {
  readonly rows: number;
  readonly columns: number;
  readonly operands: readonly PlaneOperand[];
}

interface PlaneOperand {
  readonly bound: Bound;
  readonly dtype: DType;
  readonly rowStride: number;
  readonly columnStride: number;
}

export function runReduceInArena(
  step: ReduceStep,
  blocks: readonly Block[],
  minRows: number = MIN_ROWS,
): boolean {
  const plane = planeOf(step, blocks);
  if (plane === null || plane.rows < minRows || plane.columns === 0) return false;
  const kernels = kernelsFor(step);
  if (kernels === null) return false;
  new PlaneReducer(step, plane, kernels, blocks).run();
  return true;
}

function planeOf(step: ReduceStep, blocks: readonly Block[]): Plane | null {
  const usesIndex = step.lift.instructions.some(({ prim }) => prim === "index");
  const bounds = step.operands.map((access) => bind(access, blocks));
  if (
    usesIndex ||
    bounds.some(({ slots }) => slots === 2) ||
    step.combine.operands.some((d) => infoOf(d).slots === 2)
  )
    return null;
  const kept = step.domain.map((_, axis) => axis).filter((axis) => !step.axes.includes(axis));
  const operands: PlaneOperand[] = [];
  for (const [k, bound] of bounds.entries()) {
    const rowStride = singleStride(step.domain, step.axes, bound.strides);
    const columnStride = singleStride(step.domain, kept, bound.strides);
    if (rowStride === null || columnStride === null) return null;
    operands.push({ bound, dtype: blocks[step.operands[k]!.buffer]!.dtype, rowStride, columnStride });
  }
  const size = (axes: readonly number[]): number => sizeOf(axes.map((axis) => step.domain[axis]!));
  return { rows: size(step.axes), columns: size(kept), operands };
}

/** The stride of some axes walked as one; null where they cannot be. */
function singleStride(
  domain: readonly number[],
  axes: readonly number[],
  strides: readonly number[],
): number | null {
  const long = axes.filter((axis) => domain[axis] !== 1);
  for (let i = 1; i < long.length; i++) {
    if (strides[long[i - 1]!] !== strides[long[i]!]! * domain[long[i]!]!) return null;
  }
  return long.length === 0 ? 0 : strides[long.at(-1)!]!;
}

interface Kernels {
  readonly lift: Kernel;
  readonly accumulate: Kernel;
  readonly combine: Kernel;
}

function kernelsFor({ lift, combine }: ReduceStep): Kernels | null {
  const units = (count: number): "unit"[] => new Array<"unit">(count).fill("unit");
  const { length: operands } = lift.operands;
  const { length: components } = lift.results;
  const lifting = kernelFor(lift, 1, units(operands + components));
  const accumulating = kernelFor(accumulateProgram(lift, combine), 2, units(operands + 2 * components));
  const combining = kernelFor(combine, 1, units(3 * components));
  if (lifting === null || accumulating === null || combining === null) return null;
  return { lift: lifting, accumulate: accumulating, combine: combining };
}

class PlaneReducer {
  readonly #step: ReduceStep;
  readonly #plane: Plane;
  readonly #kernels: Kernels;
  readonly #blocks: readonly Block[];
  readonly #states: readonly DType[];

  constructor(step: ReduceStep, plane: Plane, kernels: Kernels, blocks: readonly Block[]) {
    this.#step = step;
    this.#plane = plane;
    this.#kernels = kernels;
    this.#blocks = blocks;
    this.#states = step.combine.operands.slice(0, step.combine.operands.length / 2);
  }

  run(): void {
    const { finish, domain, axes, results } = this.#step;
    const bounds = results.map((access) => bind(access, this.#blocks));
    const tile = new Tile(domain, axes, [], []);
    const wide = this.#tileColumns();
    for (let column = 0; column < this.#plane.columns; column += wide) {
      const columns = Math.min(wide, this.#plane.columns - column);
      const state = this.#reduceColumns(column, columns);
      const finished = finish === null ? state : runOnLanes(finish, state, columns);
      tile.moveTo(0, 1, column, columns);
      bounds.forEach((bound, i) => tile.store(bound, finished[i]!));
    }
  }

  /** As many columns as leave room for one block of rows, and for the states of all levels. */
  #tileColumns(): number {
    const bytes = (dtypes: readonly DType[]): number =>
      dtypes.reduce((sum, dtype) => sum + infoOf(dtype).bytes, 0);
    const rows = Math.min(BLOCK_ROWS, this.#plane.rows);
    const staged = Math.floor(STAGING_BYTES / (rows * bytes(this.#plane.operands.map(({ dtype }) => dtype))));
    const levels = 2 + Math.ceil(Math.log2(1 + this.#plane.rows / BLOCK_ROWS));
    const held = Math.floor(SPARE_BYTES / 2 / (levels * REDUCE_LANES * bytes(this.#states)));
    return Math.max(1, Math.min(staged, held));
  }

  #reduceColumns(column: number, columns: number): State {
    const { rows, operands } = this.#plane;
    const staging = new Staging();
    // Narrow tiles take several blocks of rows at once: fewer, longer copies.
    const laneBytes = operands.reduce((sum, { dtype }) => sum + infoOf(dtype).bytes, 0);
    const depth = Math.max(1, Math.floor(STAGING_BYTES / (BLOCK_ROWS * columns * laneBytes))) * BLOCK_ROWS;
    const inside = operands.map(({ dtype }) => staging.block(dtype, [Math.min(depth, rows), columns]));
    const levels = new Levels(this.#kernels.combine, this.#states, REDUCE_LANES * columns, staging);
    const whole = rows - (rows % REDUCE_LANES);
    let tail: State | null = null;
    for (let row = 0; row < rows; row += depth) {
      const count = Math.min(depth, rows - row);
      operands.forEach((operand, k) =>
        copyElements(rowsOf(operand, row, count, column, columns), part(inside[k]!, 0, count)),
      );
      for (let at = 0; at < count && row + at < whole; at += BLOCK_ROWS) {
        this.#addBlock(inside, at, Math.min(BLOCK_ROWS, whole - row - at), columns, levels);
      }
      if (row + count === rows && whole < rows)
        tail = this.#lifted(inside, whole - row, rows - whole, columns);
    }
    return this.#total(levels.total(), tail, rows - whole, columns);
  }

  /** Rounds of 64 rows, lane by lane into one state. */
  #addBlock(inside: readonly Block[], at: number, rows: number, columns: number, levels: Levels): void {
    const lanes = REDUCE_LANES * columns;
    const state = levels.state;
    const rounds = rows / REDUCE_LANES;
    const flat = (row: number, shape: readonly number[]): Block[] =>
      inside.map((block) => reshaped(block, row * columns, shape));
    this.#kernels.lift([lanes], [0], [...flat(at, [lanes]), ...state]);
    if (rounds > 1) {
      const still = state.map((block) => ({ ...block, shape: [1, lanes], strides: [0, 1] }));
      const next = flat(at + REDUCE_LANES, [Math.min(BLOCK_ROUNDS, rounds) - 1, lanes]);
      this.#kernels.accumulate([rounds - 1, lanes], [0, 0], [...still, ...next, ...still]);
    }
    levels.carry();
  }

  /** The incomplete last round, as states. */
  #lifted(inside: readonly Block[], row: number, rows: number, columns: number): State {
    const lanes = inside.map(({ data }) => [data.slice(row * columns, (row + rows) * columns)]);
    return runOnLanes(this.#step.lift, lanes, rows * columns);
  }

  #total(blocks: State | null, tail: State | null, tailRows: number, columns: number): State {
    const sum = new RunningState(
      (a, b, count) => runOnLanes(this.#step.combine, [...a, ...b], count),
      columns,
    );
    if (blocks !== null) sum.carry(blocks);
    if (tail !== null)
      sum.setTail(
        tail.map((parts) => parts.map((lanes) => lanes.slice())),
        tailRows,
      );
    return sum.total()!;
  }
}

/** A part of an operand as rows × columns. */
function rowsOf(
  { bound, dtype, rowStride, columnStride }: PlaneOperand,
  row: number,
  rows: number,
  column: number,
  columns: number,
): Block {
  const offset = bound.offset + row * rowStride + column * columnStride;
  return { data: bound.data, dtype, offset, shape: [rows, columns], strides: [rowStride, columnStride] };
}

const part = (block: Block, row: number, rows: number): Block => ({
  ...block,
  offset: block.offset + row * block.strides[0]!,
  shape: [rows, block.shape[1]!],
});

/** Lanes of a staged block from a place on, as a block of another shape. */
function reshaped({ dtype, data }: Block, lane: number, shape: readonly number[]): Block {
  const strides = shape.length === 1 ? [1] : [shape[1]!, 1];
  return { dtype, shape, strides, offset: 0, data: data.subarray(lane) as TypedArray };
}

/** The binary counter of interpret/reduce.ts, its states in the kernels' memory. */
class Levels {
  /** The state under way: where a block is added up. */
  readonly state: readonly Block[];
  readonly #combine: Kernel;
  readonly #states: readonly DType[];
  readonly #lanes: number;
  readonly #staging: Staging;
  readonly #levels: { readonly blocks: readonly Block[]; isFull: boolean }[] = [];

  constructor(combine: Kernel, states: readonly DType[], lanes: number, staging: Staging) {
    this.#combine = combine;
    this.#states = states;
    this.#lanes = lanes;
    this.#staging = staging;
    this.state = this.#allocate();
  }

  #allocate(): Block[] {
    return this.#states.map((dtype) => this.#staging.block(dtype, [this.#lanes]));
  }

  /** state ← level ⊕ state */
  #join(level: readonly Block[]): void {
    this.#combine([this.#lanes], [0], [...level, ...this.state, ...this.state]);
  }

  carry(): void {
    let at = 0;
    for (; this.#levels[at]?.isFull === true; at++) {
      this.#join(this.#levels[at]!.blocks);
      this.#levels[at]!.isFull = false;
    }
    this.#levels[at] ??= { blocks: this.#allocate(), isFull: false };
    this.#levels[at]!.isFull = true;
    this.#keep(this.#levels[at]!.blocks);
  }

  #keep(into: readonly Block[]): void {
    into.forEach(({ data }, i) => (data as Float64Array).set(this.state[i]!.data as Float64Array));
  }

  /** All levels, lower ones first; null if there are none. */
  total(): State | null {
    let isFirst = true;
    for (const { blocks, isFull } of this.#levels) {
      if (!isFull) continue;
      if (isFirst)
        this.state.forEach(({ data }, i) => (data as Float64Array).set(blocks[i]!.data as Float64Array));
      else this.#join(blocks);
      isFirst = false;
    }
    return isFirst ? null : this.state.map(({ data }) => [data.slice()]);
  }
}
