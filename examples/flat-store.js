// A store as a module that every thread can import, for examples/own-store.ts: all objects in one folder, under their keys
// with other characters for "/".

import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

const missing = (error) => {
  if (error.code !== "ENOENT") throw error;
  return undefined;
};

export function openFlatStore(folder) {
  const fileOf = (key) => join(folder, encodeURIComponent(key));
  const keysIn = async () => (await readdir(folder)).map(decodeURIComponent);
  return {
    // What every store has.
    get: (key) => readFile(fileOf(key)).catch(missing),
    // What makes it one that can be written to.
    async set(key, bytes) {
      const temporary = join(folder, `.${Math.random()}`);
      await writeFile(temporary, bytes);
      await rename(temporary, fileOf(key));
    },
    delete: (key) => rm(fileOf(key), { force: true }),
    async *list(prefix) {
      for (const key of await keysIn()) if (key.startsWith(prefix === "/" ? "/" : `${prefix}/`)) yield key;
    },
    // With this, runs that were stopped are gone on with.
    async *listSizes(prefix) {
      for await (const key of this.list(prefix)) {
        const { size, mtimeMs: modified } = await stat(fileOf(key));
        yield [{ key, size, modified }];
      }
    },
    // With this, threads open it themselves, instead of asking the thread that has it for every object.
    location: () => ({ kind: "module", module: import.meta.url, name: "openFlatStore", argument: folder }),
  };
}
