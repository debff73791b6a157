// Arrays in Zarr stores, opened as lazy arrays. In: a path, a URL or a store. Out: arrays and groups; nothing is read
// but metadata.

import type { ChunksArgument } from "../core/chunks.ts";
import { asyncCall } from "../lazy/call.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import { zarrFormat } from "../runtime/zarr/zarrFormat.ts";
import { type StoreArgument, storeOf } from "../storage/location.ts";
import { denseArray } from "../storage/zarr/denseArray.ts";
import {
  type Member,
  type OpenOptions,
  openGroup as openZarrGroup,
  type ZarrGroup,
} from "../storage/zarr/group.ts";
import type { JsonObject } from "../storage/zarr/zarrJson.ts";
import { engine } from "./defaultEngine.ts";
import { lazyStored, openDense, sourceOf } from "./opening.ts";

/** Options of `cw.fromZarr`, and of a group's `array`. */
export interface FromZarrOptions extends Omit<OpenOptions, "known"> {
  /** The array's path in the store, as "group/temperature"; the root unless given. */
  readonly path?: string;
  /** How it is cut here; as it is stored unless given. Multiples of the stored chunks are read best. */
  readonly chunks?: ChunksArgument;
}

const OPEN_OPTIONS = ["path", "zarrFormat", "consolidated", "maxChunkBytes", "signal"] as const;

/** Opens a Zarr array (v2 or v3): `const x = await cw.fromZarr("data.zarr", {path: "temperature"})`. */
export const fromZarr: (store: StoreArgument, options?: FromZarrOptions) => Promise<LazyArray> = asyncCall(
  "fromZarr",
  async (store, { path = "", chunks, ...options } = {}) =>
    openDense(zarrFormat, store, { path, chunks, options }),
  [1, ...OPEN_OPTIONS, "chunks"],
);

/**
 * A Zarr group: its attributes, its members, and arrays of it as lazy arrays. `cw.openGroup` gives a `Group`: `await
 * group.array("temperature")`.
 */
export class Group {
  readonly zarr: ZarrGroup;

  constructor(zarr: ZarrGroup) {
    this.zarr = zarr;
  }

  get attributes(): JsonObject {
    return this.zarr.attributes;
  }
  get path(): string {
    return this.zarr.path;
  }

  /** What is in it, with paths relative to it. */
  members(): Promise<Member[]> {
    return this.zarr.members();
  }

  /** An array of it: `await group.array("temperature", {chunks: [100, 100]})`. */
  async array(path: string, { chunks, ...options }: Omit<FromZarrOptions, "path"> = {}): Promise<LazyArray> {
    const array = await this.zarr.openArray(path, { ...options, known: engine.codecs });
    return lazyStored(sourceOf(zarrFormat, array, options, denseArray(array)), chunks);
  }

  /** A group in it: `await group.group("2024")`. */
  async group(path: string): Promise<Group> {
    return new Group(await this.zarr.openGroup(path));
  }
}

/** Opens a Zarr group: `const group = await cw.openGroup("data.zarr")`. */
export const openGroup: (store: StoreArgument, options?: Omit<FromZarrOptions, "chunks">) => Promise<Group> =
  asyncCall(
    "openGroup",
    async (store, { path = "", ...options } = {}) =>
      new Group(await openZarrGroup(await storeOf(store), path, options)),
    [1, ...OPEN_OPTIONS],
  );
