// What a rule is. In: one node. Out: a node of the same dtype and shape that means the same, or null.
// Must hold: a rule is a pure function of the node (and of how many clients nodes have), it says with
// `changes` what it may change of a result's bits, and it leads to a fixpoint together with the others of
// its group: no rule undoes another's work.

import { ChunkwiseError, RuleError } from "../core/errors.ts";
import { Expr } from "../expr/expr.ts";
import type { ArrayType, Op } from "../expr/op.ts";
import type { FunctionGraph, Replacements } from "./functionGraph.ts";
import type { GraphFeature } from "./graphFeatures.ts";
import { fitted } from "./make.ts";
import type { NodeOrder } from "./nodeOrder.ts";

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
  /** Graphs without a node of this kind have nothing for it. */
  readonly kind?: ArrayType["kind"];
  /** Features that it needs: they are attached before it is applied. */
  requirements?(graph: FunctionGraph): readonly GraphFeature[];
  /** Changes the graph. */
  apply(graph: FunctionGraph, context?: GlobalContext): void;
}

/**
 * Attaches what a rewrite requires, and applies it: `applyGlobal(simplifyAll, graph)`. What it throws that is no error of ours
 * becomes one that names it.
 */
export function applyGlobal(rewrite: GlobalRewrite, graph: FunctionGraph, context?: GlobalContext): void {
  try {
    for (const feature of rewrite.requirements?.(graph) ?? []) graph.attach(feature);
    rewrite.apply(graph, context);
  } catch (error) {
    throw error instanceof ChunkwiseError ? error : failed(rewrite, error);
  }
}

const failed = ({ name }: GlobalRewrite, error: unknown): RuleError =>
  new RuleError(
    { what: `rewrite ${name} failed: ${error}`, cure: "Mend it, or exclude it", rules: [name] },
    { cause: error },
  );

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
      // Whoever applies the rule says what is wrong with an answer that is no node.
      return replacement instanceof Expr ? fitted(replacement, node) : replacement;
    },
  };
  return whyNot === undefined ? rule : { ...rule, whyNot };
}

// Which rules can match a node: a tree of decisions by the node's op and the ops of its first two inputs,
// grown as nodes ask. In: an ordered list of rules. Out: for a node, the few that are worth trying, in order.
// Must hold: a node that no rule can match costs one to three look-ups.

// How many nodes use a node, in the graph that a run starts from: counted once, when a rule first asks.
// Must hold: a node that came in the place of another has at least its clients; one that is new has one.

export class ClientCounts {
  readonly #order: NodeOrder;
  /** What stands for the nodes of the start already, when counting begins late; null: under way. */
  readonly #now: readonly (Expr | null | undefined)[];
  /** Of the graph's nodes, by their places. */
  #counts: number[] | null = null;
  /** Of new nodes, those that have more than one. */
  readonly #raised = new Map<Expr, number>();

  constructor(order: NodeOrder, now: readonly (Expr | null | undefined)[]) {
    this.#order = order;
    this.#now = now;
  }

  /** Has a rule asked? */
  get wereAsked(): boolean {
    return this.#counts !== null;
  }

