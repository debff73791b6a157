// Fusion: operations become parts of others where that saves more than it costs, so that what lies between them is
// never stored and what they share is read once. In: a plan and what the user says about it. Out: a plan with the same
// results and no more operations. One mechanism: producers are taken into their readers, siblings that read the same are
// joined, and producers of those are looked at again. Linear in operations: each round looks at each of them once.

import { fuseRagged } from "./fusion/fusedPartitions.ts";
import { type Node, nodeOf } from "./fusion/fusionNodes.ts";
import { type FusionOptions, type FusionRules, fusionRules } from "./fusion/fusionOptions.ts";
import { fuseProducers } from "./fusion/producers.ts";
import { Reasons } from "./fusion/reasons.ts";
import { fuseSiblings } from "./fusion/siblings.ts";
import type { Operation, PlanArray, PlanData } from "./plan.ts";

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
  const operations = nodes.map(({ operation }) => operation);
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
