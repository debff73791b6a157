// Chaos on real parts: one program again and again on worker processes over a real Redis, with a folder or a bucket (Ceph) as work
// store, while workers, Redis, the gateway of the bucket and the program itself are killed −9 and started again, stand still, or
// are cut off; jobs and reports come twice or late; clocks are wrong; the store is full; requests to the bucket fail, are slow or
// cut short. Every run gives the bits of the inline executor, leaves nothing in the store and the queue, and computes no more
// blocks again than were under way when something happened.
//   npm run chaos [-- --runs 200 --seed 1 --workers 3 --store folder|bucket --only killRedis]
// What happens in a run depends on its seed, which is printed; --seed N --runs 1 is that run again (its timing is the
// machine's). Needs redis-server; for buckets radosgw, for cuts and full folders root. Ends with 1 when a run was wrong.

import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { importTypeScript } from "../typescript.mjs";
import { BucketStore, Cluster, FolderStore, Queues } from "./cluster.mjs";
import { HAPPENINGS, possible, skewOf, WEATHERS } from "./happenings.mjs";
import { network } from "./network.mjs";

const text = { type: "string" };
const options = { runs: text, seed: text, workers: text, store: text, only: text };
const { values } = parseArgs({ options });
const [runs, first, workers] = [values.runs ?? 200, values.seed ?? 1, values.workers ?? 3].map(Number);
const TESTS = resolve(import.meta.dirname, "..", "..", "test");

/** Numbers of a seed, the same everywhere (mulberry32). */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
const picking = (next) => (list) => list[Math.floor(next() * list.length)];

const digest = (answer) =>
  answer?.bits === undefined ? null : createHash("sha256").update(answer.bits).digest("hex");

async function bucketStore(host) {
  const { startRadosgw } = await importTypeScript(join(TESTS, "storage", "radosgw.ts"));
  const { startFaultyProxy } = await importTypeScript(join(TESTS, "storage", "faultyProxy.ts"));
  const gateway = await startRadosgw();
  await gateway.makeBucket("chaos");
  return new BucketStore(gateway, await startFaultyProxy(gateway.endpoint, host));
}

async function clusters(place, queues) {
  const made = [];
  const wanted = values.store === undefined ? ["folder", "bucket"] : [values.store];
  for (const name of wanted) {
    const cluster = new Cluster({ name, queues, network: place, workers });
    cluster.store = name === "folder" ? new FolderStore(cluster.folder) : await bucketStore(place.here);
    if (!cluster.store.canBeFull) console.log("NO FULL FOLDERS: this user may not mount a file system");
    made.push(cluster);
    await cluster.fill(skewOf(picking(random(first))));
  }
  return made;
}

/** One run, whatever happens; a program that ended of what happened is started again, as its user would. */
class Run {
  happened = [];
  allowed = 0;
  programs = 0;
  errors = [];
  twins = 0;
  failed = 0;

  constructor(cluster, seed) {
    Object.assign(this, { cluster, seed });
    const next = random(seed);
    this.pick = picking(next);
    const names = possible(cluster).filter((name) => values.only === undefined || name === values.only);
    this.plan = Array.from({ length: 1 + Math.floor(next() * 3) }, () => [this.pick(names), next()]);
    this.weather = this.pick(WEATHERS);
  }

  begin() {
    this.programs++;
    this.program = this.cluster.program(this.seed);
  }

  /** What the program told counts, however it ended. */
  close() {
    this.twins += this.program.count("twin");
    this.failed += this.program.count("task", "failed");
    if (this.program.answer?.error !== undefined) this.errors.push(this.program.answer.error);
  }

  async go() {
    const { store } = this.cluster;
    this.cluster.forgetExecutions();
    if (store.proxy !== undefined) Object.assign(store.proxy, { rates: this.weather, seed: this.seed });
    this.begin();
    for (const [what, when] of this.plan) await this.#happen(what, Math.floor(when * 60));
    for (;;) {
      const late = setTimeout(() => this.program.child.kill("SIGKILL"), MOST_MS);
      await this.program.ended;
      clearTimeout(late);
      this.close();
      const { answer } = this.program;
      // Nobody answered: it was ended for that.
      if (answer === null) this.errors.push(`nothing for ${MOST_MS / 1000} s`);
      const isLast = answer === null || answer.bits !== undefined || this.errors.length > MOST_ERRORS;
      if (isLast) break;
      this.begin();
    }
    if (store.proxy !== undefined) store.proxy.rates = {};
  }

