// A format of your own: added to the engine by the address of its module, found by the end of a name, read and written by tasks
// on every thread.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-example-"));
const place = (name: string): string => join(folder, name);

// From now on such files may be opened and written, on every thread.
cw.engine.formats.add({
  name: "grid",
  suffixes: [".grid"],
  module: new URL("./grid-format.js", import.meta.url),
});

// Written chunk by chunk, by the tasks that compute them.
const x = cw.arange(0, 6000, 1, { dtype: "float32" }).reshape([60, 100]).rechunk([15, 50]);
const [written] = await cw.store([x.sqrt()], [place("roots.grid")], { executor: "threads" });
console.log(readdirSync(folder).sort(), statSync(place("roots.grid")).size, written!.chunks);

// Opened as anything else is: only what says how it lies is read.
const roots = (await cw.open(place("roots.grid"))) as cw.LazyArray<"float32">;
const back = roots.multiply(roots).get("10:12", "::50");
console.log((await back.round().compute({ executor: "threads" })).toList());

// Other formats go the same way: by their names, or by a look at what is there.
await roots.toNpy(place("roots.npy"));
await roots.toZarr(place("roots"));
for (const name of ["roots.npy", "roots", "roots.grid"]) {
  const same = (await cw.open(place(name))) as cw.LazyArray;
  assert.equal((await same.equal(roots).all().compute()).item(), true);
}

// A saved plan names the format and where the array is; who loads it has the format, and says which folders it may read.
const text = cw.savePlan(roots.sum().plan());
const plan = await cw.loadPlan(text, { stores: [folder] });
console.log((await cw.computePlan(plan))[0]!.item() === (await roots.sum().compute()).item());

// What nobody knows is an error that says which formats there are.
try {
  await cw.open(place("roots.gird"), { format: "gird" });
} catch (error) {
  console.log(String(error));
}
rmSync(folder, { recursive: true });
