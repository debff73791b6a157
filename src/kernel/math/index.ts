// The elementary functions as expansions into basic IEEE operations, so that whatever runs a scalar program (the
// interpreter, compiled code) computes the same bits. In: float32 or float64 terms. Out: a term of that type.

import type { ElementaryPrim, Prim, Term } from "../scalar.ts";
import { acos32, acos64, asin32, asin64, atan2_32, atan2_64, atan32, atan64 } from "./arctangent.ts";
import { cos64, sin64, tan64 } from "./circular.ts";
import { cos32, sin32, tan32 } from "./circularShort.ts";
import { fmod32, fmod64, hypot32, hypot64, nextafter } from "./exact.ts";
import { exp32, exp64, expm1_32, expm1_64 } from "./exponential.ts";
import {
  acosh32,
  acosh64,
  asinh32,
  asinh64,
  atanh32,
  atanh64,
  cosh32,
  cosh64,
  sinh32,
  sinh64,
  tanh32,
  tanh64,
} from "./hyperbolic.ts";
import { log1p_32, log1p_64, log2_32, log2_64, log10_32, log10_64, log32, log64 } from "./logarithm.ts";
import { pow32, pow64 } from "./power.ts";
import { type Binary, byWidth, byWidth2, type Unary } from "./words.ts";

type Expansion = (...x: Term[]) => Term;

const unary =
  (f: Unary): Expansion =>
  (x) =>
    f(x!);
const binary =
  (f: Binary): Expansion =>
  (x, y) =>
    f(x!, y!);

const TABLE: { readonly [P in ElementaryPrim | "fmod"]: Expansion } = {
  exp: unary(byWidth(exp64, exp32)),
  expm1: unary(byWidth(expm1_64, expm1_32)),
  log: unary(byWidth(log64, log32)),
  log1p: unary(byWidth(log1p_64, log1p_32)),
  log2: unary(byWidth(log2_64, log2_32)),
  log10: unary(byWidth(log10_64, log10_32)),
  sin: unary(byWidth(sin64, sin32)),
  cos: unary(byWidth(cos64, cos32)),
  tan: unary(byWidth(tan64, tan32)),
  asin: unary(byWidth(asin64, asin32)),
  acos: unary(byWidth(acos64, acos32)),
  atan: unary(byWidth(atan64, atan32)),
  sinh: unary(byWidth(sinh64, sinh32)),
  cosh: unary(byWidth(cosh64, cosh32)),
  tanh: unary(byWidth(tanh64, tanh32)),
  asinh: unary(byWidth(asinh64, asinh32)),
  acosh: unary(byWidth(acosh64, acosh32)),
  atanh: unary(byWidth(atanh64, atanh32)),
  atan2: binary(byWidth2(atan2_64, atan2_32)),
  hypot: binary(byWidth2(hypot64, hypot32)),
  pow: binary(byWidth2(pow64, pow32)),
  fmod: binary(byWidth2(fmod64, fmod32)),
  nextafter: binary(nextafter),
};

/** An expansion is final: a `fmod` in it is the machine's own. */
export const EXPANSIONS: ReadonlyMap<Prim | "load", Expansion> = new Map(
  Object.entries(TABLE) as [Prim, Expansion][],
);