  /** Not at a time but after so many tasks: the same on every machine. */
  async #happen(what, tasks) {
    while (this.program.done < tasks && !this.program.hasEnded) await sleep(10);
    if (this.program.answer?.bits !== undefined) return;
    this.happened.push(`${what}@${this.program.done}`);
    this.allowed += this.program.underWay;
    const { cluster, program, pick, seed } = this;
    this.allowed += (await HAPPENINGS[what]({ cluster, program, pick, seed })) ?? 0;
    if (program.answer?.bits !== undefined || !program.hasEnded) return;
    await program.ended;
    this.close();
    this.begin();
  }

  /** What late workers published they take back; what nobody wants leaves the queue. */
  async left() {
    const redis = this.cluster.queues.client();
    const base = `bull:${this.cluster.name}`;
    try {
      for (const until = Date.now() + LATE_MS; ; ) {
        const lists = ["wait", "active", "paused"].map((list) => redis.lrange(`${base}:${list}`, 0, -1));
        const jobs = (await Promise.all(lists)).flat();
        const left = [...(await this.cluster.store.left()), ...jobs];
        if (left.length === 0 || Date.now() > until) return left;
        await sleep(200);
      }
    } finally {
      redis.disconnect();
    }
  }

  /** A fault that ends an attempt was in the way of one task. */
  get mayComputeAgain() {
    const isFaulty = this.cluster.store.kind === "bucket" || this.happened.some((what) => /^fill/.test(what));
    return this.allowed + this.twins + (isFaulty ? this.failed : 0);
  }
}

/** A program may end of what happens, with an error that says so; not for ever. */
const MOST_ERRORS = 4;
const MOST_MS = 180_000;
const LATE_MS = 30_000;

async function judged(run, expected) {
  await run.go();
  const { cluster, program, errors, programs } = run;
  const left = await run.left();
  const again = cluster.computedAgain;
  const wrong = [
    ...(digest(program.answer) === expected
      ? []
      : [`other bits: ${errors.at(-1) ?? digest(program.answer)}`]),
    ...(left.length === 0 ? [] : [`${left.length} are left: ${left.slice(0, 3).join(", ")}`]),
    ...(again <= run.mayComputeAgain
      ? []
      : [`${again} blocks were computed again, and ${run.mayComputeAgain} were under way`]),
    // An error of what happened says what to do; any other is a mistake.
    ...errors.filter((error) => !/^(\w*Error): .+/s.test(error)).map((error) => `no error of ours: ${error}`),
  ];
  const ended =
    errors.length === 0 ? "" : `, ended by ${errors.map((error) => error.slice(0, 150)).join(" | ")}`;
  return {
    wrong,
    text: `${run.happened.join(", ") || "nothing"}; ${programs} programs${ended}; ${again} again`,
  };
}

const place = await network(1 + workers);
const queues = new Queues(place.here);
await queues.start();
const all = await clusters(place, queues);
const end = async () => {
  for (const cluster of all) await cluster.end();
  await queues.end();
};
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => void end().finally(() => process.exit(1)));

const quiet = all[0].program("inline");
await quiet.ended;
const expected = digest(quiet.answer);
const counts = {};
let right = 0;
for (let seed = first; seed < first + runs; seed++) {
  const begun = Date.now();
  const cluster = all[seed % all.length];
  const run = new Run(cluster, seed);
  const { wrong, text: what } = await judged(run, expected);
  if (wrong.length === 0) right++;
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  const verdict = wrong.length === 0 ? "right" : `WRONG: ${wrong.join("; ")}`;
  console.log(`seed ${seed}, ${cluster.name}: ${verdict} (${what}; ${seconds} s)`);
  for (const happened of run.happened) {
    const [name] = happened.split("@");
    counts[name] = (counts[name] ?? 0) + 1;
  }
  for (const one of all) await one.fill(skewOf(run.pick));
}
for (const { store } of all)
  if (store.proxy !== undefined) console.log("requests", JSON.stringify(store.proxy.counts));
await end();
console.log("happened", JSON.stringify(counts));
console.log(`${right} of ${runs} runs were right`);
process.exit(right === runs ? 0 : 1);
