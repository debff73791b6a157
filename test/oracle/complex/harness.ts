// Reads points.json and measures bodies against it.
// In: bodies over complex terms, arguments, the values wanted. Out: what is wrong, as text.

import { readFileSync } from "node:fs";
import { type ComplexTerm, register } from "../../../src/kernel/scalar.ts";
import { evaluate } from "../../termEvaluator.ts";

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

const variable = (type: FloatType, at: number): ComplexTerm => ({
  re: register(type, at),
  im: register(type, at + 1),
});

/** A body as a function of numbers. */
export function compiled(body: Body, type: FloatType = "float64"): (...z: readonly Parts[]) => Parts {
  const { re, im } = body(variable(type, 0), variable(type, 2));
  return (...z) => {
    const [x, y] = evaluate([re, im], z.flat());
    return [x!, y!];
  };
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
  const f = compiled(body);
  return args.flatMap((z, i) => {
    const got = f(...z);
    const fits = errorOf(got, want[i]!) <= bound(z);
    return fits ? [] : [`${text(z)} gives ${text([got])}, not ${text([want[i]!])}`];
  });
}

export const text = (numbers: readonly Parts[]): string =>
  numbers.map(([x, y]) => `(${numberText(x)}, ${numberText(y)})`).join(" ");

const numberText = (x: number): string => (Object.is(x, -0) ? "-0" : String(x));
