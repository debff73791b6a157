// What a rule is. In: one node. Out: a node of the same dtype and shape that means the same, or null.
// Must hold: a rule is a pure function of the node (and of how many clients nodes have), it says with
// `changes` what it may change of a result's bits, and it leads to a fixpoint together with the others of
// its group: no rule undoes another's work.

import type { Expr } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import type { FunctionGraph, NodeOrder, Replacements } from "./functionGraph.ts";
import { fitted } from "./make.ts";

/**
 * What a rule may change of a result:
 * - `zeroSign`: the sign of a zero
 * - `rounding`: the last bits, by another order or number of roundings
 * - `nan`: a NaN or an infinity may appear or go (0 · inf, x − x)
 * - `domain`: a number where the original gave NaN, infinity or an overflow
 */
export type Change = "zeroSign" | "rounding" | "nan" | "domain";

/** What a rule may ask beside its node. */
export interface RuleContext {
  /** How many nodes (and results) use this one. A node that a rule has just made counts as one. */
  clients(node: Expr): number;
  /** Called when a pattern fits, before the right side decides: for the profile. */
  onMatch?(): void;
}

/** Some ops: a set, or a condition. */
export interface OpSet {
  has(op: Op): boolean;
}

/** A local rule: what the default driver applies. */
export interface Rule {
  /** Unique among the rules of a database; also a tag. */
  readonly name: string;
  /** For people: `log(1 + x) = log1p(x)`. */
  readonly equation: string;
  /** Families, modes and the safety classes; see `tagsOf`. */
  readonly tags: readonly string[];
  /** Empty: the same bits for every input. */
  readonly changes: readonly Change[];
  /** The ops it wants to see; null means every op. */
  readonly tracks: readonly Op[] | null;
  /**
   * The ops an input may have for the rule to match, by position; null or missing: any. For commutative ops
   * either order. Only there to reject early, so it may be left out.
   */
  readonly inputs?: readonly (OpSet | null)[] | undefined;
  /** Ops of which one input at least must have one. Only there to reject early too. */
  readonly someInput?: OpSet | undefined;
  /** A node of the same dtype and shape, or null: no change. */
  apply(node: Expr, context: RuleContext): Expr | null;
  /**
   * What it replaces in a graph before rules are tried node by node, where much less work replaces many nodes together;
   * null where there is nothing. What only replaced nodes use is not looked at any more.
   */
  parts?(order: NodeOrder): ReadonlyMap<Expr, Expr> | null;
  /** Why `apply` gives null for this node: the first clause that failed. Null when it does apply. */
  whyNot?(node: Expr, context: RuleContext): WhyNot | null;
}

export interface WhyNot {
  /** The clause that failed, with what was found. */
  readonly reason: string;
  /** How many clauses held before it: of several nodes the one with most came closest. */
  readonly progress: number;
}

/** A local rewrite for navigators over a function graph: like a rule, but may replace nodes elsewhere. */
export interface LocalRewrite {
  /** For histories and messages. */
  readonly name: string;
  /** The ops it wants to see; null: every op. */
  readonly tracks: readonly Op[] | null;
  /** What comes into the node's place, or into that of others; null: no change. */
  apply(node: Expr, context: RuleContext): Expr | Replacements | null;
}

/** What is the same for all of a rewriting's stages. */
export interface GlobalContext {
  /** Where nobody can say what an operation needs: say nothing, warn, or throw. */
  readonly onFail: "pass" | "warn" | "raise" | undefined;
  /** What was said already: a stage may run several times. */
  readonly told: Set<string>;
}

/** A rewrite of a whole graph. */
export interface GlobalRewrite {
  /** For histories and messages. */
  readonly name: string;
  /** By which queries find it. */
  readonly tags?: readonly string[];
  /** Changes the graph. */
  apply(graph: FunctionGraph, context?: GlobalContext): void;
}

const CHANGE_TAGS: { readonly [C in Change]: string } = {
  zeroSign: "fastMath:z",
  rounding: "fastMath:r",
  nan: "fastMath:n",
  domain: "fastMath:d",
};

export const FAST_MATH_TAGS: readonly string[] = Object.values(CHANGE_TAGS);

/**
 * The tags of a rule: its own, and the mode it is on in. Exact rules and those that make results more
 * accurate (`stabilize`) are in `fastRun`; what changes results otherwise is in `fastMath` and in
 * `fastMath:z|r|n|d`.
 */
export function tagsOf(own: readonly string[], changes: readonly Change[]): readonly string[] {
  const isOn = changes.length === 0 || own.includes("stabilize");
  const modes = isOn ? ["fastRun"] : ["fastMath", ...changes.map((change) => CHANGE_TAGS[change])];
  return [...new Set([...own, ...modes])];
}

/** The parts of a rule that is written as a function. */
export interface RuleParts extends Pick<Rule, "apply" | "parts" | "inputs" | "someInput"> {
  readonly tags?: readonly string[];
  readonly changes?: readonly Change[];
  readonly tracks?: readonly Op[] | null;
  readonly whyNot?: (node: Expr, context: RuleContext) => WhyNot | null;
}

/**
 * A rule that no pattern can say: `functionRule("mergeSlices", "x[a][b] = x[c]", { tracks: [slice], apply })`. As with
 * patterns, a replacement that is only smaller, and broadcasts to the node's shape, is broadcast.
 */
export function functionRule(name: string, equation: string, parts: RuleParts): Rule {
  const { tags = [], changes = [], tracks = null, inputs, someInput, apply, whyNot } = parts;
  const rule: Rule = {
    ...(parts.parts === undefined ? {} : { parts: parts.parts }),
    ...{ name, equation, tags: tagsOf(tags, changes), changes, tracks, inputs, someInput },
    apply(node: Expr, context: RuleContext): Expr | null {
      const replacement = apply(node, context);
      return replacement === null ? null : fitted(replacement, node);
    },
  };
  return whyNot === undefined ? rule : { ...rule, whyNot };
}
