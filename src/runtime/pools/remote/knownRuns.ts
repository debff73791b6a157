// The runs that a worker knows: read from the shared store by the hash of their text, checked, opened, and kept while they are
// used. In: hashes. Out: runs. Must hold: a text is what its hash says, or it is refused; no more than a few are kept.

import { CodecTable } from "../../../storage/codecs/table.ts";
import type { Store } from "../../../storage/store.ts";
import type { ZarrArray } from "../../../storage/zarr/array.ts";
import type { AccessRoots } from "../../planAccess.ts";
import { writtenKey } from "../../sharedDir.ts";
import type { TaskParts } from "../../taskParts.ts";
import type { StoreHandle } from "../messages.ts";
import { openStored } from "../openRun.ts";
import { BatchRefusedError } from "./batchChecks.ts";
import { MOST_TEXT_BYTES, type ReadRun, readRunText } from "./readRunText.ts";
import { hashOf, planKey } from "./runText.ts";
import type { TaskCrew } from "./taskCrew.ts";

/** Runs that are kept though nobody uses them now. */
const MOST_KEPT = 8;

/** What runs are opened with. */
export interface RunAccess {
  readonly store: Store;
  /** Where the shared store is, for those who do the tasks. */
  readonly handle: StoreHandle;
  readonly parts: TaskParts;
  readonly roots: AccessRoots;
  readonly crew: TaskCrew;
}

export interface KnownRun extends ReadRun {
  /** By which the crew knows it. */
  readonly number: number;
  /** All outputs of the task at a place are in the shared store. */
  isPublished(op: number, place: readonly number[]): Promise<boolean>;
  /** The run is done, and has taken everything away. */
  isOver(): Promise<boolean>;
  /** Takes back what a task has published after that. */
  withdraw(op: number, place: readonly number[]): Promise<void>;
}

interface Kept {
  readonly run: Promise<KnownRun>;
  users: number;
}

export class KnownRuns {
  readonly #access: RunAccess;
  /** The one that was used last is the last. */
  readonly #kept = new Map<string, Kept>();
  /** Modules that this worker has imported, or will have: they stay as they were then. */
  readonly #modules = new Map<string, string>();
  #opened = 0;

  constructor(access: RunAccess) {
    this.#access = access;
  }

  /** While `action` goes on, the run stays open. */
  async with<T>(hash: string, action: (run: KnownRun) => Promise<T>): Promise<T> {
    const kept = this.#kept.get(hash) ?? { run: this.#open(hash), users: 0 };
    this.#kept.delete(hash);
    this.#kept.set(hash, kept);
    kept.users++;
    try {
      return await action(await kept.run);
    } catch (error) {
      // One that could not be opened may be there later.
      if (error instanceof BatchRefusedError && this.#kept.get(hash) === kept && kept.users === 1)
        this.#forget(hash, kept);
      throw error;
    } finally {
      kept.users--;
      this.#forgetOldest();
    }
  }

  #forgetOldest(): void {
    for (const [hash, kept] of this.#kept) {
      if (this.#kept.size <= MOST_KEPT) return;
      if (kept.users === 0) this.#forget(hash, kept);
    }
  }

  #forget(hash: string, { run }: Kept): void {
    this.#kept.delete(hash);
    run.then(
      ({ number }) => this.#access.crew.shut(number),
      () => {},
    );
  }

  #checkImported({ modules }: ReadRun): void {
    for (const { module, version } of modules) {
      const imported = this.#modules.get(module) ?? version;
      if (imported !== version)
        throw new BatchRefusedError({
          where: module,
          what: "it was changed since this worker imported it",
          cure: "Start the worker again",
        });
      this.#modules.set(module, version);
    }
  }

  async #open(hash: string): Promise<KnownRun> {
    const { store, handle, parts, roots, crew } = this.#access;
    const bytes = await store.get(planKey(hash), { maxBytes: MOST_TEXT_BYTES });
    if (bytes === undefined)
      throw new BatchRefusedError({
        where: planKey(hash),
        what: "the plan of the batch is not in the shared store",
        cure: "Start workers with the store that the run has as its workDir; a run that is over has taken its plan away",
      });
    if (bytes.length > MOST_TEXT_BYTES || hashOf(bytes) !== hash)
      throw new BatchRefusedError({
        where: planKey(hash),
        what: `a text of ${bytes.length} bytes that is not what its name says`,
        cure: "Somebody changed it; run the computation again",
      });
    const read = readRunText(bytes, handle, parts, roots);
    this.#checkImported(read);
    const number = ++this.#opened;
    crew.open({ ...read.opening, run: number });
    return { ...read, number, ...publishedIn(read, store) };
  }
}

/** Looks for a task's outputs; where some go to stores of the user's, nothing is known. */
function publishedIn(
  { plan, opening, folder }: ReadRun,
  store: Store,
): Pick<KnownRun, "isPublished" | "isOver" | "withdraw"> {
  const codecs = new CodecTable(opening.codecs);
  const places = new Map(opening.stored.map((place) => [place.array, place]));
  const opened = new Map<string, Promise<ZarrArray>>();
  const arrayOf = (name: string): Promise<ZarrArray> => {
    let array = opened.get(name);
    if (array === undefined) {
      const stored = openStored(places.get(name)!, codecs, { storeFor: async () => store });
      array = stored.then((found) => found.array);
      // One that is not there now may be later.
      array.catch(() => opened.delete(name));
      opened.set(name, array);
    }
    return array;
  };
  const outputsOf = (op: number): string[] => plan.operations[op]!.outputs.map(({ array }) => array);
  return {
    async isPublished(op, place) {
      if (!outputsOf(op).every((name) => places.has(name))) return false;
      for (const name of outputsOf(op)) if (!(await (await arrayOf(name)).hasShard(place))) return false;
      return true;
    },
    isOver: async () => (await store.get(writtenKey(folder))) === undefined,
    async withdraw(op, place) {
      for (const name of outputsOf(op).filter((output) => places.has(output)))
        await store.delete?.((await arrayOf(name)).shardKey(place));
    },
  };
}
