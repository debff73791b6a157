// Functions of a service as workers. The function is a handler: a request in, an answer out. A run sends it batches of tasks; what
// is between the tasks lies in a folder, or an object store, that both reach. Here the service is this process.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import { functions, handler } from "chunkwise/functions";

const shared = mkdtempSync(join(tmpdir(), "chunkwise-functions-"));

// What the service is given: `export default {fetch: handle}`, or lambdaHandler(…) for AWS Lambda.
const handle = handler({
  store: shared, // the same as the run's workDir: a folder, or "s3://bucket/work"
  token: "sixteen characters or more, at random",
  threads: 0,
});

// What the program says: where the function is, how many batches at once, how long one may take.
const executor = functions({
  url: "https://functions.example.org/",
  token: "sixteen characters or more, at random",
  concurrency: 4,
  timeoutMs: 30_000,
  // Without it, the global `fetch`.
  fetch: (async (url: string, init: RequestInit) => handle(new Request(url, init))) as typeof fetch,
});

const x = cw.linspace(0, 1, 10_000, { chunks: 1000 });
const workers = new Set<string | undefined>();
const onEvent = (event: cw.RunEvent): void => {
  if (event.type === "taskEnd") workers.add(event.by);
};
const sums = await x.multiply(x).cumulativeSum().compute({ executor, workDir: shared, onEvent });
const here = await x.multiply(x).cumulativeSum().compute({ executor: "inline" });
assert.deepEqual(sums.data, here.data);
console.log("the same bits:", sums.data.length, "sums, by", workers.size, "worker");
const left = readdirSync(shared, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
console.log("files left in the shared folder:", left.length);
rmSync(shared, { recursive: true });
