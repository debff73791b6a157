// The micro-kernel: a tile of results held in registers while two panels are read to their end. In: the addresses
// of a panel of a and of one of b. Out: the tile's sums in locals, and ways to put them into c.
// The sums of complex numbers are two tiles, of real and of imaginary parts.

import type { FunctionWriter, Local } from "../assembler.ts";
import { columnsOf, type Family, isPlain, packedBytes } from "./family.ts";
import { addProduct } from "./laneArithmetic.ts";
import { advance, place, upTo } from "./productLoops.ts";

/** Where a tile goes. */
export interface TileTarget {
  readonly address: Local;
  readonly rowStride: Local;
  readonly columnStride: Local;
  /** How much of the tile is there; may be more than its size. */
  readonly rows: Local;
  readonly columns: Local;
  /** Not 0: add to what is there. */
  readonly isSum: Local;
  /** Bytes of this thread for a tile that is not stored as it is. */
  readonly spill: Local;
}

export const spillBytes = (family: Family): number => family.rows * columnsOf(family) * packedBytes(family);

export class Tile {
  readonly #w: FunctionWriter;
  readonly #family: Family;
  /** By part, row, vector. */
  readonly #results: readonly (readonly (readonly Local[])[])[];
  /** Of the products of every part of a with every part of b: they do not wait for each other. */
  readonly #sums: readonly (readonly (readonly Local[])[])[];
  readonly #left: readonly Local[];
  readonly #right: readonly (readonly Local[])[];

  constructor(w: FunctionWriter, family: Family) {
    const list = <T>(length: number, make: () => T): T[] => Array.from({ length }, make);
    const vectors = (): Local[] => list(family.vectors, () => w.local("v128"));
    this.#w = w;
    this.#family = family;
    this.#sums = list(family.parts ** 2, () => list(family.rows, vectors));
    this.#results = this.#sums.slice(0, family.parts);
    this.#left = list(family.parts, () => w.local("v128"));
    this.#right = list(family.parts, vectors);
  }

