// Reads points.json and measures bodies against it.
// In: bodies over complex terms, arguments, the values wanted. Out: what is wrong, as text.

import { readFileSync } from "node:fs";
import { runOnLanes } from "../../../src/kernel/interpret/reduce.ts";
import { programOf } from "../../../src/kernel/program.ts";
import type { ComplexTerm, Value } from "../../../src/kernel/scalar.ts";

export type Parts = readonly [number, number];
/** Of one or two complex numbers. */
export type Body = (z: ComplexTerm, w: ComplexTerm) => ComplexTerm;
export type FloatType = "float32" | "float64";

/** Tables of complex numbers: base64 of float64 pairs. */
interface Fixture {
  readonly points: string;
  /** Values at `points`, by function. */
  readonly unary: Readonly<Record<string, string>>;
  readonly left: string;
  readonly right: string;
  /** Values at pairs of `left` and `right`, by function. */
  readonly binary: Readonly<Record<string, string>>;
}

const FIXTURE: Fixture = JSON.parse(readFileSync(new URL("./points.json", import.meta.url), "utf8"));

function unpack(packed: string): Parts[] {
  const { buffer, byteOffset, byteLength } = Buffer.from(packed, "base64");
  const flat = new Float64Array(buffer.slice(byteOffset, byteOffset + byteLength));
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i]!, flat[2 * i + 1]!]);
}

const RIGHT = unpack(FIXTURE.right);
export const POINTS: readonly Parts[] = unpack(FIXTURE.points);
export const PAIRS: readonly (readonly [Parts, Parts])[] = unpack(FIXTURE.left).map((z, i) => [z, RIGHT[i]!]);
export const unaryValues = (name: string): readonly Parts[] => unpack(FIXTURE.unary[name]!);
export const binaryValues = (name: string): readonly Parts[] => unpack(FIXTURE.binary[name]!);

/** The parts of a value that is made of two complex numbers, for each pair of them. */
export function evaluated(
  body: (z: ComplexTerm, w: ComplexTerm) => Value,
  pairs: readonly (readonly Parts[])[],
  type: FloatType = "float64",
): number[][] {
  const dtype = type === "float64" ? "complex128" : "complex64";
  const program = programOf([dtype, dtype], (z, w) => [body(z as ComplexTerm, w as ComplexTerm)]);
  const lanes = [0, 1].map((k) =>
    [0, 1].map((part) => {
      const values = pairs.map((numbers) => numbers[k]?.[part] ?? 0);
      return type === "float64" ? Float64Array.from(values) : Float32Array.from(values);
    }),
  );
  const [parts] = runOnLanes(program, lanes, pairs.length);
  return pairs.map((_, i) => parts!.map((values) => Number(values[i])));
}

/** A body as a function of numbers. */
export function compiled(body: Body, type: FloatType = "float64"): (...z: readonly Parts[]) => Parts {
  return (...z) => evaluated(body, [z], type)[0] as unknown as Parts;
}

/** Distance between neighbouring doubles of this size. */
const ulp = (size: number): number => Math.max(2 ** (Math.floor(Math.log2(size)) - 52), Number.MIN_VALUE);

/**
 * The error of a result in ulps of |f(z)|; of the part, if the other one is not finite. Infinite where a NaN,
 * an infinity or the sign of a zero is wrong.
 */
function errorOf(got: Parts, want: Parts): number {
  const size = Math.hypot(...want);
  const errors = want.map((part, i) => {
    if (Object.is(part, got[i])) return 0;
    if (part === 0 && got[i] === 0) return Infinity;
    const error = Math.abs(part - got[i]!) / ulp(Number.isFinite(size) ? size : Math.abs(part));
    return Number.isFinite(error) ? error : Infinity;
  });
  return Math.max(...errors);
}

/** The arguments at which a body is wrong by more than a number of ulp, as text: empty if all is well. */
export function failures<A extends readonly Parts[]>(
  body: Body,
  args: readonly A[],
  want: readonly Parts[],
  bound: (z: A) => number,
): string[] {
  const values = evaluated(body, args) as readonly (readonly number[])[] as readonly Parts[];
  return args.flatMap((z, i) => {
    const got = values[i]!;
    const fits = errorOf(got, want[i]!) <= bound(z);
    return fits ? [] : [`${text(z)} gives ${text([got])}, not ${text([want[i]!])}`];
  });
}

export const text = (numbers: readonly Parts[]): string =>
  numbers.map(([x, y]) => `(${numberText(x)}, ${numberText(y)})`).join(" ");

const numberText = (x: number): string => (Object.is(x, -0) ? "-0" : String(x));
