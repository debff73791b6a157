// Transforms of lines through their prime factors as a kernel. A unit is four lines: they are gathered into the thread's scratch, two by two
// (each vector has a part of two lines' numbers, so that passes need no shuffles), go through the passes there, and are put where they
// belong. In: the factors, and what is done on the way. Out: a module. The same bits as fourier/transform.ts.

import type { FunctionWriter, Local } from "./assembler.ts";
import { butterfly, type Pair, pairOf } from "./butterflies.ts";
import { increase, moduleOf, type RunArguments, repeat, SCRATCH } from "./module.ts";

/**
 * The parameters' words. Strides are of bytes: from a line to the next, from a point to the next, from a batch of lines to the next.
 * Roots are of the length; low and high are tables of the whole length's roots.
 */
export const FOURIER_WORDS = [
  "input", "output", "lines", "inLine", "outLine", "inStep", "outStep", "inBatch", "outBatch", "groups",
  "roots", "low", "high", "shift",
] as const; // biome-ignore format: a list

export interface FourierCode {
  readonly n: number;
  readonly factors: readonly number[];
  /** Real and imaginary parts change places when lines are gathered, or when they are put away: so an inverse is made. */
  readonly swapIn: boolean;
  readonly swapOut: boolean;
  /** Point k of line c is turned by e^(−2πi·kc/whole). */
  readonly isTurned: boolean;
}

export const fourierText = ({ n, swapIn, swapOut, isTurned }: FourierCode): string =>
  `fourier ${n} ${swapIn} ${swapOut} ${isTurned}`;

/** Lines that go together. */
export const LINES = 4;
/** A point of a pair of lines: two vectors. */
const POINT_BYTES = 32;

type Words = { readonly [N in (typeof FOURIER_WORDS)[number]]: Local };

const FIRSTS = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const SECONDS = FIRSTS.map((byte) => byte + 8);

export const fourierModule = (isShared: boolean, code: FourierCode): Uint8Array<ArrayBuffer> =>
  moduleOf(isShared, (w, run) => writeUnits(w, run, code));

function writeUnits(w: FunctionWriter, { parameters, from, to }: RunArguments, code: FourierCode): void {
  const words = Object.fromEntries(FOURIER_WORDS.map((word) => [word, w.local("i32")])) as unknown as Words;
  const [batch, first] = [w.local("i32"), w.local("i32")];
  FOURIER_WORDS.forEach((word, n) =>
    w
      .get(parameters)
      .memory("i32.load", 4 * n)
      .set(words[word]),
  );
  const [x, y] = [0, 1].map((half) => [0, 1].map((k) => 2 * half + k).map((k) => k * code.n * POINT_BYTES));
  const isOdd = code.factors.length % 2 === 1;
  repeat(w, from, to, 1, () => {
    w.get(from).get(words.groups).op("i32.div_u").set(batch);
    w.get(from).get(words.groups).op("i32.rem_u").i32(LINES).op("i32.mul").set(first);
    w.reusing(() => gather(w, code, words, batch, first, x!));
    for (const k of [0, 1]) w.reusing(() => writePasses(w, code, words, x![k]!, y![k]!));
    w.reusing(() => scatter(w, code, words, batch, first, isOdd ? y! : x!));
  });
}

/** Addresses of the unit's lines; where there are fewer than four, the last one again: it is written twice, with the same. */
function lineAddresses(
  w: FunctionWriter,
  words: Words,
  batch: Local,
  first: Local,
  way: readonly [base: Local, perBatch: Local, perLine: Local],
  numbers?: readonly Local[],
): Local[] {
  const [base, perBatch, perLine] = way;
  const number = w.local("i32");
  return Array.from({ length: LINES }, (_, k) => {
    const address = w.local("i32");
    const own = numbers?.[k] ?? number;
    w.get(words.lines).i32(1).op("i32.sub").get(first).i32(k).op("i32.add");
    w.get(words.lines)
      .i32(1)
      .op("i32.sub")
      .get(first)
      .i32(k)
      .op("i32.add")
      .op("i32.lt_u")
      .select("i32")
      .set(own);
    w.get(batch).get(perBatch).op("i32.mul").get(base).op("i32.add");
    w.get(own).get(perLine).op("i32.mul").op("i32.add").set(address);
    return address;
  });
}

