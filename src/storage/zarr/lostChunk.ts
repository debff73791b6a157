// Arrays of which every chunk that is read was stored before, as intermediates of a run: one that is not there is no fill
// value, but lost, and so is one that is not what was written. In: a read. Out: what it gave, or an error that says which
// chunk of which array is lost, and where it should be.

import { CorruptDataError, LostChunkError } from "../errors.ts";
import type { Store, StoreKey } from "../store.ts";

/** An array, as far as messages need it. */
interface StoredChunks {
  readonly store: Store;
  readonly path: string;
  shardKey(place: readonly number[]): StoreKey;
}

/** What `read` gives, unless that says that there is no such object. */
export async function expectStored<T>(
  array: StoredChunks,
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

function lostChunk(
  array: StoredChunks,
  place: readonly number[],
  how: string,
  cause?: Error,
): LostChunkError {
  const { store, path } = array;
  const key = array.shardKey(place);
  const at = store.location?.();
  const file = at?.kind === "file" ? at.root + key : key;
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
