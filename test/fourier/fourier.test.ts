// cw.fft beside SciPy's pocketfft (test/fourier/generate.py): errors against sums in long double, every function and option, every way of
// computing, mistakes.

import { readFileSync } from "node:fs";
import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { needThreads, Ways } from "../ways.ts";

needThreads();

interface Parts {
  readonly shape: readonly number[];
  readonly re: readonly number[];
  readonly im: readonly number[];
}
const fixture = JSON.parse(readFileSync(new URL("./fixtures/fourier.json", import.meta.url), "utf8")) as {
  readonly lines: { readonly [n: string]: { readonly truth: Parts; readonly pocketfft: number } };
  readonly cases: readonly {
    readonly name: string;
    readonly options: object;
    readonly isReal: boolean;
    readonly expect: Parts;
  }[];
  readonly fftfreq: { readonly [n: string]: readonly number[] };
  readonly rfftfreq: { readonly [n: string]: readonly number[] };
  readonly fftshift: readonly unknown[];
  readonly ifftshift: readonly unknown[];
};

const noise = (n: number, k = 0): cw.LazyArray<"float64"> =>
  cw.asarray(Float64Array.from({ length: n }, (_, i) => (((i + 1 + k) * 0.7548776662466927) % 1) - 0.5));
const complex = (re: cw.LazyArray, im: cw.LazyArray): cw.LazyArray => re.add(im.multiply(cw.complex(0, 1)));

/** √(Σ|x − y|² / Σ|y|²) */
function distance(x: cw.LazyArray, { shape, re, im }: Parts): number {
  const found = x.astype("complex128").computeSync();
  expect(found.shape).toEqual(shape);
  let [off, whole] = [0, 0];
  re.forEach((each, i) => {
    off += (found.data[2 * i]! - each) ** 2 + (found.data[2 * i + 1]! - im[i]!) ** 2;
    whole += each ** 2 + im[i]! ** 2;
  });
  return Math.sqrt(off / whole);
}

test("errors are no more than twice pocketfft's, for every kind of length", () => {
  for (const [n, { truth, pocketfft }] of Object.entries(fixture.lines)) {
    const x = complex(noise(Number(n)), noise(Number(n), 0.3));
    const error = distance(cw.fft.fft(x), truth);
    expect(error, n).toBeLessThanOrEqual(Math.max(2 * pocketfft, Number.EPSILON));
    const back = cw.max(cw.abs(cw.fft.ifft(cw.fft.fft(x)).subtract(x))).computeSync();
    expect(Number(back.item())).toBeLessThan(1e-14);
  }
});

test.each(fixture.cases)("$name $options", ({ name, options, isReal, expect: wanted }) => {
  const x = noise(60).reshape([3, 4, 5]).rechunk([2, 3, 2]);
  const z = complex(x, noise(60, 0.3).reshape([3, 4, 5]));
  const call = cw.fft[name as "fft"] as (x: cw.LazyArray, options: object) => cw.LazyArray;
  expect(distance(call(isReal ? x : z, options), wanted)).toBeLessThan(1e-15 * 10);
  const short = call(isReal ? x.astype("float32") : z.astype("complex64"), options);
  expect(short.dtype).toBe(/^irfft|^hfft/.test(name) ? "float32" : "complex64");
});

test("frequencies and shifts", () => {
  for (const [n, wanted] of Object.entries(fixture.fftfreq))
    expect(cw.fft.fftfreq(Number(n), { d: 0.5 }).computeSync().toList()).toEqual(wanted.map((x) => x + 0));
  for (const [n, wanted] of Object.entries(fixture.rfftfreq))
    expect(cw.fft.rfftfreq(Number(n), { d: 0.5 }).computeSync().toList()).toEqual(wanted);
  const x = cw.arange(12).reshape([3, 4]);
  expect(cw.fft.fftshift(x).computeSync().toList()).toEqual(fixture.fftshift);
  expect(cw.fft.ifftshift(x, { axes: 0 }).computeSync().toList()).toEqual(fixture.ifftshift);
});

test("every way of computing; lines in tasks of their own", async () => {
  const x = noise(6000).reshape([60, 100]);
  const z = cw.fft.fft(x.rechunk([7, 100]), { axis: 1 });
  expect(z.plan().numTasks).toBeGreaterThan(1);
  const ways = new Ways();
  ways.compute([
    z,
    cw.fft.fft(x, { axis: 0, n: 53 }),
    cw.fft.irfft(cw.fft.rfft(x.rechunk(17))),
    cw.fft.fftn(x),
  ]);
  await ways.agree();
});

test("mistakes say what they are", () => {
  const wrong = (given: unknown): never => given as never;
  const mistakes: readonly [() => unknown, RegExp][] = [
    [() => cw.fft.fft(1), /fft: /],
    [() => cw.fft.fft([]), /fft: n is 0/],
    [() => cw.fft.fft([1], { n: 0 }), /fft: n is 0/],
    [() => cw.fft.fft([1], { n: wrong("a") }), /fft: n is "a"/],
    [() => cw.fft.fft([1], { axis: 1 }), /fft: /],
    [() => cw.fft.fft([1], { norm: wrong("no") }), /fft: norm is "no"/],
    [() => cw.fft.fft([true]), /fft: bool/],
    [() => cw.fft.fft([1], wrong({ m: 1 })), /fft: there is no option/],
    [() => cw.fft.fft(wrong("x")), /fft: /],
    [() => cw.fft.rfft([cw.complex(1, 2)]), /rfft: complex128 is not real/],
    [() => cw.fft.irfft([1]), /irfft: n is 0/],
    [() => cw.fft.fftn([1], { s: [1, 2] }), /fftn: /],
    [() => cw.fft.fftn([[1]], { s: [1], axes: [0, 1] }), /fftn: s is/],
    [() => cw.fft.fftn([[1]], { axes: [0, 0] }), /fftn: /],
    [() => cw.fft.fftfreq(0), /fftfreq: n is 0/],
    [() => cw.fft.fftfreq(4, { d: 0 }), /fftfreq: d is 0/],
    [() => cw.fft.rfftfreq(4, { dtype: wrong("int8") }), /rfftfreq: .*int8/],
    [() => cw.fft.fftshift([1], { axes: 3 }), /fftshift: /],
  ];
  for (const [call, message] of mistakes) expect(call).toThrow(message);
});
