// binCounts as a kernel, for bins of one width and floats. In: a routine's call. Out: true, with the counts written; false where the
// routine itself has to do it.
// Must hold: the same counts as the routine. Where an element lies so far from both edges of a bin that no rounding of its place,
// or of the edges, can matter, that is its bin; of others the edges are looked at.

import { type Block, isContiguous } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import { infoOf } from "../../core/dtype.ts";
import type { RoutineCall } from "../routine.ts";
import { checkOrder, countedBlocks, countTables } from "../routines/bins.ts";
import { copyElements, fromContiguous, toContiguous } from "../routines/stridedWalk.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import { withBuffer, workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";
import { increase, moduleOf, type RunArguments, repeat } from "./module.ts";

/** Neighbours are counted in tables of their own, so that equal ones need not wait for each other. */
const TABLES = 2;
/** Elements of a unit, which has counts of its own. */
const PART = 32_768;
/** What lies before all bins is counted there, too, and what lies behind. */
const OUTSIDE = 2;

export function runBinCounts(machine: WasmMachine, call: RoutineCall, threads: number): boolean {
  const { inputs, attrs } = call;
  const [x, edges] = inputs;
  if (attrs["uniform"] !== true || (x!.dtype !== "float64" && x!.dtype !== "float32")) return false;
  const list = Float64Array.from(toContiguous(edges!) as Float64Array);
  checkOrder(list, false);
  const isNarrow = x!.dtype === "float64" && fitsNarrow(list);
  const limit = certain(list, isNarrow ? NARROW_ERROR : WIDE_ERROR);
  for (const [block, output] of countedBlocks(call))
    if (!countAny(machine, block, output, { list, limit, isNarrow }, threads)) return false;
  return true;
}

/** A block that is a part of another is copied first. */
function countAny(machine: WasmMachine, x: Block, output: Block, edges: Edges, threads: number): boolean {
  if (isContiguous(x)) return countBlock(machine, x, output, edges, threads);
  const copy = machine.memory.takeBlock(x.dtype, x.shape);
  if (copy === null) return false;
  try {
    copyElements(x, copy);
    return countBlock(machine, copy, output, edges, threads);
  } finally {
    machine.memory.giveBlock(copy);
  }
}

interface Edges {
  readonly list: Float64Array;
  /** Elements nearer than this to the middle of a bin, in widths, are certainly in it; below 0: none are. */
  readonly limit: number;
  /** Places are looked for in single precision, four at a time. */
  readonly isNarrow: boolean;
}

/** What a place may be off by rounding, for each bin that there is, with much to spare: some roundings of 2⁻⁵³, or of 2⁻²⁴. */
const WIDE_ERROR = 2 ** -48;
const NARROW_ERROR = 2 ** -20;
/** With so many bins few elements are near enough to an edge for that to matter. */
const MOST_NARROW = 4096;

/** Differences of elements and bins per unit are within the range of single precision. */
function fitsNarrow(edges: Float64Array): boolean {
  const range = edges.at(-1)! - edges[0]!;
  return edges.length - 1 <= MOST_NARROW && range > 2 ** -100 && range < 2 ** 100;
}

/** Half a width, less what edges are off from where they should be, and what a place may be off by rounding. */
function certain(edges: Float64Array, error: number): number {
  const bins = edges.length - 1;
  const perUnit = bins / (edges[bins]! - edges[0]!);
  let off = 0;
  for (let i = 0; i <= bins; i++) off = Math.max(off, Math.abs((edges[i]! - edges[0]!) * perUnit - i));
  const limit = 0.5 - off - bins * error;
  return limit > 0.25 ? limit : -1;
}

function countBlock(
  { memory, kernels, jobs }: WasmMachine,
  x: Block,
  output: Block,
  { list, limit, isNarrow }: Edges,
  threads: number,
): boolean {
  const bins = list.length - 1;
  const count = sizeOf(x.shape);
  const most = Math.floor(countTables(bins) / TABLES);
  const parts = Math.max(1, Math.min(most, Math.ceil(count / PART)));
  const part = 2 * Math.ceil(count / parts / 2);
  const words = TABLES * (bins + OUTSIDE);
  const edgeBytes = 8 * list.length + 8;
  let isDone = false;
  const isInside = workInside(memory, [x], [], ([given]) => {
    isDone = withBuffer(memory, edgeBytes + 4 * words * parts, (at) => {
      new Float64Array(memory.buffer, at, list.length + 1).set([...list, limit]);
      const tables = new Int32Array(memory.buffer, at + edgeBytes, words * parts).fill(0);
      const kernel = kernels.get(`binCounts ${x.dtype} ${isNarrow}`, (isShared) =>
        moduleOf(isShared, (w, run) => writeCounts(w, run, infoOf(x.dtype).bytes, isNarrow)),
      );
      const addresses = [memory.placedAddress(given!), at, at + edgeBytes];
      jobs.run(kernel, [...addresses, bins, count, part], parts, 1, parts === 1 ? 1 : threads);
      fromContiguous(folded(tables, bins), output);
    });
  });
  return isInside && isDone;
}

