// select as a WebAssembly module: a unit is a line, of which elements are found by their ranks without sorting it. In: a dtype. Out:
// bytes. The same bits as routines/byRank.ts. Keys (sort/keys.ts) are looked at from the top: the digits of all are counted, the
// one that has the rank is known, and what has that digit is looked at further, until few are left, which are put in order.
// So a line is walked three times, and once or twice more for every rank that does not lie beside the one before it: where there is
// room for them, over keys that were stored on the first walk, one beside the other.
// Must hold: work has room for the keys of a line and one more, where keys are stored for as many again, and shares no memory with
// the input.

import type { RealDType } from "../../../core/dtype.ts";
import type { FunctionWriter, Local } from "../assembler.ts";
import { increase, moduleOf, SCRATCH } from "../module.ts";
import { moveToRow } from "../rowPlace.ts";
import { least, times, timesUnrolled } from "../sort/flow.ts";
import { bitsFromKey, pushIsNaN, setFlip, storeBits } from "../sort/keys.ts";
import {
  COUNTER_BYTES,
  keyBits,
  keyConstant,
  MAX_WIDTH,
  newRow,
  type Row,
  TABLE_BYTES,
} from "../sort/row.ts";
import { walkKeys } from "./lineKeys.ts";

/** The parameters' words; then the axes of lines (rowPlace.ts): strides of the input, of the output, of the ranks. */
export const SELECT_WORDS = [
  "length", "input", "inputStride", "output", "outputStride",
  "ranks", "ranksStride", "count", "poison", "work", "workStride", "firstRow", "keys",
] as const; // biome-ignore format: a list

const OWN_LOCALS = [
  "ranks", "ranksStride", "count", "poison", "nans", "rank", "digit", "found", "kept", "list", "listed", "topShift", "topMask",
  "keys", "keyStep",
] as const; // biome-ignore format: a list

type Own = { readonly [N in (typeof OWN_LOCALS)[number]]: Local };

/** A line: what sorting a row works with, and what is asked of it. */
interface Line extends Row {
  readonly own: Own;
  readonly keyBytes: number;
}

/** So few are put in order by insertion. */
const FEW = 24;
/** Digits so wide that about 2³ keys have each. */
const SHARED_BITS = 3;

export const keyBytesOf = (elementBytes: number): number => Math.max(4, elementBytes);

export function selectModule(isShared: boolean, dtype: RealDType): Uint8Array<ArrayBuffer> {
  return moduleOf(isShared, (w, run) => {
    // As argsort has them: zeros of both signs have one key.
    const row = newRow(w, run, "argsort", dtype, false);
    const own = Object.fromEntries(OWN_LOCALS.map((name) => [name, w.local("i32")])) as Own;
    writeLines({ ...row, own, keyBytes: keyBytesOf(row.bytes) });
  });
}

function writeLines(line: Line): void {
  const { w, at, own, run } = line;
  w.global(SCRATCH).set(at.counters);
  w.get(run.from).set(at.unit);
  w.block((end) => {
    w.loop((again) => {
      w.get(at.unit).get(run.to).op("i32.ge_u").branchIf(end);
      findLine(line);
      survey(line);
      countAll(line);
      w.i32(0).set(own.listed);
      times(w, own.count, at.pass, () => {
        chooseOne(line);
        increase(w, own.ranks, own.ranksStride);
        increase(w, at.output, at.outputStride);
      });
      increase(w, at.unit, 1);
      w.branch(again);
    });
  });
}

function findLine(line: Line): void {
  const { w, at, own, run } = line;
  const words = { ...at, ...own };
  SELECT_WORDS.forEach((word, number) =>
    w
      .get(run.parameters)
      .memory("i32.load", 4 * number)
      .set(words[word]),
  );
  w.i32(0).set(at.descending);
  setFlip(line);
  w.get(at.unit).get(at.firstRow).op("i32.add").set(at.place);
  moveToRow(w, run.parameters, 4 * SELECT_WORDS.length, at.place, [at.input, at.output, own.ranks]);
  // Work at 0 is the thread's scratch.
  w.get(at.work).get(at.unit).get(at.workStride).op("i32.mul").op("i32.add");
  w.get(at.counters).i32(COUNTER_BYTES).op("i32.add");
  w.get(at.work).select("i32").set(at.entries);
  // `keys` was how far behind the entries they are stored; where they are not, all go to one place.
  w.i32(line.keyBytes).i32(0).get(own.keys).select("i32").set(own.keyStep);
  w.get(at.entries).get(own.keys).op("i32.add").set(at.write);
  w.get(at.write).i32(0).get(own.keys).select("i32").set(own.keys);
}

