// Three workers whose arrays lie in a bucket (Ceph), beside three workers of Dask distributed with the same bucket: an expression of
// two arrays, a sum over them, a rechunk. Dask with one thread a worker and with four; what is quicker counts.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { importTypeScript } from "../../scripts/typescript.mjs";
import { bullmq, cw } from "./ours.mjs";

const ROOT = resolve(import.meta.dirname, "..", "..");
const WORKERS = 3;
const DASK_THREADS = [1, 4];
const QUEUE = "cases";
const PLAIN = { zarrFormat: 2, codecs: [] };

export async function measureCases({ redis, rounds, python, progress }) {
  const { startRadosgw } = await importTypeScript(join(ROOT, "test", "storage", "radosgw.ts"));
  const s3 = await startRadosgw();
  const ended = [() => s3.stop()];
  try {
    const bucket = await madeBucket(s3);
    const { hostname, port } = new URL(s3.endpoint);
    const dasks = DASK_THREADS.map((threads) => started(python, [hostname, port, bucket, String(threads)]));
    ended.push(...dasks.map((dask) => dask.end));
    const versions = await Promise.all(dasks.map((dask) => dask.answer()));
    progress(JSON.stringify(versions[0]));
    await dasks[0].ask({ name: "sources" });
    const workers = Array.from({ length: WORKERS }, (_, i) => worker(redis, i));
    ended.push(() => workers.forEach((child) => child.kill("SIGKILL")));
    await Promise.all(workers.map(there));
    const cases = ourCases(redis);
    await compared(cases, dasks[0]);
    const times = await inTurns(cases, dasks, rounds, progress);
    return Object.keys(cases).map((name) => rowOf(name, times));
  } finally {
    for (const end of ended.reverse()) await end();
  }
}

/** A bucket that everybody may read and write: nobody signs. */
async function madeBucket({ makeBucket, client, endpoint, region }) {
  await makeBucket("bench");
  const Resource = ["arn:aws:s3:::bench", "arn:aws:s3:::bench/*"];
  const Action = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:ListBucket"];
  const Statement = [{ Effect: "Allow", Principal: "*", Action, Resource }];
  const policy = JSON.stringify({ Version: "2012-10-17", Statement });
  const answer = await client.fetch(`${endpoint}/bench?policy`, { method: "PUT", body: policy });
  if (!answer.ok) throw new Error(`the policy: ${answer.status}`);
  Object.assign(process.env, {
    ...{ AWS_NO_SIGN_REQUEST: "YES", AWS_REGION: region, AWS_ENDPOINT_URL_S3: endpoint },
  });
  return "bench";
}

function started(python, words) {
  const child = spawn(python, [join(import.meta.dirname, "onDask.py"), ...words], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("Dask ended");
    return JSON.parse(value);
  };
  const ask = (request) => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    return answer();
  };
  const end = async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, "exit");
  };
  return { answer, ask, end };
}

function worker({ host, port }, i) {
  const where = ["--redis", `redis://${host}:${port}`, "--queue", QUEUE, "--name", `w${i}`, "--threads", "1"];
  const roots = ["--store", "s3://bench/work", "--allow-stores", "s3://bench/data"];
  const words = [join(ROOT, "dist", "cli.js"), "worker", ...where, ...roots];
  return spawn(process.execPath, words, { stdio: ["ignore", "ignore", "pipe"] });
}

async function there(child) {
  for await (const text of child.stderr.setEncoding("utf8").iterator({ destroyOnReturn: false }))
    if (/ is at /.test(text)) break;
  child.stderr.resume();
}

const at = (name) => `s3://bench/data/${name}`;

function ourCases({ host, port }) {
  const run = { executor: bullmq({ connection: { host, port }, queue: QUEUE }), workDir: "s3://bench/work" };
  const both = () => Promise.all([cw.fromZarr(at("x")), cw.fromZarr(at("y"))]);
  return {
    a: async (target) => {
      const [x, y] = await both();
      const z = cw.expr`(${x} * 2 + ${y} * 3) / (1 + ${x} * ${x})`;
      await z.toZarr(at(target), { ...PLAIN, ...run });
    },
    b: async () => {
      const [x, y] = await both();
      return (await cw.expr`sqrt(${x} * ${x} + ${y} * ${y})`.sum().compute(run)).item();
    },
    c: async (target) => {
      const w = await cw.fromZarr(at("w"));
      await w.rechunk([8000, 1000]).toZarr(at(target), { ...PLAIN, ...run });
    },
  };
}

/** The same elements, before anything is measured. */
async function compared(cases, dask) {
  for (const name of ["a", "c"]) {
    await cases[name](`ours-${name}`);
    await dask.ask({ name, target: `dask-${name}` });
    const [ours, theirs] = await Promise.all(
      [`ours-${name}`, `dask-${name}`].map((one) => cw.fromZarr(at(one))),
    );
    const isSame = (await cw.all(cw.equal(ours, theirs)).compute()).item();
    if (!isSame) throw new Error(`case ${name} differs`);
  }
  const [ours, { value }] = [await cases.b(), await dask.ask({ name: "b" })];
  if (Math.abs(ours - value) > 1e-9 * value) throw new Error(`case b differs: ${ours} and ${value}`);
}

async function inTurns(cases, dasks, rounds, progress) {
  const whos = ["ours", ...DASK_THREADS.map((threads) => `dask ${threads}`)];
  const none = () => Object.fromEntries(whos.map((who) => [who, []]));
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, none()]));
  for (let round = 0; round < rounds; round++)
    for (const [name, ours] of Object.entries(cases)) {
      const begun = performance.now();
      await ours(`ours-${round}-${name}`);
      const mine = { ours: (performance.now() - begun) / 1000 };
      for (const [i, dask] of dasks.entries())
        mine[`dask ${DASK_THREADS[i]}`] = (
          await dask.ask({ name, target: `dask-${i}-${round}-${name}` })
        ).seconds;
      progress(`${name}: ${Object.entries(mine).map(([who, s]) => `${who} ${s.toFixed(2)} s`)}`);
      for (const [who, seconds] of Object.entries(mine)) times[name][who].push(seconds);
      await cleared();
    }
  return times;
}

/** What was written is in the server's memory. */
async function cleared() {
  const store = new cw.S3Store("s3://bench/data");
  const { folders } = await store.listDir("/");
  for (const name of folders) if (/-\d+-/.test(name)) await store.deleteBelow(`/${name}`);
}

const TEXTS = {
  a: "a: (x·2 + y·3) / (1 + x·x), 5000² float64, stored",
  b: "b: sum(sqrt(x·x + y·y)), 5000² float64",
  c: "c: rechunk 8000² float32, rows to columns",
};

function rowOf(name, times) {
  const best = (who) => Math.min(...times[name][who]);
  const median = (who) => times[name][who].toSorted((x, y) => x - y)[times[name][who].length >> 1];
  const dasks = DASK_THREADS.map((threads) => `dask ${threads}`);
  const peerName = dasks.reduce((least, other) => (best(other) < best(least) ? other : least));
  const [ours, peer] = [best("ours"), best(peerName)];
  return {
    ...{ name: TEXTS[name], unit: "s", ours, peer, peerName: `${peerName} threads`, goal: 1.5 },
    ...{ ratio: peer / ours, medianRatio: median(peerName) / median("ours") },
  };
}
