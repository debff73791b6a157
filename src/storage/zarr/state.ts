// In which state a Zarr array is. In: the array, and which of its objects a run reads. Out: a text that is another for another
// state of them, or null where the store cannot tell.

import { gridOf, placeOf } from "../../core/chunks.ts";
import type { UnitsRead } from "../formats/denseFormat.ts";
import { keyIn, type ListedObject, type Store, type StoreKey } from "../store.ts";
import type { ZarrArray } from "./array.ts";
import { mapLimited } from "./limited.ts";

/** The file in a target that says which computation fills it. */
export const MARK = ".chunkwise-run";

const METADATA = ["zarr.json", ".zarray", ".zattrs"];
const AT_ONCE = 16;

export async function arrayState(array: ZarrArray, reads: UnitsRead): Promise<string | null> {
  const { store, path } = array;
  const objects = await objectsBelow(store, path);
  if (objects !== null) return stateOf(objects, path);
  return store.version === undefined ? null : versionsRead(array, reads);
}

/** An object whose last change is known. */
export type DatedObject = ListedObject & { readonly modified: number };

/** All objects of an array, in one walk; null where the store does not tell when they were changed. */
export async function objectsBelow(store: Store, path: string): Promise<readonly DatedObject[] | null> {
  if (store.listSizes === undefined) return null;
  const objects: DatedObject[] = [];
  for await (const listed of store.listSizes((path === "" ? "/" : path) as StoreKey))
    for (const object of listed) {
      if (object.modified === undefined) return null;
      objects.push(object as DatedObject);
    }
  return objects;
}

/** Name, length and time of every object, but the mark that a run leaves. */
export function stateOf(objects: readonly DatedObject[], path: string): string {
  const mark = keyIn(path, MARK);
  const lines = objects.flatMap(({ key, size, modified }) =>
    key === mark ? [] : `${key} ${size} ${modified}`,
  );
  return lines.sort().join("\n");
}

async function versionsRead(array: ZarrArray, reads: UnitsRead): Promise<string | null> {
  const units = reads(array.metadata.unitShape);
  if (units === null) return null;
  const grid = gridOf(array.shape, array.metadata.unitShape);
  const keys = [
    ...METADATA.map((document) => keyIn(array.path, document)),
    ...[...units].map((unit) => array.shardKey(placeOf(unit, grid))),
  ];
  return versionsOf(array.store, keys);
}

export async function versionsOf(store: Store, keys: readonly StoreKey[]): Promise<string | null> {
  const versions = new Map<StoreKey, string>();
  await mapLimited(keys, AT_ONCE, async (key) => {
    const version = await store.version!(key);
    if (version !== null) versions.set(key, version ?? "none");
  });
  return versions.size < keys.length ? null : keys.map((key) => `${key} ${versions.get(key)}`).join("\n");
}
