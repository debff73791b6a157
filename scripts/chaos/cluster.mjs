// A cluster on this machine: a real Redis, workers as users start them, a work store that is a folder or a bucket behind a bad
// network. In: which store, how many workers, the network. Out: what can be started, killed, stopped, cut and filled.
// Must hold: everything that was started ends with it; what a worker did is counted by the worker, in a file.

import { fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Redis } from "ioredis";
import { ownPorts } from "../../test/ports.mjs";

const ROOT = resolve(import.meta.dirname, "..", "..");
const TESTS = join(ROOT, "test");
const CLOCK = join(TESTS, "cluster", "skewedClock.mjs");
export const PASSWORD = "not-a-secret";

/** The queue of all clusters; it may die. */
export class Queues {
  folder = mkdtempSync(join(tmpdir(), "chunkwise-chaos-redis-"));

  constructor(host) {
    this.host = host;
  }

  async start() {
    this.port ??= (await ownPorts(1))[0];
    const own = ["--port", String(this.port), "--bind", this.host, "--dir", this.folder];
    const kept = ["--save", "", "--appendonly", "yes", "--requirepass", PASSWORD];
    this.process = spawn("redis-server", [...own, ...kept], { stdio: "ignore" });
    const client = this.client();
    await client.ping();
    client.disconnect();
  }

  client() {
    const { host, port } = this;
    const client = new Redis({ host, port, password: PASSWORD, maxRetriesPerRequest: null });
    client.on("error", () => undefined);
    return client;
  }

  async kill() {
    const ended = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await ended;
  }

  async end() {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A place for workers: who is there, on which machine. */
class Place {
  child = null;
  isCut = false;

  constructor(cluster, at) {
    this.cluster = cluster;
    this.at = at;
    // The first machine is the program's.
    this.machine = at + 2;
  }

  get isThere() {
    return this.child !== null && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Until it says that it is there; with a clock that is wrong by so much. */
  async start(skewMs = 0) {
    const { queues, store, network, name, folder } = this.cluster;
    this.serial = (this.serial ?? 0) + 1;
    const where = ["--redis", `redis://${queues.host}:${queues.port}`, "--queue", name, "--grace", "1"];
    const roots = ["--store", store.address, "--allow-stores", folder, "--allow-modules", TESTS];
    const own = ["--name", `${name}-${this.at}-${this.serial}`, "--threads", "1"];
    const words = [join(ROOT, "dist", "cli.js"), "worker", ...where, ...roots, ...own];
    const [program, given] = network.on(this.machine, process.execPath, words);
    const env = { ...process.env, ...store.keys, CHUNKWISE_REDIS_PASSWORD: PASSWORD };
    Object.assign(env, { CHUNKWISE_EXECUTIONS: this.cluster.executions, CHUNKWISE_SKEW_MS: String(skewMs) });
    if (skewMs !== 0) env.NODE_OPTIONS = `${env.NODE_OPTIONS ?? ""} --import=${CLOCK}`;
    const child = spawn(program, given, { env, stdio: ["ignore", "ignore", "pipe"] });
    this.child = child;
    this.log = "";
    await new Promise((there) => {
      child.stderr.setEncoding("utf8").on("data", (text) => {
        this.log = (this.log + text).slice(-20_000);
        if (/ is at /.test(this.log)) there();
      });
      child.once("exit", there);
    });
  }
}

export class Cluster {
  folder = mkdtempSync(join(tmpdir(), "chunkwise-chaos-"));

  constructor({ name, queues, store, network, workers }) {
    Object.assign(this, { name, queues, store, network });
    this.executions = join(this.folder, "executions");
    this.places = Array.from({ length: workers }, (_, at) => new Place(this, at));
  }

  /** Workers that are there, and are not cut off. */
  get workers() {
    return this.places.filter(({ isThere }) => isThere);
  }

  /** Where nobody is, somebody comes. */
  async fill(skew) {
    await Promise.all(this.places.filter(({ isThere }) => !isThere).map((place) => place.start(skew())));
  }

  forgetExecutions() {
    writeFileSync(this.executions, "");
  }

  /** How often blocks were computed that had been computed before. */
  get computedAgain() {
    const lines = readFileSync(this.executions, "utf8").split("\n").filter(Boolean);
    return lines.length - new Set(lines).size;
  }

  /** The program, in a process of its own on a machine of its own. */
  program(seed) {
    const settings = {
      ...{ host: this.queues.host, port: this.queues.port, password: PASSWORD },
      ...{ queue: this.name, work: this.store.address, seed },
    };
    return new Program(this.network, this.store.keys, settings);
  }

  async end() {
    for (const { child } of this.places) child?.kill("SIGKILL");
    await this.store.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

class Program {
  answer = null;
  events = [];

  constructor(network, keys, settings) {
    const [execPath, execArgv] = network.on(1, process.execPath, []);
    const script = join(TESTS, "cluster", "chaos-program.mjs");
    const env = { ...process.env, ...keys };
    this.child = fork(script, [JSON.stringify(settings)], { execPath, execArgv, env });
    this.child.on("message", (message) => {
      if (message.type === "answer") this.answer = message;
      else this.events.push(message);
    });
    this.ended = once(this.child, "exit");
  }

  get hasEnded() {
    return this.answer !== null || this.child.exitCode !== null || this.child.signalCode !== null;
  }

  count(type, outcome) {
    return this.events.filter((event) => event.type === type && (!outcome || event.outcome === outcome))
      .length;
  }

  /** Attempts that are under way. */
  get underWay() {
    return this.count("start") - this.count("task");
  }

  get done() {
    return this.count("task", "done");
  }
}

/** A folder that can be full: a file system of its own of 32 MB, where that may be made. */
export class FolderStore {
  kind = "folder";
  keys = {};

  constructor(folder) {
    this.address = join(folder, "work");
    mkdirSync(this.address);
    const words = ["-t", "tmpfs", "-o", "size=32m", "none", this.address];
    this.canBeFull = spawnSync("mount", words).status === 0;
  }

  async end() {
    if (this.canBeFull) spawnSync("umount", ["--lazy", this.address]);
  }

  fill() {
    try {
      for (;;) writeFileSync(join(this.address, "filler"), Buffer.alloc(2 ** 20), { flag: "a" });
    } catch (error) {
      if (error.code !== "ENOSPC") throw error;
    }
  }

  empty() {
    rmSync(join(this.address, "filler"));
  }

  async left() {
    const entries = readdirSync(this.address, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  }
}

/** A bucket behind a bad network. */
export class BucketStore {
  kind = "bucket";
  address = "s3://chaos/work";
  canBeFull = true;

  constructor(gateway, proxy) {
    this.gateway = gateway;
    this.proxy = proxy;
    const { credentials, region } = gateway;
    this.keys = {
      ...{ AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey },
      ...{ AWS_REGION: region, AWS_ENDPOINT_URL_S3: proxy.url },
    };
  }

  async end() {
    await this.proxy.stop();
    await this.gateway.stop();
  }

  fill() {
    this.before = this.proxy.rates;
    this.proxy.rates = { full: 1 };
  }

  empty() {
    this.proxy.rates = this.before;
  }

  async left() {
    const keys = await this.#listed("list-type=2", "Key");
    return [...keys, ...(await this.#listed("uploads", "UploadId"))];
  }

  async #listed(query, name) {
    const { client, endpoint } = this.gateway;
    const text = await (await client.fetch(`${endpoint}/chaos?${query}`)).text();
    return [...text.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "g"))].map(([, found]) => found);
  }
}
