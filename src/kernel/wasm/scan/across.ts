// Scans of columns that lie side by side. In: a frame. Out: code. A unit is a tile of columns, and its rows are taken
// in blocks: for some vectors of columns at a time, what a block's rows come to and the carry stay in registers. The
// carry is read back from the result: it is the row before the block.

import { SCAN_BLOCK } from "../../interpret/scan.ts";
import type { Local } from "../assembler.ts";
import { lanesOf, VectorConstants, vectorBodies } from "../body.ts";
import { increase, repeat, setMin } from "../module.ts";
import { machineType } from "../scalarCode.ts";
import { type LaneCount, loadVector, pushSplat, storeVector, type VectorValue } from "../vectorCode.ts";
import {
  combined,
  eachUnit,
  fromLocals,
  moveToTile,
  pushPart,
  pushStart,
  type ScanFrame,
  setLocals,
  storePart,
} from "./frame.ts";

// Some columns of a scan across, down the rows of a block. In: a frame, and locals with the addresses of the columns in
// the carry's row, the next row and the row to write. Out: code, for vectors of columns or for one column. It keeps
// two values of each column: the carry, and what the rows of the block come to so far.

interface Walkers {
  readonly carry: Local;
  readonly next: Local;
  readonly target: Local;
}

/** Each writes the code of one step. */
interface Columns {
  readonly count: number;
  /** local = what a scan starts with */
  takeStart(): void;
  /** carry = the carry's row */
  takeCarry(): void;
  /** local = the next row */
  takeRow(): void;
  /** local = local ⊕ the next row */
  addRow(): void;
  /** Writes local. */
  store(): void;
  /** Writes carry ⊕ local. */
  storeWithCarry(): void;
}

class VectorColumns implements Columns {
  readonly count: number;
  readonly #frame: ScanFrame;
  readonly #walkers: Walkers;
  readonly #lanes: LaneCount;
  readonly #constants: VectorConstants;
  /** Of each vector, in bytes. */
  readonly #offsets: readonly number[];
  readonly #carries: readonly Local[];
  readonly #locals: readonly Local[];

  constructor(frame: ScanFrame, walkers: Walkers, lanes: LaneCount, vectors: number) {
    this.count = vectors * lanes;
    this.#frame = frame;
    this.#walkers = walkers;
    this.#lanes = lanes;
    this.#constants = new VectorConstants(frame.w, frame.combine);
    this.#offsets = Array.from({ length: vectors }, (_, number) => number * lanes * frame.bytes);
    this.#carries = this.#offsets.map(() => frame.w.local("v128"));
    this.#locals = this.#offsets.map(() => frame.w.local("v128"));
  }

  takeStart(): void {
    const { shape, w, type, identity } = this.#frame;
    const push = shape.hasBefore ? this.#row(this.#walkers.carry) : () => pushSplat(w, type, identity[0]!);
    this.#set(this.#locals, push);
  }
  takeCarry(): void {
    this.#set(this.#carries, this.#row(this.#walkers.carry));
  }
  takeRow(): void {
    this.#set(this.#locals, this.#row(this.#walkers.next));
  }
  addRow(): void {
    const sums = this.#combined(this.#locals, this.#row(this.#walkers.next));
    this.#set(this.#locals, (number) => this.#frame.w.get(sums[number]!.local));
  }
  store(): void {
    const { type } = this.#frame;
    this.#store(this.#locals.map((local) => ({ local, type, maskBits: 32 })));
  }
  storeWithCarry(): void {
    this.#store(this.#combined(this.#carries, (number) => this.#frame.w.get(this.#locals[number]!)));
  }

  #row(address: Local): (number: number) => void {
    const { w, type } = this.#frame;
    return (number) => loadVector(w.get(address), type, this.#lanes, this.#offsets[number]!);
  }

  #set(locals: readonly Local[], push: (number: number) => void): void {
    locals.forEach((local, number) => {
      push(number);
      this.#frame.w.set(local);
    });
  }

  #combined(x: readonly Local[], y: (number: number) => void): VectorValue[] {
    const { w, combine } = this.#frame;
    const inputs = x.map((local, number) => ({
      load: (operand: number): 32 => {
        if (operand === 0) w.get(local);
        else y(number);
        return 32;
      },
      index: (): 32 => 32,
    }));
    const bodies = vectorBodies(w, combine, this.#lanes, this.#constants, inputs);
    return bodies.map((values) => values[combine.results[0]![0]!]!);
  }

  #store(values: readonly VectorValue[]): void {
    const { w } = this.#frame;
    values.forEach((value, number) =>
      storeVector(w, this.#walkers.target, value, this.#lanes, this.#offsets[number]!),
    );
  }
}

class ScalarColumn implements Columns {
  readonly count = 1;
  readonly #frame: ScanFrame;
  readonly #walkers: Walkers;
  readonly #carry: readonly Local[];
  readonly #local: readonly Local[];

  constructor(frame: ScanFrame, walkers: Walkers) {
    this.#frame = frame;
    this.#walkers = walkers;
    const local = (): Local => frame.w.local(machineType(frame.type));
    this.#carry = frame.parts.map(local);
    this.#local = frame.parts.map(local);
  }

