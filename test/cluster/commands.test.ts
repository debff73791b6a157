// The five commands of docs/clusters.md, run as they stand there, with the addresses and folders of this machine: a password, the
// packages, Redis, a worker, the program.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../built.ts";
import { ownPorts } from "../ports.mjs";
import { hasRedis, needsRedis } from "./redisServer.ts";
import { WorkerProcess } from "./workerProcess.ts";

const ROOT = resolve(import.meta.dirname, "..", "..");
const page = readFileSync(join(ROOT, "docs", "clusters.md"), "utf8");
const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap((match) =>
  match[1]!.trim().split("\n"),
);

test("they are five", () => {
  expect(commands.map((command) => command.split(" ").slice(0, 2).join(" "))).toEqual([
    "export CHUNKWISE_REDIS_PASSWORD=choose-a-long-one",
    "npm install",
    "redis-server --bind",
    "npx chunkwise",
    "node program.mjs",
  ]);
});

test("what is installed is the package and its optional peers", () => {
  const { name, peerDependencies, bin } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    name: string;
    peerDependencies: object;
    bin: object;
  };
  const [, , ...names] = commands[1]!.split(" ");
  expect(names).toEqual([name, "bullmq", "ioredis"]);
  expect(Object.keys(peerDependencies)).toEqual(expect.arrayContaining(names.slice(1)));
  expect(bin).toEqual({ chunkwise: "./dist/cli.js" });
});

describe.skipIf(!hasRedis)(`run on this machine${needsRedis}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-commands-"));
  const running: ChildProcess[] = [];
  beforeAll(ensureBuilt, 120_000);
  afterAll(async () => {
    for (const child of running) if (child.exitCode === null) process.kill(-child.pid!, "SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  test("a program on a laptop is computed by a worker that a queue reaches", async () => {
    for (const name of ["shared/work", "shared/data", "shared/modules", "node_modules/.bin"])
      mkdirSync(join(folder, name), { recursive: true });
    // What npm install does: the packages, and their commands.
    for (const [name, place] of [
      ["chunkwise", ROOT],
      ...["bullmq", "ioredis"].map((one) => [one, join(ROOT, "node_modules", one)]),
    ])
      symlinkSync(place!, join(folder, "node_modules", name!));
    chmodSync(join(ROOT, "dist", "cli.js"), 0o755);
    symlinkSync("../chunkwise/dist/cli.js", join(folder, "node_modules", ".bin", "chunkwise"));
    cpSync(join(ROOT, "examples", "cluster-program.js"), join(folder, "program.mjs"));

    const [port] = await ownPorts(1);
    const here = (command: string): string =>
      command
        .replaceAll("10.0.0.5", "127.0.0.1")
        .replaceAll("6379", String(port))
        .replaceAll("/shared", `${folder}/shared`);
    const [password, , redis, worker, program] = commands.map(here);
    const env = {
      ...process.env,
      SHARED: `${folder}/shared`,
      CHUNKWISE_REDIS_URL: `redis://127.0.0.1:${port}`,
    };
    const start = (command: string): ChildProcess => {
      const child = spawn("bash", ["-c", `${password}\n${command}`], {
        ...{ cwd: folder, env, detached: true, stdio: ["ignore", "ignore", "pipe"] },
      });
      running.push(child);
      return child;
    };
    start(redis!);
    const watched = new WorkerProcess("documented", start(worker!));
    await watched.says(/ is at .* 2 GB/);
    const { stdout } = await promisify(execFile)("bash", ["-c", `${password}\n${program}`], {
      cwd: folder,
      env,
    });
    expect(stdout).toBe("666.666\n");
    // npx hands the signal on; the worker is the one that answers to it.
    process.kill(-watched.process.pid!, "SIGTERM");
    await expect.poll(() => watched.text, { timeout: 20_000 }).toContain("worker: left");
  }, 60_000);
});
