// One random program, all its values compared before and after optimising. In: a program. Out: nothing, or an error
// that names the smallest value that differs, the mode, the rules that were applied and the program as code.

import fc from "fast-check";
import type { Block } from "../../src/core/block.ts";
import { shapeText } from "../../src/core/chunks.ts";
import { infoOf, isFloat } from "../../src/core/dtype.ts";
import { ChunkwiseError } from "../../src/core/errors.ts";
import { type Expr, makeExpr, postOrder } from "../../src/expr/expr.ts";
import { exprText } from "../../src/expr/print.ts";
import { opNamed } from "../../src/ops/index.ts";
import { scalar } from "../../src/rewrite/make.ts";
import { type OptimizeOptions, optimize } from "../../src/rewrite/pipeline.ts";
import type { Rule } from "../../src/rewrite/rule.ts";
import { slotsOf } from "../property/compare.ts";
import type { ProgramWriter } from "../property/writer.ts";
import { evaluateReference } from "../reference.ts";
import { database } from "./builtIn.ts";
import { allowedBy, differenceOf, isExact } from "./closeness.ts";
import { randomOf } from "./operands.ts";

/** What a batch has seen. */
export class Tally {
  cases = 0;
  /** Cases that some mode changed. */
  changed = 0;
  /** Cases of which values were compared. */
  compared = 0;
  readonly applied: Map<string, number> = new Map();
  /** Cases that changed when they were optimised again, by the rules that did it. */
  readonly unsettled: Map<string, number> = new Map();

  add(other: Tally): void {
    this.cases += other.cases;
    this.changed += other.changed;
    this.compared += other.compared;
    for (const [rule, count] of other.applied) this.applied.set(rule, (this.applied.get(rule) ?? 0) + count);
    for (const [key, count] of other.unsettled)
      this.unsettled.set(key, (this.unsettled.get(key) ?? 0) + count);
  }

  addUnsettled(rules: readonly string[]): void {
    const key = rules.join(" ");
    this.unsettled.set(key, (this.unsettled.get(key) ?? 0) + 1);
  }

  get unsettledCount(): number {
    return [...this.unsettled.values()].reduce((sum, count) => sum + count, 0);
  }

  toString(): string {
    return `${this.cases} cases, ${this.changed} rewritten, ${this.compared} compared, ${this.applied.size} rules applied, ${this.unsettledCount} not settled at once`;
  }
}

interface Optimised {
  readonly mode: string;
  readonly before: Expr;
  readonly after: Expr;
  readonly rules: readonly Rule[];
}

const rulesByName = (): ReadonlyMap<string, Rule> => new Map(database.rules.map((rule) => [rule.name, rule]));

/** How many times larger a graph may get, and by how many nodes besides. */
const GROWTH = 3;
const GROWTH_FREE = 12;
/** Optimising again what is optimised: rules that wait for a node to have one client may still find something. */
const MOST_ROUNDS = 1;

abstract class Comparison {
  readonly #writer: ProgramWriter;
  readonly #seed: string;
  readonly #tally: Tally;
  readonly #rules = rulesByName();

  constructor(writer: ProgramWriter, seed: string, tally: Tally) {
    this.#writer = writer;
    this.#seed = seed;
    this.#tally = tally;
  }

  protected abstract readonly modes: { readonly [name: string]: OptimizeOptions };