  takeStart(): void {
    setLocals(this.#frame, this.#local, (part) => pushStart(this.#frame, this.#walkers.carry, part));
  }
  takeCarry(): void {
    setLocals(this.#frame, this.#carry, (part) => pushPart(this.#frame, this.#walkers.carry, part));
  }
  takeRow(): void {
    setLocals(this.#frame, this.#local, (part) => pushPart(this.#frame, this.#walkers.next, part));
  }
  addRow(): void {
    const next = (part: 0 | 1): void => pushPart(this.#frame, this.#walkers.next, part);
    const sum = combined(this.#frame, fromLocals(this.#frame, this.#local), next);
    setLocals(this.#frame, this.#local, fromLocals(this.#frame, sum));
  }
  store(): void {
    this.#store(this.#local);
  }
  storeWithCarry(): void {
    const [carry, local] = [this.#carry, this.#local].map((locals) => fromLocals(this.#frame, locals));
    this.#store(combined(this.#frame, carry!, local!));
  }

  #store(value: readonly Local[]): void {
    for (const part of this.#frame.parts)
      storePart(this.#frame, this.#walkers.target, part, fromLocals(this.#frame, value));
  }
}

/** Vectors that are worked on at once: of 32 and 64 bits, a line of the cache; then what is left. */
const VECTORS = [4, 1];

/** What a unit walks with; `rows` counts a block's rows, `place` and `end` are bytes in a row. */
interface Walk extends Walkers {
  readonly rows: Local;
  readonly row: Local;
  readonly place: Local;
  readonly end: Local;
}

export function scanAcross(frame: ScanFrame): void {
  const { w, at, shape } = frame;
  const names = ["carry", "next", "target", "rows", "row", "place", "end"] as const;
  const walk = Object.fromEntries(names.map((name) => [name, w.local("i32")])) as unknown as Walk;
  const lanes = frame.parts.length === 2 ? null : lanesOf(frame.combine);
  const vectors = lanes === null ? [] : VECTORS.map((count) => new VectorColumns(frame, walk, lanes, count));
  const ways = [...vectors, new ScalarColumn(frame, walk)];
  eachUnit(frame, () => {
    moveToTile(frame);
    w.get(at.count).i32(frame.bytes).op("i32.mul").set(walk.end).i32(0).set(at.turn);
    if (shape.exclusive) copyStart(frame, walk);
    scanRows(frame, walk, ways, scanFirst);
    w.block((done) => {
      w.loop((again) => {
        w.get(at.turn).get(at.length).op("i32.ge_u").branchIf(done);
        scanRows(frame, walk, ways, scanFurther);
        w.branch(again);
      });
    });
  });
}

/** An exclusive scan's first row is what it starts with. */
function copyStart(frame: ScanFrame, { carry, target, place, end }: Walk): void {
  const { w, at, parts, bytes } = frame;
  w.get(at.before).set(carry).get(at.result).set(target).i32(0).set(place);
  repeat(w, place, end, bytes, () => {
    for (const part of parts) storePart(frame, target, part, () => pushStart(frame, carry, part));
    increase(w, carry, bytes);
    increase(w, target, bytes);
  });
  increase(w, at.result, at.resultStep);
}

/** Writes the code for some columns of a block, down its rows. */
type ScanColumns = (frame: ScanFrame, walk: Walk, columns: Columns) => void;

/** A block of rows, or as many as are left. Addresses go on to the next. */
function scanRows(frame: ScanFrame, walk: Walk, ways: readonly Columns[], scan: ScanColumns): void {
  const { w, at, bytes } = frame;
  const { rows, next, target, place, end } = walk;
  const left = (): void => void w.get(at.length).get(at.turn).op("i32.sub");
  setMin(w, rows, left, () => w.i32(SCAN_BLOCK));
  w.i32(0).set(place);
  for (const columns of ways)
    repeat(w, place, end, columns.count * bytes, () => {
      w.get(at.operand).get(place).op("i32.add").set(next);
      w.get(at.result).get(place).op("i32.add").set(target);
      scan(frame, walk, columns);
    });
  increase(w, at.turn, rows);
  for (const [address, step] of [
    [at.operand, at.operandStep],
    [at.result, at.resultStep],
  ] as const)
    w.get(rows).get(step).op("i32.mul").get(address).op("i32.add").set(address);
}

/** The first block goes on from the start, and no carry is needed. There may be no rows. */
function scanFirst({ w, at }: ScanFrame, walk: Walk, columns: Columns): void {
  const { carry, next, target, rows, row, place } = walk;
  w.get(at.before).get(place).op("i32.add").set(carry).i32(0).set(row);
  columns.takeStart();
  repeat(w, row, rows, 1, () => {
    columns.addRow();
    columns.store();
    increase(w, next, at.operandStep);
    increase(w, target, at.resultStep);
  });
}

function scanFurther({ w, at }: ScanFrame, walk: Walk, columns: Columns): void {
  const { carry, next, target, rows, row } = walk;
  w.get(target).get(at.resultStep).op("i32.sub").set(carry).i32(1).set(row);
  columns.takeCarry();
  columns.takeRow();
  columns.storeWithCarry();
  repeat(w, row, rows, 1, () => {
    increase(w, next, at.operandStep);
    increase(w, target, at.resultStep);
    columns.addRow();
    columns.storeWithCarry();
  });
}
