// The program of scripts/chaos: slow blocks, a scan over them, a sum. Argument: where the queue and the work store are.
// Tells its parent of attempts as they end, and at the end the bits of its results.

import { writeFileSync } from "node:fs";

const settings = JSON.parse(process.argv[2]);
const { host = "127.0.0.1", port, password, work, seed, queue: name = "chunkwise" } = settings;
const dist = (name) => new URL(`../../dist/${name}.js`, import.meta.url).href;
const [cw, { bullmq }] = await Promise.all([import(dist("index")), import(dist("bullmq"))]);

const blocks = cw.moduleFunction(new URL("./slow-blocks.js", import.meta.url), "slowly");
const slow = cw.mapBlocks(blocks, cw.arange(240, { chunks: 4, dtype: "float64" }));
const arrays = [slow.cumulativeSum().add(1), slow.rechunk([30]).multiply(slow.mean()), slow.sum()];

const onEvent = (event) => {
  if (event.type === "computeStart") process.send({ type: "found", tasks: event.tasksDone });
  if (event.type === "taskStart") process.send({ type: "start" });
  if (event.type === "taskEnd") process.send({ type: "task", outcome: event.outcome });
  if (event.type === "twin") process.send({ type: "twin" });
};
const queue = { connection: { host, port, password }, queue: name, redisWithinMs: 60_000 };
const options =
  seed === "inline"
    ? { executor: "inline" }
    : { executor: bullmq(queue), spec: new cw.Spec({ workDir: work, allowedMem: "400MB" }), onEvent };
try {
  const results = await cw.compute(arrays, options);
  const bits = results.map(({ data }) =>
    Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("hex"),
  );
  process.send({ type: "answer", bits: bits.join(" ") });
} catch (error) {
  if (process.env.CHUNKWISE_CHAOS_LOG) writeFileSync(process.env.CHUNKWISE_CHAOS_LOG, String(error.stack));
  process.send({ type: "answer", error: String(error) });
}
process.disconnect();
