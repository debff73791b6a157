// Arrays of which every chunk that is read was stored before, as intermediates of a run: one that is not there is no fill
// value, but lost, and so is one that is not what was written. In: a read. Out: what it gave, or an error that says which
// chunk of which array is lost, and where it should be.

import { CorruptDataError, LostChunkError } from "../errors.ts";
import { FileStore } from "../fileStore.ts";
import type { ZarrArray } from "./array.ts";

/** What `read` gives, unless that says that there is no such object. */
export async function expectStored<T>(
  array: ZarrArray,
  place: readonly number[],
  read: () => Promise<T>,
): Promise<T> {
  try {
    const result = await read();
    if (result !== undefined && result !== null && result !== false) return result;
  } catch (cause) {
    if (!(cause instanceof CorruptDataError)) throw cause;
    throw lostChunk(array, place, `is not what was stored (${cause.what})`, cause);
  }
  throw lostChunk(array, place, "was stored and is gone");
}

function lostChunk(array: ZarrArray, place: readonly number[], how: string, cause?: Error): LostChunkError {
  const { store, path } = array;
  const key = array.shardKey(place);
  const file = store instanceof FileStore ? store.absoluteRoot() + key : key;
  return new LostChunkError(
    {
      what: `chunk [${place.join(", ")}] of ${path.slice(1)} ${how}: ${file}`,
      cure: "Something removes or changes files of a run while it goes on: keep it from that, or name another folder with workDir",
      path,
      place,
    },
    { cause },
  );
}
