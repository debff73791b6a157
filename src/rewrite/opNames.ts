// The names of the ops of the table, as a type, so that a mistyped pattern does not compile.
// Must hold: exactly the keys of OPS (a test compares).

import type * as elementwise from "../ops/elementwise/index.ts";
import type * as sumsWithin from "../ops/exponentialSum.ts";
import type * as exponentialSums from "../ops/exponentialSums.ts";
import type * as reductions from "../ops/reductions.ts";
import type * as scans from "../ops/scans.ts";

/** Functions of a module that are ops. */
type OpsIn<Module> = {
  [K in keyof Module & string]: Module[K] extends { readonly class: string } ? K : never;
}[keyof Module & string];

type Source = "full" | "coordinate" | "arange" | "linspace" | "data";
type Move =
  | ("permute" | "broadcast" | "expandDims" | "squeeze" | "rechunk" | "reshape")
  | ("slice" | "setSlice" | "take" | "concat" | "repeat" | "tile" | "pad");
type Routine = "gather" | "scatter" | "takeAlongAxis" | "searchsorted" | "sort" | "argsort";

export type OpName =
  | OpsIn<typeof elementwise & typeof reductions & typeof exponentialSums & typeof sumsWithin & typeof scans>
  | (Source | Move | Routine | "cast" | "contract" | "mark");
