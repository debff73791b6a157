// The options of `chunkwise worker`. In: words and the environment. Out: settings of a worker, checked. Must hold: passwords
// come from the environment or from files; none has to stand on a command line, which every user of a machine can read.

import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { describe } from "../core/chunks.ts";
import { type QueueNames, queueNames } from "../runtime/pools/queue/queueNames.ts";
import { type RedisAddress, redisAddress } from "../runtime/pools/queue/redisAddress.ts";
import { bytesGiven } from "./command.ts";
import {
  type CommandOption,
  type Environment,
  type Given,
  optionsGiven,
  UsageError,
} from "./commandOptions.ts";

export const WORKER_USAGE = `chunkwise worker --redis redis://host:6379 --store <work store> --allow-stores <root> …

Does tasks of runs elsewhere: takes batches from a queue, reads and writes the shared store, tells how it went. It runs modules
and opens stores below the roots that it is given, and no others. SIGTERM: finishes what it can, hands back the rest, ends.`;

export const WORKER_OPTIONS: readonly CommandOption[] = [
  {
    name: "redis",
    value: "<address>",
    env: "CHUNKWISE_REDIS_URL",
    text: "Redis or Valkey with an append-only file: redis://host:port, rediss:// with TLS",
  },
  {
    name: "redis-ca",
    value: "<file>",
    env: "CHUNKWISE_REDIS_CA",
    text: "certificates (PEM) of those who may have signed the server's",
  },
  {
    name: "redis-cert",
    value: "<file>",
    env: "CHUNKWISE_REDIS_CERT",
    text: "this worker's certificate (PEM)",
  },
  {
    name: "redis-key",
    value: "<file>",
    env: "CHUNKWISE_REDIS_KEY",
    text: "the key of that certificate (PEM)",
  },
  { name: "queue", value: "<name>", env: "CHUNKWISE_QUEUE", unless: "chunkwise", text: "the queue" },
  {
    name: "prefix",
    value: "<name>",
    env: "CHUNKWISE_PREFIX",
    unless: "bull",
    text: "what its keys in Redis begin with",
  },
  {
    name: "store",
    value: "<address>",
    env: "CHUNKWISE_STORE",
    text: "the shared work store: the workDir of the runs, a folder or s3://…",
  },
  {
    name: "allow-modules",
    value: "<root>",
    env: "CHUNKWISE_ALLOW_MODULES",
    isMany: true,
    text: "a folder or address below which modules of users' functions may lie",
  },
  {
    name: "allow-stores",
    value: "<root>",
    env: "CHUNKWISE_ALLOW_STORES",
    isMany: true,
    text: "a folder or address below which sources and targets may lie",
  },
  { name: "threads", value: "<n>", env: "CHUNKWISE_THREADS", unless: "one a core", text: "tasks at once" },
  {
    name: "allowed-mem",
    value: "<size>",
    env: "CHUNKWISE_ALLOWED_MEM",
    text: "the most memory of this process, as 2GB",
  },
  { name: "batches", value: "<n>", unless: "4", text: "batches at once, which share the threads" },
  {
    name: "name",
    value: "<name>",
    env: "CHUNKWISE_WORKER_NAME",
    unless: "host and process",
    text: "its name in events and lists",
  },
  {
    name: "grace",
    value: "<seconds>",
    env: "CHUNKWISE_GRACE",
    unless: "20",
    text: "how long it may finish things after SIGTERM",
  },
  {
    name: "wait-for-redis",
    value: "<seconds>",
    unless: "60",
    text: "how long it tries to reach Redis when it starts",
  },
  {
    name: "health-port",
    value: "<port>",
    env: "CHUNKWISE_HEALTH_PORT",
    text: "serves /healthz and /metrics (Prometheus) there",
  },
  {
    name: "health-host",
    value: "<address>",
    env: "CHUNKWISE_HEALTH_HOST",
    unless: "127.0.0.1",
    text: "where it serves them: 0.0.0.0 for everybody",
  },
  { name: "help", text: "this text" },
];

/** Of the environment alone. */
export const SECRETS = ["CHUNKWISE_REDIS_USERNAME", "CHUNKWISE_REDIS_PASSWORD"] as const;

export interface WorkerSettings {
  readonly address: RedisAddress;
  readonly names: QueueNames;
  readonly store: string;
  readonly modules: readonly string[];
  readonly stores: readonly string[];
  readonly threads: number | undefined;
  readonly allowedMem: number | undefined;
  readonly batches: number;
  readonly name: string;
  readonly graceMs: number;
  readonly connectWithinMs: number;
  readonly healthPort: number | undefined;
  readonly healthHost: string;
}

export function workerSettings(words: readonly string[], environment: Environment): WorkerSettings | "help" {
  const given = optionsGiven(WORKER_OPTIONS, words, environment);
  if (given.has("help")) return "help";
  return {
    ...{
      address: addressGiven(given, environment),
      names: queueNames(given.one("queue"), given.one("prefix")),
    },
    ...{ store: storeGiven(given), modules: given.all("allow-modules"), stores: given.all("allow-stores") },
    threads: given.has("threads") ? given.number("threads", 1, [1, 1024]) : undefined,
    allowedMem: bytesGiven(given, "allowed-mem"),
    batches: given.number("batches", 4, [1, 64]),
    name: nameGiven(given),
    graceMs: 1000 * given.number("grace", 20, [0, 86_400]),
    connectWithinMs: 1000 * given.number("wait-for-redis", 60, [1, 86_400]),
    healthPort: given.has("health-port") ? given.number("health-port", 0, [0, 65_535]) : undefined,
    healthHost: given.one("health-host") ?? "127.0.0.1",
  };
}

function storeGiven(given: Given): string {
  const store = given.one("store");
  if (store !== undefined) return store;
  const cure = "It is the workDir of the runs: --store /shared/work, or --store s3://bucket/work";
  throw new UsageError({ what: "--store is missing", cure });
}

function addressGiven(given: Given, environment: Environment): RedisAddress {
  const text = given.one("redis");
  if (text === undefined)
    throw new UsageError({ what: "--redis is missing", cure: "Say where it is: --redis redis://host:6379" });
  const [user, password] = SECRETS.map((name) => environment[name]);
  const own = redisAddress(text);
  const files = {
    ca: fileOf(given, "redis-ca"),
    cert: fileOf(given, "redis-cert"),
    key: fileOf(given, "redis-key"),
  };
  const hasFiles = Object.values(files).some((file) => file !== undefined);
  return redisAddress({
    ...own,
    ...(user === undefined || user === "" ? {} : { username: user }),
    ...(password === undefined || password === "" ? {} : { password }),
    ...(hasFiles ? { tls: files } : {}),
  });
}

function fileOf(given: Given, name: string): string | undefined {
  const path = given.one(name);
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as { code?: string };
    const cure = "It is the path of a PEM file that this process may read";
    throw new UsageError({ what: `--${name} is ${describe(path)}, which cannot be read (${code})`, cure });
  }
}

function nameGiven(given: Given): string {
  const name = given.one("name") ?? `${hostname()}-${process.pid}`.replace(/[^\w.-]/g, "-");
  if (/^[\w.-]{1,100}$/.test(name)) return name;
  const cure = "Use letters, digits, dashes, dots and underscores, at most 100";
  throw new UsageError({ what: `--name is ${describe(name)}`, cure });
}
