// The text of a run as a worker reads it, trusting nothing in it. In: bytes from the shared store, and what the worker was started
// with. Out: what opens the run, with addresses as they really are; or an error before anything of it is opened or imported.
// Must hold: a text names only modules and stores below the worker's roots, and arrays of the run only in a folder of the shared
// store; whatever it says, no more memory is used than its own length calls for.

import { describe } from "../../../core/chunks.ts";
import { ChunkwiseError } from "../../../core/errors.ts";
import { foreignPlan } from "../../../plan/load.ts";
import type { PlanData } from "../../../plan/plan.ts";
import { type Json, planToJson } from "../../../plan/planJson.ts";
import { statedBytes } from "../../../plan/statedBytes.ts";
import { isModuleAddress } from "../../../storage/builtin.ts";
import { cloudLocationFrom } from "../../../storage/cloud/openCloud.ts";
import { keySegments, type PlainData, type StoreLocation } from "../../../storage/store.ts";
import { findCallable } from "../../callables.ts";
import { type AccessRoots, PlanAccess } from "../../planAccess.ts";
import { moduleVersion } from "../../runKey.ts";
import type { TaskParts } from "../../taskParts.ts";
import type { FormatPlace, Opening, StoreHandle } from "../messages.ts";
import { BatchRefusedError } from "./batchChecks.ts";
import { type ModuleVersion, RUN_FORMAT, RUN_VERSION } from "./runText.ts";

/** A text that is longer is none of ours. */
export const MOST_TEXT_BYTES = 64e6;

/** A run as a worker knows it. */
export interface ReadRun {
  readonly plan: PlanData;
  /** Its folder in the shared store. */
  readonly folder: string;
  /** The user's modules that it runs, as they are here: the same as where the run is. */
  readonly modules: readonly ModuleVersion[];
  /** What opens it; its number is given when it is opened. */
  readonly opening: Omit<Opening, "run">;
}

type Fields = { readonly [name: string]: Json };

const refused = (what: string, cure?: string): BatchRefusedError =>
  new BatchRefusedError({ where: "plan", what, cure });

const fieldsOf = (json: unknown): Fields =>
  typeof json === "object" && json !== null && !Array.isArray(json) ? (json as Fields) : {};

function listOf(json: Json | undefined, name: string): readonly Json[] {
  if (Array.isArray(json)) return json as readonly Json[];
  throw refused(`its ${name} are ${describe(json)}`);
}

/** Where the shared store is, for those who do the tasks. */
export function readRunText(
  bytes: Uint8Array,
  shared: StoreHandle,
  { ops, adapt, formats }: TaskParts,
  roots: AccessRoots,
): ReadRun {
  const text = parsed(bytes);
  const access = new PlanAccess(roots, "start the worker with {…}");
  try {
    const find = findCallable({ ops, adapt }, access.module);
    const plan = foreignPlan(text["plan"], { ops, find });
    const reading = new TextReader(text, access, new Set(formats.map(({ name }) => name)));
    const opening = reading.opening(plan, shared);
    // Before anything is opened.
    access.check();
    const modules = checkedModules(text["modules"], access);
    return { plan, folder: reading.folder, modules, opening: { ...opening, plan: planToJson(plan) } };
  } catch (error) {
    if (error instanceof BatchRefusedError || !(error instanceof ChunkwiseError)) throw error;
    throw new BatchRefusedError({ where: error.where, what: error.what, cure: error.cure }, { cause: error });
  }
}

