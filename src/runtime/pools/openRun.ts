// A run as whoever does its tasks sees it: its plan, and its arrays opened where they lie. In: the message that opens it. Out:
// what tasks read and write, for those all of whose arrays are in stores; a task thread adds what it is sent besides.

import { InvariantError } from "../../core/errors.ts";
import { raggedOf } from "../../expr/op.ts";
import type { Backend } from "../../kernel/backend.ts";
import { planFromJson } from "../../plan/load.ts";
import type { Operation, PlanArray, PlanData } from "../../plan/plan.ts";
import { CodecTable } from "../../storage/codecs/table.ts";
import { LostChunkError, NotFoundError } from "../../storage/errors.ts";
import { FormatTable } from "../../storage/formats/table.ts";
import type { Store } from "../../storage/store.ts";
import { openArray } from "../../storage/zarr/group.ts";
import { StoredArray, type TaskArrays } from "../arrays.ts";
import { findCallable } from "../callables.ts";
import { ReadPartitions } from "../partitionTasks.ts";
import type { SourceArray, TargetArray } from "../storedArrays.ts";
import type { TaskParts } from "../taskParts.ts";
import { functionsOf } from "../userFunctions.ts";
import type { Opening, StoredPlace, StoreHandle } from "./messages.ts";
import { openSources, openTargets } from "./threadFormats.ts";
import { StoredPartitions, ThreadPartitions } from "./threadPartitions.ts";

export interface OpenedRun {
  /** For tasks that touch nothing in memory. */
  readonly bare: TaskArrays;
  readonly plan: PlanData;
  readonly arrays: ReadonlyMap<string, PlanArray>;
  readonly sources: ReadonlyMap<string, SourceArray>;
  readonly targets: ReadonlyMap<string, TargetArray>;
  /** Arrays of the run's own that are in a store. */
  readonly stored: Map<string, StoredArray>;
  readonly partitioned: ReadonlyMap<string, ReadPartitions>;
  readonly limitOf: (operation: Operation) => number;
  readonly taskMem: number | undefined;
  readonly codecs: CodecTable;
}

/** What a run is opened with. */
export interface OpeningParts {
  readonly parts: TaskParts;
  readonly computing: Pick<TaskArrays, "run" | "backend">;
  storeFor(handle: StoreHandle): Promise<Store>;
}

/** One that computes alone, as a thread among others does. */
export const aloneOn = (backend: Backend): OpeningParts["computing"] => ({
  backend,
  run: (program, bound, room) => backend.compile(program).run(bound, room, 1),
});

export async function openRun({ plan: json, ...message }: Opening, using: OpeningParts): Promise<OpenedRun> {
  const { ops, partitions } = using.parts;
  const plan = planFromJson(json, { ops, find: findCallable(using.parts) });
  for (const called of functionsOf(plan)) await called.load();
  const codecs = new CodecTable(message.codecs);
  const formats = new FormatTable(using.parts.formats, message.formats);
  const arrays = new Map(plan.arrays.map((array) => [array.name, array]));
  const opening = { arrays, formats, codecs, storeFor: using.storeFor };
  const sources = await openSources(message.sources, opening);
  const targets = await openTargets(message.targets, opening);
  const stored = new Map<string, StoredArray>();
  for (const place of message.stored) stored.set(place.array, await openStored(place, codecs, using));
  const partitioned = new Map<string, ReadPartitions>();
  for (const { array, location } of message.partitioned)
    partitioned.set(array, new ReadPartitions(await partitions!.open(location, formats)));
  const stated = new Map(plan.operations.map((operation, i) => [operation, message.limits[i]!]));
  const limitOf = (operation: Operation): number => stated.get(operation)!;
  const { taskMem } = message;
  const opened = { plan, arrays, sources, targets, stored, partitioned, limitOf, taskMem, codecs };
  return { ...opened, bare: bareArrays(opened, using) };
}

/** What tasks work with that are sent nothing. */
function bareArrays(run: Omit<OpenedRun, "bare">, { parts, computing }: OpeningParts): TaskArrays {
  const { arrays, limitOf, taskMem, sources, targets, stored, partitioned } = run;
  const { partitions } = parts;
  const none = new Map<number, never>();
  return {
    ...{ arrays, limitOf, taskMem, partitions, ...computing },
    source: (name) => sources.get(name) ?? stored.get(name) ?? targetOf(name, targets),
    target: (name) => stored.get(name) ?? targetOf(name, targets),
    partitionSource: (name) => {
      const [store, read] = [stored.get(name) ?? null, partitioned.get(name) ?? null];
      if (store === null && read === null) noPartitions(name);
      return new ThreadPartitions(raggedOf(arrays.get(name)!), none, store, read, partitions!);
    },
    partitionTarget: (name) =>
      new StoredPartitions(stored.get(name)?.array ?? noPartitions(name), partitions!),
  };
}

export async function openStored(
  place: StoredPlace,
  known: CodecTable,
  { storeFor }: Pick<OpeningParts, "storeFor">,
): Promise<StoredArray> {
  const { store, path, writeEmptyChunks, expectsAll } = place;
  const options = { writeEmptyChunks, known, missing: expectsAll ? "error" : "fill" } as const;
  try {
    return new StoredArray(await openArray(await storeFor(store), path, options));
  } catch (cause) {
    if (!expectsAll || !(cause instanceof NotFoundError)) throw cause;
    throw new LostChunkError({ what: `${path.slice(1)} was stored and is gone`, path, place: null });
  }
}

/** Tasks on partitions are sent what they read. */
function noPartitions(name: string): never {
  throw new InvariantError({ what: `nothing of ${name} was sent to this thread` });
}

export function targetOf(name: string, targets: ReadonlyMap<string, TargetArray>): TargetArray {
  const array = targets.get(name);
  if (array === undefined) throw new InvariantError({ what: `${name} is in no store of this thread's` });
  return array;
}
