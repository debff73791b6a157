// Operations on partitions that need the same partitions of one another become one operation: a task then reads a
// partition once and keeps what lies in between to itself. In: a plan. Out: one with the same results.
// Levels: an operation is one level above what it cannot share a task with (another grid, other partitions, dense
// arrays). Within a level nobody waits for anybody but through partitions with the same number, so joining within
// levels leaves every edge going upward.

import { isPlacewise } from "../demand.ts";
import { isRagged, type Operation, type PlanData } from "../plan.ts";
import { mergeOperations } from "./mergedOperation.ts";

export function fuseRagged(plan: PlanData): PlanData {
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