function folded(tables: Int32Array, bins: number): Int32Array {
  const counts = new Int32Array(bins);
  for (let from = 1; from < tables.length; from += bins + OUTSIDE)
    for (let bin = 0; bin < bins; bin++) counts[bin]! += tables[from + bin]!;
  return counts;
}

/** Rounds to a whole number that is then in the low bits. */
const ROUNDER = 2 ** 52 + 2 ** 51;

/** What stands still while a part is counted. */
interface Standing {
  readonly first: Local;
  readonly perUnit: Local;
  readonly low: Local;
  readonly high: Local;
  readonly half: Local;
  readonly limit: Local;
  readonly rounder: Local;
}

interface Writing {
  readonly w: FunctionWriter;
  readonly bytes: number;
  readonly data: Local;
  readonly edges: Local;
  readonly bins: Local;
  readonly tables: readonly [Local, Local];
  readonly standing: Standing;
  readonly slot: Local;
}

/** A unit is a part. Parameters: addresses of elements, edges and tables; bins, elements, elements of a part. */
function writeCounts(
  w: FunctionWriter,
  { parameters, from, to }: RunArguments,
  bytes: number,
  isNarrow: boolean,
): void {
  const [data, edges, tables, bins, count, part] = [0, 4, 8, 12, 16, 20].map((at) => {
    const local = w.local("i32");
    w.get(parameters).memory("i32.load", at).set(local);
    return local;
  }) as [Local, Local, Local, Local, Local, Local];
  const standing = standingValues(w, edges, bins);
  const narrow = isNarrow ? narrowed(w, standing) : null;
  const [read, end, even, odd, slot] = Array.from({ length: 5 }, () => w.local("i32")) as Local[];
  const writing = {
    w,
    bytes,
    data: read!,
    edges,
    bins,
    tables: [even!, odd!] as const,
    standing,
    slot: slot!,
  };
  repeat(w, from, to, 1, () => {
    const place = slot!;
    w.get(from).get(part).op("i32.mul").set(place);
    w.get(place).i32(bytes).op("i32.mul").get(data).op("i32.add").set(read!);
    w.get(place)
      .get(part)
      .op("i32.add")
      .tee(end!)
      .get(count)
      .get(end!)
      .get(count)
      .op("i32.lt_u")
      .select("i32");
    w.i32(bytes).op("i32.mul").get(data).op("i32.add").set(end!);
    // Tables of a unit; the first entry is what lies before all bins.
    const width = (): FunctionWriter => w.get(bins).i32(OUTSIDE).op("i32.add").i32(4).op("i32.mul");
    width().i32(TABLES).op("i32.mul").get(from).op("i32.mul").get(tables).op("i32.add");
    w.i32(4).op("i32.add").tee(even!);
    width().op("i32.add").set(odd!);
    if (narrow === null) turns(writing, end!);
    else narrowTurns(writing, narrow, end!);
    rest(writing, end!);
  });
}

function standingValues(w: FunctionWriter, edges: Local, bins: Local): Standing {
  const vector = (push: () => void): Local => {
    const local = w.local("v128");
    push();
    w.op("f64x2.splat").set(local);
    return local;
  };
  const lastEdge = (): FunctionWriter => w.get(bins).i32(8).op("i32.mul").get(edges).op("i32.add");
  return {
    first: vector(() => w.get(edges).memory("f64.load")),
    perUnit: vector(() => {
      w.get(bins).op("f64.convert_i32_u");
      lastEdge().memory("f64.load").get(edges).memory("f64.load").op("f64.sub").op("f64.div");
    }),
    low: vector(() => w.f64(-0.5)),
    high: vector(() => w.get(bins).op("f64.convert_i32_u").f64(0.5).op("f64.add")),
    half: vector(() => w.f64(0.5)),
    // Behind the last edge.
    limit: vector(() => lastEdge().memory("f64.load", 8)),
    rounder: vector(() => w.f64(ROUNDER)),
  };
}