  run(): void {
    const roots = [...new Set(this.#writer.refs.map((ref) => this.#writer.of(ref).expr))].reverse();
    const cases = roots.filter((root) => root.inputs.length > 0).map((root) => this.#optimised(root));
    this.#tally.cases += cases.length;
    const changed = cases.filter((list) => list.some(({ before, after }) => before !== after));
    this.#tally.changed += changed.length;
    const values = valuesOf(changed.flat().flatMap((one) => this.needs(one)));
    for (const list of cases) if (list.every((one) => this.#compareOne(one, values))) this.#tally.compared++;
  }

  #optimised(root: Expr): Optimised[] {
    return Object.entries(this.modes).map(([mode, options]) => {
      const { roots, report } = this.#guarded(mode, root, () => optimize([root], options));
      const names = report.stages.flatMap(({ applied }) => Object.keys(applied));
      for (const name of names) this.#tally.applied.set(name, (this.#tally.applied.get(name) ?? 0) + 1);
      const one = {
        mode,
        before: root,
        after: roots[0]!,
        rules: names.map((name) => this.#rules.get(name)!),
      };
      this.#checkGraph(one, options);
      return one;
    });
  }

  /** An error of the optimizer, with the program. */
  #guarded<T>(mode: string, root: Expr, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw new Error(this.#text(mode, root, root, [], String(error)), { cause: error });
    }
  }

  #checkGraph(one: Optimised, options: OptimizeOptions): void {
    const { before, after } = one;
    if (before === after) return;
    if (after.dtype !== before.dtype || shapeText(after.shape) !== shapeText(before.shape))
      throw this.#error(one, "its type changed");
    const [small, large] = [postOrder([before]).length, postOrder([after]).length];
    if (large > GROWTH * small + GROWTH_FREE) throw this.#error(one, `${small} nodes became ${large}`);
    this.#checkFixpoint(one, options);
  }

  #checkFixpoint(one: Optimised, options: OptimizeOptions): void {
    let last = one.after;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const { roots, report } = this.#guarded(one.mode, one.before, () => optimize([last], options));
      if (roots[0] === last) return;
      if (round === 0) this.#tally.addUnsettled(report.stages.flatMap(({ applied }) => Object.keys(applied)));
      last = roots[0]!;
    }
    throw this.#error(one, `it changes ${MOST_ROUNDS} times when it is optimised again`);
  }

  /** The expressions whose values it takes. */
  protected needs({ before, after }: Optimised): readonly Expr[] {
    return [before, after];
  }

  /** Are the values known, and do they fit? */
  #compareOne(one: Optimised, values: Values): boolean {
    const { before, after } = one;
    if (before === after) return true;
    const [old, now] = [values.get(before), values.get(after)];
    // What cannot be computed (an integer divided by zero) may become anything.
    if (old === undefined) return false;
    if (now === undefined) throw this.#error(one, "it cannot be computed any more");
    const wrong = this.difference(one, old, now, values);
    if (wrong !== null)
      throw this.#error(one, `${wrong}\nbefore ${blockText(old)}\nafter  ${blockText(now)}`);
    return true;
  }

  protected abstract difference(one: Optimised, old: Block, now: Block, values: Values): string | null;

  #error({ mode, before, after, rules }: Optimised, what: string): Error {
    return new Error(this.#text(mode, before, after, rules, what));
  }

  #text(mode: string, before: Expr, after: Expr, rules: readonly Rule[], what: string): string {
    const ref = this.#writer.refs.find((one) => this.#writer.of(one).expr === before)!;
    const program = fc.stringify(this.#writer.finish([ref.index]));
    return [
      `${mode}, seed ${this.#seed}: ${what}`,
      `rules: ${rules.map((rule) => `${rule.name} (${rule.equation})`).join("; ")}`,
      `${exprText([before])}\n→\n${exprText([after])}`,
      program,
    ].join("\n");
  }
}

type Values = ReadonlyMap<Expr, Block>;

/** The values of all that can be computed. */
function valuesOf(roots: readonly Expr[]): Values {
  try {
    return evaluateReference(roots);
  } catch (error) {
    if (!(error instanceof ChunkwiseError)) throw error;
    if (roots.length === 1) return new Map();
    return new Map(roots.flatMap((root) => [...valuesOf([root])]));
  }
}

function blockText(block: Block): string {
  return `${block.dtype} ${shapeText(block.shape)} [${slotsOf(block)
    .map((x) => (Object.is(x, -0) ? "-0" : x))
    .join(", ")}]`;
}

