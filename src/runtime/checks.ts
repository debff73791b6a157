// Checked mode of a run: what the rules of ownership say (docs/adr/0014) is looked at while it runs. In: what begins, ends and
// is freed. Out: an InvariantError at the first thing that is not so. Nothing depends on it: a run without it does the same.

import { InvariantError } from "../core/errors.ts";
import type { HeldArray } from "./arrays.ts";
import type { RunArrays } from "./runArrays.ts";
import type { ReaderRange, TaskRef } from "./scheduler/taskGraph.ts";

/** A chunk in memory that an attempt reads. */
interface Lease {
  readonly held: HeldArray;
  readonly chunk: number;
  readonly generation: number | undefined;
}

export class RunChecks {
  readonly #execution: RunArrays;
  /** By attempt. */
  readonly #leases = new Map<number, readonly Lease[]>();

  constructor(execution: RunArrays) {
    this.#execution = execution;
  }

  /** All that a task needs is there, and everybody was told that it would read it. */
  began(attempt: number, ref: TaskRef): void {
    const { graph } = this.#execution;
    const leases: Lease[] = [];
    for (const need of graph.needs(ref.op, ref.task)) {
      if (!isNamedIn(graph.readers(need.op, need.task), ref))
        throw new InvariantError({
          what: `${textOf(ref)} reads ${textOf(need)}, and is none of its readers`,
        });
      for (const held of this.#execution.heldBy(need)) leases.push(leaseOf(held, need.task));
    }
    this.#leases.set(attempt, leases);
  }

  /** What it read in memory was there all the time. */
  ended(attempt: number, ref: TaskRef): void {
    for (const { held, chunk, generation } of this.#leases.get(attempt) ?? []) {
      if (generation === undefined || held.inMemory(chunk)?.place?.generation === generation) continue;
      throw new InvariantError({
        what: `chunk ${chunk} of ${held.plan.name} was given back while ${textOf(ref)} read it`,
      });
    }
    this.#leases.delete(attempt);
  }

  /** Nobody reads what leaves memory. */
  leaves(ref: TaskRef): void {
    const leaving = new Set(this.#execution.heldBy(ref));
    for (const leases of this.#leases.values())
      for (const { held, chunk, generation } of leases)
        if (chunk === ref.task && leaving.has(held) && generation !== undefined)
          throw new InvariantError({
            what: `chunk ${chunk} of ${held.plan.name} leaves memory while it is read`,
          });
  }

  /** Nothing is alive but results. */
  isOver(attemptsWithOutputs: number): void {
    const held = [...this.#execution.held.values()].filter(({ chunksInMemory }) => chunksInMemory > 0);
    if (held.length === 0 && attemptsWithOutputs === 0) return;
    const names = held.map(({ plan, chunksInMemory }) => `${chunksInMemory} chunks of ${plan.name}`);
    throw new InvariantError({
      what: `after the run there are ${[...names, `${attemptsWithOutputs} attempts' outputs`].join(", ")} left`,
    });
  }
}

const textOf = ({ op, task }: TaskRef): string => `task ${task} of operation ${op}`;

function leaseOf(held: HeldArray, chunk: number): Lease {
  const block = held.inMemory(chunk);
  // Nowhere is an error.
  if (block === undefined) held.stored(chunk);
  return { held, chunk, generation: block?.place?.generation };
}

function isNamedIn(readers: readonly ReaderRange[], { op, task }: TaskRef): boolean {
  return readers.some((range) => {
    if (range.op !== op) return false;
    for (const reader of range.tasks()) if (reader === task) return true;
    return false;
  });
}
