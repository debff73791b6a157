// windowed as kernels: a unit is a row of the result, whose elements lie one after another, as do those of the array; windows are a table
// of distances in bytes, each with its weight, so that windows along any axes are the same code. In: what is asked of a window, dtypes.
// Out: a module. The same bits as routines/overWindows.ts.
// Must hold: a window's elements are read before its result is written, and none behind it is written before: so a pass may write into
// the array that it reads.

import type { FunctionWriter, Local } from "./assembler.ts";
import { increase, moduleOf, type RunArguments, repeat } from "./module.ts";
import { moveToRow } from "./rowPlace.ts";
import { exchangesFor } from "./sortingNetwork.ts";

/** The parameters' words; then the axes of rows, with the strides of input and output. */
export const WINDOW_WORDS = ["input", "output", "count", "table", "tableEnd"] as const;
/** Of the table: a distance, and a weight behind it. */
export const TAP_BYTES = 16;
/** More elements of a window than this are not sorted here. */
export const MOST_SORTED = 81;

type Words = { readonly [N in (typeof WINDOW_WORDS)[number]]: Local };
type Float = "float32" | "float64";

export interface WindowCode {
  readonly kind: "weights" | "min" | "max" | "sorted";
  readonly from: Float;
  readonly to: Float;
  /** Of the kind "sorted": how many elements a window has, and which of them are asked for: the mean of two, or one. */
  readonly size: number;
  readonly ranks: readonly number[];
}

export const codeText = ({ kind, from, to, size, ranks }: WindowCode): string =>
  `windowed ${kind} ${from} ${to}${kind === "sorted" ? ` ${size} ${ranks.join()}` : ""}`;

const bytesOf = (dtype: Float): 4 | 8 => (dtype === "float64" ? 8 : 4);

export const windowModule = (isShared: boolean, code: WindowCode): Uint8Array<ArrayBuffer> =>
  moduleOf(isShared, (w, run) => eachUnit(w, run, (words) => writeRow(w, code, words)));

function eachUnit(
  w: FunctionWriter,
  { parameters, from, to }: RunArguments,
  row: (words: Words) => void,
): void {
  const words = Object.fromEntries(WINDOW_WORDS.map((word) => [word, w.local("i32")])) as unknown as Words;
  const number = w.local("i32");
  repeat(w, from, to, 1, () => {
    WINDOW_WORDS.forEach((word, n) =>
      w
        .get(parameters)
        .memory("i32.load", 4 * n)
        .set(words[word]),
    );
    w.get(from).set(number);
    moveToRow(w, parameters, 4 * WINDOW_WORDS.length, number, [words.input, words.output]);
    row(words);
  });
}

/** Elements by the vector, several vectors at a time; then those that are left one by one. */
function writeRow(w: FunctionWriter, code: WindowCode, words: Words): void {
  const at = w.local("i32");
  w.i32(0).set(at);
  const lanes = lanesOf(code);
  const walk = (vectors: number, isWhole: boolean): void => {
    const step = isWhole ? vectors * lanes : 1;
    repeat(w, at, words.count, step, () => {
      w.reusing(() => writeTile(w, code, words, vectors, isWhole));
      increase(w, words.input, step * bytesOf(code.from));
      increase(w, words.output, step * bytesOf(code.to));
    });
  };
  if (code.kind !== "sorted") walk(8, true);
  walk(1, true);
  walk(1, false);
}

/** Sums are of float64. */
const isNarrow = ({ kind, from }: WindowCode): boolean => kind !== "weights" && from === "float32";
const lanesOf = (code: WindowCode): 2 | 4 => (isNarrow(code) ? 4 : 2);
const shapeOf = (code: WindowCode): "f32x4" | "f64x2" => (isNarrow(code) ? "f32x4" : "f64x2");

/** A vector of the elements at an address on the stack; one element where it is not whole. */
function load(w: FunctionWriter, code: WindowCode, offset: number, isWhole: boolean): void {
  const narrow = isNarrow(code);
  const bytes = isWhole ? (code.from === "float32" && !narrow ? 8 : 16) : bytesOf(code.from);
  w.memory(bytes === 16 ? "v128.load" : bytes === 8 ? "v128.load64_zero" : "v128.load32_zero", offset);
  if (code.from === "float32" && !narrow) w.op("f64x2.promote_low_f32x4");
}

/** Stores the vector, or its first element, at the output. */
function store(
  w: FunctionWriter,
  code: WindowCode,
  words: Words,
  value: Local,
  offset: number,
  isWhole: boolean,
): void {
  const isDemoted = code.to === "float32" && !isNarrow(code);
  w.get(words.output).get(value);
  if (isDemoted) w.op("f32x4.demote_f64x2_zero");
  const bytes = isWhole ? (isDemoted ? 8 : 16) : bytesOf(code.to);
  if (bytes === 16) w.memory("v128.store", offset);
  else w.memory(bytes === 8 ? "v128.store64_lane" : "v128.store32_lane", offset, 0);
}