export class ExactComparison extends Comparison {
  protected readonly modes: { readonly [name: string]: OptimizeOptions } = {
    none: { database, mode: "none" },
    fastCompile: { database, mode: "fastCompile" },
    exact: { database, mode: "fastRun", exclude: ["stabilize"] },
    fastRun: { database, mode: "fastRun" },
  };

  protected difference({ mode, rules, before, after }: Optimised, old: Block, now: Block): string | null {
    if (mode === "none") return before === after ? null : "mode none changed it";
    const allowed = allowedBy(rules, false);
    if (!isExact(allowed)) return mode === "exact" ? "a rule that is not exact was applied" : null;
    const found = differenceOf(old, now, allowed);
    return found === null ? null : `slot ${found.slot}: ${found.before} became ${found.after}`;
  }
}

/** Relative change of every number on the way; what it does to the result says how well conditioned that is. */
const NUDGE = 1e-10;
/** Beyond this, products overflow, and what comes of infinities depends on the sign of a zero and on the order. */
const HUGE = 1e100;
/** Relative change of a result by which it says nothing any more. */
const ILL_CONDITIONED = 1e-4;

export class SmoothComparison extends Comparison {
  protected readonly modes: { readonly [name: string]: OptimizeOptions } = {
    fastRun: { database, mode: "fastRun" },
    fastMath: { database, mode: "fastRun+fastMath" },
  };

  protected override needs({ before, after }: Optimised): readonly Expr[] {
    return before === after ? [] : [before, after, nudged(before)];
  }

  protected difference({ before, rules }: Optimised, old: Block, now: Block, values: Values): string | null {
    const [a, b, moved] = [slotsOf(old), slotsOf(now), slotsOf(values.get(nudged(before))!)] as number[][];
    if (isExact(allowedBy(rules, true))) return differenceText(a!, b!, Object.is);
    if (!isFloat(infoOf(before.dtype).part)) return null;
    const scale = largest(postOrder([before]).map((node) => values.get(node)!));
    if (!(scale < HUGE)) return null;
    return differenceText(a!, b!, (x, y, i) => {
      const error = Math.abs(moved![i]! - x);
      const isSensible = error < ILL_CONDITIONED * Math.max(1, Math.abs(x));
      return !isSensible || Math.abs(x - y) <= 10 * error + 1e-12 * scale;
    });
  }
}

function differenceText(
  a: readonly number[],
  b: readonly number[],
  fits: (x: number, y: number, i: number) => boolean,
): string | null {
  const at = a.findIndex((x, i) => !fits(x, b[i]!, i));
  return at < 0 ? null : `slot ${at}: ${a[at]} became ${b[at]}`;
}

/** NaN where one of them is not finite. */
function largest(blocks: readonly Block[]): number {
  const values = blocks.flatMap((block) => slotsOf(block).map((x) => Math.abs(Number(x))));
  return values.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, x) : NaN), 1);
}

/** The same expression, every float on the way off by a little, this way or that. */
function nudged(root: Expr): Expr {
  const known = nudgedRoots.get(root);
  if (known !== undefined) return known;
  const made = new Map<Expr, Expr>();
  const random = randomOf("nudge");
  for (const node of postOrder([root])) {
    const inputs = node.inputs.map((input) => made.get(input)!);
    const same = inputs.length === 0 ? node : makeExpr(node.op, inputs, node.attrs);
    const factor = 1 + NUDGE * (random() < 0.5 ? -1 : 1) * (0.5 + random());
    made.set(node, inputs.length > 0 && isFloat(node.dtype) ? scaled(same, factor) : same);
  }
  nudgedRoots.set(root, made.get(root)!);
  return made.get(root)!;
}

const nudgedRoots = new WeakMap<Expr, Expr>();
const scaled = (node: Expr, by: number): Expr =>
  makeExpr(opNamed("multiply"), [node, scalar(by, node.dtype)]);
