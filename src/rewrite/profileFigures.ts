// The figures of a profile, as those who asked for one get them. What must hold of them, profile.ts says.

import type { Stage } from "./database.ts";

/** What one rule did and took in a stage. */
export interface RuleProfile {
  /** The rule's name. */
  readonly name: string;
  /** At how many nodes it was tried. */
  readonly tried: number;
  /** The pattern fitted; the right side may still have declined. */
  readonly matched: number;
  /** How often it was applied. */
  readonly applied: number;
  /** What it took in all. */
  readonly milliseconds: number;
  /** Nodes of the stage's result that this rule made, and nodes of its begin that it made unnecessary. */
  readonly added: number;
  /** Nodes of the stage's begin that this rule made unnecessary. */
  readonly removed: number;
}

/** Where time went, in milliseconds. */
export interface StageCosts {
  /** In rules, or in the rewrite of the whole graph. */
  readonly rules: number;
  /** Finding the order of nodes. */
  readonly toposort: number;
  /** Checking what rules gave, and asking validators. */
  readonly validate: number;
  /** Telling features of graphs what comes and goes. */
  readonly callback: number;
  /** Looking for rules that may match, and putting nodes in the places of others. */
  readonly rest: number;
}

/** What a stage did and took, in one pass or in all. */
export interface StageFigures {
  /** In all. */
  readonly milliseconds: number;
  /** Of that, what went where. */
  readonly costs: StageCosts;
  /** How many there were, how many there are, and the most in between. */
  readonly nodes: { readonly start: number; readonly end: number; readonly max: number };
  /** How often its rules were applied. */
  readonly applied: number;
}

/** One run of a stage over the graph. */
export interface PassProfile extends StageFigures {
  /** The most replacements that followed one another at one node, and the first round. */
  readonly rounds: number;
  /** Nodes that are new only because their inputs are, and nodes that went for that reason. */
  readonly rebuilt: { readonly added: number; readonly removed: number };
  /** The rules that were tried, the most time first. */
  readonly rules: readonly RuleProfile[];
}

/** What one stage did and took in all its passes. */
export interface StageProfile extends StageFigures {
  /** The stage's name. */
  readonly name: string;
  /** "rules", which are applied until none matches, "global", a rewrite of the whole graph, or "sequence", of `stages`. */
  readonly kind: Stage["kind"] | "sequence";
  /** Its place among those beside it, from 0. */
  readonly index: number;
  /** Each time that it ran. */
  readonly passes: readonly PassProfile[];
  /** The rules that were tried in any pass, the most time first. */
  readonly rules: readonly RuleProfile[];
  /** Rules that were there and never applied. */
  readonly unused: readonly string[];
  /** The stages of a sequence, in order. */
  readonly stages: readonly StageProfile[];
}

/** What rewriting took, as `optimize(roots, {profile: true}).report.profile` has it; it prints as a tree. */
export interface Profile extends StageFigures {
  /** The database's name. */
  readonly name: string;
  /** Its stages, in order. */
  readonly stages: readonly StageProfile[];
  /** All of it as text, the most time first. */
  toString(): string;
}
