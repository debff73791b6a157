// The pipeline: THE ordered list of passes, read top to bottom, and the modes that pick from it.
// In: expressions and a mode. Out: expressions of the same types that mean the same.

import { ValueError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";
import type { Expr } from "../expr/expr.ts";
import { Query, query, RuleGroup, RuleSequence } from "./database.ts";
import { FAST_MATH_TAGS, type GlobalRewrite, type Rule } from "./rule.ts";
import { ARITHMETIC, RECIPROCALS } from "./rules/arithmetic.ts";
import { BOOLEANS } from "./rules/booleans.ts";
import { CASTS } from "./rules/casts.ts";
import { CHOOSE } from "./rules/choose.ts";
import { COMPARE } from "./rules/compare.ts";
import { AROUND_PRODUCTS, CONTRACTION } from "./rules/contraction.ts";
import { CONSTANTS, type ConstantsBy, foldConstants } from "./rules/folding.ts";

import { INDEXING } from "./rules/indexing.ts";
import { INTEGERS, SHIFTS } from "./rules/integers.ts";
import { FAST_LOGARITHMS, INVERSES } from "./rules/inverses.ts";
import { JOINS } from "./rules/joins.ts";
import { LOG_SUM } from "./rules/logSum.ts";
import { POWERS, POWERS_LATE } from "./rules/powers.ts";
import { REDUCTIONS } from "./rules/reductions.ts";
import { SHAPES, UNIT_AXES } from "./rules/shapes.ts";
import { STABILIZE } from "./rules/stabilize.ts";
import { type Rewritten, type RunOptions, runStages } from "./runStages.ts";

/** What the list below takes from other rooms. */
export interface PassParts {
  /** Computes what is folded, as a run would: the bits are the same. */
  readonly constants: ConstantsBy;
  /** Sources of ragged arrays are narrowed to the columns that results need. */
  readonly necessaryColumns: GlobalRewrite;
}

/** A database of the built-in rules, for those who change it. Within a stage the order is the order of trying. */
export const pipelineOf = ({ constants, necessaryColumns }: PassParts): RuleSequence =>
  new RuleSequence("pipeline", [
    /** One form for what can be written in several ways; what has no effect goes; constants are folded. */
    stage("canonicalize", [
      ...[
        CONSTANTS,
        ARITHMETIC,
        POWERS,
        BOOLEANS,
        COMPARE,
        CHOOSE,
        CASTS,
        INTEGERS,
        SHAPES,
        JOINS,
        REDUCTIONS,
      ],
      foldConstants(constants),
    ]),
    /** Formulas that lose digits or overflow become ones that do not. */
    stage("stabilize", [LOG_SUM, STABILIZE, INVERSES]),
    /** Combinations of ops become one op that does the same, better. */
    stage("specialize", [RECIPROCALS, POWERS_LATE, SHIFTS, FAST_LOGARITHMS]),
    /** Selections move towards the sources, so that only what is needed is read. */
    stage("project", [INDEXING, UNIT_AXES]),
    /** Products of matrices with what is around them. */
    stage("contract", [CONTRACTION, AROUND_PRODUCTS]),
    necessaryColumns,
  ]);

function stage(name: string, families: readonly (readonly Rule[])[]): RuleGroup {
  const group = new RuleGroup(name);
  for (const rule of families.flat()) group.register(rule, name === "canonicalize" ? quickTags(rule) : []);
  return group;
}

/** What is on by default in the first stage is worth its time even in a hurry. */
const quickTags = ({ tags }: Rule): readonly string[] => (tags.includes("fastRun") ? ["fastCompile"] : []);

/**
 * Modes are queries: `MODES["fastRun"]`. `+fastMath` (or `+fastMath:z` …) after a mode's name allows results to change.
 */
export const MODES: { readonly [mode: string]: Query } = {
  fastRun: query({ include: ["fastRun"] }),
  fastCompile: query({ include: ["fastCompile"] }),
  none: query({}),
};

const DEFAULT_MODE = "fastRun";

/**
 * The query of a mode, `fastRun`, `fastRun+fastMath` or `fastRun+fastMath:z+fastMath:r`:
 * `modeQuery("fastRun+fastMath")`.
 */
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
  /** Rules or tags that are wanted besides, in this computation. */
  readonly include?: readonly string[];
  /** Rules or tags that are not wanted, in this computation. */
  readonly exclude?: readonly string[];
  /** Where the rules come from. */
  readonly database: RuleSequence;
}

export function queryOf({
  mode = DEFAULT_MODE,
  include = [],
  exclude = [],
}: Omit<OptimizeOptions, "database">): Query {
  return modeQuery(mode)
    .including(...include)
    .excluding(...exclude);
}

/** Rewrites expressions as a mode says. */
export function optimize(roots: readonly Expr[], options: OptimizeOptions): Rewritten {
  return rewriteExprs(roots, queryOf(options), options);
}

/** Rewrites expressions by what a query picks. */
export function rewriteExprs(
  roots: readonly Expr[],
  wanted: Query,
  { database, ...options }: Omit<OptimizeOptions, "mode" | "include" | "exclude">,
): Rewritten {
  return runStages(roots, database.query(wanted), options);
}
