// Merging sorted runs as a WebAssembly module: a unit is a piece, cut so that it is merged by itself. In: a dtype, and whether elements
// or the places beside them are asked for. Out: bytes. Runs are merged two by two, from one of two buffers in the thread's scratch into
// the other; what the last two come to goes to the output. Two runs are merged from both ends at once, without a branch that nobody
// could foresee: neither step waits for the other, and as many can be taken as the shorter run has elements without looking at
// the ends.
// Must hold: no NaN among the elements; a piece has no more than `MOST_IN_PIECE`; of equal elements those of the first run go first.

import { infoOf, isFloat, kindOf, type RealDType } from "../../../core/dtype.ts";
import type { FunctionWriter, Local } from "../assembler.ts";
import { increase, moduleOf, type RunArguments, repeat, SCRATCH, SCRATCH_BYTES, setMin } from "../module.ts";

/** Two buffers of elements and two of places are in a thread's scratch. */
export const MOST_IN_PIECE: number = SCRATCH_BYTES / 2 / (8 + 8);

/** The parameters: where a row's elements and their places lie, the output, the table, and the bytes of an entry of it. */
export const MERGE_WORDS = ["values", "places", "output", "table", "entryBytes"] as const;

/**
 * An entry: how many runs; the first element of the output; how many of the piece are before it, how many are asked for, and whether these
 * are all; then for every run, and one more that is empty, its address and how many elements it has.
 */
export const ENTRY_WORDS = 5;
export const RUN_WORDS = 2;

/** What is asked for. */
export type MergeKind = "values" | "places";

const NAMES = [
  "entry", "runs", "isDirect", "fromValues", "fromPlaces", "toValues", "toPlaces", "otherValues", "otherPlaces",
  "a", "aEnd", "b", "bEnd", "out", "outEnd", "place", "placeEnd", "nextOut", "nextPlace",
  "read", "write", "pair", "pairs", "left", "lengthA", "lengthB", "source", "step",
] as const; // biome-ignore format: a list

interface Merge {
  readonly w: FunctionWriter;
  readonly run: RunArguments;
  readonly at: { readonly [N in (typeof NAMES)[number] | (typeof MERGE_WORDS)[number]]: Local };
  readonly hasPlaces: boolean;
  readonly bytes: number;
  readonly shift: number;
  /** Loads what is compared; loads and stores what is moved. */
  readonly compared: string;
  readonly load: string;
  readonly store: string;
  /** Whether the first of two goes before the second and is not equal. */
  readonly before: string;
}

export function mergeModule(
  isShared: boolean,
  kind: MergeKind,
  dtype: RealDType,
  descending: boolean,
): Uint8Array<ArrayBuffer> {
  return moduleOf(isShared, (w, run) => {
    const at = Object.fromEntries([...NAMES, ...MERGE_WORDS].map((name) => [name, w.local("i32")]));
    const { bytes } = infoOf(dtype);
    writeMerge({
      ...{ w, run, at: at as Merge["at"], hasPlaces: kind === "places", bytes, shift: Math.log2(bytes) },
      ...instructions(dtype, descending),
    });
  });
}

function instructions(
  dtype: RealDType,
  descending: boolean,
): Pick<Merge, "compared" | "load" | "store" | "before"> {
  const { bytes } = infoOf(dtype);
  const type = bytes === 8 ? "i64" : "i32";
  const width = bytes < 4 ? String(8 * bytes) : "";
  const sign = kindOf(dtype) === "int" ? "_s" : "_u";
  const [load, store] = [`${type}.load${width}${width === "" ? "" : sign}`, `${type}.store${width}`];
  const than = descending ? "gt" : "lt";
  if (!isFloat(dtype)) return { compared: load, load, store, before: `${type}.${than}${sign}` };
  const float = bytes === 8 ? "f64" : "f32";
  return { compared: `${float}.load`, load, store, before: `${float}.${than}` };
}

function writeMerge(merge: Merge): void {
  const { w, at, run } = merge;
  MERGE_WORDS.forEach((word, number) =>
    w
      .get(run.parameters)
      .memory("i32.load", 4 * number)
      .set(at[word]),
  );
  repeat(w, run.from, run.to, 1, () => {
    w.get(run.from).get(at.entryBytes).op("i32.mul").get(at.table).op("i32.add").tee(at.entry);
    w.memory("i32.load").set(at.runs);
    w.get(at.values).set(at.fromValues).get(at.places).set(at.fromPlaces);
    buffers(merge);
    levels(merge);
  });
}