  /**
   * All sums over the panels' depth: `a` and `b` move, up to where a's panel ends. One depth a turn: the engine
   * reads ahead what several need, and then has no registers left for the sums.
   */
  multiply(a: Local, aEnd: Local, b: Local): void {
    const w = this.#w;
    const bytes = packedBytes(this.#family);
    for (const sum of this.#sums.flat(2)) w.i32(0).op("i32x4.splat").set(sum);
    upTo(w, a, aEnd, bytes * this.#family.rows, () => {
      this.#depth(a, b);
      advance(w, b, bytes * columnsOf(this.#family));
    });
    if (this.#family.parts === 2) this.#joinParts();
  }

  /** Adds the products of one depth. */
  #depth(a: Local, b: Local): void {
    const { rows, laneBytes, vectors } = this.#family;
    const w = this.#w;
    const splat = `v128.load${laneBytes * 8}_splat`;
    this.#right.flat().forEach((vector, at) => {
      w.get(b)
        .memory("v128.load", at * 16)
        .set(vector);
    });
    for (let row = 0; row < rows; row++) {
      this.#left.forEach((left, part) => {
        w.get(a)
          .memory(splat, (part * rows + row) * laneBytes)
          .set(left);
      });
      for (let vector = 0; vector < vectors; vector++) this.#products(row, vector);
    }
  }

  #products(row: number, vector: number): void {
    const { parts } = this.#family;
    this.#left.forEach((left, i) => {
      this.#right.forEach((right, j) => {
        addProduct(this.#w, this.#family, this.#sums[i * parts + j]![row]![vector]!, left, right[vector]!);
      });
    });
  }

  /** re·re − im·im and re·im + im·re */
  #joinParts(): void {
    const { lanes } = this.#family;
    const [reRe, reIm, imRe, imIm] = this.#sums.map((sums) => sums.flat());
    reRe!.forEach((sum, k) => {
      this.#w.get(sum).get(imIm![k]!).op(`${lanes}.sub`).set(sum);
      this.#w.get(reIm![k]!).get(imRe![k]!).op(`${lanes}.add`).set(reIm![k]!);
    });
  }

  /** Whole tiles of contiguous rows go as vectors, others element by element. */
  store(target: TileTarget): void {
    const w = this.#w;
    const { rows, elementBytes } = this.#family;
    const elements = (): void => this.#storeElements(target);
    if (!isPlain(this.#family) && this.#family.parts === 1) return elements();
    w.get(target.rows).i32(rows).op("i32.ge_u");
    w.get(target.columns).i32(columnsOf(this.#family)).op("i32.ge_u").op("i32.and");
    w.get(target.columnStride).i32(elementBytes).op("i32.eq").op("i32.and");
    w.either(() => this.#storeVectors(target), elements);
  }

  #storeVectors({ address, rowStride, isSum }: TileTarget): void {
    const w = this.#w;
    const { lanes, rows } = this.#family;
    const at = w.local("i32");
    const eachRow = (store: (vector: Local, offset: number) => void): void => {
      w.get(address).set(at);
      for (let row = 0; row < rows; row++) {
        this.#rowVectors(row).forEach((vector, k) => store(vector, 16 * k));
        if (row < rows - 1) advance(w, at, rowStride);
      }
    };
    if (this.#family.parts === 2) this.#interleave();
    w.get(isSum).when(() =>
      eachRow((vector, offset) =>
        w.get(at).memory("v128.load", offset).get(vector).op(`${lanes}.add`).set(vector),
      ),
    );
    eachRow((vector, offset) => w.get(at).get(vector).memory("v128.store", offset));
  }

  /** A row's vectors in the order of memory, once the parts are interleaved. */
  #rowVectors(row: number): Local[] {
    const [first, second] = this.#results.map((part) => part[row]!);
    return first!.flatMap((vector, k) => (second === undefined ? [vector] : [vector, second[k]!]));
  }

  /** Real and imaginary vectors become vectors of pairs. */
  #interleave(): void {
    const w = this.#w;
    const low = w.local("v128");
    const [re, im] = this.#results.map((part) => part.flat());
    re!.forEach((real, k) => {
      w.get(real).get(im![k]!).shuffle(pairLanes(this.#family.laneBytes, 0)).set(low);
      w.get(real).get(im![k]!).shuffle(pairLanes(this.#family.laneBytes, 8)).set(im![k]!);
      w.get(low).set(real);
    });
  }

  #storeElements(target: TileTarget): void {
    const w = this.#w;
    const { rows, vectors, parts, scalar, laneBytes } = this.#family;
    this.#results.flat(2).forEach((sum, at) =>
      w
        .get(target.spill)
        .get(sum)
        .memory("v128.store", 16 * at),
    );
    const [row, column, from, to] = [w.local("i32"), w.local("i32"), w.local("i32"), w.local("i32")];
    const [rowEnd, columnEnd] = [
      this.#limit(target.rows, rows),
      this.#limit(target.columns, columnsOf(this.#family)),
    ];
    w.i32(0).set(row);
    upTo(w, row, rowEnd, 1, () => {
      place(w, from, target.spill, row, vectors * 16);
      place(w, to, target.address, row, target.rowStride);
      w.i32(0).set(column);
      upTo(w, column, columnEnd, 1, () => {
        for (let part = 0; part < parts; part++)
          this.#storeElement(to, part, target.isSum, () =>
            w.get(from).memory(`${scalar}.load`, part * rows * vectors * 16),
          );
        advance(w, from, laneBytes);
        advance(w, to, target.columnStride);
      });
    });
  }

  #limit(count: Local, size: number): Local {
    const end = this.#w.local("i32");
    this.#w.get(count).i32(size).get(count).i32(size).op("i32.lt_u").select("i32").set(end);
    return end;
  }

  #storeElement(to: Local, part: number, isSum: Local, pushSum: () => void): void {
    const w = this.#w;
    const { load, store, scalar, partBytes } = this.#family;
    const value = w.local(scalar);
    pushSum();
    w.set(value);
    w.get(isSum).when(() =>
      w
        .get(to)
        .memory(load, part * partBytes)
        .get(value)
        .op(`${scalar}.add`)
        .set(value),
    );
    w.get(to)
      .get(value)
      .memory(store, part * partBytes);
  }
}

/** Bytes of the pairs from byte `first` of both vectors on. */
function pairLanes(laneBytes: number, first: number): number[] {
  const lane = (at: number): number[] => Array.from({ length: laneBytes }, (_, byte) => at + byte);
  const lanes: number[] = [];
  for (let at = first; at < first + 8; at += laneBytes) lanes.push(...lane(at), ...lane(16 + at));
  return lanes;
}
