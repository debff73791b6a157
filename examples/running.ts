// Running: where tasks run, how much memory they may have, what happens when something fails, and going on afterwards.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-example-"));
const source = join(folder, "temperature.zarr");
await cw
  .arange(0, 365 * 100, 1, { dtype: "float64" })
  .reshape([365, 100])
  .rechunk([73, 50])
  .toZarr(source);

// What a computation may use.
const spec = new cw.Spec({ allowedMem: "500MB", reservedMem: "100MB", workDir: join(folder, "work") });
const temperature = await cw.fromZarr(source);
const anomaly = temperature.subtract(temperature.mean({ axis: 0 }));

const counts: { [type: string]: number } = {};
const stored = await anomaly.toZarr(join(folder, "anomaly.zarr"), {
  spec,
  onEvent: ({ type }) => {
    counts[type] = (counts[type] ?? 0) + 1;
  },
});
console.log("tasks done:", counts["taskEnd"]);
console.log(stored.shape, stored.chunks);
assert.deepEqual(readdirSync(join(folder, "work")), []); // intermediates are gone

// The same again: all its chunks are there, so nothing is computed.
await anomaly.toZarr(join(folder, "anomaly.zarr"), {
  spec,
  onEvent(event) {
    if (event.type === "computeStart") console.log("already done:", event.tasksDone, "of", event.tasks);
    assert.notEqual(event.type, "taskStart");
  },
});

// Another computation is not mistaken for it.
try {
  await temperature.negative().toZarr(join(folder, "anomaly.zarr"), { spec });
} catch (error) {
  console.log(String(error).replace(folder, "/runs"));
}

// A task that cannot fit is refused before anything runs.
const small = new cw.Spec({ allowedMem: "10.2MB", reservedMem: "10MB" });
try {
  await temperature.rechunk([365, 100]).sort({ axis: 0 }).sum().compute({ spec: small });
} catch (error) {
  assert.ok(error instanceof cw.MemoryError);
  console.log(error.name, "-", error.cure);
}

// A store that fails at the first request for each chunk: every task is tried up to three times.
class BusyStore extends cw.MemoryStore {
  readonly #asked = new Set<string>();
  override async set(key: cw.StoreKey, value: Uint8Array): Promise<void> {
    const isFirst = key.includes("/c/") && !this.#asked.has(key);
    this.#asked.add(key);
    if (isFirst) throw new cw.StoreRequestError({ what: "the store is busy", where: key, retryable: true });
    await super.set(key, value);
  }
}
let retries = 0;
await temperature.add(1).toZarr(new BusyStore(), {
  executor: "inline",
  spec: new cw.Spec({ retries: { attempts: 3, delayMs: 1 } }),
  onEvent(event) {
    if (event.type === "retry") retries++;
  },
});
console.log("retries:", retries);

// A plan outlives the process: as text, with the addresses of what it reads.
const text = cw.savePlan(anomaly.std().plan());
// It opens only what lies below folders and addresses that you name.
const plan = await cw.loadPlan(text, { stores: [folder] });
const [deviation] = await cw.computePlan(plan);
console.log(Number(deviation!.item()).toFixed(3));

rmSync(folder, { recursive: true });