function parsed(bytes: Uint8Array): Fields {
  let text: Fields = {};
  try {
    text = fieldsOf(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch {}
  const { format, version } = text;
  if (format === RUN_FORMAT && version === RUN_VERSION) return text;
  throw refused(
    `${describe(format)} of version ${describe(version)} is not "${RUN_FORMAT}" of version ${RUN_VERSION}`,
    "Use the same version of chunkwise for the run and its workers",
  );
}

/** Whoever computes with another version gets other numbers, and nobody would see it. */
function checkedModules(json: Json | undefined, access: PlanAccess): ModuleVersion[] {
  const given = listOf(json, "modules").map((entry) => {
    const { module, version } = fieldsOf(entry);
    if (isModuleAddress(module) && typeof version === "string")
      return { module: access.module(module), version };
    throw refused(`${describe(entry)} is no version of a module`);
  });
  access.check();
  for (const { module, version } of given)
    if (moduleVersion(module) !== version)
      throw refused(
        `${module}, or what it imports, is another version on this worker than where the run is`,
        "Put the same files there, and start the worker again",
      );
  return given;
}

class TextReader {
  readonly #text: Fields;
  readonly #access: PlanAccess;
  /** Names of formats that there are. */
  readonly #formats: Set<string>;

  constructor(text: Fields, access: PlanAccess, formats: Set<string>) {
    this.#text = text;
    this.#access = access;
    this.#formats = formats;
  }

  opening(plan: PlanData, shared: StoreHandle): Omit<Opening, "run" | "plan"> {
    const codecs = this.#own("codecs");
    const formats = this.#own("formats");
    for (const { name } of formats) this.#formats.add(name);
    const sources = this.#places("sources");
    const targets = this.#places("targets");
    const partitioned = listOf(this.#text["partitioned"], "partitioned sources").map((json) =>
      this.#partitioned(fieldsOf(json)),
    );
    const { folder } = this;
    const stored = listOf(this.#text["stored"], "stored arrays").map((name) => {
      if (typeof name !== "string") throw refused(`${describe(name)} is not the name of an array`);
      const path = `${folder}/${name}`;
      keySegments(path);
      return { array: name, store: shared, path, writeEmptyChunks: true, expectsAll: true };
    });
    checkPlaces(plan, { sources, targets, partitioned, stored });
    const arrays = new Map(plan.arrays.map((array) => [array.name, array]));
    const limits = plan.operations.map((operation) => statedBytes(operation, arrays));
    const names = plan.arrays.map(({ name }) => name);
    return { type: "open", names, sources, targets, partitioned, stored, codecs, formats, limits };
  }

  /** Directly below the root: where runs have theirs, and nothing else is. */
  get folder(): string {
    const { folder } = this.#text;
    if (typeof folder === "string" && /^\/chunkwise-shared-[0-9a-z-]{1,80}$/.test(folder)) return folder;
    throw refused(`${describe(folder)} is not the folder of a run`);
  }

  /** Codecs and formats of users: by modules that the worker may run. */
  #own(kind: "codecs" | "formats"): { name: string; module: string }[] {
    return listOf(this.#text[kind], kind).map((json) => {
      const { name, module, ...rest } = fieldsOf(json);
      if (typeof name !== "string" || !isModuleAddress(module))
        throw refused(`${describe(json)} is none of ${kind}`);
      return { ...rest, name, module: this.#access.module(module) };
    });
  }

  #places(kind: "sources" | "targets"): FormatPlace[] {
    return listOf(this.#text[kind], kind).map((json) => {
      const { array, format, store, path, sent } = fieldsOf(json);
      if (typeof array !== "string" || typeof path !== "string")
        throw refused(`${describe(json)} is no place of an array`);
      if (path !== "") keySegments(path);
      if (typeof format !== "string" || !this.#formats.has(format))
        throw refused(`there is no format ${describe(format)}`);
      const location = this.#access.store(locationFrom(store));
      return { array, format, store: location, path, sent: plainOf(sent) };
    });
  }

  #partitioned(json: Fields): { array: string; location: { [name: string]: unknown } } {
    const { array } = json;
    const location = fieldsOf(json["location"]);
    const source = fieldsOf(location["source"]);
    const { format } = source;
    if (typeof array !== "string" || typeof format !== "string" || !this.#formats.has(format))
      throw refused(`${describe(json)} is no place of partitions`);
    const files = listOf(source["files"], "files").map((file) => {
      if (typeof file === "string") return this.#access.file(file);
      throw refused(`${describe(file)} is not a file`);
    });
    return { array, location: { ...location, source: { ...source, files } } };
  }
}

/** How much memory a chunk may take is not for a text to say. */
function plainOf(sent: Json | undefined): PlainData | undefined {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return sent as PlainData | undefined;
  const { maxChunkBytes: _, ...given } = sent as Fields;
  return given as PlainData;
}

/** A location of a kind that there is; what it leads to, the worker's roots decide. */
export function locationFrom(json: Json | undefined): StoreLocation {
  const { kind, root, url, module, name, argument = null, durable } = fieldsOf(json);
  if (kind === "file" && typeof root === "string")
    return { kind, root, ...(durable === true ? { durable } : {}) };
  if (kind === "http" && typeof url === "string") return { kind, url };
  if (kind === "module" && isModuleAddress(module) && typeof name === "string")
    return { kind, module, name, argument };
  const cloud = cloudLocationFrom(json);
  if (cloud !== null) return cloud;
  throw refused(`${describe(json)} is not the location of a store`);
}

type Places = Pick<Opening, "sources" | "targets" | "partitioned" | "stored">;

/** Every array is in one place, and of its kind; what tasks write is no source. */
function checkPlaces(plan: PlanData, { sources, targets, partitioned, stored }: Places): void {
  const listed = [...sources, ...targets, ...partitioned, ...stored].map(({ array }) => array);
  const places = new Set(listed);
  if (places.size !== listed.length) throw refused("an array is in two places");
  const [read, written] = [named(sources), named(targets)];
  const inPartitions = named(partitioned);
  for (const { name, role, kind } of plan.arrays) {
    const isSource = role === "source";
    const isWrong =
      !places.has(name) ||
      (read.has(name) && !(isSource && kind === "dense")) ||
      (inPartitions.has(name) && !(isSource && kind === "ragged")) ||
      (written.has(name) && (isSource || kind !== "dense"));
    if (isWrong) throw refused(`array ${describe(name)} is in no place that it can be in`);
    places.delete(name);
  }
  if (places.size > 0) throw refused(`there is no array ${describe([...places][0])}`);
}

const named = (places: readonly { readonly array: string }[]): Set<string> =>
  new Set(places.map(({ array }) => array));
