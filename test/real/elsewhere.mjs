// Every program on every pool and every store: `npm run test:elsewhere [-- --every 20 --from 3 --only roll-plus-self --no-bucket]`.
// Inline, on two threads, on three worker processes at a queue, on functions behind https; sources in files, in a bucket and
// behind http; what is between tasks, and every second result, in a folder or in the bucket. Must hold: the same bits as inline
// from files. Prints each wrong run, and at the end how many there were; ends with 1 where one was.
// Needs redis-server and Ceph (Debian): what is not there is left out, by name.

import { fork, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { importTypeScript } from "../../scripts/typescript.mjs";
import { resultsOf } from "./execute.mjs";
import { PROGRAMS } from "./programs/index.mjs";
import { serve } from "./server.mjs";
import { openSource, writeSource } from "./sources.mjs";

const TEST = resolve(import.meta.dirname, "..");
const DIST = resolve(TEST, "..", "dist");
const WORKERS = 3;
const LANES = 2;
const QUEUES = { file: "files", s3: "bucket" };

const { values } = parseArgs({
  options: {
    every: { type: "string" },
    from: { type: "string" },
    only: { type: "string", multiple: true },
    "no-bucket": { type: "boolean" },
  },
});
const [every, from] = [Number(values.every ?? 1), Number(values.from ?? 0)];
const chosen = [...PROGRAMS.values()].filter(
  ({ name }, i) => values.only?.includes(name) ?? i % every === from % every,
);

const cw = await import(join(DIST, "index.js"));
const { bullmq } = await import(join(DIST, "bullmq.js"));
const { functions } = await import(join(DIST, "functions.js"));
const { RedisServer, hasRedis } = await importTypeScript(join(TEST, "cluster", "redisServer.ts"));
const { startRadosgw, noRadosgw } = await importTypeScript(join(TEST, "storage", "radosgw.ts"));
const { newCertificate, fetchTrusting, TOKEN } = await importTypeScript(
  join(TEST, "runtime", "remoteProcesses.ts"),
);

const folder = mkdtempSync(join(tmpdir(), "chunkwise-elsewhere-"));
const ended = [() => rmSync(folder, { recursive: true, force: true })];
const MODULES = join(TEST, "real");

async function startBucket() {
  const s3 = await startRadosgw();
  ended.push(() => s3.stop());
  await s3.makeBucket("real");
  const { accessKeyId, secretAccessKey } = s3.credentials;
  Object.assign(process.env, {
    ...{ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
    ...{ AWS_REGION: s3.region, AWS_ENDPOINT_URL_S3: s3.endpoint },
  });
}

/** Where each kind of store has its things. */
const ROOTS = { file: folder, s3: "s3://real" };
const under = (store, name) => `${ROOTS[store]}/${name}`;

async function startWorkers(store, address) {
  const redis = await RedisServer.start();
  ended.push(() => redis.stop());
  const where = ["--redis", `redis://127.0.0.1:${redis.port}`, "--queue", QUEUES[store], "--threads", "1"];
  const roots = [under(store, "data"), under(store, "results"), address].flatMap((root) => [
    "--allow-stores",
    root,
  ]);
  const words = [...where, "--store", under(store, "work"), ...roots, "--allow-modules", MODULES];
  const env = { ...process.env, CHUNKWISE_REDIS_PASSWORD: redis.password };
  for (let i = 0; i < WORKERS; i++) {
    const child = spawn(
      process.execPath,
      [join(DIST, "cli.js"), "worker", ...words, "--name", `${store}-${i}`],
      {
        ...{ env, stdio: ["ignore", "ignore", "pipe"] },
      },
    );
    ended.push(() => child.kill("SIGKILL"));
    for await (const text of child.stderr.setEncoding("utf8").iterator({ destroyOnReturn: false }))
      if (/ is at /.test(text)) break;
    child.stderr.resume();
  }
  const connection = { host: "127.0.0.1", port: redis.port, password: redis.password };
  return bullmq({ connection, queue: QUEUES[store] });
}

async function startFunctions(store, address, tls) {
  const stores = [under(store, "data"), under(store, "results"), address];
  const door = pathToFileURL(join(DIST, "functions.js")).href;
  const options = {
    door,
    token: TOKEN,
    tls,
    store: under(store, "work"),
    threads: 1,
    allowedMem: "1GB",
    stores,
  };
  const words = [JSON.stringify({ ...options, modules: [MODULES] })];
  const child = fork(join(TEST, "runtime", "remote-worker.mjs"), words, { execArgv: [] });
  ended.push(() => child.kill("SIGKILL"));
  const [{ port }] = await once(child, "message");
  return functions({
    url: `https://127.0.0.1:${port}/`,
    token: TOKEN,
    concurrency: WORKERS,
    fetch: fetchTrusting(tls),
  });
}

/** Sources as files; the same objects in the bucket. */
async function writeSources(hasBucket) {
  const values = async (array) => {
    const { data } = (await array.compute({ executor: "inline" })).toContiguous();
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  };
  const write = (path, bytes) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  };
  const data = join(folder, "data");
  for (const name of new Set(chosen.map(({ source }) => source)))
    for (const kind of ["typed", "zstd"])
      await writeSource({ cw, values, write }, data, { name, size: "usual", kind });
  if (!hasBucket) return;
  const [files, bucket] = [new cw.FileStore(data), new cw.S3Store("s3://real/data")];
  for await (const key of files.list("/"))
    if (!key.includes("typed")) await bucket.set(key, await files.get(key));
}

const sourceIn = (store, place, name) =>
  store === "s3"
    ? cw.fromZarr(`s3://real/data/${name}-usual/zstd`)
    : openSource(cw, place, name, "usual", store === "http" ? "http" : "zstd");

const digest = (arrays) => {
  const hash = createHash("sha256");
  for (const array of arrays) {
    const { dtype, shape, data } = array.toContiguous();
    hash.update(`${dtype} [${shape}]`).update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  return hash.digest("hex");
};

async function removed(path) {
  if (path.startsWith("s3:")) await new cw.S3Store(path).deleteBelow("/");
  else rmSync(path, { recursive: true });
}

/** Computed, or stored and read again. */
async function bitsOf(program, way, place, isStored) {
  const x = await sourceIn(way.source, place, program.source);
  const arrays = resultsOf(program, cw, x);
  if (!isStored) return digest(await cw.compute(arrays, way.options));
  const paths = arrays.map((_, i) => under(way.store, `results/${crypto.randomUUID()}-${i}.zarr`));
  await cw.store(arrays, paths, way.options);
  const back = await Promise.all(
    paths.map(async (path) => (await cw.fromZarr(path)).compute({ executor: "inline" })),
  );
  for (const path of paths) await removed(path);
  return digest(back);
}

async function waysOf(address, hasBucket) {
  const tls = newCertificate(folder);
  const ways = [];
  for (const store of hasBucket ? ["file", "s3"] : ["file"]) {
    const workDir = under(store, "work");
    const carried = {
      bullmq: hasRedis ? await startWorkers(store, address) : null,
      functions: await startFunctions(store, address, tls),
    };
    const pools = [
      ["inline", { executor: "inline" }],
      ["threads", { executor: "threads", threads: 2 }],
      ...Object.entries(carried).flatMap(([name, executor]) =>
        executor === null ? [] : [[name, { executor, workDir }]],
      ),
    ];
    for (const source of store === "file" ? ["file", "http"] : ["s3"])
      for (const [pool, options] of pools) ways.push({ pool, source, store, options });
  }
  return ways;
}

async function all() {
  const hasBucket = noRadosgw === false && values["no-bucket"] !== true;
  if (!hasBucket) console.log(`without a bucket${noRadosgw === false ? "" : `: ${noRadosgw}`}`);
  if (!hasRedis) console.log("without a queue: redis-server is not installed");
  if (hasBucket) await startBucket();
  await writeSources(hasBucket);
  const server = await serve(join(folder, "data"));
  ended.push(() => server.close());
  const place = { folder: join(folder, "data"), address: server.address };
  const ways = await waysOf(server.address, hasBucket);
  const counts = new Map();
  let [runs, wrong, next] = [0, 0, 0];
  const lane = async () => {
    while (next < chosen.length) {
      const at = next++;
      const program = chosen[at];
      const expected = await bitsOf(program, ways[0], place, false);
      for (const [i, way] of ways.entries()) {
        const name = `${way.pool}, ${way.source}`;
        const found = await bitsOf(program, way, place, (at + i) % 2 === 1).catch(
          (error) => `${error.name}: ${error.message}`,
        );
        runs++;
        counts.set(name, (counts.get(name) ?? 0) + 1);
        if (found === expected) continue;
        wrong++;
        console.log(
          `WRONG ${program.name} on ${name}: ${found}\n  again: npm run test:elsewhere -- --only ${program.name}`,
        );
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  console.log(
    `${chosen.length} programs: ${[...counts].map(([name, count]) => `${name}: ${count}`).join("; ")}`,
  );
  console.log(`${runs} runs, ${wrong} wrong`);
  return wrong;
}

try {
  process.exitCode = (await all()) > 0 ? 1 : 0;
} finally {
  for (const end of ended.reverse()) await end();
}
process.exit();
