// A matrix whose columns are contiguous times a vector: the sum of its columns, each times an element of the
// vector, at the speed at which the matrix comes from memory. Units are `unitRows` rows (at most COLUMN_ROWS), whose
// sums stay in scratch while columns go by, several at a time.

import type { FunctionWriter, Local } from "../assembler.ts";
import { moduleOf, type RunArguments, SCRATCH } from "../module.ts";
import type { Family } from "./family.ts";
import { addProduct } from "./laneArithmetic.ts";
import { advance, place, pushMin, readWords, upTo } from "./productLoops.ts";
import { VECTOR_WORDS, type VectorLocals } from "./rowDots.ts";

/** Sums that stay in the first cache. */
export const COLUMN_ROWS = 1024;
const TOGETHER = 4;

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
