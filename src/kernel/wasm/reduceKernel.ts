// A reduction as a WebAssembly module, in the order that interpret/reduce.ts defines. The data are rows that are
// reduced by columns that are kept. A unit of work is one segment of rows of one tile of columns; it leaves a
// value for each column at output[segment][column]. Segments are combined by a second reduction whose blocks are
// single rows. In: how an element becomes a state and how two states combine. Out: bytes. Must hold: there is at
// least one row; the lift asks for no coordinates.

import { expanded, type ScalarProgram } from "../program.ts";
import { separated } from "../separated.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import { type Lanes, type LaneWalk, lanesOf, SingleLane, VectorLanes } from "./body.ts";
import { increase, moduleOf, type RunArguments, repeat, setMin } from "./module.ts";
import {
  FIRST_LEVEL,
  openFrame,
  type Plane,
  type ReduceFrame,
  type ReduceWalk,
  setRow,
} from "./reduceLayout.ts";
import { type RegisterUnit, Sweep, type SweepCode } from "./reduceSweep.ts";
import { loadName, pushConstant, storeName } from "./scalarCode.ts";

// The second half of a block: its lanes to one value, and that value into the binary counter. Row 0 of each plane
// ends up with the value that the counter left: to be kept at a level, or the total after the last block.
// One loop does both, for both are row 0 ⊕= rows or row 0 = level ⊕ row 0; so the combination is written once.

interface CombineCode {
  readonly combine: ScalarProgram;
  /** What rows are gone through with, widest first. */
  readonly steps: readonly Lanes[];
  /** A value of the first component that nothing changes any more. */
  readonly absorbing: number | bigint | null;
}

export class Combining {
  readonly #frame: ReduceFrame;
  readonly #code: CombineCode;
  /** Rows of the left and right arguments, and how many rows' values. */
  readonly #left: Local;
  readonly #right: Local;
  readonly #count: Local;

