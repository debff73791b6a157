// What a word of the command line stands for: an array, a Zarr group, rows of nested data. In: a path or an address, and a path in the
// store. Out: what is there, opened; nothing is read but what says how it lies.

import { installMethods } from "../array/methods.ts";
import { fromZarr, type Group, open, openGroup } from "../array/opening.ts";
import { installRaggedMethods } from "../array/ragged/methods.ts";
import type { LazyRagged } from "../array/ragged/raggedArrays.ts";
import { LazyArray } from "../lazy/lazyArray.ts";
import { NotFoundError } from "../storage/errors.ts";
import { storeOf } from "../storage/location.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import { openNode } from "../storage/zarr/group.ts";
import { selectionGiven } from "./command.ts";
import type { Given } from "./commandOptions.ts";
import { UsageError } from "./commandOptions.ts";

/** What there is at a place. */
export type Found =
  | { readonly kind: "group"; readonly group: Group }
  /** `stored`: where it is Zarr. */
  | { readonly kind: "array"; readonly array: LazyArray; readonly stored: ZarrArray | null }
  | { readonly kind: "rows"; readonly rows: LazyRagged };

/** Methods of arrays are there once this was called. */
export async function openPlace(place: string, path = ""): Promise<Found> {
  installMethods();
  installRaggedMethods();
  const node = await zarrAt(place, path);
  if (node === "group") return { kind: "group", group: await openGroup(place, { path }) };
  if (node !== null) return { kind: "array", array: await fromZarr(place, { path }), stored: node };
  const opened = await open(place, { path });
  return opened instanceof LazyArray
    ? { kind: "array", array: opened, stored: null }
    : { kind: "rows", rows: opened };
}

/** Null where it is no Zarr: whoever opens other formats says then what it is, or why it is none. */
async function zarrAt(place: string, path: string): Promise<ZarrArray | "group" | null> {
  try {
    const node = await openNode(await storeOf(place), path);
    return "shape" in node ? node : "group";
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/** The part of an array that the options name. */
export async function arrayAt(given: Given): Promise<LazyArray> {
  const place = given.place(0, "the place of an array");
  const found = await openPlace(place, given.one("path"));
  if (found.kind === "array") {
    const items = selectionGiven(given);
    return items.length === 0 ? found.array : found.array.get(...items);
  }
  if (found.kind === "rows")
    throw new UsageError({
      what: `${place} has nested rows, and this is for arrays`,
      cure: "Try head, or info",
    });
  const arrays = (await found.group.zarr.members({ deep: true }))
    .filter(({ kind }) => kind === "array")
    .map((one) => one.path);
  throw new UsageError({
    what: `${place} is a group`,
    cure: arrays.length === 0 ? "Name an array with --path" : `Name an array: --path ${arrays.join(", or ")}`,
  });
}
