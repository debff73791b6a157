// A Redis of a test's own: on a port of its own, with an append-only file in a folder of its own, killed and started again
// as the test says, and ended with it. Where redis-server is not installed, the tests that need it are skipped by name.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { ownPorts } from "../ports.mjs";

export const hasRedis: boolean = (() => {
  try {
    execFileSync("redis-server", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** For the titles of tests that are skipped. */
export const needsRedis: string = hasRedis
  ? ""
  : " (skipped: redis-server is not installed; Debian has it in the package redis-server)";

export class RedisServer {
  readonly folder: string = mkdtempSync(join(tmpdir(), "chunkwise-redis-"));
  readonly password = "not-a-secret";
  readonly port: number;
  readonly #settings: readonly string[];
  #process: ChildProcess | null = null;

  constructor(port: number, settings: readonly string[] = []) {
    this.port = port;
    this.#settings = settings;
  }

  static async start(settings: readonly string[] = []): Promise<RedisServer> {
    const server = new RedisServer((await ownPorts(1))[0], settings);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://:${this.password}@127.0.0.1:${this.port}`;
  }
  get address(): { host: string; port: number; password: string } {
    return { host: "127.0.0.1", port: this.port, password: this.password };
  }

  client(options: object = {}): Redis {
    const redis = new Redis({ ...this.address, maxRetriesPerRequest: null, ...options });
    redis.on("error", () => undefined);
    return redis;
  }

  async start(): Promise<void> {
    const own = ["--port", String(this.port), "--bind", "127.0.0.1", "--dir", this.folder, "--save", ""];
    const kept = ["--appendonly", "yes", "--requirepass", this.password, "--maxmemory-policy", "noeviction"];
    this.#process = spawn("redis-server", [...own, ...kept, ...this.#settings], { stdio: "ignore" });
    const redis = this.client();
    await redis.ping();
    redis.disconnect();
  }

  async kill9(): Promise<void> {
    const ended = once(this.#process!, "exit");
    this.#process!.kill("SIGKILL");
    await ended;
  }

  async stop(): Promise<void> {
    if (this.#process?.exitCode === null && this.#process.signalCode === null) await this.kill9();
    await sleep(10);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