/** The keys that are kept at the begin of work. */
function walkKept(line: Line, body: () => void): void {
  const { w, at, own, keyType, keyBytes } = line;
  w.get(at.entries).set(at.read);
  timesUnrolled(w, own.kept, at.left, () => {
    w.get(at.read).memory(`${keyType}.load`).set(at.key);
    body();
    increase(w, at.read, keyBytes);
  });
}

/** The keys of the whole line. */
function walkAll(line: Line, body: () => void): void {
  const { w, at, own, keyType, keyBytes } = line;
  const stored = (): void => {
    w.get(own.keys).set(at.read);
    timesUnrolled(w, at.length, at.left, () => {
      w.get(at.read).memory(`${keyType}.load`).set(at.key);
      body();
      increase(w, at.read, keyBytes);
    });
  };
  w.get(own.keys);
  w.either(stored, () => walkKeys(line, body));
}

/** `nans`, and `bits`: how many low bits of the numbers' keys are not the same in all. Keys are stored from `write` on. */
function survey(line: Line): void {
  const { w, at, own, keyType } = line;
  w.i32(0).set(own.nans);
  keyConstant(line, -1n).set(at.all);
  keyConstant(line, 0n).set(at.some);
  walkKeys(line, () => {
    const note = (): void => {
      w.get(at.key).get(at.some).op(`${keyType}.or`).set(at.some);
      w.get(at.key).get(at.all).op(`${keyType}.and`).set(at.all);
    };
    w.get(at.write).get(at.key).memory(`${keyType}.store`);
    increase(w, at.write, own.keyStep);
    if (!line.isFloat) return note();
    pushIsNaN(line);
    w.either(() => increase(w, own.nans, 1), note);
  });
  w.i32(keyBits(line)).get(at.some).get(at.all).op(`${keyType}.xor`).op(`${keyType}.clz`);
  if (keyType === "i64") w.op("i32.wrap_i64");
  w.op("i32.sub").i32(0).get(own.nans).get(at.length).op("i32.ne").select("i32").set(at.bits);
}

/** Chooses the digit of the bits below `low`: `shift`, `mask`. */
function chooseDigit(line: Line, low: Local, count: Local): void {
  const { w, at } = line;
  // Of n keys, as many bits as n has, less a few; one at least.
  w.i32(32 - SHARED_BITS)
    .get(count)
    .op("i32.clz")
    .op("i32.sub")
    .set(at.width);
  w.get(at.width).i32(1).get(at.width).i32(1).op("i32.gt_s").select("i32").set(at.width);
  w.i32(MAX_WIDTH).set(at.widest);
  least(w, at.width, at.widest);
  w.set(at.width);
  least(w, at.width, low);
  w.set(at.width);
  w.get(low).get(at.width).op("i32.sub").set(at.shift);
  w.i32(1).get(at.width).op("i32.shl").i32(1).op("i32.sub").set(at.mask);
}

/** Leaves the digit of `key`. */
function pushDigit({ w, at, keyType }: Line): void {
  w.get(at.key).get(at.shift);
  if (keyType === "i64") w.op("i64.extend_i32_u").op("i64.shr_u").op("i32.wrap_i64");
  else w.op("i32.shr_u");
  w.get(at.mask).op("i32.and");
}

/** The counters of the digits of `walk`'s keys, from `table` on. */
function countDigits(line: Line, table: () => FunctionWriter, walk: (body: () => void) => void): void {
  const { w, at } = line;
  table().set(at.table);
  w.get(at.table).set(at.slot);
  w.get(at.mask).i32(1).op("i32.add").set(at.temporary);
  times(w, at.temporary, at.left, () => {
    w.get(at.slot).i32(0).memory("i32.store");
    increase(w, at.slot, 4);
  });
  walk(() => {
    pushDigit(line);
    w.i32(2).op("i32.shl").get(at.table).op("i32.add").tee(at.slot);
    w.get(at.slot).memory("i32.load").i32(1).op("i32.add").memory("i32.store");
  });
}

/** The first digits of all keys, for all ranks. NaNs are not counted. */
function countAll(line: Line): void {
  const { w, at, own } = line;
  chooseDigit(line, at.bits, at.length);
  countDigits(
    line,
    () => w.get(at.counters),
    (body) => walkAll(line, body),
  );
  w.get(at.shift).set(own.topShift);
  w.get(at.mask).set(own.topMask);
  if (!line.isFloat) return;
  w.get(at.mask).i32(2).op("i32.shl").get(at.counters).op("i32.add").tee(at.slot);
  w.get(at.slot).memory("i32.load").get(own.nans).op("i32.sub").memory("i32.store");
}

