// The names of the ops of the table, as a type, so that a mistyped pattern does not compile.
// Must hold: exactly the keys of OPS (a test compares).

import type * as arithmetic from "../ops/elementwise/arithmetic.ts";
import type * as exponential from "../ops/elementwise/exponential.ts";
import type * as logic from "../ops/elementwise/logic.ts";
import type * as special from "../ops/elementwise/special.ts";

type Elementwise =
  | (keyof typeof arithmetic | keyof typeof exponential | keyof typeof logic | keyof typeof special)
  | ("cast" | "where");
type Source = "full" | "coordinate" | "arange" | "linspace" | "data";
type Reduction =
  | ("sum" | "prod" | "mean" | "var" | "max" | "min")
  | ("any" | "all" | "countNonzero" | "argmax" | "argmin" | "logsumexp" | "expSumRest");
type Move =
  | ("permute" | "broadcast" | "expandDims" | "squeeze" | "rechunk" | "reshape")
  | ("slice" | "setSlice" | "concat" | "repeat" | "tile" | "pad");
type Routine = "gather" | "scatter" | "takeAlongAxis" | "searchsorted" | "sort" | "argsort";

export type OpName =
  | (Elementwise | Source | Reduction | Move | Routine)
  | ("cumulativeSum" | "cumulativeProd" | "contract");
