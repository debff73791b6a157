// Plans of computations that were planned before. Two computations with the same structure (ops, attributes, types,
// chunks) differ only in the data they read, so the second one takes the first one's plan with its own sources. How large
// the partitions of a ragged source are is part of a plan: only the same source has the same plan.
// In: expressions. Out: their plan. Plans made here know no lines of the user's code; who needs them asks `planOf`.

import { attrsText, type Resource } from "../core/block.ts";
import type { Need } from "../core/form/form.ts";
import { type Expr, postOrder } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import { resourceOf } from "../lazy/lazyArray.ts";
import { PartitionResource } from "../ops/partitions.ts";
import { MemoryError } from "./budget.ts";
import { Plan, type PlanOptions, planOf } from "./index.ts";
import type { PlanData } from "./plan.ts";

interface Planned {
  readonly data: PlanData;
  readonly sources: readonly PlannedSource[];
  /** How many its expressions had. */
  readonly nodes: number;
}

/** A source of a plan, without the source: data that nobody else holds are not to be held here. */
interface PlannedSource {
  /** In the plan. */
  readonly name: string;
  /** Its place in the order in which a walk of the expressions meets them. */
  readonly at: number;
  /** What is read of it, where it was narrowed. */
  readonly need: Need | null;
}

/** What is done to expressions before they are planned, and a text that says all it depends on. */
export interface Rewriting {
  readonly key: string;
  apply(roots: readonly Expr[]): readonly Expr[];
}

/** Larger graphs take longer to plan than to look up, but are seldom planned twice. */
const MAX_NODES = 500;
/**
 * Nodes of all plans that are remembered: what was compiled for a plan lives as long as it, 50 to 80 KB a node, and a process
 * that plans ever new shapes is to keep to its memory. Those that were not asked for the longest go first.
 */
const MAX_NODES_IN_ALL = 1000;
/**
 * Characters of all that a plan depends on: what so many nodes have without long lists. What a stage found out stands in attributes
 * as lists; such a plan is large (pieces for each number, in several places) and is for these data alone.
 */
const MAX_TEXT = 100 * MAX_NODES;

export class PlanCache {
  readonly #plans = new Map<string, Planned>();
  #nodes = 0;
  /** Ops of users may share a name. */
  readonly #opNumbers = new WeakMap<Op, number>();
  #ops = 0;

  /** A plan that is refused for its memory is made `exactly`, with lines. */
  planFor(roots: readonly Expr[], rewriting: Rewriting, options: PlanOptions, exactly: () => Plan): Plan {
    const nodes = postOrder(roots);
    const chosen = optionsText(options);
    if (nodes.length > MAX_NODES || chosen === null) return planned(roots, rewriting, options, exactly);
    const structure = structureOf(nodes, roots, this.#numberOf);
    if (structure.key.length > MAX_TEXT) return planned(roots, rewriting, options, exactly);
    const key = `${chosen} ${rewriting.key} ${structure.key}`;
    const known = this.#plans.get(key);
    if (known !== undefined) {
      this.#plans.delete(key);
      this.#plans.set(key, known);
      return bound(known, structure.sources);
    }
    const plan = planned(roots, rewriting, options, exactly);
    this.#remember(key, plan, structure.sources, nodes.length);
    return plan;
  }

  readonly #numberOf = (op: Op): number => {
    let number = this.#opNumbers.get(op);
    if (number === undefined) {
      number = this.#ops++;
      this.#opNumbers.set(op, number);
    }
    return number;
  };

  /** Unless the plan reads data that the expressions did not: constants that were folded into one array. */
  #remember(key: string, { data, sources }: Plan, met: readonly Resource[], nodes: number): void {
    const places = Array.from(sources, ([name, resource]) => placeAmong(met, name, resource));
    if (!places.every((place) => place !== null)) return;
    this.#plans.set(key, { data, sources: places, nodes });
    this.#nodes += nodes;
    for (const [oldest, { nodes }] of this.#plans) {
      if (this.#nodes <= MAX_NODES_IN_ALL) return;
      this.#plans.delete(oldest);
      this.#nodes -= nodes;
    }
  }

  /** How many nodes the plans were made for that are remembered. */
  get nodes(): number {
    return this.#nodes;
  }
}

/** Null for what the expressions did not read. */
function placeAmong(met: readonly Resource[], name: string, resource: Resource): PlannedSource | null {
  const at = met.indexOf(resource);
  if (at >= 0) return { name, at, need: null };
  if (!(resource instanceof PartitionResource)) return null;
  const { origin, need } = resource;
  const whole = met.findIndex((other) => other instanceof PartitionResource && other.origin === origin);
  return whole < 0 ? null : { name, at: whole, need };
}

/** A plan with these sources in the places of those that it was made for. */
function bound({ data, sources }: Planned, met: readonly Resource[]): Plan {
  const resourceAt = ({ at, need }: PlannedSource): Resource =>
    need === null ? met[at]! : (met[at] as PartitionResource).withNeed(need);
  return new Plan(data, new Map(sources.map((source) => [source.name, resourceAt(source)])));
}

function planned(
  roots: readonly Expr[],
  rewriting: Rewriting,
  options: PlanOptions,
  exactly: () => Plan,
): Plan {
  try {
    const { data, sources } = planOf(rewriting.apply(roots), { ...options, siteOf: () => null });
    return new Plan(data, sources);
  } catch (error) {
    if (error instanceof MemoryError) exactly();
    throw error;
  }
}

const texts = new WeakMap<PlanOptions, string | null>();

/** All that a plan depends on beside its expressions; null where that is a function, or somebody wants to be told. */
function optionsText(options: PlanOptions): string | null {
  let text = texts.get(options);
  if (text === undefined) {
    const isTold =
      options.debug === true || Object.values(options).some((value) => typeof value === "function");
    text = isTold ? null : JSON.stringify(options);
    texts.set(options, text);
  }
  return text;
}

/** All that a plan depends on as text, and the data it does not depend on. */
function structureOf(
  nodes: readonly Expr[],
  roots: readonly Expr[],
  numberOf: (op: Op) => number,
): { key: string; sources: Resource[] } {
  const numbers = new Map<Expr, number>();
  const resources = new Map<Resource, number>();
  const sources: Resource[] = [];
  const sourceText = (resource: Resource): string => {
    if (resource instanceof PartitionResource) return identity(resource);
    const number = resources.get(resource) ?? resources.size;
    resources.set(resource, number);
    return `#${number}${transferText(resource)}`;
  };
  // A function that a step calls is part of the plan.
  const identity = (resource: Resource): string => `@${resource.id}`;
  let key = "";
  for (const node of nodes) {
    numbers.set(node, numbers.size);
    const isSource = node.op.class === "source" && node.op.body === null;
    if (isSource) sources.push(resourceOf(node.attrs));
    key += `${numberOf(node.op)}(`;
    for (const input of node.inputs) key += `${numbers.get(input)},`;
    key += `${attrsText(node.attrs, isSource ? sourceText : identity)})`;
  }
  return { key: `${key}${roots.map((root) => numbers.get(root)).join()}`, sources };
}

function transferText(resource: Resource): string {
  const transfer = resource.transfer();
  return transfer === null ? "" : JSON.stringify(transfer);
}
