// Plans that outlive the process: saved as JSON, loaded elsewhere, computed to the end. What a plan reads goes with it:
// arrays in stores by their location, small arrays in memory as they are. Loading trusts nothing in the text: a plan runs
// modules and opens stores only below the roots that the caller names.

import { blockBytes, newBlock, type Resource } from "../core/block.ts";
import { checkShape, describe, sameShape, shapeText } from "../core/chunks.ts";
import { bytesText } from "../core/counts.ts";
import { isDType } from "../core/dtype.ts";
import { ValueError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";
import { denseOf } from "../expr/op.ts";
import { copyElements } from "../kernel/routines/stridedWalk.ts";
import { asyncCall, userCall } from "../lazy/call.ts";
import { DataResource, LazyArray } from "../lazy/lazyArray.ts";
import { NDArray } from "../lazy/ndarray.ts";
import { Plan } from "../plan/index.ts";
import { foreignPlan, PlanError } from "../plan/load.ts";
import type { Json } from "../plan/planJson.ts";
import { findCallable } from "../runtime/callables.ts";
import { PlanAccess } from "../runtime/planAccess.ts";
import type { Root } from "../runtime/planRoots.ts";
import { runPlan } from "../runtime/run.ts";
import { runKey } from "../runtime/runKey.ts";
import { type AsyncComputeOptions, checkRun, OPTIONS_AT, settingFor } from "../runtime/spec.ts";
import { isModuleAddress } from "../storage/builtin.ts";
import { cloudLocationFrom } from "../storage/cloud/openCloud.ts";
import { StoredSource } from "../storage/formats/table.ts";
import { storeAt } from "../storage/location.ts";
import { normalPath, type StoreLocation } from "../storage/store.ts";
import { computeArrays } from "./compute.ts";
import { engine } from "./defaultEngine.ts";
import { sourceOf } from "./opening.ts";
import { backendOf, requestOf } from "./prepare.ts";

const FORMAT = "chunkwise plan";
const VERSION = 2;
const MOST_BYTES = 16e6;

/** A plan as JSON text, with what it reads: `const text = cw.savePlan(x.plan())`. */
export const savePlan: (plan: Plan) => string = userCall("savePlan", (plan: Plan) => {
  if (!(plan instanceof Plan))
    throw new ValueError({ what: `${describe(plan)} is not a plan`, cure: "Use x.plan()" });
  if (plan.later !== null)
    throw new ValueError({
      what: "what is planned later depends on data, so that there is no plan of it yet to save",
      cure: "Settle the arrays first: x = await x.settle(), and x.plan()",
    });
  const sources = Object.fromEntries(
    [...plan.sources].map(([name, source]) => [name, savedSource(name, source)]),
  );
  return JSON.stringify({ format: FORMAT, version: VERSION, plan: plan.toJSON(), sources });
});

function savedSource(name: string, source: Resource): Json {
  if (source instanceof StoredSource) {
    const location = source.location();
    if (location !== null) return { stored: location as unknown as Json };
    throw new ValueError({
      what: `source ${name} is in a store that other processes cannot open`,
      cure: "Put it into files, or behind a plain URL",
    });
  }
  if (!(source instanceof DataResource)) throw new ValueError({ what: `source ${name} cannot be saved` });
  const { dtype, shape } = source.block;
  const bytes = blockBytes(dtype, shape);
  if (bytes > MOST_BYTES)
    throw new ValueError({
      what: `source ${name} has ${bytesText(bytes)} in memory, and ${bytesText(MOST_BYTES)} can be saved in a plan`,
      cure: "Write it to a store with toZarr, and open it with fromZarr",
    });
  const plain = newBlock(dtype, shape);
  copyElements(source.block, plain);
  const { data } = plain;
  return {
    data: { dtype, shape, base64: base64Of(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)) },
  };
}

const CHUNK = 0x8000;

function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

/** What a plan may use; nothing but what is in its text unless given. */
export interface LoadPlanOptions {
  /** Folders, files or addresses of modules whose functions it may call. */
  readonly modules?: readonly Root[] | undefined;
  /** Folders or addresses of stores that it may read: "/data", "https://example.org/data", "s3://bucket/data". */
  readonly stores?: readonly Root[] | undefined;
}

/**
 * A plan from its text. Opens the arrays that it reads where `stores` allows them, and runs nothing: `const plan =
 * await cw.loadPlan(text)`.
 */
export const loadPlan: (text: string, options?: LoadPlanOptions) => Promise<Plan> = asyncCall(
  "loadPlan",
  async (text: string, options: LoadPlanOptions = {}) => {
    const { format, version, plan, sources } = parsed(text);
    if (format !== FORMAT || version !== VERSION)
      throw new PlanError({
        what: `${describe(format)} of version ${describe(version)} is not "${FORMAT}" of version ${VERSION}`,
        cure: "Save it again with this version",
      });
    const access = new PlanAccess(options);
    const { ops } = engine.tasks;
    const data = foreignPlan(plan, { ops, find: findCallable(engine.tasks, access.module) });
    const named = data.arrays.filter(({ role }) => role === "source");
    const loads = named.map(({ name }) =>
      sourceLoad(name, (sources as { [name: string]: Json } | undefined)?.[name], access),
    );
    // Before anything is opened.
    access.check();
    const bound = new Map<string, Resource>();
    for (const [i, array] of named.entries()) {
      const source = await loads[i]!();
      checkFits(array.name, denseOf(array), source);
      bound.set(array.name, source);
    }
    return new Plan(data, bound);
  },
  [1, "modules", "stores"],
);

