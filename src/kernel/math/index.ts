// The elementary functions as expansions into basic IEEE operations, so that whatever runs a scalar program (the
// interpreter, compiled code) computes the same bits. In: float32 or float64 terms. Out: a term of that type.

import type { Prim, Term } from "../scalar.ts";
import { acosh32, acosh64, asinh32, asinh64, atanh32, atanh64 } from "./arcHyperbolic.ts";
import { acos32, acos64, asin32, asin64 } from "./arcsine.ts";
import { atan2_32, atan2_64, atan32, atan64 } from "./arctangent.ts";
import { type Binary, byWidth, byWidth2, type Unary } from "./build.ts";
import { cos64, sin64, tan64 } from "./circular.ts";
import { cos32, sin32, tan32 } from "./circularShort.ts";
import { exp32, exp64, expm1_32, expm1_64 } from "./exponential.ts";
import { cosh32, cosh64, sinh32, sinh64, tanh32, tanh64 } from "./hyperbolic.ts";
import { hypot32, hypot64 } from "./hypot.ts";
import { log1p_32, log1p_64, log2_32, log2_64, log10_32, log10_64, log32, log64 } from "./logarithm.ts";
import { pow32, pow64 } from "./power.ts";

type Expansion = (...x: Term[]) => Term;

const UNARY: readonly (readonly [Prim, Unary])[] = [
  ["exp", byWidth(exp64, exp32)],
  ["expm1", byWidth(expm1_64, expm1_32)],
  ["log", byWidth(log64, log32)],
  ["log1p", byWidth(log1p_64, log1p_32)],
  ["log2", byWidth(log2_64, log2_32)],
  ["log10", byWidth(log10_64, log10_32)],
  ["sin", byWidth(sin64, sin32)],
  ["cos", byWidth(cos64, cos32)],
  ["tan", byWidth(tan64, tan32)],
  ["asin", byWidth(asin64, asin32)],
  ["acos", byWidth(acos64, acos32)],
  ["atan", byWidth(atan64, atan32)],
  ["sinh", byWidth(sinh64, sinh32)],
  ["cosh", byWidth(cosh64, cosh32)],
  ["tanh", byWidth(tanh64, tanh32)],
  ["asinh", byWidth(asinh64, asinh32)],
  ["acosh", byWidth(acosh64, acosh32)],
  ["atanh", byWidth(atanh64, atanh32)],
];

const BINARY: readonly (readonly [Prim, Binary])[] = [
  ["atan2", byWidth2(atan2_64, atan2_32)],
  ["hypot", byWidth2(hypot64, hypot32)],
  ["pow", byWidth2(pow64, pow32)],
];

export const EXPANSIONS: ReadonlyMap<Prim, Expansion> = new Map<Prim, Expansion>([
  ...UNARY.map(([prim, f]) => [prim, (x: Term) => f(x)] as const),
  ...BINARY.map(([prim, f]) => [prim, (x: Term, y: Term) => f(x, y)] as const),
] as [Prim, Expansion][]);
