// A run hears what workers tell. In: a client of its own (its commands block), and the run's stream. Out: calls, one for each
// thing told, as soon as it is there. Must hold: reading removes nothing that was not heard; what is heard is trimmed, so that
// the stream stays short; Redis may go away and come back.

import { setTimeout as sleep } from "node:timers/promises";
import { readTold, type Told } from "./queuedReport.ts";
import { inOnePiece } from "./redisConnection.ts";
import type { RedisClient } from "./redisModules.ts";

const BLOCK_MS = 2_000;
/** Times the longest report it must stay below what an answer may have. */
const AT_ONCE = 24;

type Entry = readonly [id: string, fields: readonly string[]];

export class ReportStream {
  readonly #redis: RedisClient;
  readonly #key: string;
  readonly #hear: (job: string, told: Told) => void;
  #last = "0";
  #trimmed = "0";
  #isClosed = false;

  constructor(redis: RedisClient, key: string, hear: (job: string, told: Told) => void) {
    this.#redis = redis;
    this.#key = key;
    this.#hear = hear;
  }

  /** Until it is closed. */
  async listen(): Promise<void> {
    while (!this.#isClosed) {
      try {
        for (const entry of await this.#next()) this.#read(entry);
      } catch {
        // It is away, or was just told to go: the run says how long it waits for it.
        if (!this.#isClosed) await sleep(200);
      }
    }
  }

  /** What was read before goes with the same message. */
  async #next(): Promise<readonly Entry[]> {
    if (this.#trimmed !== this.#last) {
      this.#trimmed = this.#last;
      inOnePiece(this.#redis);
      this.#redis.call("XTRIM", this.#key, "MINID", this.#last).catch(() => undefined);
    }
    const from = ["STREAMS", this.#key, this.#last];
    const answer = await this.#redis.call("XREAD", "COUNT", AT_ONCE, "BLOCK", BLOCK_MS, ...from);
    return Array.isArray(answer) ? ((answer as [string, Entry[]][])[0]?.[1] ?? []) : [];
  }

  #read([id, [job, text]]: Entry): void {
    this.#last = id;
    const heard = readTold(job, text);
    if (heard !== null) this.#hear(heard.job, heard.told);
  }

  close(): void {
    this.#isClosed = true;
    this.#redis.disconnect();
  }
}
