// Connections to a Redis that go away and come back. In: its address. Out: a client that is ready, or an early error that says
// what is wrong; later it connects again by itself, and commands wait for that.
// Must hold: nobody waits for ever for the first connection; an answer of more than ANSWER_BYTES ends the connection, so that
// whoever can write to Redis cannot fill the memory of those who read; messages have no secrets.

import { setTimeout as sleep } from "node:timers/promises";
import { bytesText } from "../../../core/counts.ts";
import { QueueError, textOf } from "./queueErrors.ts";
import { addressText, clientOptions, type RedisAddress } from "./redisAddress.ts";
import type { ClientOptions, RedisClass, RedisClient } from "./redisModules.ts";

/** Jobs are under 1 KB and reports under 1 MB; what is read at once is a few of them. */
export const ANSWER_BYTES: number = 2 ** 26;
/** A cut wire is noticed after so long without an answer; blocking commands are shorter. */
const SILENCE_MS = 15_000;

export interface ConnectOptions {
  /** How long to try for the first time. */
  readonly withinMs: number;
  /** Somebody may be starting it: refused connections are tried again. */
  readonly isPatient?: boolean;
}

/** Clients whose answers are bounded, also those that BullMQ makes of them. */
export function boundedClass(Redis: RedisClass): RedisClass {
  return class BoundedRedis extends Redis {
    readonly #given: ClientOptions;

    constructor(options: ClientOptions) {
      super(options);
      this.#given = options;
      this.on("connect", () => boundAnswers(this));
    }

    duplicate(more: ClientOptions = {}): RedisClient {
      return new BoundedRedis({ ...this.#given, ...more });
    }
  };
}

function boundAnswers(redis: RedisClient): void {
  const { stream } = redis;
  let asked: unknown;
  let bytes = 0;
  stream?.on("data", (chunk) => {
    const now = redis.commandQueue?.peekFront?.();
    if (now !== asked) bytes = 0;
    asked = now;
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES)
      stream.destroy(new Error(`an answer of Redis is longer than ${bytesText(ANSWER_BYTES)}`));
  });
}

/** What is sent in this turn goes in one piece. */
export function inOnePiece({ stream }: RedisClient): void {
  stream?.cork();
  setImmediate(() => stream?.uncork());
}

export async function connectRedis(
  Redis: RedisClass,
  address: RedisAddress,
  options: ConnectOptions,
): Promise<RedisClient> {
  const redis = new (boundedClass(Redis))({
    ...clientOptions(address),
    lazyConnect: true,
    // Answers have the same form with every version of the client and of Redis.
    protocol: 2,
    connectTimeout: 5_000,
    socketTimeout: SILENCE_MS,
    // Commands wait until it is back: how long a run waits is its own to say.
    maxRetriesPerRequest: null,
    retryStrategy: (times: number): number => Math.min(2_000, 50 * 2 ** times) * (0.5 + Math.random() / 2),
  });
  try {
    await ready(redis, options);
    return redis;
  } catch (error) {
    redis.disconnect();
    throw outOfReach(address, textOf(error));
  }
}

/** Who may not come in now may not later. */
const FOR_GOOD = /WRONGPASS|NOAUTH|NOPERM|ERR AUTH|certificate|self.signed|SSL|unsupported/i;

async function ready(redis: RedisClient, { withinMs, isPatient = false }: ConnectOptions): Promise<void> {
  const last = { text: `no answer within ${withinMs / 1000} s` };
  let isOver = false;
  const failed = new Promise<never>((_, reject) => {
    redis.on("error", (error: Error) => {
      last.text = textOf(error);
      if (!isOver && (!isPatient || FOR_GOOD.test(last.text))) reject(error);
    });
  });
  const asked = async (): Promise<void> => {
    redis.connect().catch(() => undefined);
    while (redis.status !== "ready") await sleep(10, undefined);
    await redis.call("PING");
  };
  const late = sleep(withinMs, undefined, { ref: false }).then(() => {
    throw new Error(last.text);
  });
  late.catch(() => undefined);
  failed.catch(() => undefined);
  try {
    await Promise.race([asked(), failed, late]);
  } finally {
    isOver = true;
  }
}

function outOfReach(address: RedisAddress, why: string): QueueError {
  return new QueueError({
    where: addressText(address),
    what: `Redis cannot be used: ${why}`,
    cure: FOR_GOOD.test(why)
      ? "Check the user, the password and the certificates: {username, password, tls} of the connection, or CHUNKWISE_REDIS_PASSWORD"
      : "Check that it runs and that its host and port can be reached from here",
  });
}
