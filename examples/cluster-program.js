// A program whose tasks are done by workers at a queue: docs/clusters.md has the commands that start them.
// Of the environment: CHUNKWISE_REDIS_URL, CHUNKWISE_REDIS_PASSWORD, SHARED (a folder that all machines have).

import * as cw from "chunkwise";
import { bullmq } from "chunkwise/bullmq";

const { CHUNKWISE_REDIS_URL, CHUNKWISE_REDIS_PASSWORD, SHARED = "/shared" } = process.env;
const { hostname, port } = new URL(CHUNKWISE_REDIS_URL ?? "redis://10.0.0.5:6379");

const executor = bullmq({
  connection: { host: hostname, port: Number(port), password: CHUNKWISE_REDIS_PASSWORD },
  queue: "chunkwise",
});
const spec = new cw.Spec({ workDir: `${SHARED}/work`, allowedMem: "500MB" });

// Sources and targets lie where workers reach them, too.
const x = cw.arange(1_000_000, { chunks: 100_000, dtype: "float64" });
await x.sqrt().toZarr(`${SHARED}/data/roots.zarr`, { executor, spec });
const roots = await cw.fromZarr(`${SHARED}/data/roots.zarr`);
const mean = await roots.mean().compute({ executor, spec });
console.log(mean.item().toFixed(3));
