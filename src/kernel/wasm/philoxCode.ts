// philox in WebAssembly: random bits of places, sixteen at a time. In: places, a stream and a key. Out: code that leaves the bits on
// the stack. A kernel keeps the last sixteen that it made in a thread's scratch: neighbours find theirs there.
// Must hold: an instruction's stream and key are the same for all lanes of a run; loops, which alone have places, use no scratch.

import { MULTIPLIERS, ROUNDS, WEYL } from "../philox.ts";
import type { Instruction } from "../program.ts";
import { FunctionWriter, type Local } from "./assembler.ts";
import type { ValueType } from "./instructions.ts";

/** So many places of 64 bits are made together. */
const PLACES = 16;
const PLACE_BYTES = 8;

/** The function of a module that makes them: fill(address, first place / 2, stream, key). */
export const FILL = 2;
export const FILL_TAKES: readonly ValueType[] = ["i32", "i64", "i64", "i64"];
const SCRATCH = 0;

/** A place's bits. Leaves the address of its memory on the stack, and what is to be added to it. */
export function philoxAddress(
  w: FunctionWriter,
  instruction: Instruction,
  place: Local,
  pushStream: () => void,
  pushKey: () => void,
): number {
  const { local: kept, number } = w.keptFor(instruction);
  const offset = number * PLACES * PLACE_BYTES;
  // What is kept is ~first, so that a fresh local, 0, is no place's: place xor ~first is at least ~15 where it is at hand.
  w.get(place).get(kept).op("i64.xor").i64(BigInt(-PLACES)).op("i64.lt_u");
  w.when(() => {
    w.get(place).i64(BigInt(-PLACES)).op("i64.and").i64(-1n).op("i64.xor").set(kept);
    w.global(SCRATCH).i32(offset).op("i32.add");
    w.get(place).i64(BigInt(-PLACES)).op("i64.and").i64(1n).op("i64.shr_u");
    pushStream();
    pushKey();
    w.call(FILL, FILL_TAKES);
  });
  w.get(place)
    .op("i32.wrap_i64")
    .i32(PLACES - 1)
    .op("i32.and")
    .i32(3)
    .op("i32.shl");
  w.global(SCRATCH).op("i32.add");
  return offset;
}

/** Words 1, 3, 5, 7 of two vectors. */
const ODD = [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31];
const wordsOf = (...words: readonly number[]): number[] =>
  words.flatMap((word) => [0, 1, 2, 3].map((byte) => 4 * word + byte));
const LOW_WORDS = wordsOf(0, 4, 1, 5);
const HIGH_WORDS = wordsOf(2, 6, 3, 7);
const LOW_PAIRS = wordsOf(0, 1, 4, 5);
const HIGH_PAIRS = wordsOf(2, 3, 6, 7);

/** The code of that function: word by word of four counters, twice. */
export function fillFunction(): FunctionWriter {
  const w = new FunctionWriter(FILL_TAKES);
  const [address, first, stream, key] = [0, 1, 2, 3].map((number) => w.parameter(number)) as Local[];
  const groups = [0, 4].map((ahead) => counters(w, first!, stream!, ahead));
  const keys = [0n, 32n].map((shift) => {
    const splat = w.local("v128");
    w.get(key!).i64(shift).op("i64.shr_u").op("i32.wrap_i64").op("i32x4.splat").set(splat);
    return splat;
  }) as [Local, Local];
  const multipliers = MULTIPLIERS.map((value) => splatOf(w, value)) as [Local, Local];
  const weyl = WEYL.map((value) => splatOf(w, value));
  const round = w.local("i32");
  w.loop((again) => {
    for (const group of groups) oneRound(w, group, keys, multipliers);
    keys.forEach((each, i) => w.get(each).get(weyl[i]!).op("i32x4.add").set(each));
    w.get(round).i32(1).op("i32.add").tee(round).i32(ROUNDS).op("i32.lt_u").branchIf(again);
  });
  groups.forEach((group, i) => storeGroup(w, group, address!, i * 4 * 2 * PLACE_BYTES));
  return w;
}

function splatOf(w: FunctionWriter, value: number): Local {
  const splat = w.local("v128");
  w.i32(value | 0)
    .op("i32x4.splat")
    .set(splat);
  return splat;
}

type Words = readonly [Local, Local, Local, Local];

/** Four counters, `ahead` of the first: their lower words do not carry, since the first is a multiple of eight. */
function counters(w: FunctionWriter, first: Local, stream: Local, ahead: number): Words {
  const words = [first, first, stream, stream].map((from, i) => {
    const word = w.local("v128");
    w.get(from)
      .i64(i % 2 === 0 ? 0n : 32n)
      .op("i64.shr_u")
      .op("i32.wrap_i64")
      .op("i32x4.splat")
      .set(word);
    return word;
  });
  w.get(words[0]!);
  w.i32(ahead).op("i32x4.splat");
  for (let lane = 1; lane < 4; lane++) w.i32(ahead + lane).op("i32x4.replace_lane", lane);
  w.op("i32x4.add").set(words[0]!);
  return words as unknown as Words;
}

function oneRound(
  w: FunctionWriter,
  words: Words,
  keys: readonly [Local, Local],
  multipliers: readonly [Local, Local],
): void {
  const products = [0, 1].map((i) => {
    const [low, high] = [w.local("v128"), w.local("v128")];
    const word = words[2 * i]!;
    const times = (name: string): FunctionWriter => w.get(word).get(multipliers[i]!).op(name);
    times("i32x4.mul").set(low);
    times("i64x2.extmul_low_i32x4_u");
    times("i64x2.extmul_high_i32x4_u").shuffle(ODD).set(high);
    return { low, high };
  });
  const [x0, x1, x2, x3] = words;
  w.get(products[1]!.high).get(x1).op("v128.xor").get(keys[0]).op("v128.xor").set(x0);
  w.get(products[1]!.low).set(x1);
  w.get(products[0]!.high).get(x3).op("v128.xor").get(keys[1]).op("v128.xor").set(x2);
  w.get(products[0]!.low).set(x3);
}

/** Counter by counter: the four words of each side by side. */
function storeGroup(w: FunctionWriter, [x0, x1, x2, x3]: Words, address: Local, offset: number): void {
  const together = (x: Local, y: Local, lanes: readonly number[]): Local => {
    const local = w.local("v128");
    w.get(x).get(y).shuffle(lanes).set(local);
    return local;
  };
  [LOW_WORDS, HIGH_WORDS].forEach((half, i) => {
    const [front, back] = [together(x0, x1, half), together(x2, x3, half)];
    [LOW_PAIRS, HIGH_PAIRS].forEach((pair, j) => {
      w.get(address).get(front).get(back).shuffle(pair);
      w.memory("v128.store", offset + 16 * (2 * i + j));
    });
  });
}
