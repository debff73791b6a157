// Chaos on a real queue: one program again and again on worker processes over a real Redis, while workers, Redis and the
// program itself are killed −9 and started again, and workers are stopped and go on. Every run gives the bits of the inline
// executor, leaves no file, and does no more tasks again than were under way when something was killed.
//   node scripts/chaos.mjs [--runs 200] [--seed 1] [--workers 3]
// What happens in a run depends on its seed, which is printed; --seed N --runs 1 is that run again (its timing is the
// machine's). Needs redis-server. Ends with 1 when a run was wrong.

import { fork, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Redis } from "ioredis";
import { ownPorts } from "../test/ports.mjs";

const ROOT = resolve(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    workers: { type: "string", default: "3" },
  },
});
const PASSWORD = "not-a-secret";

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

class Cluster {
  folder = mkdtempSync(join(tmpdir(), "chunkwise-chaos-"));
  work = join(this.folder, "work");
  workers = new Map();
  names = 0;

  async start(count) {
    mkdirSync(this.work);
    mkdirSync(join(this.folder, "redis"));
    [this.port] = await ownPorts(1);
    await this.startRedis();
    await Promise.all(Array.from({ length: count }, () => this.startWorker()));
  }

  async startRedis() {
    const own = ["--port", String(this.port), "--bind", "127.0.0.1", "--dir", join(this.folder, "redis")];
    const kept = ["--save", "", "--appendonly", "yes", "--requirepass", PASSWORD];
    this.redis = spawn("redis-server", [...own, ...kept], { stdio: "ignore" });
    const client = new Redis({ port: this.port, password: PASSWORD, maxRetriesPerRequest: null });
    client.on("error", () => undefined);
    await client.ping();
    client.disconnect();
  }

  async killRedis() {
    const ended = once(this.redis, "exit");
    this.redis.kill("SIGKILL");
    await ended;
  }

  async startWorker() {
    const name = `w${++this.names}`;
    const where = ["--redis", `redis://127.0.0.1:${this.port}`, "--name", name, "--grace", "1"];
    const roots = [
      "--store",
      this.work,
      "--allow-stores",
      this.folder,
      "--allow-modules",
      join(ROOT, "test"),
    ];
    const words = [join(ROOT, "dist", "cli.js"), "worker", ...where, ...roots, "--threads", "1"];
    const env = { ...process.env, CHUNKWISE_REDIS_PASSWORD: PASSWORD };
    const child = spawn(process.execPath, words, { env, stdio: ["ignore", "ignore", "pipe"] });
    this.workers.set(name, child);
    child.once("exit", () => this.workers.delete(name));
    await new Promise((there) => {
      child.stderr.setEncoding("utf8").on("data", (text) => / is at /.test(text) && there());
      child.once("exit", there);
    });
  }