/** Real parts of two numbers, and imaginary parts. */
function split(w: FunctionWriter, a: Local, b: Local, to: Pair): void {
  w.get(a).get(b).shuffle(FIRSTS).set(to.re);
  w.get(a).get(b).shuffle(SECONDS).set(to.im);
}

function gather(
  w: FunctionWriter,
  code: FourierCode,
  words: Words,
  batch: Local,
  first: Local,
  to: readonly number[],
): void {
  const lines = lineAddresses(w, words, batch, first, [words.input, words.inBatch, words.inLine]);
  const [z, pair] = [[w.local("v128"), w.local("v128")], pairOf(w)];
  const own = code.swapIn ? { re: pair.im, im: pair.re } : pair;
  eachPoint(w, code.n, (at) => {
    for (const k of [0, 1]) {
      for (const l of [0, 1])
        w.get(lines[2 * k + l]!)
          .memory("v128.load")
          .set(z[l]!);
      split(w, z[0]!, z[1]!, own);
      w.get(at).get(pair.re).memory("v128.store", to[k]!);
      w.get(at)
        .get(pair.im)
        .memory("v128.store", to[k]! + 16);
    }
    for (const line of lines) w.get(line).get(words.inStep).op("i32.add").set(line);
  });
}

function scatter(
  w: FunctionWriter,
  code: FourierCode,
  words: Words,
  batch: Local,
  first: Local,
  from: readonly number[],
): void {
  const numbers = Array.from({ length: LINES }, () => w.local("i32"));
  const lines = lineAddresses(w, words, batch, first, [words.output, words.outBatch, words.outLine], numbers);
  const pair = pairOf(w);
  const own = code.swapOut ? { re: pair.im, im: pair.re } : pair;
  const exponents = code.isTurned ? numbers.map(() => w.local("i32")) : [];
  for (const exponent of exponents) w.i32(0).set(exponent);
  const turn = turner(w, words, exponents);
  eachPoint(w, code.n, (at) => {
    for (const k of [0, 1]) {
      w.get(at).memory("v128.load", from[k]!).set(pair.re);
      w.get(at)
        .memory("v128.load", from[k]! + 16)
        .set(pair.im);
      if (code.isTurned) turn(pair, k);
      w.get(lines[2 * k]!)
        .get(own.re)
        .get(own.im)
        .shuffle(FIRSTS)
        .memory("v128.store");
      w.get(lines[2 * k + 1]!)
        .get(own.re)
        .get(own.im)
        .shuffle(SECONDS)
        .memory("v128.store");
    }
    for (const line of lines) w.get(line).get(words.outStep).op("i32.add").set(line);
    exponents.forEach((exponent, k) => increase(w, exponent, numbers[k]!));
  });
}

/** `at` goes through the thread's scratch. */
function eachPoint(w: FunctionWriter, n: number, body: (at: Local) => void): void {
  const [at, end] = [w.local("i32"), w.local("i32")];
  w.global(SCRATCH).set(at);
  w.get(at)
    .i32(n * POINT_BYTES)
    .op("i32.add")
    .set(end);
  w.loop((again) => {
    body(at);
    increase(w, at, POINT_BYTES);
    w.get(at).get(end).op("i32.lt_u").branchIf(again);
  });
}

/** Multiplies a pair by the product of two roots each, one of each table. */
function turner(
  w: FunctionWriter,
  { low, high, shift }: Words,
  exponents: readonly Local[],
): (z: Pair, k: number) => void {
  if (exponents.length === 0) return () => undefined;
  const [a, b, roots, steps, root, kept] = [
    w.local("v128"),
    w.local("v128"),
    pairOf(w),
    pairOf(w),
    pairOf(w),
    w.local("v128"),
  ];
  const load = (table: Local, exponent: Local, isHigh: boolean, to: Local): void => {
    w.get(exponent);
    if (isHigh) w.get(shift).op("i32.shr_u");
    else w.i32(1).get(shift).op("i32.shl").i32(1).op("i32.sub").op("i32.and");
    w.i32(4).op("i32.shl").get(table).op("i32.add").memory("v128.load").set(to);
  };
  return (z, k) => {
    for (const [table, isHigh, to] of [
      [low, false, roots],
      [high, true, steps],
    ] as const) {
      load(table, exponents[2 * k]!, isHigh, a);
      load(table, exponents[2 * k + 1]!, isHigh, b);
      split(w, a, b, to);
    }
    product(w, roots, steps, root);
    product(w, z, root, { re: kept, im: z.im });
    w.get(kept).set(z.re);
  };
}

