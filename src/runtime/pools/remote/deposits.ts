// What a run has in its own memory, and workers elsewhere read or make: arrays in the run's folder. In: sources in memory, which
// are put there before the run; results, whose chunks are fetched as tasks end. Out: the blocks of results, filled.
// Must hold: no more than a few chunks are on their way at once; a chunk that cannot be had is made again.

import { subBlock } from "../../../core/block.ts";
import { placeOf, sizeOf } from "../../../core/chunks.ts";
import { chunkOfArray, gridOfArray, type PlanArray, type RaggedPlanArray } from "../../../plan/plan.ts";
import { LostChunkError } from "../../../storage/errors.ts";
import { Turnstile } from "../../../storage/retry.ts";
import type { ZarrArray } from "../../../storage/zarr/array.ts";
import { mapLimited } from "../../../storage/zarr/limited.ts";
import { scratchIn } from "../../arrays.ts";
import type { RunArrays } from "../../runArrays.ts";
import type { TaskRef } from "../../scheduler/taskGraph.ts";

/** Chunks on their way at once. */
const AT_ONCE = 8;

export class Deposits {
  readonly #execution: RunArrays;
  /** The arrays of the run's folder, by name. */
  readonly #kept: ReadonlyMap<string, ZarrArray>;
  readonly #fetching = new Turnstile(AT_ONCE);

  constructor(execution: RunArrays, kept: ReadonlyMap<string, ZarrArray>) {
    this.#execution = execution;
    this.#kept = kept;
  }

  /** Sources in memory, once: what an earlier run of the same computation has put there is theirs. */
  async putSources(): Promise<void> {
    for (const array of this.#execution.request.plan.arrays) {
      const kept = this.#kept.get(array.name);
      if (array.role !== "source" || kept === undefined) continue;
      const there = new Set<number>();
      const grid = gridOfArray(array);
      for await (const place of kept.listShards()) there.add(chunkAt(place, grid));
      await mapLimited(missing(sizeOf(grid), there), AT_ONCE, (chunk) => this.#put(array, kept, chunk));
    }
  }

  async #put(array: PlanArray, kept: ZarrArray, chunk: number): Promise<void> {
    const place = placeOf(chunk, gridOfArray(array));
    if (array.kind === "ragged") return kept.setRaw(place, await this.#packed(array, chunk));
    const { start, shape } = chunkOfArray(array, place);
    const whole = this.#execution.memory.get(array.name)!.whole;
    await kept.setShard(place, subBlock(whole, start, shape), scratchIn(this.#execution.backend));
  }

  async #packed({ name }: RaggedPlanArray, at: number): Promise<Uint8Array> {
    const { partitioned, partitions } = this.#execution;
    return partitions!.pack(await partitioned.get(name)!.partition(at));
  }

  /** Some of what a task makes is wanted here. */
  isWanted({ op }: TaskRef): boolean {
    return this.#wanted(op).length > 0;
  }

  #wanted(op: number): PlanArray[] {
    const { arrays, memory, taken, request } = this.#execution;
    const made = request.plan.operations[op]!.outputs.map(({ array }) => arrays.get(array)!);
    return made.filter(({ name }) => memory.has(name) || taken.has(name));
  }

  /** What a task made comes here; false, and what was there is gone, when it cannot be had. */
  async fetch({ op, task }: TaskRef): Promise<boolean> {
    for (const array of this.#wanted(op)) {
      const kept = this.#kept.get(array.name)!;
      const place = placeOf(task, gridOfArray(array));
      try {
        await this.#fetching.pass(undefined, () => this.#fetched(array, kept, place));
      } catch (error) {
        if (!(error instanceof LostChunkError)) throw error;
        await kept.deleteShard(place);
        return false;
      }
    }
    return true;
  }

  async #fetched(array: PlanArray, kept: ZarrArray, place: readonly number[]): Promise<void> {
    const { memory, taken, partitions, backend } = this.#execution;
    if (array.kind === "ragged") {
      const bytes = (await kept.getRaw(place))!;
      return taken.get(array.name)!.put(place[0]!, partitions!.unpack(bytes, array.form));
    }
    const { start, shape } = chunkOfArray(array, place);
    await kept.readRegion(
      start,
      shape,
      subBlock(memory.get(array.name)!.whole, start, shape),
      scratchIn(backend),
    );
  }
}

function chunkAt(place: readonly number[], grid: readonly number[]): number {
  return place.reduce((at, x, axis) => at * grid[axis]! + x, 0);
}

function* missing(count: number, there: ReadonlySet<number>): Iterable<number> {
  for (let chunk = 0; chunk < count; chunk++) if (!there.has(chunk)) yield chunk;
}
