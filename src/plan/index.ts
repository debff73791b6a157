// Plan, as users see it: data, printable, with the figures that matter. Made from expressions; the blocks
// of sources in memory ride along for the run and are no part of the data.

import { sizeOf } from "../core/chunks.ts";
import type { Expr } from "../expr/expr.ts";
import { exprText } from "../expr/print.ts";
import { checkBudget, MemoryError } from "./budget.ts";
import { withTriedCure } from "./cure.ts";
import { isPlacewise } from "./demand.ts";
import { mergeOperations, type Node, nodeOf } from "./fusion/fusionNodes.ts";
import {
  checkFusionNames,
  type FusionOptions,
  type FusionRules,
  fusionRules,
  Reasons,
} from "./fusion/fusionOptions.ts";
import { fuseProducers, fuseSiblings } from "./fusion/producers.ts";
import { withSharedReads } from "./fusion/sharedReads.ts";
import { lower } from "./lower.ts";
import type { SiteOf } from "./origin.ts";
import { isRagged, type Operation, type PlanArray, type PlanData } from "./plan.ts";
import { planToJson } from "./planJson.ts";
import { planText } from "./print.ts";
import { arrayBytes, memoryOf, totalMemory } from "./taskMemory.ts";
import { planTraffic } from "./traffic.ts";
import type { Lowered, LowerSettings } from "./writer.ts";

// Operations on partitions that need the same partitions of one another become one operation: a task then reads a
// partition once and keeps what lies in between to itself. In: a plan. Out: one with the same results.
// Levels: an operation is one level above what it cannot share a task with (another grid, other partitions, dense
// arrays). Within a level nobody waits for anybody but through partitions with the same number, so joining within
// levels leaves every edge going upward.

function fuseRagged(plan: PlanData): PlanData {
  const { operations } = plan;
  if (!operations.some(isRagged)) return plan;
  const makers = new Map<string, number>();
  operations.forEach(({ outputs }, at) => {
    for (const { array } of outputs) makers.set(array, at);
  });
  const { levels, groups } = grouped(operations, makers);
  const kept = keptArrays(plan, groups);
  const merged = [...groups.members()].map((members) => ({
    level: levels[members[0]!]!,
    at: members.at(-1)!,
    operation: mergeOperations(
      members.map((at) => operations[at]!),
      (array) => kept.has(array),
    ),
  }));
  merged.sort((a, b) => a.level - b.level || a.at - b.at);
  return { ...plan, operations: merged.map(({ operation }) => operation) };
}

/** The arrays that an operation needs partition by partition, and those it needs otherwise. */
function readsOf(operation: Operation): { readonly same: string[]; readonly other: string[] } {
  const same: string[] = [];
  const other: string[] = [];
  const { steps } = operation;
  steps.forEach((step, at) => {
    if (step.kind !== "read") return;
    const users = steps.filter(({ inputs }) => inputs.some(({ step: from }) => from === at));
    const isSame = users.every((user) => user.kind === "ragged" && isPlacewise(user, step.types[0]!));
    (isSame ? same : other).push(step.array);
  });
  return { same, other };
}

function grouped(
  operations: readonly Operation[],
  makers: ReadonlyMap<string, number>,
): { levels: number[]; groups: Groups } {
  const levels: number[] = [];
  const groups = new Groups(operations.length);
  const ways = operations.map((operation) => (isRagged(operation) ? readsOf(operation) : null));
  operations.forEach((operation, at) => {
    const { same, other } = ways[at] ?? { same: [], other: namesRead(operation) };
    const isJoined = (maker: number): boolean => isRagged(operations[maker]!);
    const above = (array: string, isSame: boolean): number => {
      const maker = makers.get(array);
      return maker === undefined ? 0 : levels[maker]! + (isSame && isJoined(maker) ? 0 : 1);
    };
    levels.push(
      Math.max(0, ...same.map((array) => above(array, true)), ...other.map((array) => above(array, false))),
    );
  });
  const firstReader = new Map<string, number>();
  operations.forEach((_, at) => {
    for (const array of ways[at]?.same ?? []) {
      const maker = makers.get(array);
      if (maker !== undefined && isRagged(operations[maker]!) && levels[maker] === levels[at])
        groups.join(maker, at);
      const key = `${array} ${levels[at]}`;
      const sibling = firstReader.get(key);
      if (sibling === undefined) firstReader.set(key, at);
      else groups.join(sibling, at);
    }
  });
  return { levels, groups };
}