  filesLeft() {
    const entries = readdirSync(this.work, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  }

  async end() {
    for (const child of this.workers.values()) child.kill("SIGKILL");
    await this.killRedis();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The program, in a process of its own: it can be killed, and run again. */
class Program {
  constructor(cluster, seed) {
    const settings = { port: cluster.port, password: PASSWORD, work: cluster.work, seed };
    this.child = fork(join(ROOT, "test", "cluster", "chaos-program.mjs"), [JSON.stringify(settings)]);
    this.answer = null;
    this.events = [];
    this.child.on("message", (message) => {
      if (message.type === "answer") this.answer = message;
      else this.events.push(message);
    });
    this.ended = once(this.child, "exit");
  }

  /** Attempts that are under way. */
  get underWay() {
    return this.events.reduce((sum, { type }) => sum + (type === "start" ? 1 : type === "task" ? -1 : 0), 0);
  }

  get done() {
    return this.events.filter(({ outcome }) => outcome === "done").length;
  }
}

/** What may happen, and how long it takes. Each counts what it may have disturbed. */
const HAPPENINGS = {
  killWorker: async (cluster, pick) => {
    const child = pick([...cluster.workers.values()]);
    child?.kill("SIGKILL");
    await cluster.startWorker();
  },
  leaveWorker: async (cluster, pick) => {
    pick([...cluster.workers.values()])?.kill("SIGTERM");
    await cluster.startWorker();
  },
  stopWorker: async (cluster, pick) => {
    const child = pick([...cluster.workers.values()]);
    child?.kill("SIGSTOP");
    await sleep(pick([200, 3_000, 12_000]));
    child?.kill("SIGCONT");
  },
  killRedis: async (cluster, pick) => {
    await cluster.killRedis();
    await sleep(pick([0, 500, 2_000]));
    await cluster.startRedis();
  },
  killProgram: async () => undefined,
};

async function oneRun(cluster, seed, expected) {
  const next = random(seed);
  const pick = (list) => list[Math.floor(next() * list.length)];
  const plan = Array.from({ length: 1 + Math.floor(next() * 3) }, () => [
    pick(Object.keys(HAPPENINGS)),
    next(),
  ]);
  let program = new Program(cluster, seed);
  let programs = 1;
  const happened = [];
  let disturbed = 0;
  for (const [what, when] of plan) {
    // Not at a time but after so many tasks: the same on every machine.
    const tasks = Math.floor(when * 60);
    while (program.done < tasks && program.answer === null && program.child.exitCode === null)
      await sleep(10);
    if (program.answer !== null) break;
    happened.push(`${what}@${program.done}`);
    disturbed += program.underWay;
    if (what === "killProgram") {
      program.child.kill("SIGKILL");
      await program.ended;
      program = new Program(cluster, seed);
      programs++;
    } else await HAPPENINGS[what](cluster, pick);
  }
  await program.ended;
  const { answer } = program;
  const hash = answer?.bits === undefined ? null : createHash("sha256").update(answer.bits).digest("hex");
  let left = cluster.filesLeft();
  if (left.length > 0 && plan.some(([what]) => what === "stopWorker")) {
    // A worker that stood still published after the run was over: it takes that back.
    happened.push("a late chunk");
    await sleep(5_000);
    left = cluster.filesLeft();
  }
  const count = (is) => program.events.filter(is).length;
  const redone = count(({ outcome }) => outcome === "failed" || outcome === "superseded");
  // What Redis lost in its last second was begun after it was killed, perhaps: as much again.
  const allowed = 2 * disturbed + count(({ type }) => type === "twin");
  const wrong = [
    ...(hash === expected ? [] : [`other bits: ${answer?.error ?? hash}`]),
    ...(left.length === 0 ? [] : [`${left.length} files are left: ${left[0]}`]),
    ...(redone <= allowed ? [] : [`${redone} attempts in vain, and ${allowed} were disturbed`]),
  ];
  return { happened, wrong, programs, redone };
}

const cluster = new Cluster();
// Who stops it early leaves nothing running.
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => void cluster.end().finally(() => process.exit(1)));
await cluster.start(Number(values.workers));
const quiet = new Program(cluster, "inline");
await quiet.ended;
const expected = createHash("sha256").update(quiet.answer.bits).digest("hex");
let wrongRuns = 0;
const [first, runs] = [Number(values.seed), Number(values.runs)];
for (let seed = first; seed < first + runs; seed++) {
  const begun = Date.now();
  const { happened, wrong, programs, redone } = await oneRun(cluster, seed, expected);
  if (wrong.length > 0) wrongRuns++;
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  const what = happened.join(", ") || "nothing";
  console.log(
    `seed ${seed}: ${wrong.length === 0 ? "right" : `WRONG: ${wrong.join("; ")}`} (${what}; ${programs} programs, ${redone} attempts in vain, ${seconds} s)`,
  );
  while (cluster.workers.size < Number(values.workers)) await cluster.startWorker();
}
await cluster.end();
console.log(`${runs - wrongRuns} of ${runs} runs were right`);
process.exit(wrongRuns === 0 ? 0 : 1);
