// An object that is written in parts, in any order and by any thread, and seen when it is whole. In: a store, a key and the
// length. Out: where the parts go, and how it ends. Stores that can reserve room do; for others it is collected in memory.
// Must hold: nobody sees it before `publish`, and nothing is left of one that is given up.

import { bytesText } from "../core/counts.ts";
import { NotSupportedError } from "./errors.ts";
import { requireSet, type Store, type StoreKey } from "./store.ts";

export interface Staged {
  /** Has `setRange` for the key. */
  readonly store: Store;
  readonly key: StoreKey;
  publish(): Promise<void>;
  abandon(): Promise<void>;
}

/** What is collected for a store that takes whole objects alone. */
const MOST_COLLECTED = 2 ** 30;

export async function stage(store: Store, key: StoreKey, length: number): Promise<Staged> {
  const { reserve, publish } = store;
  if (reserve === undefined || publish === undefined || store.setRange === undefined)
    return collected(store, key, length);
  const reserved = await store.reserve!(key, length);
  return {
    store,
    key: reserved,
    publish: async () => void (await store.publish!(reserved, key)),
    abandon: async () => void (await store.delete?.(reserved)),
  };
}

function collected(store: Store, key: StoreKey, length: number): Staged {
  const set = requireSet(store);
  if (length > MOST_COLLECTED)
    throw new NotSupportedError({
      what: `an object of ${bytesText(length)} for a store that takes whole objects, of ${bytesText(MOST_COLLECTED)} at most`,
      where: key,
      cure: "Write it to a folder, or as Zarr, which has an object for each chunk",
    });
  let whole: Uint8Array | null = new Uint8Array(length);
  return {
    // Other threads ask this one: it says no location.
    store: {
      get: () => undefined,
      setRange: (_, offset, bytes) => whole?.set(bytes, offset),
      ...(store.near === undefined ? {} : { near: store.near }),
    },
    key,
    async publish() {
      await set(key, whole!);
      whole = null;
    },
    async abandon() {
      whole = null;
    },
  };
}
