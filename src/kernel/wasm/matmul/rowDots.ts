// A matrix whose rows are contiguous times a vector: every row's dot product with it, at the speed at which the
// matrix comes from memory. Units are `unitRows` rows. The vector is copied to scratch, block by block, so that its
// stride does not matter. Sums are kept in the lanes of one vector a row.

import type { FunctionWriter, Local } from "../assembler.ts";
import { moduleOf, type RunArguments, SCRATCH } from "../module.ts";
import type { Family } from "./family.ts";
import { addProduct, sumLanes } from "./laneArithmetic.ts";
import { advance, place, pushMin, readWords, upTo } from "./productLoops.ts";

/** Those of rows, and of columns. */
export const VECTOR_WORDS = [
  "a",
  /** From row to row, or from column to column where columns are contiguous. */
  "stride",
  "x",
  "xStride",
  "y",
  "yStride",
  "rows",
  "depth",
  "unitRows",
] as const;

export type VectorLocals = { readonly [name in (typeof VECTOR_WORDS)[number]]: Local };

/** Rows at a time: their sums do not wait for each other, and share what is read of the vector. */
const TOGETHER = 4;
/** Elements of the vector in the first cache. */
const BLOCK = 2048;

export const rowDotsModule = (family: Family, isShared: boolean): Uint8Array<ArrayBuffer> =>
  moduleOf(isShared, (w, run) => new RowDotsWriter(w, run, family).write());

class RowDotsWriter {
  readonly #w: FunctionWriter;
  readonly #run: RunArguments;
  readonly #family: Family;
  readonly #words: VectorLocals;
  /** The block of depth under way: where it starts, how long it is. */
  readonly #start: Local;
  readonly #depth: Local;
  /** Its part of the vector, and where that ends: in whole vectors, and at all. */
  readonly #x: Local;
  readonly #vectorEnd: Local;
  readonly #xEnd: Local;

