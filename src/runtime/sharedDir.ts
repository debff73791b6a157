// Where a run keeps what its tasks make, when its workers are other processes or its workDir is no local folder: arrays in a
// folder of a store that all of them reach. In: the address of the store, and the key of the computation. Out: a folder that
// this process alone has the lease of, with what an earlier run of the same computation has left.
// Must hold: nothing is removed in a folder whose lease may be another's by now; of a run that is done nothing is left.

import { describe } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import { durableStore, storeOf } from "../storage/location.ts";
import { requireList, requireSet, type Store, type StoreKey } from "../storage/store.ts";
import { isDead, Lease, type LeaseTimes } from "./lease.ts";
import type { RunKey } from "./runKey.ts";
import { IntermediateStore, type RunHome, type Storing } from "./workDir.ts";

/** What folders of runs begin with, and those of runs that nobody can go on with. */
const SHARED = "chunkwise-shared-";
const ONCE = `${SHARED}once-`;

/** True for the address of a store that is no local folder. */
export const isStoreAddress = (workDir: string): boolean =>
  /^[a-z][a-z0-9+.-]+:\/\//i.test(workDir) && !/^file:/i.test(workDir);

export async function sharedStore(
  workDir: string | null,
  { text, isKnown }: RunKey,
  storing: Storing,
  isDurable: boolean,
  times?: LeaseTimes,
): Promise<IntermediateStore> {
  const store = await openedAt(workDir, isDurable);
  const known = isKnown ? await homeAt(store, `/${SHARED}${text}`, times) : null;
  // Another process works on the same: it has that folder, and this one a folder of its own.
  const home = known ?? (await homeAt(store, `/${ONCE}${crypto.randomUUID()}`, times))!;
  return new IntermediateStore(home, true, storing, isDurable);
}

async function openedAt(workDir: string | null, isDurable: boolean): Promise<Store> {
  if (workDir === null)
    throw new ValueError({
      what: "the workers of this executor are other processes, and nothing says where they find what others make",
      cure: 'Give workDir: a folder that all of them reach, or the address of a store, as "s3://bucket/work"',
    });
  const store = await storeOf(workDir);
  requireSet(store);
  requireList(store);
  if (store.near === "memory")
    throw new ValueError({ what: `workDir is ${describe(workDir)}, in this process's memory` });
  return isDurable ? durableStore(store) : store;
}

async function homeAt(store: Store, path: string, times?: LeaseTimes): Promise<SharedHome | null> {
  const lease = await Lease.take(store, path, times);
  if (lease === null) return null;
  const home = new SharedHome(store, path, lease);
  await home.look();
  return home;
}

/** A folder of a store. */
class SharedHome implements RunHome {
  readonly store: Store;
  readonly path: string;
  readonly isMade = true;
  /** What an earlier run said of how it wrote. */
  before: string | null = null;
  readonly #lease: Lease;
  /** Folders of runs that cannot be gone on with, as their leases were when this run began. */
  #abandoned: Promise<readonly string[]> = Promise.resolve([]);

  constructor(store: Store, path: string, lease: Lease) {
    this.store = store;
    this.path = path;
    this.#lease = lease;
  }

  get lost(): AbortSignal {
    return this.#lease.lost;
  }

  get mayRemove(): boolean {
    return this.#lease.isOurs;
  }

  async look(): Promise<void> {
    const bytes = await this.store.get(writtenKey(this.path));
    const { folders } = await this.store.listDir!(this.path as StoreKey);
    this.before =
      bytes !== undefined ? new TextDecoder().decode(bytes) : folders.length > 0 ? "unknown" : null;
    this.#abandoned = this.#findAbandoned();
  }

  /** While this run goes on it is seen which of them are still renewed. */
  async #findAbandoned(): Promise<string[]> {
    const { folders } = await this.store.listDir!("/");
    const others = folders.filter((name) => name.startsWith(ONCE) && `/${name}` !== this.path);
    const looked = others.slice(0, MOST_SWEPT).map(async (name) => {
      const { keys } = await this.store.listDir!(`/${name}`);
      const lease = keys.find((key) => key.startsWith("lease-"));
      const times = { beatMs: 5000, deadMs: 30_000 };
      const isGone = lease === undefined || (await isDead(this.store, `/${name}/${lease}`, times));
      return isGone ? [name] : [];
    });
    return (await Promise.all(looked)).flat();
  }

  async settle(written: string): Promise<void> {
    await requireSet(this.store)(writtenKey(this.path), new TextEncoder().encode(written));
  }

  async close(isDone: boolean): Promise<void> {
    await this.#sweep();
    const isUseless = isDone || this.path.startsWith(`/${ONCE}`);
    if (isUseless && (await this.#lease.confirm())) {
      await this.#lease.release(false);
      // Workers that publish something late see that this is gone, and take it back: so it goes first.
      await this.store.delete!(writtenKey(this.path));
      return removeBelow(this.store, this.path as StoreKey);
    }
    await this.#lease.release();
  }

  /** Those that have been looked at long enough by now; the others are left to a later run. */
  async #sweep(): Promise<void> {
    const abandoned = await Promise.race([this.#abandoned.catch(() => []), Promise.resolve([])]);
    for (const name of abandoned) await removeBelow(this.store, `/${name}`).catch(() => {});
  }
}

/** The object in a folder that says how what is there was written: it is there from before the first task until the run is done. */
export const writtenKey = (folder: string): StoreKey => `${folder}/written` as StoreKey;
const MOST_SWEPT = 20;
const MOST_TRIES = 5;

async function removeBelow(store: Store, path: StoreKey): Promise<void> {
  for (let tries = 1; store.deleteBelow !== undefined; tries++)
    try {
      return void (await store.deleteBelow(path));
    } catch (error) {
      // Somebody may have put something there meanwhile.
      if (tries >= MOST_TRIES) throw error;
    }
  for await (const key of requireList(store)(path)) await store.delete!(key);
}
