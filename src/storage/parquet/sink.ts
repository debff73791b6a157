// Where a file is written. In: pieces, one after another. Out: a file that appears whole or not at all: under a temporary
// name until it is finished, or collected and put into a store at once.

import { requireBuiltin } from "../builtin.ts";
import { messageOf, StoreRequestError } from "../errors.ts";
import { joinedBytes } from "../joinedBytes.ts";
import { requireSet, type Store, type StoreKey } from "../store.ts";
import { strayName, strayStart } from "../strays.ts";

export interface Sink {
  readonly name: string;
  append(bytes: Uint8Array): void;
  /** Gives the file its name. */
  finish(): Promise<void>;
  /** Leaves nothing behind. */
  abort(): void;
}

export async function fileSink(path: string): Promise<Sink> {
  const fs = await requireBuiltin("node:fs");
  const { dirname, join } = await requireBuiltin("node:path");
  const temporary = join(dirname(path), strayName(strayStart()));
  const trying = <T>(action: () => T): T => {
    try {
      return action();
    } catch (cause) {
      throw new StoreRequestError({ what: messageOf(cause), where: path, retryable: false }, { cause });
    }
  };
  const file = trying(() => {
    fs.mkdirSync(dirname(path), { recursive: true });
    return fs.openSync(temporary, "wx");
  });
  return {
    name: path,
    append: (bytes) =>
      trying(() => {
        for (let done = 0; done < bytes.length; )
          done += fs.writeSync(file, bytes, done, Math.min(bytes.length - done, 2 ** 30));
      }),
    finish: async () =>
      trying(() => {
        fs.closeSync(file);
        fs.renameSync(temporary, path);
      }),
    abort() {
      try {
        fs.closeSync(file);
      } catch {
        // It is closed already.
      }
      fs.rmSync(temporary, { force: true });
    },
  };
}

/** Stores take whole objects, so the file is kept in memory until it is finished. */
export function storeSink(store: Store, key: StoreKey): Sink {
  const set = requireSet(store);
  const parts: Uint8Array[] = [];
  return {
    name: key,
    append(bytes) {
      // The caller may reuse its memory.
      parts.push(bytes.slice());
    },
    async finish() {
      if (store.setParts !== undefined) await store.setParts(key, parts);
      else await set(key, joinedBytes(parts));
    },
    abort() {
      parts.length = 0;
    },
  };
}
