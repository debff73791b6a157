// Which rules can match a node: a tree of decisions by the node's op and the ops of its first two inputs,
// grown as nodes ask. In: an ordered list of rules. Out: for a node, the few that are worth trying, in order.
// Must hold: a node that no rule can match costs one to three look-ups.

import type { Expr } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import type { NodeOrder } from "./functionGraph.ts";
import type { Rule } from "./rule.ts";

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
