// A store of your own: an object with `get`. What else it can do it has as members, and is treated as a built-in one is.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-example-"));

// In a module, so that task threads can open it too.
const module = new URL("./flat-store.js", import.meta.url).href;
const { openFlatStore } = (await import(module)) as { openFlatStore(folder: string): cw.Store };
const store = openFlatStore(folder);

const x = cw.arange(0, 12, 1, { dtype: "float64" }).reshape([3, 4]).rechunk([3, 2]);
await x.toZarr(store, { path: "grid", executor: "threads" });
console.log(readdirSync(folder).map(decodeURIComponent).sort());

const grid = await cw.fromZarr(store, { path: "grid" });
console.log(await grid.sum({ axis: 0 }).compute({ executor: "threads" }));

// The store tells when objects were changed: the same computation finds its work done.
let began = 0;
await x.toZarr(store, {
  path: "grid",
  onEvent(event) {
    if (event.type === "taskStart") began++;
  },
});
console.log("tasks begun again:", began);

// A store that has nothing but `get` is read like any other; threads ask this one for its objects.
const gets: string[] = [];
const readOnly: cw.Store = {
  get(key) {
    gets.push(key);
    return store.get(key);
  },
};
const again = await cw.fromZarr(readOnly, { path: "grid" });
assert.equal((await again.max().compute({ executor: "threads" })).item(), 11);
console.log(gets.includes("/grid/c/0/1"));

// And what it cannot do, nobody asks of it.
try {
  await x.toZarr(readOnly, { path: "other" });
} catch (error) {
  console.log(String(error));
}
rmSync(folder, { recursive: true });
