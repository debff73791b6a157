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

/** Their texts are kept with them. */
const FEW_NODES = 64;
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
  /** The last key of the map. */
  #latest = "";
  /** Of expressions of few nodes, for as long as somebody holds them. */
  readonly #structures = new WeakMap<Expr, Structure>();
  #nodes = 0;
  /** Ops of users may share a name. */
  readonly #opNumbers = new WeakMap<Op, number>();
  #ops = 0;

  /** A plan that is refused for its memory is made `exactly`, with lines. */
  planFor(roots: readonly Expr[], rewriting: Rewriting, options: PlanOptions, exactly: () => Plan): Plan {
    const chosen = optionsText(options);
    const structure = chosen === null ? null : this.#structureOf(roots);
    if (structure === null) return planned(roots, rewriting, options, exactly);
    const key = structure.under(`${chosen} ${rewriting.key} `);
    const known = this.#plans.get(key);
    if (known !== undefined) {
      this.#useAgain(key, known);
      return bound(known, structure.sources);
    }
    const plan = planned(roots, rewriting, options, exactly);
    this.#remember(key, plan, structure);
    return plan;
  }

  /** Null of a large graph, or one with long lists. What is computed again and again is not read again. */
  #structureOf(roots: readonly Expr[]): Structure | null {
    const before = roots.length === 1 ? this.#structures.get(roots[0]!) : undefined;
    if (before !== undefined) return before;
    const nodes = postOrder(roots);
    if (nodes.length > MAX_NODES) return null;
    const structure = structureOf(nodes, roots, this.#numberOf);
    if (structure.length > MAX_TEXT) return null;
    if (roots.length === 1 && nodes.length <= FEW_NODES) this.#structures.set(roots[0]!, structure);
    return structure;
  }

  /** The one that was used last is the last of the map. */
  #useAgain(key: string, known: Planned): void {
    if (key === this.#latest) return;
    this.#plans.delete(key);
    this.#plans.set(key, known);
    this.#latest = key;
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
  #remember(key: string, { data, sources }: Plan, { sources: met, nodes }: Structure): void {
    const places = Array.from(sources, ([name, resource]) => placeAmong(met, name, resource));
    if (!places.every((place) => place !== null)) return;
    this.#plans.set(key, { data, sources: places, nodes });
    this.#latest = key;
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
class Structure {
  readonly #key: string;
  readonly sources: readonly Resource[];
  readonly nodes: number;
  #under = "";
  #whole = "";

  constructor(key: string, sources: readonly Resource[], nodes: number) {
    this.#key = key;
    this.sources = sources;
    this.nodes = nodes;
  }

  /** Of the text. */
  get length(): number {
    return this.#key.length;
  }

  /** The text with that of how it is planned, most often the same one: maps find a text that they know without reading it. */
  under(how: string): string {
    if (this.#whole === "" || this.#under !== how) {
      this.#under = how;
      this.#whole = how + this.#key;
    }
    return this.#whole;
  }
}

function structureOf(
  nodes: readonly Expr[],
  roots: readonly Expr[],
  numberOf: (op: Op) => number,
): Structure {
  const numbers = new Map<Expr, number>();
  const resources = new Map<Resource, number>();
  const sources: Resource[] = [];
  const sourceText = (resource: Resource): string => {
    // Its partitions are part of the plan.
    if (resource instanceof PartitionResource) return `@${resource.id}`;
    const number = resources.get(resource) ?? resources.size;
    resources.set(resource, number);
    return `#${number}${transferText(resource)}`;
  };
  let key = "";
  for (const node of nodes) {
    numbers.set(node, numbers.size);
    const isSource = node.op.class === "source" && node.op.body === null;
    if (isSource) sources.push(resourceOf(node.attrs));
    key += `${numberOf(node.op)}(`;
    for (const input of node.inputs) key += `${numbers.get(input)},`;
    key += `${isSource ? attrsText(node.attrs, sourceText) : node.attrsText})`;
  }
  return new Structure(`${key}${roots.map((root) => numbers.get(root)).join()}`, sources, nodes.length);
}

function transferText(resource: Resource): string {
  const transfer = resource.transfer();
  return transfer === null ? "" : JSON.stringify(transfer);
}
