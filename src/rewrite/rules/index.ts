// Which rules each stage of the pipeline begins with, one line a family. Order is the order of trying.

import type { RuleSequence } from "../database.ts";
import type { Rule } from "../rule.ts";
import { ARITHMETIC, RECIPROCALS } from "./arithmetic.ts";
import { BOOLEANS } from "./booleans.ts";
import { CASTS } from "./casts.ts";
import { CHOOSE } from "./choose.ts";
import { COMPARE } from "./compare.ts";
import { CONSTANTS } from "./constants.ts";
import { AROUND_PRODUCTS, CONTRACTION } from "./contraction.ts";
import { type Evaluate, foldConstants } from "./folding.ts";
import { INDEXING } from "./indexing.ts";
import { INTEGERS, SHIFTS } from "./integers.ts";
import { FAST_LOGARITHMS, INVERSES } from "./inverses.ts";
import { JOINS } from "./joins.ts";
import { LOG_SUM } from "./logSum.ts";
import { POWERS, POWERS_LATE } from "./powers.ts";
import { REDUCTIONS } from "./reductions.ts";
import { SHAPES, UNIT_AXES } from "./shapes.ts";
import { STABILIZE } from "./stabilize.ts";

/** A stage and a family of rules. */
const FAMILIES: readonly (readonly [stage: string, rules: readonly Rule[]])[] = [
  ["canonicalize", CONSTANTS],
  ["canonicalize", ARITHMETIC],
  ["canonicalize", POWERS],
  ["canonicalize", BOOLEANS],
  ["canonicalize", COMPARE],
  ["canonicalize", CHOOSE],
  ["canonicalize", CASTS],
  ["canonicalize", INTEGERS],
  ["specialize", RECIPROCALS],
  ["specialize", POWERS_LATE],
  ["specialize", SHIFTS],
  ["canonicalize", SHAPES],
  ["canonicalize", JOINS],
  ["canonicalize", REDUCTIONS],
  ["stabilize", LOG_SUM],
  ["stabilize", STABILIZE],
  ["stabilize", INVERSES],
  ["specialize", FAST_LOGARITHMS],
  ["project", INDEXING],
  ["project", UNIT_AXES],
  ["contract", CONTRACTION],
  ["contract", AROUND_PRODUCTS],
];

/** Puts every built-in rule into its stage. `evaluate` computes what is folded, with the run-time's kernels. */
export function registerBuiltIn(pipeline: RuleSequence, evaluate: Evaluate): void {
  for (const [stage, rules] of [...FAMILIES, ["canonicalize", foldConstants(evaluate)] as const])
    for (const rule of rules)
      pipeline.group(stage).register(rule, stage === "canonicalize" ? quickTags(rule) : []);
}

/** What is on by default in the first stage is worth its time even in a hurry. */
const quickTags = ({ tags }: Rule): readonly string[] => (tags.includes("fastRun") ? ["fastCompile"] : []);
