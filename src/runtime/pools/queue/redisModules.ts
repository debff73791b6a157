// What is used of the packages bullmq and ioredis, and how they are found. In: nothing. Out: their classes, or an error that
// says what to install. Must hold: whoever does not ask for a queue needs neither package, and no bundler follows them.

import { QueueError } from "./queueErrors.ts";

/** A client of Redis: what is used of ioredis. */
export interface RedisClient {
  readonly status: string;
  readonly stream?: RedisStream | undefined;
  readonly commandQueue?: { peekFront?(): unknown } | undefined;
  connect(): Promise<void>;
  disconnect(reconnect?: boolean): void;
  quit(): Promise<unknown>;
  call(command: string, ...args: readonly (string | number)[]): Promise<unknown>;
  pipeline(commands: readonly (readonly (string | number)[])[]): {
    exec(): Promise<readonly (readonly [error: Error | null, value: unknown])[] | null>;
  };
  on(event: string, listener: (...args: never[]) => void): unknown;
  off(event: string, listener: (...args: never[]) => void): unknown;
}

/** The connection below a client. */
export interface RedisStream {
  on(event: "data", listener: (bytes: Uint8Array) => void): unknown;
  cork(): void;
  uncork(): void;
  destroy(error?: Error): unknown;
}

/** Options of a client, as ioredis names them. */
export interface ClientOptions {
  readonly [name: string]: unknown;
}

export type RedisClass = new (options: ClientOptions) => RedisClient;

/** A job, as a worker is given it. */
export interface QueuedJob {
  readonly id?: string | undefined;
  readonly name: string;
  readonly data: unknown;
  /** How often its worker was lost. */
  readonly stalledCounter: number;
  moveToWait(token: string): Promise<unknown>;
}

export interface JobToAdd {
  readonly name: string;
  readonly data: unknown;
  readonly opts: { readonly [name: string]: unknown };
}

/** A queue, for those who put jobs in. */
export interface JobQueue {
  addBulk(jobs: readonly JobToAdd[]): Promise<unknown>;
  remove(id: string): Promise<number>;
  toKey(type: string): string;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Takes jobs out of a queue, and does them. */
export interface JobWorker {
  pause(doNotWaitActive?: boolean): Promise<void>;
  close(force?: boolean): Promise<void>;
  waitUntilReady(): Promise<unknown>;
  on(event: string, listener: (...args: never[]) => void): unknown;
}

export interface Bullmq {
  readonly Queue: new (name: string, options: { readonly [name: string]: unknown }) => JobQueue;
  readonly Worker: new (
    name: string,
    processor: (job: QueuedJob, token?: string) => Promise<unknown>,
    options: { readonly [name: string]: unknown },
  ) => JobWorker;
}

/** By names that bundlers do not follow. */
async function loaded(name: string): Promise<unknown> {
  try {
    return await import(/* @vite-ignore */ name);
  } catch (cause) {
    throw new QueueError(
      { what: `the package ${name} is not there`, cure: "npm install bullmq ioredis" },
      { cause },
    );
  }
}

export const loadBullmq = async (): Promise<Bullmq> => (await loaded("bullmq")) as Bullmq;

export const loadRedis = async (): Promise<RedisClass> =>
  ((await loaded("ioredis")) as { readonly Redis: RedisClass }).Redis;
