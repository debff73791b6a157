// The pipeline: THE ordered list of stages, read top to bottom, and the modes that pick from it.
// In: expressions and a mode. Out: expressions of the same types that mean the same.

import { ValueError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";
import type { Expr } from "../expr/expr.ts";
import { RuleGroup, RuleSequence } from "./database.ts";
import { Query, query } from "./query.ts";
import { FAST_MATH_TAGS } from "./rule.ts";
import { type Rewritten, type RunOptions, runStages } from "./run.ts";

export const pipeline: RuleSequence = new RuleSequence("pipeline", [
  /** One form for what can be written in several ways; what has no effect goes; constants are folded. */
  new RuleGroup("canonicalize"),
  /** Formulas that lose digits or overflow become ones that do not. */
  new RuleGroup("stabilize"),
  /** Combinations of ops become one op that does the same, better. */
  new RuleGroup("specialize"),
  /** Selections move towards the sources, so that only what is needed is read. */
  new RuleGroup("project"),
  /** Products of matrices with what is around them. */
  new RuleGroup("contract"),
]);

/** Modes are queries. `+fastMath` (or `+fastMath:z` …) after a mode's name allows results to change. */
export const MODES: { readonly [mode: string]: Query } = {
  fastRun: query({ include: ["fastRun"] }),
  fastCompile: query({ include: ["fastCompile"] }),
  none: query({}),
};

const DEFAULT_MODE = "fastRun";

/** `fastRun`, `fastRun+fastMath`, `fastRun+fastMath:z+fastMath:r`: the query of a mode. */
export function modeQuery(mode: string | Query): Query {
  if (mode instanceof Query) return mode;
  const [name, ...allowed] = mode.split("+");
  const base = MODES[name!];
  if (base === undefined)
    throw new ValueError({
      what: `there is no mode ${JSON.stringify(name)}`,
      cure: closest(name!, Object.keys(MODES)),
    });
  if (allowed.length === 0) return base;
  const classes = allowed.filter((tag) => FAST_MATH_TAGS.includes(tag));
  // Who allows one class of changes does not want a rule that makes others too.
  const others = allowed.includes("fastMath") ? [] : FAST_MATH_TAGS.filter((tag) => !classes.includes(tag));
  const isOnlyClasses = classes.length > 0;
  return isOnlyClasses ? base.including(...allowed).excluding(...others) : base.including(...allowed);
}

export interface OptimizeOptions extends RunOptions {
  /** A mode's name, with what it allows; or a query. */
  readonly mode?: string | Query;
  /** Rules or tags that are wanted besides, or not wanted, in this computation. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Another database than the built-in one. */
  readonly database?: RuleSequence;
}

export function queryOf({ mode = DEFAULT_MODE, include = [], exclude = [] }: OptimizeOptions): Query {
  return modeQuery(mode)
    .including(...include)
    .excluding(...exclude);
}

/** Rewrites expressions as a mode says. */
export function optimize(roots: readonly Expr[], options: OptimizeOptions = {}): Rewritten {
  return rewriteExprs(roots, queryOf(options), options);
}

/** Rewrites expressions by what a query picks. */
export function rewriteExprs(
  roots: readonly Expr[],
  wanted: Query,
  { database = pipeline, ...options }: Omit<OptimizeOptions, "mode" | "include" | "exclude"> = {},
): Rewritten {
  return runStages(roots, database.query(wanted), options);
}