/** Writes the element of one rank. */
function chooseOne(line: Line): void {
  const { w, at, own } = line;
  w.get(own.ranks).memory("i64.load").op("i32.wrap_i64").set(own.rank);
  const chosen = (): void => {
    findKey(line);
    bitsFromKey(line);
  };
  if (line.isFloat) {
    // Below 0 it is large without a sign.
    w.get(own.rank).get(at.length).get(own.nans).op("i32.sub").op("i32.ge_u");
    w.get(own.poison).get(own.nans).i32(0).op("i32.ne").op("i32.and").op("i32.or");
    w.either(() => {
      keyConstant(line, line.dtype === "float64" ? 0x7ff8n << 48n : 0x7fc0n << 16n).set(at.raw);
    }, chosen);
  } else chosen();
  w.get(at.output).set(at.write);
  storeBits(line);
}

/** Sets `key` to that of `rank`: of those that were put in order for the rank before, if it is among them. */
function findKey(line: Line): void {
  const { w, at, own, keyType, keyBytes } = line;
  w.get(own.rank).get(own.list).op("i32.sub").get(own.listed).op("i32.ge_u");
  w.when(() => makeList(line));
  w.get(own.rank).get(own.list).op("i32.sub").i32(keyBytes).op("i32.mul");
  w.get(at.entries).op("i32.add").memory(`${keyType}.load`).set(at.key);
}

/** Work begins with the keys of ranks `list` … `list` + `listed` − 1, in order; `rank` is among them. */
function makeList(line: Line): void {
  const { w, at, own } = line;
  w.i32(0).set(own.list).get(own.topShift).set(at.shift).get(own.topMask).set(at.mask);
  w.get(at.counters).set(at.table);
  keepDigit(line, (body) => walkAll(line, body), line.isFloat);
  w.block((end) => {
    w.loop((again) => {
      w.get(at.shift).op("i32.eqz").branchIf(end);
      w.get(own.kept).i32(FEW).op("i32.le_u").branchIf(end);
      chooseDigit(line, at.shift, own.kept);
      const kept = (body: () => void): void => walkKept(line, body);
      countDigits(line, () => w.get(at.counters).i32(TABLE_BYTES).op("i32.add"), kept);
      keepDigit(line, kept, false);
      w.branch(again);
    });
  });
  w.get(own.kept).set(own.listed);
  // Where no bits are left they are equal.
  w.get(at.shift);
  w.when(() => insertKept(line));
}

/** Of the keys that are walked those stay that have the digit with `rank`; `list` becomes the rank of the first of them. */
function keepDigit(line: Line, walk: (body: () => void) => void, hasNaN: boolean): void {
  const { w, at, own, keyType, keyBytes } = line;
  findDigit(line);
  w.get(at.entries).set(at.write);
  // Each is stored, and what is stored next goes behind it if it has the digit.
  walk(() => {
    w.get(at.write).get(at.key).memory(`${keyType}.store`);
    pushDigit(line);
    w.get(own.digit).op("i32.eq");
    if (hasNaN) {
      w.get(at.key);
      keyConstant(line, -1n).op(`${keyType}.ne`).op("i32.and");
    }
    w.i32(Math.log2(keyBytes)).op("i32.shl").get(at.write).op("i32.add").set(at.write);
  });
  w.get(own.found).set(own.kept);
}

/** `digit`: the one with `rank`; `found`: how many have it; `list` moves on by those that have a lesser one. */
function findDigit({ w, at, own }: Line): void {
  w.i32(0).set(own.digit).get(at.table).set(at.slot);
  w.block((end) => {
    w.loop((again) => {
      w.get(at.slot).memory("i32.load").set(own.found);
      w.get(own.rank).get(own.list).op("i32.sub").get(own.found).op("i32.lt_u").branchIf(end);
      increase(w, own.list, own.found);
      increase(w, at.slot, 4);
      increase(w, own.digit, 1);
      w.branch(again);
    });
  });
}

/** Puts the keys that are kept in order, by insertion. */
function insertKept({ w, at, own, keyType, keyBytes }: Line): void {
  const [end, least] = [at.spare, at.least];
  w.get(at.entries).get(own.kept).i32(keyBytes).op("i32.mul").op("i32.add").set(end);
  w.get(at.entries).set(at.read);
  w.block((done) => {
    w.loop((next) => {
      increase(w, at.read, keyBytes);
      w.get(at.read).get(end).op("i32.ge_u").branchIf(done);
      w.get(at.read).memory(`${keyType}.load`).set(at.key);
      w.get(at.read).set(at.slot);
      w.block((there) => {
        w.loop((down) => {
          w.get(at.slot).get(at.entries).op("i32.eq").branchIf(there);
          w.get(at.slot).i32(keyBytes).op("i32.sub").memory(`${keyType}.load`).tee(least);
          w.get(at.key).op(`${keyType}.le_u`).branchIf(there);
          w.get(at.slot).get(least).memory(`${keyType}.store`);
          increase(w, at.slot, -keyBytes);
          w.branch(down);
        });
      });
      w.get(at.slot).get(at.key).memory(`${keyType}.store`);
      w.branch(next);
    });
  });
}