  constructor(frame: ReduceFrame, code: CombineCode) {
    this.#frame = frame;
    this.#code = code;
    const { w } = frame;
    [this.#left, this.#right, this.#count] = [w.local("i32"), w.local("i32"), w.local("i32")];
  }

  /**
   * After the rows of a block are in so many lanes. `blocks` came before; `isLast` ends the counter's work, and is
   * set where a value absorbs all that may come.
   */
  write(lanes: Local, blocks: Local, isLast: Local): void {
    const { w } = this.#frame;
    const [levels, level] = [w.local("i32"), w.local("i32")];
    w.get(blocks).set(levels);
    w.i32(FIRST_LEVEL).set(level);
    w.block((done) => {
      w.loop((again) => {
        w.get(lanes)
          .i32(1)
          .op("i32.gt_u")
          .either(
            () => this.#foldStep(lanes),
            () => this.#carryStep(levels, level, isLast, done, again),
          );
        this.#combineRows();
        w.branch(again);
      });
    });
    w.get(isLast)
      .op("i32.eqz")
      .when(() => this.#keep(level));
  }

  /** Lower half ⊕ upper half; a middle lane waits for the next time. */
  #foldStep(lanes: Local): void {
    const { w } = this.#frame;
    w.i32(0).set(this.#left);
    w.get(lanes).i32(1).op("i32.add").i32(1).op("i32.shr_u").set(this.#right);
    w.get(lanes).get(this.#right).op("i32.sub").set(this.#count);
    w.get(this.#right).set(lanes);
  }

  /** level ⊕ value while levels are full; after the last block all that are full. */
  #carryStep(levels: Local, level: Local, isLast: Local, done: number, again: number): void {
    const { w } = this.#frame;
    this.#checkAbsorbed(isLast, done);
    const isFull = w.local("i32");
    w.get(levels).i32(1).op("i32.and").set(isFull);
    w.get(isFull).get(isLast).op("i32.or").op("i32.eqz").branchIf(done);
    w.get(levels).op("i32.eqz").branchIf(done);
    w.get(levels).i32(1).op("i32.shr_u").set(levels);
    w.get(level).set(this.#left);
    increase(w, level, 1);
    w.get(isFull).op("i32.eqz").branchIf(again);
    w.i32(0).set(this.#right);
    w.i32(1).set(this.#count);
  }

  /** Ends the reduction if the first component has the absorbing value in every column. */
  #checkAbsorbed(isLast: Local, done: number): void {
    if (this.#code.absorbing === null) return;
    const { w, width, planes } = this.#frame;
    const { base, bytes, type } = planes[0]!;
    const column = w.local("i32");
    w.i32(0).set(column);
    w.block((mixed) => {
      repeat(w, column, width, 1, () => {
        w.get(column).i32(bytes).op("i32.mul").get(base).op("i32.add").memory(loadName(type));
        pushConstant(w, type, this.#code.absorbing!);
        w.op(`${loadName(type).slice(0, 3)}.ne`).branchIf(mixed);
      });
      w.i32(1).set(isLast);
      w.branch(done);
    });
  }

  /** row 0… = row left… ⊕ row right…, for `count` rows. */
  #combineRows(): void {
    const { w, planes, width } = this.#frame;
    const [left, right, into] = [this.#addresses(), this.#addresses(), this.#addresses()];
    planes.forEach((plane, k) => {
      setRow(this.#frame, plane, this.#left, left[k]!);
      setRow(this.#frame, plane, this.#right, right[k]!);
      w.get(plane.base).set(into[k]!);
    });
    const values = w.local("i32");
    const done = w.local("i32");
    w.get(this.#count).get(width).op("i32.mul").set(values);
    w.i32(0).set(done);
    for (const lanes of this.#code.steps) {
      repeat(w, done, values, lanes.count, () => {
        this.#combineLanes(lanes, left, right, into);
        for (const list of [left, right, into])
          planes.forEach(({ bytes }, k) => increase(w, list[k]!, lanes.count * bytes));
      });
    }
  }

  #addresses(): Local[] {
    return this.#frame.planes.map(() => this.#frame.w.local("i32"));
  }

  #combineLanes(lanes: Lanes, left: readonly Local[], right: readonly Local[], into: readonly Local[]): void {
    const { planes } = this.#frame;
    const { combine } = this.#code;
    const components = combine.operands.length / 2;
    const place = (address: Local) => ({ address, walk: "unit", slots: 1, ahead: 0 }) as const;
    const results = lanes.compute(combine, (operand, type, part) => {
      const from = operand < components ? left : right;
      const component = operand % components;
      const k = planes.findIndex((plane) => plane.component === component && plane.part === part);
      lanes.load(place(from[k]!), type, 0);
    });
    results.forEach((local, k) => lanes.store(place(into[k]!), planes[k]!.type, local));
  }

  /** Row 0 to a level's row. */
  #keep(level: Local): void {
    const { w, planes } = this.#frame;
    for (const plane of planes) {
      const into = w.local("i32");
      setRow(this.#frame, plane, level, into);
      this.copyRow(plane, into, plane.bytes);
    }
  }

  /** Row 0 of a plane to an address, `stride` bytes from one value to the next. */
  copyRow({ base, type, bytes }: Plane, into: Local, stride: number): void {
    const { w, width } = this.#frame;
    const from = w.local("i32");
    const column = w.local("i32");
    w.get(base).set(from);
    w.i32(0).set(column);
    repeat(w, column, width, 1, () => {
      w.get(into).get(from).memory(loadName(type)).memory(storeName(type));
      increase(w, from, bytes);
      increase(w, into, stride);
    });
  }
}

export interface ReduceShape {
  readonly isShared: boolean;
  /** What reduceWalk chose: which way lanes lie, and how each operand moves from lane to lane. */
  readonly mode: ReduceWalk["mode"];
  readonly walks: readonly LaneWalk[];
  /** A value of the state's first component that nothing changes any more: true for `any`. */
  readonly absorbing?: number | bigint;
}

/** Instructions of an element's part in the work. */
const SMALL = 8;
const MIDDLING = 24;

export function reduceModule(
  lift: ScalarProgram,
  combine: ScalarProgram,
  shape: ReduceShape,
): Uint8Array<ArrayBuffer> {
  return moduleOf(shape.isShared, (w, run) => new ReduceWriter(w, run, lift, combine, shape).write());
}

class ReduceWriter {
  readonly #w: FunctionWriter;
  readonly #run: RunArguments;
  readonly #frame: ReduceFrame;
  readonly #sweep: Sweep;
  readonly #combining: Combining;
  /** Per operand: the first row of the tile. */
  readonly #bases: Local[];
  readonly #row: Local;

  constructor(
    w: FunctionWriter,
    run: RunArguments,
    lift: ScalarProgram,
    combine: ScalarProgram,
    shape: ReduceShape,
  ) {
    this.#w = w;
    this.#run = run;
    this.#frame = openFrame(w, run.parameters, lift, combine);
    this.#bases = lift.operands.map(() => w.local("i32"));
    this.#row = w.local("i32");
    const code = {
      lift,
      combine,
      walks: shape.walks,
      ...sweepUnits(w, lift, combine, shape),
    };
    this.#sweep = new Sweep(this.#frame, code, this.#bases, this.#row);
    const steps = combineSteps(w, combine);
    this.#combining = new Combining(this.#frame, { combine, steps, absorbing: shape.absorbing ?? null });
  }

  write(): void {
    const w = this.#w;
    const { columns, tileColumns } = this.#frame.words;
    const { from, to } = this.#run;
    const tiles = w.local("i32");
    w.get(columns).get(tileColumns).op("i32.add").i32(1).op("i32.sub");
    w.get(tileColumns).op("i32.div_u").set(tiles);
    w.block((end) => {
      w.loop((again) => {
        w.get(from).get(to).op("i32.ge_u").branchIf(end);
        this.#unit(from, tiles);
        increase(w, from, 1);
        w.branch(again);
      });
    });
  }

  #unit(unit: Local, tiles: Local): void {
    const w = this.#w;
    const { words, width, operands } = this.#frame;
    const [segment, column] = [w.local("i32"), w.local("i32")];
    w.get(unit).get(tiles).op("i32.div_u").set(segment);
    w.get(unit).get(tiles).op("i32.rem_u").get(words.tileColumns).op("i32.mul").set(column);
    setMin(
      w,
      width,
      () => w.get(words.tileColumns),
      () => w.get(words.columns).get(column).op("i32.sub"),
    );
    operands.forEach(({ address, columnStride }, k) => {
      w.get(column).get(columnStride).op("i32.mul").get(address).op("i32.add").set(this.#bases[k]!);
    });
    this.#blocks(segment);
    this.#writeOut(segment, column);
  }

  /** The blocks of one segment, one after another. */
  #blocks(segment: Local): void {
    const w = this.#w;
    const { words } = this.#frame;
    const row = this.#row;
    const end = w.local("i32");
    w.get(segment).get(words.segmentRows).op("i32.mul").set(row);
    // row + min(segment, rows left): a sum of the first two alone could wrap.
    const left = (): void => void w.get(words.rows).get(row).op("i32.sub");
    setMin(w, end, () => w.get(words.segmentRows), left);
    increase(w, end, row);
    reduceBlocks(this.#frame, this.#sweep, this.#combining, row, end, () => undefined);
  }

  /** The tile's totals to output[segment][column…]. */
  #writeOut(segment: Local, column: Local): void {
    const w = this.#w;
    const { words, planes, outputs } = this.#frame;
    const first = w.local("i32");
    w.get(segment).get(words.columns).op("i32.mul").get(column).op("i32.add").set(first);
    for (const plane of planes) {
      const stride = plane.bytes * slotsOf(planes, plane);
      const into = w.local("i32");
      w.get(first).i32(stride).op("i32.mul").get(outputs[plane.component]!).op("i32.add");
      w.i32(plane.part * plane.bytes)
        .op("i32.add")
        .set(into);
      this.#combining.copyRow(plane, into, stride);
    }
  }
}

/** The blocks from `row` to before `end`, of which there is one at least: their total is left in row 0 of the planes. */
export function reduceBlocks(
  { w, words }: ReduceFrame,
  sweep: Sweep,
  combining: Combining,
  row: Local,
  end: Local,
  beforeBlock: () => void,
): void {
  const [rows, lanes] = [w.local("i32"), w.local("i32")];
  const [blocks, isLast] = [w.local("i32"), w.local("i32")];
  w.i32(0).set(blocks);
  w.loop((again) => {
    const rest = (): void => void w.get(end).get(row).op("i32.sub");
    setMin(w, rows, () => w.get(words.blockRows), rest);
    beforeBlock();
    sweep.write(rows, lanes);
    increase(w, row, rows);
    w.get(row).get(end).op("i32.eq").set(isLast);
    combining.write(lanes, blocks, isLast);
    increase(w, blocks, 1);
    w.get(isLast).op("i32.eqz").branchIf(again);
  });
}

const slotsOf = (planes: readonly Plane[], { component }: Plane): number =>
  planes.filter((plane) => plane.component === component).length;

/** Few instructions are written out many times over, many only once: code has to be compiled, too. */
export function sweepUnits(
  w: FunctionWriter,
  lift: ScalarProgram,
  combine: ScalarProgram,
  { walks, mode }: Pick<ReduceShape, "walks" | "mode">,
): Pick<SweepCode, "registers" | "wide" | "narrow"> {
  const single = { lanes: new SingleLane(w), rounds: 1, values: 1 };
  const counts = [lanesOf(lift), lanesOf(combine)];
  if (counts.includes(null)) return { registers: [], wide: [], narrow: [single] };
  const lanes = new VectorLanes(w, counts.includes(2) ? 2 : 4, [lift, combine]);
  const narrow = [{ lanes, rounds: 1, values: 1 }, single];
  if (walks.includes("strided")) return { registers: [], wide: [], narrow };
  const registers = mode === "inner" ? registerUnits(w, lift, combine) : [];
  if (registers.length > 0) return { registers, wide: [], narrow };
  const size = sizeOf(lift) + sizeOf(combine);
  if (size > MIDDLING) return { registers, wide: [], narrow };
  const rounds = mode === "outer" ? (size <= SMALL ? [8, 2] : [4]) : [1];
  return { registers, wide: rounds.map((count) => ({ lanes, rounds: count, values: 2 })), narrow };
}

/** More components would be too much code. */
const MOST_COMPONENTS = 4;

/** Each component by itself; none where one cannot be, or is too much work for that. */
function registerUnits(w: FunctionWriter, lift: ScalarProgram, combine: ScalarProgram): RegisterUnit[] {
  const parts = separated(lift, combine) ?? [];
  if (
    parts.length > MOST_COMPONENTS ||
    parts.some((own) => sizeOf(own.lift) + sizeOf(own.combine) > MIDDLING)
  )
    return [];
  return parts.map((own, component) => {
    const isWide = [lanesOf(own.lift), lanesOf(own.combine)].includes(2);
    return { ...own, component, lanes: new VectorLanes(w, isWide ? 2 : 4, [own.lift, own.combine]) };
  });
}

export const sizeOf = (program: ScalarProgram): number => expanded(program).program.instructions.length;

export function combineSteps(w: FunctionWriter, combine: ScalarProgram): Lanes[] {
  const count = lanesOf(combine);
  const single = new SingleLane(w);
  return count === null ? [single] : [new VectorLanes(w, count, [combine]), single];
}
