// Places that stored arrays are to take, looked at before anything is written. In: stores, paths and settings. Out: whether
// an earlier run's work is gone on with or a new array made, and what has to go first; errors for places that may not be
// taken. Must hold: nothing is lost for an array that is refused afterwards, and what went away meanwhile is noticed.

import type { Resource } from "../core/attrs.ts";
import { ValueError } from "../core/errors.ts";
import { sizeOf } from "../core/shape.ts";
import { isFinished, isOurs } from "../runtime/mark.ts";
import { ZarrResource } from "../runtime/zarrResource.ts";
import { NotFoundError } from "../storage/errors.ts";
import type { Store } from "../storage/store.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import { type CreateArrayOptions, planArray } from "../storage/zarr/create.ts";
import { openArray } from "../storage/zarr/group.ts";
import { differences, findNode } from "../storage/zarr/nodes.ts";
import { type InTheWay, lookAtPlace } from "../storage/zarr/place.ts";

export interface Place {
  readonly store: Store;
  readonly path: string;
}

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

/** No two arrays in one place, and none where a source is that would have to go first. */
export async function checkApart(
  taken: readonly (Place & { readonly claim: Claim })[],
  sources: Iterable<Resource>,
): Promise<void> {
  const places = await Promise.all(taken.map(addressOf));
  const ours = new Ground();
  for (const place of places) {
    if (ours.overlaps(place))
      throw new ValueError({
        what: `two arrays are to be stored in the same place, ${place.path}`,
        cure: "Give each a path of its own, none inside another",
      });
    ours.take(place);
  }
  const going = places.filter((_, i) => {
    const { claim } = taken[i]!;
    return claim.kind === "new" && claim.inTheWay !== null;
  });
  if (going.length === 0) return;
  const ground = new Ground();
  for (const place of going) ground.take(place);
  for (const source of sources) {
    if (!(source instanceof ZarrResource)) continue;
    const read = await addressOf(source.array);
    if (ground.overlaps(read))
      throw new ValueError({
        what: `it is computed from the array that it would overwrite, ${read.path}`,
        cure: "Write to another path, and put it in its place afterwards",
      });
  }
}

/** After a run: the array is where it was put, with as many chunks as it has, where every one was written. */
export async function checkWritten(array: ZarrArray, wasAll: boolean): Promise<void> {
  const { store, metadataKey, path } = array;
  if (store.near !== "files" || store.has === undefined) return;
  const cure = "Somebody removed or moved it while it was written; write it again";
  if (!(await store.has(metadataKey)))
    throw new NotFoundError({ what: "the array is not there any more", where: metadataKey, cure });
  if (!wasAll || !array.writesEmptyChunks) return;
  let found = 0;
  for await (const _ of array.listShards()) found++;
  const count = sizeOf(array.shardGrid);
  if (found < count)
    throw new NotFoundError({
      what: `${count - found} of ${count} chunks are not there any more`,
      where: path === "" ? "/" : path,
      cure,
    });
}

interface Address {
  /** The same for stores that are the same. */
  readonly store: unknown;
  readonly path: string;
}

async function addressOf({ store, path }: Place): Promise<Address> {
  const address = await store.address?.();
  return address === undefined
    ? { store, path: path === "" ? "/" : path }
    : { store: "addresses", path: `${address}${path}` };
}

/** Places that are taken. One overlaps another when it is the same, inside of it, or around it. */
class Ground {
  readonly #stores = new Map<unknown, { readonly taken: Set<string>; readonly around: Set<string> }>();

  take({ store, path }: Address): void {
    const known = this.#stores.get(store) ?? { taken: new Set(), around: new Set() };
    this.#stores.set(store, known);
    const [own, ...above] = selfAndAbove(path);
    known.taken.add(own!);
    for (const folder of above) known.around.add(folder);
  }

  overlaps({ store, path }: Address): boolean {
    const known = this.#stores.get(store);
    if (known === undefined) return false;
    const places = selfAndAbove(path);
    return known.around.has(places[0]!) || places.some((place) => known.taken.has(place));
  }
}

/** "/a/b": "/a/b", "/a", and "" for all there is. */
function selfAndAbove(path: string): string[] {
  const places = [path.replace(/\/+$/, "")];
  for (let at = places[0]!.lastIndexOf("/"); at >= 0; at = path.lastIndexOf("/", at - 1)) {
    places.push(path.slice(0, at));
    if (at === 0) break;
  }
  return places;
}