/** (a + bi)(c + di) = (ac − bd) + (ad + bc)i; `to.im` may be an operand's. */
function product(w: FunctionWriter, x: Pair, y: Pair, to: Pair): void {
  times(w, x.re, y.re);
  times(w, x.im, y.im);
  w.op("f64x2.sub").set(to.re);
  times(w, x.re, y.im);
  times(w, x.im, y.re);
  w.op("f64x2.add").set(to.im);
}

const times = (w: FunctionWriter, a: Local, b: Local): FunctionWriter => w.get(a).get(b).op("f64x2.mul");

/** One pair of lines through all factors, from one buffer to the other and back. */
function writePasses(
  w: FunctionWriter,
  { n, factors }: FourierCode,
  { roots }: Words,
  x: number,
  y: number,
): void {
  let [from, to, length, stride] = [x, y, n, 1];
  for (const p of factors) {
    const pass: Pass = { w, p, length, stride, from, to, roots };
    w.reusing(() => writePass(pass));
    [from, to, length, stride] = [to, from, length / p, stride * p];
  }
}

interface Pass {
  readonly w: FunctionWriter;
  readonly p: number;
  readonly length: number;
  readonly stride: number;
  /** Where the buffers lie in the scratch. */
  readonly from: number;
  readonly to: number;
  readonly roots: Local;
}

/** y[q + s(pj + r)] = w^(jr) · Σ ω^(rt) x[q + s(j + tm)]: for j = 0 without roots, then for the others. */
function writePass(pass: Pass): void {
  const { w, p, length, stride, roots } = pass;
  const m = length / p;
  const [read, write, j, q] = [w.local("i32"), w.local("i32"), w.local("i32"), w.local("i32")];
  w.global(SCRATCH).set(read);
  w.global(SCRATCH).set(write);
  const points = Array.from({ length: p }, () => pairOf(w));
  const turns = Array.from({ length: p - 1 }, () => ({ at: w.local("i32"), root: pairOf(w) }));
  const row = (isTurned: boolean): void => {
    const body = (): void => {
      loadPoints(pass, points, read);
      butterfly(w, points, (r, make) => {
        const value = make();
        if (isTurned && r > 0)
          storeTurned(w, value, turns[r - 1]!.root, write, pass.to + POINT_BYTES * stride * r);
        else storePair(w, value, write, pass.to + POINT_BYTES * stride * r);
      });
      increase(w, read, POINT_BYTES);
      increase(w, write, POINT_BYTES);
    };
    if (stride === 1) body();
    else {
      w.i32(stride).set(q);
      w.loop((again) => {
        w.reusing(body);
        increase(w, q, -1);
        w.get(q).branchIf(again);
      });
    }
    increase(w, write, POINT_BYTES * stride * (p - 1));
  };
  w.reusing(() => row(false));
  if (m === 1) return;
  for (const { at } of turns) w.get(roots).set(at);
  w.i32(m - 1).set(j);
  w.loop((again) => {
    turns.forEach(({ at, root }, r) => {
      increase(w, at, 16 * stride * (r + 1));
      w.get(at).memory("v128.load64_splat").set(root.re);
      w.get(at).memory("v128.load64_splat", 8).set(root.im);
    });
    w.reusing(() => row(true));
    increase(w, j, -1);
    w.get(j).branchIf(again);
  });
}

function storePair(w: FunctionWriter, z: Pair, address: Local, offset: number): void {
  w.get(address).get(z.re).memory("v128.store", offset);
  w.get(address)
    .get(z.im)
    .memory("v128.store", offset + 16);
}

function storeTurned(w: FunctionWriter, z: Pair, root: Pair, address: Local, offset: number): void {
  w.get(address);
  times(w, z.re, root.re);
  times(w, z.im, root.im);
  w.op("f64x2.sub").memory("v128.store", offset);
  w.get(address);
  times(w, z.re, root.im);
  times(w, z.im, root.re);
  w.op("f64x2.add").memory("v128.store", offset + 16);
}

function loadPoints({ w, length, p, stride, from }: Pass, x: readonly Pair[], read: Local): void {
  const step = (POINT_BYTES * stride * length) / p;
  x.forEach((point, t) => {
    w.get(read)
      .memory("v128.load", from + t * step)
      .set(point.re);
    w.get(read)
      .memory("v128.load", from + t * step + 16)
      .set(point.im);
  });
}