  of(node: Expr): number {
    this.#counts ??= this.#count();
    const place = this.#order.placeOf(node);
    if (place >= 0 && place < this.#order.count) return this.#counts[place]!;
    return this.#raised.size === 0 ? 1 : (this.#raised.get(node) ?? 1);
  }

  /** `next` stands where `node` stood. */
  inherit(node: Expr, next: Expr): void {
    if (this.#counts === null) return;
    const count = this.of(node);
    if (count > 1 && count > this.of(next)) this.#raise(this.#counts, next, count);
  }

  #raise(counts: number[], node: Expr, count: number): void {
    const place = this.#order.placeOf(node);
    if (place >= 0 && place < this.#order.count) counts[place] = count;
    else this.#raised.set(node, count);
  }

  #count(): number[] {
    const counts = this.#order.clients;
    this.#counts = counts;
    for (let at = 0; at < this.#order.count; at++) {
      const next = counts[at]! > 1 ? this.#now[at] : null;
      if (next !== undefined && next !== null) this.inherit(this.#order.nodes[at]!, next);
    }
    return counts;
  }
}

const NONE: readonly Rule[] = Object.freeze([]);

/** What is known of an op: its rules, and what is left of them for the ops of its inputs. */
interface Branch {
  readonly rules: readonly Rule[];
  /** By the op of the next input; null where inputs make no difference. */
  readonly byInput: Map<Op, Branch> | null;
  /** What is left of its rules for a node without inputs. */
  readonly withoutInputs: readonly Rule[];
}

/** Finds the few rules that are worth trying at a node: `new Dispatcher(rules).candidates(x.expr)`. */
export class Dispatcher {
  readonly rules: readonly Rule[];
  /** Those that replace parts of a graph at once. */
  readonly ofParts: readonly Rule[];
  readonly #byOp = new Map<Op, Branch>();

  constructor(rules: readonly Rule[]) {
    this.rules = rules;
    this.ofParts = rules.filter(({ parts }) => parts !== undefined);
  }

  /** Rules that could match a node, in the order of trying. */
  candidates(node: Expr): readonly Rule[] {
    const { op, inputs } = node;
    const branch = this.#byOp.get(op) ?? this.#growOp(op);
    if (inputs.length === 0) return branch.withoutInputs;
    if (branch.byInput === null) return branch.rules;
    const first = inputs[0]!.op;
    const second = branch.byInput.get(first) ?? growInput(branch, op, [first], inputs.length);
    if (second.byInput === null || inputs.length === 1) return second.rules;
    const other = inputs[1]!.op;
    return (second.byInput.get(other) ?? growInput(second, op, [first, other], inputs.length)).rules;
  }

  #growOp(op: Op): Branch {
    const rules = this.rules.filter(({ tracks }) => tracks === null || tracks.includes(op));
    const branch = {
      rules: rules.length === 0 ? NONE : rules,
      byInput: rules.some(asks) ? new Map() : null,
      withoutInputs: rules.filter((rule) => !asks(rule)),
    };
    this.#byOp.set(op, branch);
    return branch;
  }
}

/** Do the ops of the first two inputs matter? */
const asks = ({ inputs = [], someInput }: Rule): boolean =>
  someInput !== undefined || inputs.slice(0, 2).some((ops) => ops !== null);

function growInput(parent: Branch, op: Op, inputs: readonly Op[], count: number): Branch {
  // Only elementwise ops always have the same number of inputs.
  const hasMore = inputs.length < count || op.class !== "elementwise";
  const rules = parent.rules.filter(
    (rule) => fitsInputs(rule, op, inputs, hasMore) && (hasMore || hasSome(rule, inputs)),
  );
  const branch = {
    rules: rules.length === 0 ? NONE : rules,
    byInput: inputs.length === 1 && hasMore && rules.some(asks) ? new Map<Op, Branch>() : null,
    withoutInputs: NONE,
  };
  parent.byInput!.set(inputs.at(-1)!, branch);
  return branch;
}

/** Could the rule match, as far as these inputs tell? */
function fitsInputs({ inputs = [] }: Rule, op: Op, found: readonly Op[], hasMore: boolean): boolean {
  const fits = (order: readonly number[]): boolean =>
    found.every((input, i) => inputs[order[i]!]?.has(input) ?? true);
  const isSwappable =
    op.class === "elementwise" && op.commutative === true && (hasMore || found.length === 2);
  return fits([0, 1]) || (isSwappable && fits([1, 0]));
}

/** Of all inputs. */
const hasSome = ({ someInput }: Rule, inputs: readonly Op[]): boolean =>
  someInput === undefined || inputs.some((op) => someInput.has(op));