/** Elements of a turn: two vectors, of which one look tells whether all elements are certain. */
const VECTORS = 2;
const TURN = 2 * VECTORS;

/** So many elements at a time, as long as there are so many: counted where `pushAreCertain` leaves 1, one by one elsewhere. */
function eachTurn(writing: Writing, end: Local, pushAreCertain: () => void, count: () => void): void {
  const { w, bytes, data } = writing;
  const isLeft = (): FunctionWriter =>
    w
      .get(data)
      .i32(TURN * bytes)
      .op("i32.add")
      .get(end)
      .op("i32.le_u");
  w.block((done) => {
    isLeft().op("i32.eqz").branchIf(done);
    w.loop((again) => {
      pushAreCertain();
      w.either(count, () => {
        for (let ahead = 0; ahead < TURN; ahead++) countByEdges(writing, ahead);
      });
      increase(w, data, TURN * bytes);
      isLeft().branchIf(again);
    });
  });
}

/** One more where the lanes of a vector say. */
function countLanes({ w, slot }: Writing, addresses: Local, lanes: readonly number[]): void {
  for (const lane of lanes) {
    w.get(addresses).op("i32x4.extract_lane", lane).tee(slot);
    w.get(slot).memory("i32.load").i32(1).op("i32.add").memory("i32.store");
  }
}

function turns(writing: Writing, end: Local): void {
  const { w, tables } = writing;
  const [place, bases] = [w.local("v128"), w.local("v128")];
  const wholes = Array.from({ length: VECTORS }, () => w.local("v128"));
  w.get(tables[0]).op("i32x4.splat").get(tables[1]).op("i32x4.replace_lane", 2).set(bases);
  const pushAreCertain = (): void => {
    wholes.forEach((whole, vector) => {
      pushIsCertain(writing, place, whole, 2 * vector);
      if (vector > 0) w.op("v128.and");
    });
    w.op("i64x2.all_true");
  };
  eachTurn(writing, end, pushAreCertain, () => {
    for (const whole of wholes) {
      w.get(whole).i32(2).op("i32x4.shl").get(bases).op("i32x4.add").set(whole);
      countLanes(writing, whole, [0, 2]);
    }
  });
}

/** The same in single precision, which is enough to tell bins where an element is not near an edge. */
type Narrow = Omit<Standing, "first">;

/** Rounds to a whole number, which is then in the low bits beside these. */
const NARROW_ROUNDER = 2 ** 23 + 2 ** 22;
const NARROW_BITS = 0x4b400000;

function narrowed(w: FunctionWriter, { first: _, rounder: __, ...wide }: Standing): Narrow {
  const single = (from: Local): Local => {
    const local = w.local("v128");
    w.get(from).op("f64x2.extract_lane", 0).op("f32.demote_f64").op("f32x4.splat").set(local);
    return local;
  };
  const rounder = w.local("v128");
  w.f32(NARROW_ROUNDER).op("f32x4.splat").set(rounder);
  const [perUnit, low, high] = [single(wide.perUnit), single(wide.low), single(wide.high)];
  return { perUnit, low, high, half: single(wide.half), limit: single(wide.limit), rounder };
}

const LOW_HALVES = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];

function narrowTurns(writing: Writing, narrow: Narrow, end: Local): void {
  const { w, bytes, data, tables, standing } = writing;
  const [place, whole, bases] = [w.local("v128"), w.local("v128"), w.local("v128")];
  w.get(tables[0]).op("i32x4.splat");
  for (const lane of [1, 3]) w.get(tables[1]).op("i32x4.replace_lane", lane);
  // What is left of the rounder's bits above the whole number.
  w.i32(NARROW_BITS << 2)
    .op("i32x4.splat")
    .op("i32x4.sub")
    .set(bases);
  const pushAreCertain = (): void => {
    w.get(narrow.low);
    for (const ahead of [0, 2]) {
      w.get(data)
        .memory("v128.load", bytes * ahead)
        .get(standing.first)
        .op("f64x2.sub");
      w.op("f32x4.demote_f64x2_zero");
    }
    w.shuffle(LOW_HALVES).get(narrow.perUnit).op("f32x4.mul").op("f32x4.pmax").set(place);
    w.get(narrow.high).get(place).op("f32x4.pmin").get(narrow.half).op("f32x4.sub").tee(place);
    w.get(narrow.rounder).op("f32x4.add").tee(whole);
    w.get(narrow.rounder).op("f32x4.sub").get(place).op("f32x4.sub").op("f32x4.abs");
    w.get(narrow.limit).op("f32x4.lt").op("i32x4.all_true");
  };
  eachTurn(writing, end, pushAreCertain, () => {
    w.get(whole).i32(2).op("i32x4.shl").get(bases).op("i32x4.add").set(whole);
    countLanes(writing, whole, [0, 1, 2, 3]);
  });
}

