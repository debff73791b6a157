// A place that a Zarr array is to take, looked at before anything is written, and after. In: stores, paths and settings. Out:
// whether an earlier run's work is gone on with or a new array made, and what has to go first; errors for places that may not
// be taken. Must hold: nothing is lost for an array that is refused afterwards, and what went away meanwhile is noticed.

import { ValueError } from "../../core/errors.ts";
import { sizeOf } from "../../core/shape.ts";
import { NotFoundError } from "../../storage/errors.ts";
import type { Place } from "../../storage/formats/look.ts";
import type { ZarrArray } from "../../storage/zarr/array.ts";
import { placeFromKey } from "../../storage/zarr/chunkKeys.ts";
import { type CreateArrayOptions, planArray } from "../../storage/zarr/create.ts";
import { openArray } from "../../storage/zarr/group.ts";
import { differences, findNode } from "../../storage/zarr/nodes.ts";
import { type InTheWay, lookAtPlace } from "../../storage/zarr/place.ts";
import { type DatedObject, objectsBelow } from "../../storage/zarr/state.ts";
import { isFinished, isOurs } from "../mark.ts";

export type Claim =
  | { readonly kind: "resume"; readonly zarr: ZarrArray }
  | { readonly kind: "new"; readonly inTheWay: InTheWay | null };

/** What the computation with this key finds at a place. */
export async function claimOf(
  { store, path }: Place,
  settings: CreateArrayOptions,
  key: string,
): Promise<Claim> {
  const overwrite = settings.overwrite === true;
  // What is done and to be overwritten is computed again; what is not done is the run that overwrites.
  if ((await isOurs(store, path, key)) && !(overwrite && (await isFinished(store, path)))) {
    const zarr = await resumable({ store, path }, settings);
    if (zarr !== null) return { kind: "resume", zarr };
  }
  const { keyEncoding } = planArray(settings, path);
  return { kind: "new", inTheWay: await lookAtPlace(store, path, keyEncoding, overwrite, {}) };
}

/** What the same computation has stored so far, if it is stored just as it would be now. */
async function resumable({ store, path }: Place, settings: CreateArrayOptions): Promise<ZarrArray | null> {
  const node = await findNode(store, path, {});
  if (node?.kind !== "array") return null;
  const different = differences(node, planArray(settings, path), path);
  if (different.length > 0 && settings.overwrite === true) return null;
  if (different.length > 0)
    throw new ValueError({
      what: `the same computation is stored there with other ${different.join(", ")}`,
      cure: "Use another path, or overwrite: true",
    });
  return openArray(store, path, {
    writeEmptyChunks: settings.writeEmptyChunks ?? true,
    ...(settings.known === undefined ? {} : { known: settings.known }),
  });
}

const CURE = "Somebody removed or moved it while it was written; write it again";
const missing = (where: string): NotFoundError =>
  new NotFoundError({ what: "the array is not there any more", where, cure: CURE });

/** After a run that wrote a part of an array: it is where it was. */
export async function checkThere({ store, metadataKey }: ZarrArray): Promise<void> {
  if (store.near !== "files" || store.has === undefined) return;
  if (!(await store.has(metadataKey))) throw missing(metadataKey);
}

/**
 * After a run: the array is where it was put, with as many chunks as it has, where every one was written. Out: what is there,
 * from the same walk; null where the store does not tell.
 */
export async function checkWritten(
  array: ZarrArray,
  wasAll: boolean,
): Promise<readonly DatedObject[] | null> {
  const objects = await objectsBelow(array.store, array.path);
  if (objects === null) await checkThere(array);
  else if (!objects.some(({ key }) => key === array.metadataKey)) throw missing(array.metadataKey);
  else if (wasAll && array.writesEmptyChunks) checkCount(array, objects);
  return objects;
}

function checkCount({ path, metadata, shardGrid }: ZarrArray, objects: readonly DatedObject[]): void {
  const isChunk = ({ key }: DatedObject): boolean =>
    placeFromKey(metadata.keyEncoding, key.slice(path.length + 1), shardGrid) !== null;
  const [found, count] = [objects.filter(isChunk).length, sizeOf(shardGrid)];
  if (found >= count) return;
  throw new NotFoundError({
    what: `${count - found} of ${count} chunks are not there any more`,
    where: path === "" ? "/" : path,
    cure: CURE,
  });
}
