// Whether a Redis keeps what it is given. In: a client. Out: nothing, or an error with the cure. Without an append-only file a
// Redis that dies forgets jobs, and one that evicts forgets them while it lives: both lose work without a word.
// A managed Redis may forbid CONFIG: then INFO says as much. One that says nothing at all is not refused.

import { describe } from "../../../core/chunks.ts";
import { QueueError, textOf } from "./queueErrors.ts";
import type { RedisClient } from "./redisModules.ts";

/** NOMKSTREAM and SMISMEMBER are there from this version on. */
const OLDEST = [6, 2] as const;

interface Settings {
  readonly appendonly: string | undefined;
  readonly policy: string | undefined;
}

export async function checkRedis(redis: RedisClient, where: string): Promise<void> {
  const info = new Map(linesOf(await said(redis, "INFO")));
  checkVersion(info.get("redis_version"), where);
  const { appendonly, policy } = (await configured(redis)) ?? reported(info);
  if (appendonly !== undefined && appendonly !== "yes")
    throw new QueueError({
      where,
      what: "this Redis keeps no append-only file: when it dies, jobs are lost",
      cure: "redis-cli config set appendonly yes, and appendonly yes in redis.conf",
    });
  if (policy !== undefined && policy !== "noeviction")
    throw new QueueError({
      where,
      what: `this Redis evicts keys when its memory is full (maxmemory-policy ${policy}): jobs would vanish`,
      cure: "redis-cli config set maxmemory-policy noeviction, and the same in redis.conf",
    });
}

async function configured(redis: RedisClient): Promise<Settings | null> {
  try {
    const [appendonly, policy] = [
      pairOf(await redis.call("CONFIG", "GET", "appendonly")),
      pairOf(await redis.call("CONFIG", "GET", "maxmemory-policy")),
    ];
    return appendonly === undefined && policy === undefined ? null : { appendonly, policy };
  } catch {
    return null;
  }
}

/** [name, value]: the value. */
function pairOf(answer: unknown): string | undefined {
  const value = Array.isArray(answer) ? (answer[1] as unknown) : undefined;
  return typeof value === "string" ? value : undefined;
}

function reported(info: ReadonlyMap<string, string>): Settings {
  const enabled = info.get("aof_enabled");
  return {
    appendonly: enabled === undefined ? undefined : enabled === "1" ? "yes" : "no",
    policy: info.get("maxmemory_policy"),
  };
}

async function said(redis: RedisClient, command: string): Promise<string> {
  try {
    return String(await redis.call(command));
  } catch (error) {
    if (/NOPERM|unknown command/i.test(textOf(error))) return "";
    throw error;
  }
}

const linesOf = (text: string): [string, string][] =>
  text.split(/\r?\n/).flatMap((line) => {
    const at = line.indexOf(":");
    return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1)] as [string, string]];
  });

function checkVersion(version: string | undefined, where: string): void {
  if (version === undefined) return;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new QueueError({
    where,
    what: `this Redis is of version ${describe(version)}, and ${OLDEST.join(".")} or newer is needed`,
    cure: "Use Redis 6.2 or newer, or any Valkey",
  });
}