  constructor(w: FunctionWriter, run: RunArguments, family: Family) {
    const i32 = (): Local => w.local("i32");
    this.#w = w;
    this.#run = run;
    this.#family = family;
    this.#words = readWords(w, run.parameters, VECTOR_WORDS);
    [this.#start, this.#depth, this.#x, this.#vectorEnd, this.#xEnd] = [i32(), i32(), i32(), i32(), i32()];
  }

  /** All units are one run of rows. */
  write(): void {
    const w = this.#w;
    const { unitRows, rows, depth } = this.#words;
    const { from, to } = this.#run;
    const [first, end] = [w.local("i32"), w.local("i32")];
    w.get(from).get(unitRows).op("i32.mul").set(first);
    w.get(to).get(unitRows).op("i32.mul").set(end);
    pushMin(w, end, rows).set(end);
    w.i32(0).set(this.#start);
    w.loop((again) => {
      this.#copyVector();
      this.#rows(first, end);
      advance(w, this.#start, BLOCK);
      w.get(this.#start).get(depth).op("i32.lt_u").branchIf(again);
    });
  }

  #copyVector(): void {
    const w = this.#w;
    const { x, xStride, depth } = this.#words;
    const { laneBytes, load, store } = this.#family;
    const [from, to] = [w.local("i32"), w.local("i32")];
    w.get(depth).get(this.#start).op("i32.sub").set(this.#depth);
    pushMin(w, this.#depth, BLOCK).set(this.#depth);
    w.global(SCRATCH).tee(this.#x).set(to);
    place(w, this.#xEnd, this.#x, this.#depth, laneBytes);
    w.get(this.#depth)
      .i32(-16 / laneBytes)
      .op("i32.and")
      .i32(laneBytes)
      .op("i32.mul");
    w.get(this.#x).op("i32.add").set(this.#vectorEnd);
    place(w, from, x, this.#start, xStride);
    upTo(w, to, this.#xEnd, laneBytes, () => {
      w.get(to).get(from).memory(load).memory(store);
      advance(w, from, xStride);
    });
  }

  #rows(first: Local, end: Local): void {
    const w = this.#w;
    const { a, stride } = this.#words;
    const [row, last, at] = [w.local("i32"), w.local("i32"), w.local("i32")];
    const addresses = Array.from({ length: TOGETHER }, () => w.local("i32"));
    w.get(end).i32(1).op("i32.sub").set(last).get(first).set(row);
    upTo(w, row, end, TOGETHER, () => {
      // Behind the last row it is read again, and nothing is stored.
      addresses.forEach((address, k) => {
        w.get(row).i32(k).op("i32.add").set(at);
        pushMin(w, at, last).set(at);
        place(w, address, a, at, stride);
        place(w, address, address, this.#start, this.#family.laneBytes);
      });
      this.#dots(addresses).forEach((sum, k) => this.#store(sum, row, k, end));
    });
  }

  #dots(addresses: readonly Local[]): Local[] {
    const w = this.#w;
    const { scalar, load, laneBytes } = this.#family;
    const [at, x, left] = [w.local("i32"), w.local("v128"), w.local("v128")];
    const vectors = addresses.map(() => w.local("v128"));
    for (const sum of vectors) w.i32(0).op("i32x4.splat").set(sum);
    w.get(this.#x).set(at);
    this.#along(at, this.#vectorEnd, 16, addresses, () => {
      w.get(at).memory("v128.load").set(x);
      addresses.forEach((address, k) => {
        w.get(address).memory("v128.load").set(left);
        addProduct(w, this.#family, vectors[k]!, left, x);
      });
    });
    const sums = vectors.map((vector) => sumLanes(w, this.#family, vector));
    this.#along(at, this.#xEnd, laneBytes, addresses, () =>
      addresses.forEach((address, k) => {
        w.get(sums[k]!).get(address).memory(load).get(at).memory(load);
        w.op(`${scalar}.mul`).op(`${scalar}.add`).set(sums[k]!);
      }),
    );
    return sums;
  }

  /** The rows move with the vector. */
  #along(at: Local, end: Local, step: number, addresses: readonly Local[], body: () => void): void {
    upTo(this.#w, at, end, step, () => {
      body();
      for (const address of addresses) advance(this.#w, address, step);
    });
  }

  #store(sum: Local, row: Local, ahead: number, end: Local): void {
    const w = this.#w;
    const { y, yStride } = this.#words;
    const { scalar, load, store } = this.#family;
    const at = w.local("i32");
    w.get(row)
      .i32(ahead)
      .op("i32.add")
      .tee(at)
      .get(end)
      .op("i32.lt_u")
      .when(() => {
        place(w, at, y, at, yStride);
        w.get(this.#start).when(() => w.get(at).memory(load).get(sum).op(`${scalar}.add`).set(sum));
        w.get(at).get(sum).memory(store);
      });
  }
}

// A matrix whose columns are contiguous times a vector: the sum of its columns, each times an element of the
// vector, at the speed at which the matrix comes from memory. Units are `unitRows` rows (at most COLUMN_ROWS), whose
// sums stay in scratch while columns go by, several at a time.

/** Sums that stay in the first cache. */
export const COLUMN_ROWS = 1024;

export const columnSumsModule = (family: Family, isShared: boolean): Uint8Array<ArrayBuffer> =>
  moduleOf(isShared, (w, run) => new ColumnSumsWriter(w, run, family).write());

class ColumnSumsWriter {
  readonly #w: FunctionWriter;
  readonly #run: RunArguments;
  readonly #family: Family;
  readonly #words: VectorLocals;
  readonly #sums: Local;
  /** Where they end: in whole vectors, and at all. */
  readonly #vectorEnd: Local;
  readonly #sumsEnd: Local;

  constructor(w: FunctionWriter, run: RunArguments, family: Family) {
    this.#w = w;
    this.#run = run;
    this.#family = family;
    this.#words = readWords(w, run.parameters, VECTOR_WORDS);
    [this.#sums, this.#vectorEnd, this.#sumsEnd] = [w.local("i32"), w.local("i32"), w.local("i32")];
  }

  write(): void {
    const w = this.#w;
    const { from, to } = this.#run;
    const first = w.local("i32");
    w.global(SCRATCH).set(this.#sums);
    upTo(w, from, to, 1, () => {
      w.get(from).get(this.#words.unitRows).op("i32.mul").set(first);
      this.#clear(first);
      this.#columns(first);
      this.#store(first);
    });
  }

  #clear(first: Local): void {
    const w = this.#w;
    const { rows, unitRows } = this.#words;
    const { laneBytes } = this.#family;
    const [count, at] = [w.local("i32"), w.local("i32")];
    w.get(rows).get(first).op("i32.sub").set(count);
    pushMin(w, count, unitRows).set(count);
    place(w, this.#sumsEnd, this.#sums, count, laneBytes);
    w.get(count)
      .i32(-16 / laneBytes)
      .op("i32.and")
      .i32(laneBytes)
      .op("i32.mul");
    w.get(this.#sums).op("i32.add").set(this.#vectorEnd).get(this.#sums).set(at);
    upTo(w, at, this.#sumsEnd, 16, () => w.get(at).i32(0).op("i32x4.splat").memory("v128.store"));
  }

  /** Several at a time, then what is left one by one. */
  #columns(first: Local): void {
    const w = this.#w;
    const { depth, a } = this.#words;
    const [column, end, start] = [w.local("i32"), w.local("i32"), w.local("i32")];
    place(w, start, a, first, this.#family.laneBytes);
    w.i32(0).set(column).get(depth).i32(-TOGETHER).op("i32.and").set(end);
    upTo(w, column, end, TOGETHER, () => this.#addColumns(start, column, TOGETHER));
    upTo(w, column, depth, 1, () => this.#addColumns(start, column, 1));
  }

  #addColumns(start: Local, column: Local, count: number): void {
    const w = this.#w;
    const { x, xStride, stride } = this.#words;
    const { laneBytes, load, scalar, lanes } = this.#family;
    const [at, index] = [w.local("i32"), w.local("i32")];
    const columns = Array.from({ length: count }, (_, k) => {
      const [address, value, splat] = [w.local("i32"), w.local(scalar), w.local("v128")];
      w.get(column).i32(k).op("i32.add").set(index);
      place(w, address, x, index, xStride);
      w.get(address).memory(load).tee(value).op(`${lanes}.splat`).set(splat);
      place(w, address, start, index, stride);
      return { address, value, splat };
    });
    w.get(this.#sums).set(at);
    const along = (end: Local, step: number, body: () => void): void =>
      upTo(w, at, end, step, () => {
        body();
        for (const { address } of columns) advance(w, address, step);
      });
    along(this.#vectorEnd, 16, () => this.#addVectors(at, columns));
    along(this.#sumsEnd, laneBytes, () => this.#addElements(at, columns));
  }

  #addVectors(at: Local, columns: readonly { address: Local; splat: Local }[]): void {
    const w = this.#w;
    const [sum, vector] = [w.local("v128"), w.local("v128")];
    w.get(at).memory("v128.load").set(sum);
    for (const { address, splat } of columns) {
      w.get(address).memory("v128.load").set(vector);
      addProduct(w, this.#family, sum, vector, splat);
    }
    w.get(at).get(sum).memory("v128.store");
  }

  #addElements(at: Local, columns: readonly { address: Local; value: Local }[]): void {
    const w = this.#w;
    const { scalar, load, store } = this.#family;
    w.get(at).get(at).memory(load);
    for (const { address, value } of columns)
      w.get(address).memory(load).get(value).op(`${scalar}.mul`).op(`${scalar}.add`);
    w.memory(store);
  }

  #store(first: Local): void {
    const w = this.#w;
    const { y, yStride } = this.#words;
    const { load, store, laneBytes } = this.#family;
    const [from, to] = [w.local("i32"), w.local("i32")];
    place(w, to, y, first, yStride);
    w.get(this.#sums).set(from);
    upTo(w, from, this.#sumsEnd, laneBytes, () => {
      w.get(to).get(from).memory(load).memory(store);
      advance(w, to, yStride);
    });
  }
}