const namesRead = ({ steps }: Operation): string[] =>
  steps.flatMap((step) => (step.kind === "read" ? [step.array] : []));

/** What is asked for, or read by another group. */
function keptArrays({ operations, results }: PlanData, groups: Groups): ReadonlySet<string> {
  const kept = new Set(results);
  const makers = new Map<string, number>();
  operations.forEach(({ outputs, steps }, at) => {
    for (const { array } of outputs) makers.set(array, at);
    for (const step of steps) {
      const maker = step.kind === "read" ? makers.get(step.array) : undefined;
      if (maker !== undefined && groups.of(maker) !== groups.of(at))
        kept.add((step as { array: string }).array);
    }
  });
  return kept;
}

/** Numbers in groups that can be joined. */
class Groups {
  readonly #parents: number[];

  constructor(count: number) {
    this.#parents = Array.from({ length: count }, (_, i) => i);
  }

  of(at: number): number {
    let root = at;
    while (this.#parents[root] !== root) root = this.#parents[root]!;
    this.#parents[at] = root;
    return root;
  }

  join(a: number, b: number): void {
    this.#parents[this.of(b)] = this.of(a);
  }

  /** Each ascending. */
  members(): Iterable<number[]> {
    const lists = new Map<number, number[]>();
    for (let at = 0; at < this.#parents.length; at++) {
      const root = this.of(at);
      const list = lists.get(root);
      if (list === undefined) lists.set(root, [at]);
      else list.push(at);
    }
    return lists.values();
  }
}

// Fusion: operations become parts of others where that saves more than it costs, so that what lies between them is
// never stored and what they share is read once. In: a plan and what the user says about it. Out: a plan with the same
// results and no more operations. One mechanism: producers are taken into their readers, siblings that read the same are
// joined, and producers of those are looked at again. Linear in operations: each round looks at each of them once.

/** Joined siblings can take in what they share; what that leaves can be siblings again. More is seldom. */
const MAX_ROUNDS = 2;

export function fuse(lowered: PlanData, options: FusionOptions = {}): PlanData {
  const plan = fuseRagged(lowered);
  const rules = fusionRules(options);
  const arrays = new Map<string, PlanArray>();
  for (const array of plan.arrays) arrays.set(array.name, array);
  const reasons = new Reasons();
  const first = plan.operations.map((operation) => nodeOf(operation, rules));
  const nodes = fuseRounds(first, arrays, rules, reasons);
  explain(plan, rules, reasons);
  const operations = nodes.map(({ operation }) => withSharedReads(operation, arrays));
  const used = usedArrays(operations, plan.results);
  return { ...plan, operations, arrays: plan.arrays.filter(({ name }) => used.has(name)) };
}

function fuseRounds(
  first: readonly Node[],
  arrays: ReadonlyMap<string, PlanArray>,
  rules: FusionRules,
  reasons: Reasons,
): readonly Node[] {
  let nodes = fuseProducers(first, arrays, rules, reasons);
  for (let round = 0; round < MAX_ROUNDS && !rules.isMap; round++) {
    const joined = fuseSiblings(nodes, arrays, rules);
    if (joined === nodes) break;
    // What could not be fused was told of in the first round.
    const before = new Set(nodes);
    nodes = fuseProducers(joined, arrays, rules, new Reasons(), (node) => !before.has(node));
    if (nodes === joined) break;
  }
  return nodes;
}

function usedArrays(operations: readonly Operation[], results: readonly string[]): ReadonlySet<string> {
  const used = new Set(results);
  for (const { steps, outputs } of operations) {
    for (const { array } of outputs) used.add(array);
    for (const step of steps) if (step.kind === "read") used.add(step.array);
  }
  return used;
}

/** Says of every operation of the plan why it was fused with what it reads, or why not. */
function explain({ operations }: PlanData, { print }: FusionRules, reasons: Reasons): void {
  if (print === null) return;
  for (const { name, steps } of operations) {
    const isFusable = steps.some(({ kind }) => kind !== "read" && kind !== "source");
    for (const line of reasons.lines(name, isFusable)) print(line);
  }
}

/** What waits for the first stage, whose plan is made. */
export interface Later {
  /** What is asked for. */
  readonly roots: readonly Expr[];
  /** The options of planning and rewriting, which hold for all stages. */
  readonly options: object;
}

/**
 * How arrays would be computed, as `x.plan()` gives it: operations, tasks, memory. A `Plan` prints as text and computes
 * by `cw.computePlan(plan)`.
 */
export class Plan {
  /** The plan as plain data: arrays and operations. */
  readonly data: PlanData;
  /** The arrays that it reads. */
  readonly sources: Lowered["sources"];
  /** The plan with one operation per node; null where it was not optimised, or not kept. */
  readonly before: PlanData | null;
  /** What is planned when this is done and its results are known; null where nothing is. */
  readonly later: Later | null;

