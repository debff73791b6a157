// Shares of the budget, where workers have memory of their own. Memory once used stays with who used it: a thread's with
// the thread, that of held chunks with the thread of the run. So tasks and held chunks cannot have the same bytes at
// different times: each has its share, for the whole run.
// In: the budget, the operations, how many workers there are, and what these take of the budget by being there. Out: the
// shares, and how many workers may have tasks: as many as there is room for when each has had the largest.

import type { OperationNode } from "./taskGraph.ts";

export interface Shares {
  /** Bytes that running tasks may state together. */
  readonly tasks: number;
  /** Bytes of chunks that are held for other tasks. */
  readonly held: number;
}

export interface Shared {
  readonly shares: Shares;
  readonly workers: number;
  /** Bytes of all shares: without what the workers take by being there. */
  readonly budget: number;
}

/** `taken`: by so many workers, of the budget. As many workers as have room for a task each beside that. */
export function sharesOf(
  budget: number,
  operations: readonly OperationNode[],
  workers: number,
  taken: (workers: number) => number = () => 0,
): Shared {
  for (let count = workers; count > 1; count--) {
    const left = budget - taken(count);
    const { shares, busy } = sharedAmong(left, operations, count);
    if (busy === count) return { shares, workers: count, budget: left };
  }
  return { shares: sharedAmong(budget, operations, 1).shares, workers: 1, budget };
}

function sharedAmong(
  budget: number,
  operations: readonly OperationNode[],
  workers: number,
): { readonly shares: Shares; readonly busy: number } {
  const largest = Math.max(1, ...operations.map(({ projectedMem }) => projectedMem));
  const isHeld = operations.some(({ heldBytes }) => heldBytes > 0);
  // Half of it, unless one task needs more, or all workers together need less.
  const tasks = isHeld ? Math.min(Math.max(largest, budget / 2), workers * largest) : budget;
  const busy = Math.max(1, Math.min(workers, Math.floor(tasks / largest)));
  return { shares: { tasks, held: isHeld ? budget - tasks : 0 }, busy };
}
