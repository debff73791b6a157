// What workers elsewhere are told of a run, once: a text that lies in the shared store under its SHA-256. It has the plan, where
// its sources and targets are, which arrays the run keeps in the shared store itself, and codecs and formats by their modules.
// In: a run's arrays. Out: the text, or an error that says what of the run cannot travel and what to do.
// Must hold: the same run makes the same text; it has no code, no elements, no address of the shared store and no secrets.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { ValueError } from "../../../core/errors.ts";
import { OPS } from "../../../ops/index.ts";
import type { PlanArray, PlanData } from "../../../plan/plan.ts";
import { type Json, planToJson } from "../../../plan/planJson.ts";
import type { SentCodec } from "../../../storage/codecs/table.ts";
import type { SentFormat } from "../../../storage/formats/table.ts";
import type { StoreKey, StoreLocation } from "../../../storage/store.ts";
import type { RunArrays } from "../../runArrays.ts";
import { moduleVersion } from "../../runKey.ts";
import { storeOfTarget } from "../../storedArrays.ts";
import { functionsOf } from "../../userFunctions.ts";
import type { FormatPlace, PartitionedPlace } from "../messages.ts";
import type { SharedFolder } from "../pool.ts";

export const RUN_FORMAT = "chunkwise run";
export const RUN_VERSION = 1;

/** An array in a store that other processes can open. */
export interface TravellingPlace extends Omit<FormatPlace, "store"> {
  readonly store: StoreLocation;
}

/** The text, as data. */
export interface RunText {
  readonly format: typeof RUN_FORMAT;
  readonly version: typeof RUN_VERSION;
  readonly plan: Json;
  /** The run's folder in the shared store. */
  readonly folder: string;
  /** Arrays that it keeps there, by their names. */
  readonly stored: readonly string[];
  readonly sources: readonly TravellingPlace[];
  readonly targets: readonly TravellingPlace[];
  readonly partitioned: readonly PartitionedPlace[];
  readonly codecs: readonly SentCodec[];
  readonly formats: readonly SentFormat[];
  readonly modules: readonly ModuleVersion[];
}

/** A module of the user's, and which version of it is here: a worker that has another computes something else. */
export interface ModuleVersion {
  readonly module: string;
  readonly version: string;
}

/** Where a text lies in the shared store. */
export const planKey = (hash: string): StoreKey => `/plans/${hash}`;

/** Names of arrays that lie in the run's folder: all but those that are in stores of the user's. */
export const keptArrays = (execution: RunArrays): PlanArray[] =>
  execution.request.plan.arrays.filter(
    ({ name }) =>
      !execution.sources.has(name) &&
      !execution.written.has(name) &&
      (execution.partitioned.get(name)?.resource.location() ?? null) === null,
  );

/** The same plan, with what storing its arrays takes: tasks state that too. */
export const storedPlan = (plan: PlanData, kept: ReadonlySet<string>, shared: SharedFolder): PlanData => ({
  ...plan,
  arrays: plan.arrays.map((array) =>
    array.kind === "dense" && kept.has(array.name) ? { ...array, transfer: shared.transferOf(array) } : array,
  ),
});

export function runText(execution: RunArrays, plan: PlanData, shared: SharedFolder): string {
  checkTravels(execution);
  const { codecs, formats } = execution.request;
  const text: RunText = {
    format: RUN_FORMAT,
    version: RUN_VERSION,
    plan: planToJson(withoutLines(plan)),
    folder: shared.path,
    stored: keptArrays(execution).map(({ name }) => name),
    sources: sourcesOf(execution),
    targets: targetsOf(execution),
    partitioned: [...execution.partitioned].flatMap(([array, { resource }]) => {
      const location = resource.location();
      return location === null ? [] : [{ array, location }];
    }),
    codecs: codecs?.sent() ?? [],
    formats: formats?.sent() ?? [],
    modules: modulesOf(execution),
  };
  return JSON.stringify(text);
}

export const hashOf = (text: string | Uint8Array): string =>
  bytesToHex(sha256(typeof text === "string" ? utf8ToBytes(text) : text));

/** The user's lines and folders are nobody else's business; errors name them here. */
const withoutLines = (plan: PlanData): PlanData => ({
  ...plan,
  operations: plan.operations.map((operation) => ({
    ...operation,
    steps: operation.steps.map(({ line: _, ...step }) => step as (typeof operation.steps)[number]),
  })),
});

const sourcesOf = ({ sources }: RunArrays): TravellingPlace[] =>
  [...sources].map(([name, source]) => {
    const location = source.location();
    if (location === null) throw cannotReach(`source ${name}`);
    const { format, store, path, options } = location;
    return { array: name, format, store, path, sent: options };
  });

const targetsOf = ({ written }: RunArrays): TravellingPlace[] =>
  [...written].map(([name, result]) => {
    const store = storeOfTarget(result).location?.() ?? null;
    if (store === null) throw cannotReach(`the target of ${name}`);
    const { sent } = result.target;
    if (sent === undefined)
      throw new ValueError({
        what: `the format ${result.format} writes by one process alone, and ${name} is made by workers elsewhere`,
        cure: 'Write it as "zarr"',
      });
    return { array: name, format: result.format, store, path: result.place.path, sent };
  });

/** Those whose version can be known: files, and what they import. */
function modulesOf({ request }: RunArrays): ModuleVersion[] {
  const { plan, codecs, formats } = request;
  const named = [...(codecs?.sent() ?? []), ...(formats?.sent() ?? [])].map(({ module }) => module);
  const all = new Set([...functionsOf(plan).flatMap(({ module }) => module ?? []), ...named]);
  return [...all].flatMap((module) => {
    const version = moduleVersion(module);
    return version === null ? [] : [{ module, version }];
  });
}

const cannotReach = (what: string): ValueError =>
  new ValueError({
    what: `${what} is in a store that other processes cannot open`,
    cure: "Put it into files that workers reach, or into an object store",
  });

/** What no message carries is refused before anything runs. */
function checkTravels(execution: RunArrays): void {
  // A closure cannot leave this process: its reference says so.
  for (const called of functionsOf(execution.request.plan)) called.reference();
  if (execution.hereOnly !== null) throw new ValueError(execution.hereOnly);
  for (const { steps } of execution.request.plan.operations)
    for (const step of steps)
      if (step.kind !== "read" && step.op.class !== "ragged" && OPS.get(step.op.name) !== step.op)
        throw new ValueError({
          what: `the op ${step.op.name} is this process's own, and workers elsewhere do not have it`,
          cure: 'Use mapBlocks with moduleFunction(new URL("./blocks.js", import.meta.url), "name"), or another executor',
        });
}
