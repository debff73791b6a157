// The executor whose workers are processes at a queue of BullMQ. In: where the queue is. Out: an executor, for the option
// `executor`. Must hold: wrong options are found out here; whether Redis is there, when a run begins.

import { describe } from "../../../core/chunks.ts";
import { ValueError } from "../../../core/errors.ts";
import { closest } from "../../../core/suggest.ts";
import type { Executor } from "../pool.ts";
import { remoteExecutor } from "../remote/remotePool.ts";
import { openQueueCarrier } from "./queueCarrier.ts";
import { queueNames } from "./queueNames.ts";
import { type RedisAddress, redisAddress } from "./redisAddress.ts";

/** Options of `bullmq({connection, queue, …})`. */
export interface BullmqOptions {
  /** Where Redis or Valkey is: "redis://10.0.0.5:6379", "rediss://…" with TLS, or `{host, port, password, tls}`. */
  readonly connection: string | RedisAddress;
  /** The queue that workers were started with: "chunkwise" unless given. */
  readonly queue?: string | undefined;
  /** What its keys in Redis begin with: "bull" unless given. */
  readonly prefix?: string | undefined;
  /** How much work a batch is, in ms: 400 unless given. */
  readonly batchMs?: number | undefined;
  /** How long to try to reach Redis when a run begins, in ms: 10,000 unless given. */
  readonly connectWithinMs?: number | undefined;
  /** How long Redis may be away while a run goes on, in ms: 300,000 unless given. */
  readonly redisWithinMs?: number | undefined;
  /** How long there may be no worker while there is work, in ms: 300,000 unless given. */
  readonly workersWithinMs?: number | undefined;
}

const KNOWN: readonly (keyof BullmqOptions)[] = [
  ...(["connection", "queue", "prefix", "batchMs"] as const),
  ...(["connectWithinMs", "redisWithinMs", "workersWithinMs"] as const),
];
const CONNECT_MS = 10_000;
const PATIENCE_MS = 300_000;

/**
 * Workers at a queue in Redis, for the option `executor`: `x.compute({executor: bullmq({connection:
 * "redis://10.0.0.5:6379"}), workDir: "/shared/work"})`. Workers are started with `npx chunkwise worker`; they have the same
 * store as the run's `workDir`.
 */
export function bullmq(options: BullmqOptions): Executor {
  checkOptions(options);
  const address = redisAddress(options.connection);
  const names = queueNames(options.queue, options.prefix);
  const {
    connectWithinMs = CONNECT_MS,
    redisWithinMs = PATIENCE_MS,
    workersWithinMs = PATIENCE_MS,
  } = options;
  const settings = { names, address, connectWithinMs, redisWithinMs, workersWithinMs };
  // Differs between all runs, and is never a number.
  const open = () => openQueueCarrier(`run-${crypto.randomUUID()}`, settings);
  return remoteExecutor(open, { name: "bullmq", batchMs: options.batchMs });
}

function checkOptions(options: unknown): void {
  const bad = (what: string, cure: string): ValueError => new ValueError({ where: "bullmq", what, cure });
  if (typeof options !== "object" || options === null)
    throw bad(`the options are ${describe(options)}`, 'Give {connection: "redis://host:6379"}');
  const wrong = Object.keys(options).find((name) => !(KNOWN as readonly string[]).includes(name));
  if (wrong !== undefined) throw bad(`there is no option ${describe(wrong)}`, closest(wrong, KNOWN));
  for (const name of KNOWN.filter((known) => known.endsWith("Ms"))) {
    const value = (options as { readonly [name: string]: unknown })[name];
    const isOne = value === undefined || (typeof value === "number" && value > 0 && Number.isFinite(value));
    if (!isOne) throw bad(`${name} is ${describe(value)}`, "It is a number of milliseconds");
  }
}