function writeTile(
  w: FunctionWriter,
  code: WindowCode,
  words: Words,
  vectors: number,
  isWhole: boolean,
): void {
  if (code.kind === "sorted") return writeSorted(w, code, words, isWhole);
  const sums = Array.from({ length: vectors }, () => w.local("v128"));
  const [tap, source] = [w.local("i32"), w.local("i32")];
  const stepIn = lanesOf(code) * bytesOf(code.from);
  const stepOut = lanesOf(code) * bytesOf(code.to);
  const isSum = code.kind === "weights";
  w.get(words.table).set(tap);
  if (isSum) for (const sum of sums) w.f64(0).op("f64x2.splat").set(sum);
  else {
    setSource(w, words, tap, source);
    sums.forEach((sum, v) => {
      w.get(source);
      load(w, code, v * stepIn, isWhole);
      w.set(sum);
    });
    increase(w, tap, TAP_BYTES);
  }
  const weight = w.local("v128");
  w.block((end) => {
    w.loop((again) => {
      w.get(tap).get(words.tableEnd).op("i32.ge_u").branchIf(end);
      setSource(w, words, tap, source);
      if (isSum) w.get(tap).memory("v128.load64_splat", 8).set(weight);
      sums.forEach((sum, v) => {
        w.get(sum).get(source);
        load(w, code, v * stepIn, isWhole);
        if (isSum) w.get(weight).op("f64x2.mul").op("f64x2.add");
        else w.op(`${shapeOf(code)}.${code.kind}`);
        w.set(sum);
      });
      increase(w, tap, TAP_BYTES);
      w.branch(again);
    });
  });
  sums.forEach((sum, v) => store(w, code, words, sum, v * stepOut, isWhole));
}

/** source = input + the distance of a tap */
function setSource(w: FunctionWriter, words: Words, tap: Local, source: Local): void {
  w.get(tap).memory("i32.load").get(words.input).op("i32.add").set(source);
}

/** All elements of a window in locals, put in order as far as the ranks that are asked for need it. */
function writeSorted(w: FunctionWriter, code: WindowCode, words: Words, isWhole: boolean): void {
  const shape = shapeOf(code);
  const [nan, result, source, kept] = [w.local("v128"), w.local("v128"), w.local("i32"), w.local("v128")];
  const elements = Array.from({ length: code.size }, () => w.local("v128"));
  w.i64(0n).op("i64x2.splat").set(nan);
  elements.forEach((element, t) => {
    w.get(words.table)
      .memory("i32.load", TAP_BYTES * t)
      .get(words.input)
      .op("i32.add")
      .set(source);
    w.get(source);
    load(w, code, 0, isWhole);
    w.set(element);
    w.get(element).get(element).op(`${shape}.ne`).get(nan).op("v128.or").set(nan);
  });
  for (const [low, high] of exchangesFor(code.size, code.ranks)) {
    const [a, b] = [elements[low]!, elements[high]!];
    w.get(a).get(b).op(`${shape}.pmin`).set(kept);
    w.get(a).get(b).op(`${shape}.pmax`).set(b);
    w.get(kept).set(a);
  }
  writeMean(w, code, elements, result);
  if (shape === "f64x2") w.f64(Number.NaN).op("f64x2.splat");
  else w.f32(Number.NaN).op("f32x4.splat");
  w.get(result).get(nan).op("v128.bitselect").set(result);
  store(w, code, words, result, 0, isWhole);
}

/** The element of a rank, or the mean of two; + 0, so that there is one zero. */
function writeMean(w: FunctionWriter, code: WindowCode, elements: readonly Local[], result: Local): void {
  const shape = shapeOf(code);
  const zero = (): FunctionWriter =>
    shape === "f64x2" ? w.f64(0).op("f64x2.splat") : w.f32(0).op("f32x4.splat");
  const [low, high] = code.ranks.map((rank) => elements[rank]!) as [Local, Local | undefined];
  if (high === undefined) {
    w.get(low);
    zero().op(`${shape}.add`).set(result);
    return;
  }
  const two = w.local("v128");
  (shape === "f64x2" ? w.f64(2).op("f64x2.splat") : w.f32(2).op("f32x4.splat")).set(two);
  w.get(low);
  zero().op(`${shape}.add`);
  w.get(low).get(high).op(`${shape}.add`).get(two).op(`${shape}.div`);
  zero().op(`${shape}.add`);
  w.get(low).get(high).op(`${shape}.eq`).op("v128.bitselect").set(result);
}