/** Where levels write to in turn. */
function buffers({ w, at, bytes }: Merge): void {
  const into = (local: Local, behind: number): void => {
    w.global(SCRATCH).i32(behind).op("i32.add").set(local);
  };
  into(at.toValues, 0);
  into(at.otherValues, MOST_IN_PIECE * bytes);
  into(at.toPlaces, 2 * MOST_IN_PIECE * bytes);
  into(at.otherPlaces, MOST_IN_PIECE * (2 * bytes + 8));
}

/** Two runs become one, again and again, until one is left. */
function levels(merge: Merge): void {
  const { w, at } = merge;
  w.loop((again) => {
    // The last level writes what is wanted as a whole where it belongs.
    w.get(at.runs).i32(2).op("i32.le_u").get(at.entry).memory("i32.load", 16).op("i32.and").set(at.isDirect);
    w.get(at.toValues).set(at.nextOut).get(at.toPlaces).set(at.nextPlace);
    w.get(at.isDirect);
    w.when(() => {
      pushTarget(merge);
      w.set(merge.hasPlaces ? at.nextPlace : at.nextOut);
    });
    oneLevel(merge);
    w.get(at.runs).i32(2).op("i32.gt_u");
    w.when(() => {
      nextLevel(merge);
      w.branch(again);
    });
  });
  w.get(at.isDirect).op("i32.eqz");
  w.when(() => {
    const unit = merge.hasPlaces ? 8 : merge.bytes;
    const inUnits = (word: number): FunctionWriter =>
      w
        .get(at.entry)
        .memory("i32.load", 4 * word)
        .i32(unit)
        .op("i32.mul");
    pushTarget(merge);
    inUnits(2)
      .get(merge.hasPlaces ? at.toPlaces : at.toValues)
      .op("i32.add");
    inUnits(3).op("memory.copy", 0, 0);
  });
}

/** The address of the output's first element. */
function pushTarget({ w, at, bytes, hasPlaces }: Merge): void {
  w.get(at.entry)
    .memory("i32.load", 4)
    .i32(hasPlaces ? 8 : bytes)
    .op("i32.mul");
  w.get(at.output).op("i32.add");
}

function nextLevel({ w, at }: Merge): void {
  w.get(at.runs).i32(1).op("i32.add").i32(1).op("i32.shr_u").set(at.runs);
  const swap = (from: Local, to: Local, other: Local): void => {
    w.get(to).set(from).get(other).set(to).get(from).set(other);
  };
  swap(at.fromValues, at.toValues, at.otherValues);
  swap(at.fromPlaces, at.toPlaces, at.otherPlaces);
}

/** The runs of a level, in pairs; one that is left over is merged with none. */
function oneLevel(merge: Merge): void {
  const { w, at, shift } = merge;
  w.get(at.entry)
    .i32(4 * ENTRY_WORDS)
    .op("i32.add")
    .tee(at.read)
    .set(at.write);
  w.get(at.runs).i32(1).op("i32.add").i32(1).op("i32.shr_u").set(at.pairs);
  w.i32(0).set(at.pair);
  repeat(w, at.pair, at.pairs, 1, () => {
    w.get(at.read).memory("i32.load").tee(at.a);
    w.get(at.read).memory("i32.load", 4).tee(at.lengthA).i32(shift).op("i32.shl").op("i32.add").set(at.aEnd);
    w.get(at.read).memory("i32.load", 8).tee(at.b);
    w.get(at.read).memory("i32.load", 12).tee(at.lengthB).i32(shift).op("i32.shl").op("i32.add").set(at.bEnd);
    w.get(at.lengthA).get(at.lengthB).op("i32.add").set(at.lengthA);
    w.get(at.write).get(at.nextOut).memory("i32.store");
    w.get(at.write).get(at.lengthA).memory("i32.store", 4);
    w.get(at.nextOut).set(at.out).get(at.nextPlace).set(at.place);
    w.get(at.lengthA).i32(shift).op("i32.shl").get(at.out).op("i32.add").tee(at.outEnd).set(at.nextOut);
    w.get(at.lengthA).i32(3).op("i32.shl").get(at.place).op("i32.add").tee(at.placeEnd).set(at.nextPlace);
    mergeTwo(merge);
    increase(w, at.read, 8 * RUN_WORDS);
    increase(w, at.write, 4 * RUN_WORDS);
  });
  // None behind the last.
  w.get(at.write).i32(0).memory("i32.store", 4);
}

