// Sums of windows along an axis as a kernel, in float64: a unit is a bundle of lines that lie beside one another, or a part of them. In:
// nothing. Out: a module. The same bits as routines/windowSums.ts, which says how windows are cut.

import type { FunctionWriter, Local } from "./assembler.ts";
import { increase, moduleOf, type RunArguments, repeat } from "./module.ts";
import { moveToRow } from "./rowPlace.ts";

/**
 * The parameters' words; then the axes of units, with the strides of input and output. `lines` lie beside one another, steps lead along
 * them; `phase` is the first place's number in the whole array, modulo the length.
 */
export const SUM_WORDS = [
  "input",
  "output",
  "lines",
  "windows",
  "length",
  "phase",
  "inStep",
  "outStep",
] as const;

const LOCALS = ["from", "to", "cut", "i", "read", "write", "end"] as const;

type Words = { readonly [N in (typeof SUM_WORDS)[number] | (typeof LOCALS)[number]]: Local };

/** Lines that go together, as so many vectors; or one alone. */
interface Tile {
  readonly w: FunctionWriter;
  readonly words: Words;
  readonly sums: readonly Local[];
  readonly isWhole: boolean;
}

export const windowSumModule = (isShared: boolean): Uint8Array<ArrayBuffer> => moduleOf(isShared, writeUnits);

function writeUnits(w: FunctionWriter, { parameters, from, to }: RunArguments): void {
  const words = Object.fromEntries(
    [...SUM_WORDS, ...LOCALS].map((word) => [word, w.local("i32")]),
  ) as unknown as Words;
  const [number, line] = [w.local("i32"), w.local("i32")];
  repeat(w, from, to, 1, () => {
    SUM_WORDS.forEach((word, n) =>
      w
        .get(parameters)
        .memory("i32.load", 4 * n)
        .set(words[word]),
    );
    w.get(from).set(number);
    moveToRow(w, parameters, 4 * SUM_WORDS.length, number, [words.input, words.output]);
    w.i32(0).set(line);
    for (const [vectors, isWhole] of [
      [4, true],
      [1, true],
      [1, false],
    ] as const) {
      const step = isWhole ? 2 * vectors : 1;
      repeat(w, line, words.lines, step, () => {
        const sums = Array.from({ length: vectors }, () => w.local("v128"));
        writeGroups({ w, words, sums, isWhole });
        increase(w, words.input, 8 * step);
        increase(w, words.output, 8 * step);
      });
    }
  });
}

/** Windows that begin at `from` up to `to`, and all of which have the place `cut`. */
function writeGroups(tile: Tile): void {
  const { w, words } = tile;
  const { from, to, cut, windows, length, phase } = words;
  w.i32(0).set(from);
  w.block((end) => {
    w.loop((again) => {
      w.get(from).get(windows).op("i32.ge_u").branchIf(end);
      w.get(phase).get(from).op("i32.add").get(length).op("i32.add").i32(1).op("i32.sub");
      w.get(length).op("i32.div_u").get(length).op("i32.mul").get(phase).op("i32.sub").set(cut);
      // Behind the last window of the group.
      w.get(cut).i32(1).op("i32.add").get(windows);
      w.get(cut).i32(1).op("i32.add").get(windows).op("i32.lt_u").select("i32").set(to);
      writeTails(tile);
      writeHeads(tile);
      w.get(to).set(from);
      w.branch(again);
    });
  });
}

/** Sums from the cut back, stored where windows begin. */
function writeTails(tile: Tile): void {
  const { w, words } = tile;
  const { i, from, to, cut, read, write, inStep, outStep } = words;
  clear(tile);
  w.get(cut).set(i);
  setPlace(w, read, words.input, i, inStep);
  const back = (limit: Local, isStored: boolean): void => {
    w.block((end) => {
      w.loop((again) => {
        w.get(i).get(limit).op("i32.le_s").branchIf(end);
        increase(w, i, -1);
        w.get(read).get(inStep).op("i32.sub").set(read);
        add(tile);
        if (isStored) {
          w.get(write).get(outStep).op("i32.sub").set(write);
          tile.sums.forEach((sum, v) => store(tile, sum, v));
        }
        w.branch(again);
      });
    });
  };
  back(to, false);
  setPlace(w, write, words.output, i, outStep);
  back(from, true);
}

/** Sums from the cut on: what windows have behind it. A window that begins there has nothing before. */
function writeHeads(tile: Tile): void {
  const { w, words } = tile;
  const { i, from, to, cut, read, write, end: last, length, inStep, outStep } = words;
  clear(tile);
  w.get(cut).set(i);
  setPlace(w, read, words.input, i, inStep);
  w.get(from).get(length).op("i32.add").i32(1).op("i32.sub").set(last);
  const forth = (limit: Local, body: () => void): void => {
    w.block((end) => {
      w.loop((again) => {
        w.get(i).get(limit).op("i32.ge_s").branchIf(end);
        add(tile);
        body();
        w.get(read).get(inStep).op("i32.add").set(read);
        increase(w, i, 1);
        w.branch(again);
      });
    });
  };
  forth(last, () => undefined);
  w.get(from).set(i);
  setPlace(w, write, words.output, i, outStep);
  const next = (): void => {
    w.get(write).get(outStep).op("i32.add").set(write);
  };
  w.get(to).get(cut).get(to).get(cut).op("i32.lt_s").select("i32").set(last);
  const both = w.local("v128");
  forth(last, () => {
    tile.sums.forEach((sum, v) => {
      w.get(write);
      load(tile, v);
      w.get(sum).op("f64x2.add").set(both);
      store(tile, both, v);
    });
    next();
  });
  forth(to, () => {
    tile.sums.forEach((sum, v) => store(tile, sum, v));
    next();
  });
}

function clear({ w, sums }: Tile): void {
  for (const sum of sums) w.f64(0).op("f64x2.splat").set(sum);
}

/** place = base + number · step */
function setPlace(w: FunctionWriter, place: Local, base: Local, number: Local, step: Local): void {
  w.get(number).get(step).op("i32.mul").get(base).op("i32.add").set(place);
}

function add(tile: Tile): void {
  const { w, words, sums } = tile;
  sums.forEach((sum, v) => {
    w.get(words.read);
    load(tile, v);
    w.get(sum).op("f64x2.add").set(sum);
  });
}

const load = ({ w, isWhole }: Tile, v: number): void => {
  w.memory(isWhole ? "v128.load" : "v128.load64_zero", 16 * v);
};

function store({ w, words, isWhole }: Tile, value: Local, v: number): void {
  w.get(words.write).get(value);
  if (isWhole) w.memory("v128.store", 16 * v);
  else w.memory("v128.store64_lane", 16 * v, 0);
}
