// Datasets out of Zarr groups, as xarray and others write them. In: a group whose arrays have names for their axes. Out: variables
// and coordinates, decoded; nothing is read but metadata and the coordinates that label a dimension.

import type { ChunksArgument } from "../../core/chunks.ts";
import type { JsonObject } from "../../core/labels.ts";
import { asyncCall } from "../../lazy/call.ts";
import type { LazyArray } from "../../lazy/lazyArray.ts";
import type { StoreArgument } from "../../storage/location.ts";
import { withAttributes } from "../functions/naming.ts";
import type { FromZarrOptions } from "../opening.ts";
import { arrayIn, openZarrGroup } from "../opening.ts";
import { Dataset, indexesOf } from "./datasets.ts";

/** Options of `cw.openDataset`. */
export interface OpenDatasetOptions extends Omit<FromZarrOptions, "chunks"> {
  /** How dimensions are cut here, by name: `{time: 100}`; as they are stored unless given. */
  readonly chunks?: { readonly [dim: string]: number | "all" } | undefined;
  /** These variables alone, and the coordinates that they have. */
  readonly only?: readonly string[] | undefined;
}

/**
 * Opens a Zarr group as a dataset: variables with shared coordinates. Missing values, scales and times are decoded unless
 * `decode: false` is said: `const ds = await cw.openDataset("era5.zarr")`, `ds.sel({time: "2020-07"}).get("t2m")`.
 */
export const openDataset: (store: StoreArgument, options?: OpenDatasetOptions) => Promise<Dataset> =
  asyncCall(
    "openDataset",
    async (
      store: StoreArgument,
      { path = "", chunks = {}, only, decode = true, ...options }: OpenDatasetOptions = {},
    ) => {
      const group = await openZarrGroup(store, path, options);
      const arrays: { [name: string]: LazyArray } = {};
      for (const { path: name, kind } of await group.members())
        if (kind === "array") arrays[name] = await arrayIn(group, name, { ...options, decode });
      const coordinates = coordinateNames(arrays, group.attributes);
      const parts = { variables: {} as typeof arrays, coords: {} as typeof arrays };
      for (const [name, array] of Object.entries(arrays)) {
        const cut = cutBy(withoutCoordinates(array), chunks);
        parts[coordinates.has(name) ? "coords" : "variables"][name] = cut;
      }
      const { coordinates: _, ...attributes } = group.attributes;
      const whole = new Dataset({ ...parts, attributes: decode ? attributes : group.attributes });
      const wanted = only === undefined ? whole : whole.only(...only);
      return new Dataset(
        { variables: wanted.variables, coords: wanted.coords, attributes: wanted.attributes },
        await indexesOf(wanted.coords),
      );
    },
    [1, "path", "zarrFormat", "consolidated", "maxChunkBytes", "signal", "chunks", "decode", "only"],
  );

/** Those called as their only axis, and those that attributes name. */
function coordinateNames(
  arrays: { readonly [name: string]: LazyArray },
  attributes: JsonObject,
): Set<string> {
  const names = new Set<string>();
  const add = (said: unknown): void => {
    if (typeof said === "string") for (const name of said.split(/\s+/)) if (name in arrays) names.add(name);
  };
  add(attributes["coordinates"]);
  for (const [name, { dims, attributes: own }] of Object.entries(arrays)) {
    if (dims.length === 1 && dims[0] === name) names.add(name);
    add(own["coordinates"]);
    add(own["bounds"]);
  }
  return names;
}

function withoutCoordinates(array: LazyArray): LazyArray {
  const { coordinates, ...others } = array.attributes;
  return coordinates === undefined ? array : withAttributes(array, others);
}

function cutBy(array: LazyArray, chunks: { readonly [dim: string]: number | "all" }): LazyArray {
  const { dims } = array;
  if (!dims.some((dim) => dim !== null && Object.hasOwn(chunks, dim))) return array;
  const cut: ChunksArgument = dims.map(
    (dim, axis) => (dim === null ? undefined : chunks[dim]) ?? array.chunks[axis]!,
  );
  return array.rechunk(cut);
}
