// Places that several arrays are to take, held against each other and against what is read. In: places. Out: errors for those
// that overlap. Must hold: nothing has been changed when one is refused.

import type { Resource } from "../core/block.ts";
import { ValueError } from "../core/errors.ts";
import type { Place } from "../storage/formats/denseFormat.ts";
import { StoredSource } from "../storage/formats/table.ts";

/** A place that is to be taken; `clears`: what is there goes first. */
export interface TakenPlace extends Place {
  readonly clears: boolean;
}

/** No two arrays in one place, and none where a source is that would have to go first. */
export async function checkApart(taken: readonly TakenPlace[], sources: Iterable<Resource>): Promise<void> {
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
  const going = places.filter((_, i) => taken[i]!.clears);
  if (going.length === 0) return;
  const ground = new Ground();
  for (const place of going) ground.take(place);
  for (const source of sources) {
    if (!(source instanceof StoredSource)) continue;
    const read = await addressOf(source.place);
    if (ground.overlaps(read))
      throw new ValueError({
        what: `it is computed from the array that it would overwrite, ${read.path}`,
        cure: "Write to another path, and put it in its place afterwards",
      });
  }
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