  constructor(
    data: PlanData,
    sources: Lowered["sources"],
    before: PlanData | null = null,
    later: Later | null = null,
  ) {
    this.data = data;
    this.sources = sources;
    this.before = before;
    this.later = later;
  }

  get numTasks(): number {
    return this.data.operations.reduce((sum, { grid }) => sum + sizeOf(grid), 0);
  }

  get numOperations(): number {
    return this.data.operations.length;
  }

  /** Bytes of the arrays that are stored: intermediates and results. */
  get totalBytes(): number {
    const stored = this.data.arrays.filter(({ role }) => role !== "source");
    return stored.reduce((sum, array) => sum + arrayBytes(array), 0);
  }

  /** The most memory that any one task is stated to need. */
  get maxProjectedMem(): number {
    const arrays = new Map(this.data.arrays.map((array) => [array.name, array]));
    return this.data.operations.reduce(
      (most, operation) => Math.max(most, totalMemory(memoryOf(operation, arrays))),
      0,
    );
  }

  /** Bytes that all tasks read together. */
  get bytesRead(): number {
    return planTraffic(this.data).read;
  }

  /** Bytes that all tasks write together. */
  get bytesWritten(): number {
    return this.totalBytes;
  }

  toString(): string {
    const text = planText(this.data, this.before);
    if (this.later === null) return text;
    return `${text}\nthen, planned when that is known:\n${exprText(this.later.roots, { indent: "  " })}`;
  }

  /** Plain data: numbers that JSON cannot hold become tagged strings. */
  toJSON(): unknown {
    return planToJson(this.data);
  }
}

/** Options of planning, beneath `PlanCallOptions`: what is fused, and how much memory a task may use. */
export interface PlanOptions extends FusionOptions, LowerSettings {
  /** false: one operation per node, nothing fused. */
  readonly optimize?: boolean | undefined;
  /** Takes the place of fusion: from the plan with one operation per node to the one that runs. */
  readonly optimizeFunction?: ((plan: PlanData) => PlanData) | undefined;
  /** Bytes that one task may use: more is refused, and nothing is fused that would need more. */
  readonly allowedMem?: number | undefined;
  /** What has to be allowed besides, as messages about `allowedMem` say. */
  readonly reservedMem?: number | undefined;
}

/** `siteOf` tells which of the user's lines made a node, where that is not the node's own. */
export function planOf(
  roots: readonly Expr[],
  options: PlanOptions & { readonly siteOf?: SiteOf } = {},
): Plan {
  try {
    return planned(roots, options, ({ operations }) => checkFusionNames(options, operations));
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    throw withTriedCure(error, roots, (others, allowedMem) => {
      // Cut otherwise, a plan may lack operations that the options name.
      planned(others, { ...options, allowedMem, debug: false }, () => {});
    });
  }
}

function planned(
  roots: readonly Expr[],
  { siteOf, ...options }: PlanOptions & { readonly siteOf?: SiteOf },
  checkLowered: (data: PlanData) => void,
): Plan {
  const { data, sources } = lower(roots, siteOf, options);
  checkLowered(data);
  const final = optimized(data, options);
  const plan = new Plan(final, sources, final === data ? null : data);
  if (options.allowedMem !== undefined) checkBudget(plan.data, options.allowedMem, options.reservedMem);
  return plan;
}

function optimized(data: PlanData, options: PlanOptions): PlanData {
  const { optimize = true, optimizeFunction = (plan) => fuse(plan, options) } = options;
  return optimize ? optimizeFunction(data) : data;
}

Object.defineProperty(Plan.prototype, Symbol.for("nodejs.util.inspect.custom"), {
  value(this: Plan): string {
    return this.toString();
  },
});
