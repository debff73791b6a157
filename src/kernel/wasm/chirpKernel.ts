// Products of lines of complex numbers with one line, for transforms by convolution: a unit is a line. In: whether parts change places, or
// products are conjugates. Out: a module. The same bits as `multiplied` of fourier/transform.ts.

import type { FunctionWriter, Local } from "./assembler.ts";
import { increase, moduleOf, type RunArguments, repeat } from "./module.ts";

/** The parameters' words; strides of lines in bytes. */
export const CHIRP_WORDS = ["input", "output", "factor", "count", "inLine", "outLine"] as const;

export interface ChirpCode {
  readonly swapIn: boolean;
  readonly swapOut: boolean;
  /** Of the numbers before they are multiplied, and of the products. */
  readonly conjugateIn: boolean;
  readonly conjugateOut: boolean;
}

export const chirpText = (code: ChirpCode): string => `chirp ${Object.values(code).join()}`;

export const chirpModule = (isShared: boolean, code: ChirpCode): Uint8Array<ArrayBuffer> =>
  moduleOf(isShared, (w, run) => writeUnits(w, run, code));

const bytesOf = (...words: readonly number[]): number[] =>
  words.flatMap((word) => [0, 1, 2, 3, 4, 5, 6, 7].map((byte) => 8 * word + byte));
const SWAP = bytesOf(1, 0);
const REAL = bytesOf(0, 0);
const IMAGINARY = bytesOf(1, 1);

function writeUnits(w: FunctionWriter, { parameters, from, to }: RunArguments, code: ChirpCode): void {
  const [input, output, factor, count, inLine, outLine] = CHIRP_WORDS.map(() => w.local("i32")) as [
    Local,
    Local,
    Local,
    Local,
    Local,
    Local,
  ];
  const [at, z, y, minus] = [w.local("i32"), w.local("v128"), w.local("v128"), signs(w, [-1, 1])];
  const conjugate = signs(w, [1, -1]);
  repeat(w, from, to, 1, () => {
    [input, output, factor, count, inLine, outLine].forEach((word, n) =>
      w
        .get(parameters)
        .memory("i32.load", 4 * n)
        .set(word),
    );
    w.get(from).get(inLine).op("i32.mul").get(input).op("i32.add").set(input);
    w.get(from).get(outLine).op("i32.mul").get(output).op("i32.add").set(output);
    w.i32(0).set(at);
    repeat(w, at, count, 1, () => {
      w.get(input).memory("v128.load").set(z);
      if (code.swapIn) w.get(z).get(z).shuffle(SWAP).set(z);
      if (code.conjugateIn) w.get(z).get(conjugate).op("f64x2.mul").set(z);
      w.get(factor).memory("v128.load").set(y);
      // re·(c, d) + im·(−d, c)
      w.get(z).get(z).shuffle(REAL).get(y).op("f64x2.mul");
      w.get(z)
        .get(z)
        .shuffle(IMAGINARY)
        .get(y)
        .get(y)
        .shuffle(SWAP)
        .get(minus)
        .op("f64x2.mul")
        .op("f64x2.mul");
      w.op("f64x2.add").set(z);
      if (code.conjugateOut) w.get(z).get(conjugate).op("f64x2.mul").set(z);
      if (code.swapOut) w.get(z).get(z).shuffle(SWAP).set(z);
      w.get(output).get(z).memory("v128.store");
      for (const place of [input, output, factor]) increase(w, place, 16);
    });
  });
}

function signs(w: FunctionWriter, [first, second]: readonly [number, number]): Local {
  const local = w.local("v128");
  w.f64(first).op("f64x2.splat").f64(second).op("f64x2.replace_lane", 1).set(local);
  return local;
}