function mergeTwo(merge: Merge): void {
  const { w, at } = merge;
  w.block((done) => {
    w.loop((again) => {
      const length = (end: Local, begin: Local) => (): void => {
        w.get(end).get(begin).op("i32.sub").i32(merge.shift).op("i32.shr_u");
      };
      setMin(w, at.left, length(at.aEnd, at.a), length(at.bEnd, at.b));
      w.get(at.left).i32(1).op("i32.shr_u").tee(at.left).op("i32.eqz").branchIf(done);
      moveEnds(merge, -1);
      w.loop((next) => {
        stepForward(merge);
        stepBackward(merge);
        w.get(at.left).i32(1).op("i32.sub").tee(at.left).branchIf(next);
      });
      moveEnds(merge, 1);
      w.branch(again);
    });
  });
  w.block((done) => {
    w.loop((again) => {
      w.get(at.a).get(at.aEnd).op("i32.eq").get(at.b).get(at.bEnd).op("i32.eq").op("i32.or").branchIf(done);
      stepForward(merge);
      w.branch(again);
    });
  });
  copyRest(merge, at.a, at.aEnd);
  copyRest(merge, at.b, at.bEnd);
}

/** From behind the last elements to these, or back. */
function moveEnds({ w, at, bytes, hasPlaces }: Merge, by: 1 | -1): void {
  for (const end of [at.aEnd, at.bEnd, at.outEnd]) increase(w, end, by * bytes);
  if (hasPlaces) increase(w, at.placeEnd, 8 * by);
}

/** The lesser of the first two; of equal ones that of a. */
function stepForward(merge: Merge): void {
  const { w, at, bytes, hasPlaces } = merge;
  pushGoesFirst(merge, at.b, at.a);
  w.set(at.step).get(at.b).get(at.a).get(at.step).select("i32").set(at.source);
  moveSource(merge, at.out, at.place);
  w.get(at.step).i32(merge.shift).op("i32.shl").tee(at.step).get(at.b).op("i32.add").set(at.b);
  w.get(at.a).i32(bytes).op("i32.add").get(at.step).op("i32.sub").set(at.a);
  increase(w, at.out, bytes);
  if (hasPlaces) increase(w, at.place, 8);
}

/** The greater of the last two; of equal ones that of b. */
function stepBackward(merge: Merge): void {
  const { w, at, bytes, hasPlaces } = merge;
  pushGoesFirst(merge, at.bEnd, at.aEnd);
  w.set(at.step).get(at.aEnd).get(at.bEnd).get(at.step).select("i32").set(at.source);
  moveSource(merge, at.outEnd, at.placeEnd);
  w.get(at.aEnd).get(at.step).i32(merge.shift).op("i32.shl").tee(at.step).op("i32.sub").set(at.aEnd);
  w.get(at.bEnd).i32(bytes).op("i32.sub").get(at.step).op("i32.add").set(at.bEnd);
  increase(w, at.outEnd, -bytes);
  if (hasPlaces) increase(w, at.placeEnd, -8);
}

function pushGoesFirst({ w, compared, before }: Merge, x: Local, y: Local): void {
  w.get(x).memory(compared).get(y).memory(compared).op(before);
}

function moveSource(merge: Merge, out: Local, place: Local): void {
  const { w, at, load, store } = merge;
  w.get(out).get(at.source).memory(load).memory(store);
  if (!merge.hasPlaces) return;
  w.get(place);
  pushPlaceOf(merge, at.source);
  w.memory("i64.load").memory("i64.store");
}

/** Where the place of the element at an address lies. */
function pushPlaceOf({ w, at, shift }: Merge, element: Local): void {
  w.get(element).get(at.fromValues).op("i32.sub");
  if (shift < 3) w.i32(3 - shift).op("i32.shl");
  w.get(at.fromPlaces).op("i32.add");
}

/** What one of two has left when the other has nothing. */
function copyRest(merge: Merge, begin: Local, end: Local): void {
  const { w, at, shift } = merge;
  w.get(begin).get(end).op("i32.ne");
  w.when(() => {
    w.get(end).get(begin).op("i32.sub").set(at.left);
    w.get(at.out).get(begin).get(at.left).op("memory.copy", 0, 0);
    if (!merge.hasPlaces) return;
    w.get(at.place);
    pushPlaceOf(merge, begin);
    w.get(at.left);
    if (shift < 3) w.i32(3 - shift).op("i32.shl");
    w.op("memory.copy", 0, 0);
  });
}
