// Workers as users start them, `chunkwise worker …`, in processes of their own, for tests: started, killed, stopped, told to go.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import type { RedisServer } from "./redisServer.ts";

export const CLI: string = resolve(import.meta.dirname, "..", "..", "dist", "cli.js");
/** Where test modules and everything that tests make lie. */
export const MODULES: string = resolve(import.meta.dirname, "..");

export interface WorkerPlace {
  readonly server: RedisServer;
  readonly queue: string;
  /** Its folder `work` is the work store; sources and targets lie below it, too. */
  readonly folder: string;
}

export class WorkerProcess {
  readonly name: string;
  readonly process: ChildProcess;
  text = "";

  constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.process = child;
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.text += text;
    });
  }

  static async start(place: WorkerPlace, name: string, more: readonly string[] = []): Promise<WorkerProcess> {
    const { server, queue, folder } = place;
    const where = ["--redis", `redis://127.0.0.1:${server.port}`, "--queue", queue, "--name", name];
    const roots = ["--store", join(folder, "work"), "--allow-stores", folder, "--allow-modules", MODULES];
    return WorkerProcess.run(name, ["worker", ...where, ...roots, "--threads", "1", ...more], {
      CHUNKWISE_REDIS_PASSWORD: server.password,
    });
  }

  /** Any words; until it says that it is there. */
  static async run(name: string, words: readonly string[], environment: object): Promise<WorkerProcess> {
    const env = { ...process.env, ...environment };
    const child = spawn(process.execPath, [CLI, ...words], { env, stdio: ["ignore", "ignore", "pipe"] });
    const worker = new WorkerProcess(name, child);
    await worker.says(/ is at /);
    return worker;
  }

  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.text);
      if (found !== null) return found;
      if (this.hasEnded) throw new Error(`the worker ended: ${this.text}`);
      await Promise.race([once(this.process.stderr!, "data"), once(this.process, "exit")]);
    }
  }

  get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  /** How it ended. */
  async end(): Promise<number | NodeJS.Signals> {
    if (!this.hasEnded) await once(this.process, "exit");
    return this.process.exitCode ?? this.process.signalCode!;
  }

  async endNow(): Promise<void> {
    if (!this.hasEnded) this.kill("SIGKILL");
    await this.end();
  }
}