function parsed(text: string): { [name: string]: Json | undefined } {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === "object" && json !== null) return json as { [name: string]: Json };
  } catch {}
  throw new PlanError({ what: `${describe(text)} is not a saved plan`, cure: "Load what savePlan gave" });
}

type Loaded = StoredSource | DataResource;

/** How a source is had, once all that the plan asks for is known to be allowed. */
function sourceLoad(name: string, json: Json | undefined, access: PlanAccess): () => Promise<Loaded> {
  const { stored, data } = (json ?? {}) as { stored?: Json; data?: Json };
  if (stored !== undefined) return storedLoad(name, stored, access);
  if (data !== undefined) return async () => loadedData(name, data);
  throw new PlanError({ where: "plan.sources", what: `there is nothing for source ${name}` });
}

/** The format is one of this engine's: a plan brings none with it. */
function storedLoad(name: string, json: Json, access: PlanAccess): () => Promise<Loaded> {
  const { format, store, path, options = {} } = (json ?? {}) as { [name: string]: Json };
  const where = `plan.sources.${name}`;
  if (typeof path !== "string") throw new PlanError({ where, what: `${describe(path)} is not a path` });
  if (typeof format !== "string" || !engine.formats.names.includes(format))
    throw new PlanError({
      where,
      what: `there is no format ${describe(format)}`,
      cure: `Add it with engine.formats.add({name, module}). ${closest(String(format), engine.formats.names)}`,
    });
  if (typeof options !== "object" || options === null)
    throw new PlanError({ where, what: `${describe(options)} are no options` });
  // How much memory a chunk may take is not for a text to say.
  const { maxChunkBytes: _, ...given } = options as { [name: string]: Json };
  const location = access.store(locationFrom(name, store));
  return async () => {
    const place = { store: await storeAt(location), path: normalPath(path) };
    const dense = await engine.formats.dense(format);
    return sourceOf(dense, place, given, await dense.open(place, given, engine));
  };
}

function locationFrom(name: string, json: Json | undefined): StoreLocation {
  const {
    kind,
    root,
    url,
    module,
    name: exported,
    argument = null,
  } = (json ?? {}) as { [name: string]: Json };
  if (kind === "file" && typeof root === "string") return { kind, root };
  if (kind === "http" && typeof url === "string") return { kind, url };
  const cloud = cloudLocationFrom(json);
  if (cloud !== null) return cloud;
  if (kind === "module" && isModuleAddress(module) && typeof exported === "string")
    return { kind, module, name: exported, argument };
  throw new PlanError({
    where: `plan.sources.${name}`,
    what: `${describe(json)} is not the location of a store`,
  });
}

function bytesOf(base64: string, name: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw new PlanError({ where: `plan.sources.${name}`, what: "its bytes are not in base64" });
  }
}

function loadedData(name: string, json: Json): DataResource {
  const { dtype, shape, base64 } = (json ?? {}) as { [name: string]: Json };
  if (!isDType(dtype) || typeof base64 !== "string")
    throw new PlanError({ where: `plan.sources.${name}`, what: "it is not data" });
  const bytes = bytesOf(base64, name);
  const lengths = checkShape(shape as unknown as number[]);
  if (blockBytes(dtype, lengths) !== bytes.length)
    throw new PlanError({
      where: `plan.sources.${name}`,
      what: `${bytes.length} bytes for ${dtype} ${shapeText(lengths)}`,
    });
  const block = newBlock(dtype, lengths);
  new Uint8Array(block.data.buffer, block.data.byteOffset, bytes.length).set(bytes);
  return new DataResource(block);
}

function checkFits(name: string, array: { dtype: string; shape: readonly number[] }, source: Loaded): void {
  const { dtype, shape } = source instanceof StoredSource ? source.array : source.block;
  if (dtype === array.dtype && sameShape(shape, array.shape)) return;
  throw new PlanError({
    where: `plan.sources.${name}`,
    what: `it is ${dtype} ${shapeText(shape)} now, and was ${array.dtype} ${shapeText(array.shape)}`,
    cure: "Make the plan again",
  });
}

/**
 * Computes a plan; the results are in the order in which the plan was made: `const [result] = await
 * cw.computePlan(plan)`.
 */
export const computePlan: (plan: Plan, options?: AsyncComputeOptions) => Promise<NDArray[]> = asyncCall(
  "computePlan",
  async (plan, options) => {
    if (!(plan instanceof Plan))
      throw new ValueError({ what: `${describe(plan)} is not a plan`, cure: "Use loadPlan" });
    const run = checkRun(options, "computePlan", "run", engine.spec);
    const { data, sources, later } = plan;
    if (later !== null)
      return computeArrays(
        later.roots.map((root) => new LazyArray(root)),
        { ...later.options, ...run },
      );
    const setting = await settingFor(data, () => runKey(data, sources), run, engine);
    const blocks = await runPlan(requestOf({ plan, withLines: () => data }, run), setting);
    return blocks.map((block) => NDArray.fromBlock(block, backendOf(run)));
  },
  [1, ...OPTIONS_AT.run],
);
