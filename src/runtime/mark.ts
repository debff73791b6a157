// The mark in a target: which computation fills it, how safe that was written, and what its files were like when it was
// done. In: stores and paths. Out: whether a target is ours to go on with. The mark is there before the array is.

import { utf8ToBytes } from "@noble/hashes/utils.js";
import { keyIn, requireSet, type Store } from "../storage/store.ts";
import { type DatedObject, MARK, objectsBelow, stateOf } from "../storage/zarr/state.ts";
import { digest } from "./runKey.ts";
import { writtenBy } from "./written.ts";

export interface Mark {
  readonly key: string;
  readonly written: string;
  /** Of its files when all was done; undefined when it is not. */
  readonly state: string | undefined;
}

export async function markOf(store: Store, path: string): Promise<Mark | null> {
  const bytes = await store.get(keyIn(path, MARK));
  if (bytes === undefined) return null;
  const [key = "", written = "", state] = new TextDecoder().decode(bytes).split(" ");
  return { key, written, state };
}

/** True when the target was begun by the computation with this key, and nobody changed it after it was finished. */
export async function isOurs(store: Store, path: string, key: string): Promise<boolean> {
  const mark = await markOf(store, path);
  if (mark?.key !== key) return false;
  return mark.state === undefined || mark.state === finishedState(await objectsBelow(store, path), path);
}

/** True when whoever filled the target said that it is done. */
export async function isFinished(store: Store, path: string): Promise<boolean> {
  return (await markOf(store, path))?.state !== undefined;
}

/** `before`: the mark of the run that is gone on with, when what it left has been looked at. */
export async function markBegun(
  store: Store,
  path: string,
  key: string,
  before: Mark | null = null,
): Promise<void> {
  await setMark(store, path, `${key} ${writtenBy(store.isDurable === true, before?.written)}`);
}

/** `objects`: what is there now, null where the store does not tell. */
export async function markFinished(
  store: Store,
  path: string,
  key: string,
  objects: readonly DatedObject[] | null,
): Promise<void> {
  const written = (await markOf(store, path))?.written ?? writtenBy(false);
  await setMark(store, path, `${key} ${written} ${finishedState(objects, path)}`);
}

/** It holds what others wrote, too. */
export async function removeMark(store: Store, path: string): Promise<void> {
  await store.delete?.(keyIn(path, MARK));
}

async function setMark(store: Store, path: string, text: string): Promise<void> {
  await requireSet(store)(keyIn(path, MARK), utf8ToBytes(text));
}

const finishedState = (objects: readonly DatedObject[] | null, path: string): string =>
  objects === null ? "done" : digest(stateOf(objects, path));