/** Sets `whole` to the bins of two elements, so many behind `data`; leaves, for each, whether that is certain. */
function pushIsCertain(
  { w, bytes, data, standing }: Writing,
  place: Local,
  whole: Local,
  ahead: number,
): void {
  // In widths, from the middle of the first bin on. NaN is taken for what lies before all bins.
  w.get(standing.low).get(data);
  if (bytes === 8) w.memory("v128.load", bytes * ahead);
  else w.memory("v128.load64_zero", bytes * ahead).op("f64x2.promote_low_f32x4");
  w.get(standing.first).op("f64x2.sub").get(standing.perUnit).op("f64x2.mul").op("f64x2.pmax").set(place);
  w.get(standing.high).get(place).op("f64x2.pmin").get(standing.half).op("f64x2.sub").tee(place);
  w.get(standing.rounder).op("f64x2.add").tee(whole);
  w.get(standing.rounder).op("f64x2.sub").get(place).op("f64x2.sub").op("f64x2.abs");
  w.get(standing.limit).op("f64x2.lt");
}

/** One element, so many behind `data`: the bin whose edges it lies between. */
function countByEdges({ w, bytes, data, edges, bins, tables, standing, slot }: Writing, ahead: number): void {
  w.reusing(() => {
    const [value, place, top] = [w.local("f64"), w.local("i32"), w.local("i32")];
    const edge = (behind: number): FunctionWriter => {
      w.get(place).i32(8).op("i32.mul").get(edges).op("i32.add").set(slot);
      return w
        .get(value)
        .get(slot)
        .memory("f64.load", 8 * behind);
    };
    w.get(data);
    if (bytes === 8) w.memory("f64.load", 8 * ahead).set(value);
    else
      w.memory("f32.load", 4 * ahead)
        .op("f64.promote_f32")
        .set(value);
    w.get(bins).i32(1).op("i32.sub").set(top);
    w.get(value).get(edges).memory("f64.load").op("f64.ge");
    w.get(value).get(bins).i32(8).op("i32.mul").get(edges).op("i32.add").memory("f64.load").op("f64.le");
    w.op("i32.and");
    w.when(() => {
      w.get(value).get(standing.first).op("f64x2.extract_lane", 0).op("f64.sub");
      w.get(standing.perUnit).op("f64x2.extract_lane", 0).op("f64.mul").op("i32.trunc_sat_f64_s").set(place);
      w.get(place).get(top).get(place).get(top).op("i32.lt_s").select("i32").set(place);
      step(w, -1, () => edge(0).op("f64.lt").get(place).i32(0).op("i32.gt_s").op("i32.and"), place);
      step(w, 1, () => edge(1).op("f64.ge").get(place).get(top).op("i32.lt_s").op("i32.and"), place);
      w.get(tables[0]).get(place).i32(2).op("i32.shl").op("i32.add").tee(slot);
      w.get(slot).memory("i32.load").i32(1).op("i32.add").memory("i32.store");
    });
  });
}

/** What is left of a part. */
function rest(writing: Writing, end: Local): void {
  const { w, bytes, data } = writing;
  w.block((done) => {
    w.loop((again) => {
      w.get(data).get(end).op("i32.ge_u").branchIf(done);
      countByEdges(writing, 0);
      increase(w, data, bytes);
      w.branch(again);
    });
  });
}

/** while (isWrong) place += by. */
function step(w: FunctionWriter, by: number, isWrong: () => FunctionWriter, place: Local): void {
  w.block((done) => {
    w.loop((again) => {
      isWrong().op("i32.eqz").branchIf(done);
      increase(w, place, by);
      w.branch(again);
    });
  });
}
