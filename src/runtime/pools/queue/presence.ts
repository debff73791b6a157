// Who is there: workers and runs tell Redis every second that they live. In: a client, and names. Out: how many workers there
// are, what they can do at once, and how many batches other runs have under way.
// Must hold: times are those of Redis, so that clocks of machines may differ; who is not heard of for AWAY_MS (a run: RUN_AWAY_MS) is
// not there.

import { createHash } from "node:crypto";
import { textOf } from "./queueErrors.ts";
import type { ClusterKeys } from "./queueNames.ts";
import type { RedisClient } from "./redisModules.ts";

export const BEAT_MS = 1_000;
export const AWAY_MS = 10_000;
/** A run may be busy with other things for longer. */
export const RUN_AWAY_MS = 30_000;
/** More than so much no worker does at once, whatever it says. */
export const MOST_SLOTS = 1_024;
/** What a run that died leaves in Redis is gone after this. */
const KEPT_SECONDS = 3_600;

const NOW = `local t = redis.call("TIME")
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function forget(times, away, tables)
  for _, name in ipairs(redis.call("ZRANGEBYSCORE", times, "-inf", now - away, "LIMIT", 0, 1000)) do
    redis.call("ZREM", times, name)
    for _, key in ipairs(tables) do redis.call("HDEL", key, name) end
  end
end
`;

/** KEYS: workers, slots, about. ARGV: name, slots, what there is to know. */
const WORKER_BEAT = `${NOW}
redis.call("ZADD", KEYS[1], now, ARGV[1])
redis.call("HSET", KEYS[2], ARGV[1], ARGV[2])
redis.call("HSET", KEYS[3], ARGV[1], ARGV[3])
forget(KEYS[1], ${AWAY_MS}, {KEYS[2], KEYS[3]})
return now`;

/** KEYS: runs, under way, workers, slots, about, reports. ARGV: run, batches under way. */
const RUN_BEAT = `${NOW}
redis.call("ZADD", KEYS[1], now, ARGV[1])
redis.call("HSET", KEYS[2], ARGV[1], ARGV[2])
forget(KEYS[1], ${RUN_AWAY_MS}, {KEYS[2]})
forget(KEYS[3], ${AWAY_MS}, {KEYS[4], KEYS[5]})
if redis.call("EXISTS", KEYS[6]) == 0 then redis.call("XADD", KEYS[6], "*", "open", "1") end
redis.call("EXPIRE", KEYS[6], ${KEPT_SECONDS})
local slots, others, runs = 0, 0, 0
for _, count in ipairs(redis.call("HVALS", KEYS[4])) do
  slots = slots + math.max(0, math.min(${MOST_SLOTS}, tonumber(count) or 0))
end
local under = redis.call("HGETALL", KEYS[2])
for i = 1, #under, 2 do
  runs = runs + 1
  if under[i] ~= ARGV[1] then others = others + (tonumber(under[i + 1]) or 0) end
end
return {redis.call("ZCARD", KEYS[3]), slots, runs, others}`;

/** What there is at a moment, as Redis says. */
export interface Attendance {
  readonly workers: number;
  /** Batches that all workers do at once. */
  readonly slots: number;
  readonly runs: number;
  /** Batches of other runs, waiting or under way. */
  readonly others: number;
}

export async function tellWorker(
  redis: RedisClient,
  keys: ClusterKeys,
  worker: { readonly name: string; readonly slots: number; readonly about: string },
): Promise<void> {
  const { name, slots, about } = worker;
  await evaluate(redis, WORKER_BEAT, [keys.workers, keys.slots, keys.about], [name, slots, about]);
}

export async function forgetWorker(redis: RedisClient, keys: ClusterKeys, name: string): Promise<void> {
  await redis
    .pipeline([
      ["zrem", keys.workers, name],
      ["hdel", keys.slots, name],
      ["hdel", keys.about, name],
    ])
    .exec();
}

export async function tellRun(
  redis: RedisClient,
  keys: ClusterKeys,
  run: string,
  underWay: number,
): Promise<Attendance> {
  const places = [keys.runs, keys.underWay, keys.workers, keys.slots, keys.about, keys.reports(run)];
  const answer = await evaluate(redis, RUN_BEAT, places, [run, underWay]);
  const [workers = 0, slots = 0, runs = 1, others = 0] = (answer as readonly unknown[]).map(Number);
  return { workers, slots, runs, others };
}

/** What the largest worker has for tasks, in bytes; null where there is none, or one that does not say. */
export async function largestRoom(redis: RedisClient, keys: ClusterKeys): Promise<number | null> {
  const told = (await redis.call("HVALS", keys.about)) as readonly string[];
  const rooms = told.map(roomIn);
  return rooms.length === 0 || rooms.includes(null) ? null : Math.max(...(rooms as number[]));
}

function roomIn(about: string): number | null {
  try {
    const { roomBytes } = (JSON.parse(about) ?? {}) as { readonly roomBytes?: unknown };
    return typeof roomBytes === "number" && Number.isFinite(roomBytes) ? roomBytes : null;
  } catch {
    return null;
  }
}

/** By its hash; the text itself goes only to a Redis that does not know it (any more). */
async function evaluate(
  redis: RedisClient,
  script: string,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  const hash = createHash("sha1").update(script).digest("hex");
  try {
    return await redis.call("EVALSHA", hash, keys.length, ...keys, ...args);
  } catch (error) {
    if (!/NOSCRIPT/.test(textOf(error))) throw error;
    return redis.call("EVAL", script, keys.length, ...keys, ...args);
  }
}

/** Who looks at the length of the queue to start workers sees this much when none is there. */
const FIRST_BATCHES = 4;

/**
 * How many batches a run may have in the queue: all that workers do, as many again that wait (no worker is idle, and whoever
 * starts workers by the length of the queue sees that there is work), less what other runs have there, and at least an equal
 * share. The queue is first come, first served: runs that have as many batches in it get as many done, and since batches are
 * sized by time, as much time.
 */
export function fairShare({ slots, runs, others }: Attendance): number {
  const room = 2 * slots + FIRST_BATCHES;
  return Math.max(1, Math.floor(room / Math.max(1, runs)), room - others);
}
