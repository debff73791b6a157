// Who works in a folder of a shared store: a lease that is renewed while its owner lives. In: a store and a folder. Out: the
// lease, or null where another living process has it.
// Must hold: of several that want it one gets it (`setNew`); whether an owner lives is seen by whether its lease changes while
// somebody looks on, never by comparing clocks; an owner that was silent for too long knows it before it removes anything.

import { utf8ToBytes } from "@noble/hashes/utils.js";
import { NotSupportedError } from "../storage/errors.ts";
import { keyIn, requireSet, type Store, type StoreKey } from "../storage/store.ts";
import { processIsGone, processName } from "../storage/strays.ts";

/** How often a lease is renewed, and after which silence its owner counts as dead. */
export interface LeaseTimes {
  readonly beatMs: number;
  readonly deadMs: number;
}

const TIMES: LeaseTimes = { beatMs: 2000, deadMs: 10_000 };

/** What a lease says: who has it, and how often it was renewed. */
interface Said {
  readonly owner: string;
  readonly process: string;
  readonly beat: number;
}

const NAME = /^lease-([1-9]\d{0,8})$/;
const MOST_BYTES = 1000;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export class Lease {
  readonly #store: Store;
  readonly #folder: string;
  readonly #number: number;
  readonly #owner: string;
  readonly #times: LeaseTimes;
  readonly #lost = new AbortController();
  #beat = 0;
  /** When it was surely ours. */
  #confirmed = performance.now();
  #timer: ReturnType<typeof setInterval> | undefined;
  #renewing: Promise<void> | null = null;

  private constructor(store: Store, folder: string, number: number, owner: string, times: LeaseTimes) {
    this.#store = store;
    this.#folder = folder;
    this.#number = number;
    this.#owner = owner;
    this.#times = times;
    this.#timer = setInterval(() => void this.#renewed(), times.beatMs);
    (this.#timer as { unref?(): void }).unref?.();
  }

  /** Null when another has it, and lives. */
  static async take(store: Store, folder: string, times: LeaseTimes = TIMES): Promise<Lease | null> {
    if (store.setNew === undefined || store.listDir === undefined || store.delete === undefined)
      throw new NotSupportedError({
        what: "the store of workDir cannot create an object that nobody else creates (setNew), list or delete",
        cure: "Use a folder that all workers reach, or an object store with conditional puts",
      });
    const owner = crypto.randomUUID();
    for (;;) {
      const last = await lastLease(store, folder);
      const isFree = last === 0 || (await isDead(store, leaseKey(folder, last), times));
      if (!isFree) return null;
      const said: Said = { owner, process: processName(), beat: 0 };
      if (!(await store.setNew(leaseKey(folder, last + 1), bytesOf(said)))) continue;
      if (last > 0) await store.delete(leaseKey(folder, last));
      return new Lease(store, folder, last + 1, owner, times);
    }
  }

  /** Aborted when another has taken it over. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** It was ours so lately that nobody can have taken it since. */
  get isOurs(): boolean {
    const { beatMs, deadMs } = this.#times;
    return !this.#lost.signal.aborted && performance.now() - this.#confirmed < deadMs - 2 * beatMs;
  }

  /** The same, after looking again where that is needed. */
  async confirm(): Promise<boolean> {
    if (!this.isOurs && !this.#lost.signal.aborted) await this.#renewed();
    return this.isOurs;
  }

  async #renewed(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = null;
    });
    // A store that does not answer now may answer the next time.
    await this.#renewing.catch(() => {});
  }

  async #renew(): Promise<void> {
    const asked = performance.now();
    if ((await lastLease(this.#store, this.#folder)) > this.#number) return this.#lose();
    const said: Said = { owner: this.#owner, process: processName(), beat: ++this.#beat };
    await requireSet(this.#store)(leaseKey(this.#folder, this.#number), bytesOf(said));
    this.#confirmed = asked;
  }

  #lose(): void {
    clearInterval(this.#timer);
    this.#lost.abort(
      new NotSupportedError({
        what: `another process took over this computation, since nothing was heard of this one for ${this.#times.deadMs / 1000} s`,
        where: this.#folder,
        cure: "Let that one finish; it goes on where this one was",
      }),
    );
  }

  /** It is not renewed any more; `isGiven`: and others may have it at once. */
  async release(isGiven = true): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing?.catch(() => {});
    if (isGiven && !this.#lost.signal.aborted)
      await this.#store.delete!(leaseKey(this.#folder, this.#number));
  }
}

const leaseKey = (folder: string, number: number): StoreKey => keyIn(folder, `lease-${number}`);
const bytesOf = (said: Said): Uint8Array => utf8ToBytes(JSON.stringify(said));

/** The number of the lease that counts; 0 when there is none. */
async function lastLease(store: Store, folder: string): Promise<number> {
  const { keys } = await store.listDir!(folder as StoreKey);
  return keys.reduce((most, name) => Math.max(most, Number(NAME.exec(name)?.[1] ?? 0)), 0);
}

async function textAt(store: Store, key: StoreKey): Promise<string | undefined> {
  const bytes = await store.get(key, { maxBytes: MOST_BYTES });
  return bytes && new TextDecoder().decode(bytes);
}

/** Its owner is a process of this machine that is gone, or is not heard of while somebody looks on. */
export async function isDead(store: Store, key: StoreKey, { beatMs, deadMs }: LeaseTimes): Promise<boolean> {
  const first = await textAt(store, key);
  if (first === undefined) return true;
  const { process } = saidIn(first);
  if (process === processName()) return false;
  if (process !== undefined && processIsGone(process)) return true;
  for (let waited = 0; waited < deadMs; waited += beatMs / 2) {
    await wait(beatMs / 2);
    const text = await textAt(store, key);
    if (text === undefined) return true;
    if (text !== first) return false;
  }
  return true;
}

function saidIn(text: string): Partial<Said> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<Said>;
  } catch {
    return {};
  }
}
