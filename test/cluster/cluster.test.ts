// Programs on three worker processes over a real Redis: the bits are those of the inline executor, whoever is killed meanwhile.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as cw from "chunkwise";
import { bullmq } from "chunkwise/bullmq";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { RunEvent } from "../../src/runtime/events.ts";
import { ensureBuilt } from "../built.ts";
import { DENSE, NESTED, throughStores } from "../runtime/remotePrograms.ts";
import { hasRedis, needsRedis, RedisServer } from "./redisServer.ts";
import { type WorkerPlace, WorkerProcess } from "./workerProcess.ts";

const PROGRAM = join(import.meta.dirname, "chaos-program.mjs");
const slow = new URL("./slow-blocks.js", import.meta.url);

/** Twice the numbers below 240, block by block: 60 tasks of 40 ms, and sums of what they made. */
const slowProgram = (name = "slowly"): cw.LazyArray =>
  cw
    .mapBlocks(cw.moduleFunction(slow, name), cw.arange(240, { chunks: 4, dtype: "float64" }))
    .cumulativeSum()
    .add(1);

const bits = (array: cw.NDArray): string => {
  const { buffer, byteOffset, byteLength } = array.data;
  return `${array.dtype} [${array.shape}] ${Buffer.from(buffer, byteOffset, byteLength).toString("hex")}`;
};

describe.skipIf(!hasRedis)(`worker processes at a queue${needsRedis}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-cluster-"));
  let server: RedisServer;
  let place: WorkerPlace;
  let workers: WorkerProcess[] = [];
  let serial = 0;

  beforeAll(async () => {
    await ensureBuilt();
    mkdirSync(join(folder, "work"));
    server = await RedisServer.start();
  }, 120_000);
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const more = async (name: string, words: readonly string[] = []): Promise<WorkerProcess> => {
    const worker = await WorkerProcess.start(place, name, words);
    workers.push(worker);
    return worker;
  };
  beforeEach(async () => {
    place = { server, queue: `q${++serial}`, folder };
    await Promise.all(["ada", "bea", "cleo"].map((name) => more(name)));
  }, 60_000);
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.endNow()));
    workers = [];
  });

  const on = (onEvent?: (event: RunEvent) => void) => ({
    executor: bullmq({ connection: server.address, queue: place.queue }),
    spec: new cw.Spec({ workDir: join(folder, "work"), allowedMem: "400MB" }),
    ...(onEvent === undefined ? {} : { onEvent }),
  });

  /** Calls `then` once, when so many tasks are done. */
  const after = (count: number, then: () => void): ((event: RunEvent) => void) => {
    let done = 0;
    return (event) => {
      if (event.type === "taskEnd" && event.outcome === "done" && ++done === count) then();
    };
  };

  const expected = async (): Promise<string> => bits(await slowProgram().compute({ executor: "inline" }));
  /** Files of the work store; folders may stay. */
  const leftOver = (): string[] =>
    readdirSync(join(folder, "work"), { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [entry.name] : [],
    );

  test("compute what the inline executor computes, bit for bit, and leave nothing", async () => {
    const by = new Set<string | undefined>();
    for (const { name, arrays } of DENSE) {
      const wanted = await cw.compute(arrays(), { executor: "inline" });
      const found = await cw.compute(
        arrays(),
        on((event) => {
          if (event.type === "taskEnd") by.add(event.by);
        }),
      );
      expect(found.map(bits), name).toEqual(wanted.map(bits));
    }
    for (const { name, array } of NESTED) {
      const wanted = await array().compute({ executor: "inline" });
      expect((await array().compute(on())).toList(), name).toEqual(wanted.toList());
    }
    const wanted = await throughStores(join(folder, "inline"), { executor: "inline" });
    const found = await throughStores(join(folder, "queue"), on());
    expect(found.map(bits)).toEqual(wanted.map(bits));
    expect([...by].sort()).toEqual(["ada", "bea", "cleo"]);
    expect(leftOver()).toEqual([]);
  }, 120_000);

  test("a worker that is killed is made up for", async () => {
    const retried: string[] = [];
    const kill = after(10, () => workers[0]!.kill("SIGKILL"));
    const result = await slowProgram().compute(
      on((event) => {
        kill(event);
        if (event.type === "retry") retried.push(event.error);
      }),
    );
    expect(bits(result)).toBe(await expected());
    expect(await workers[0]!.end()).toBe("SIGKILL");
    expect(leftOver()).toEqual([]);
  });

  test("one that stands still and goes on changes nothing", async () => {
    const [first] = workers;
    const stop = after(10, () => first!.kill("SIGSTOP"));
    const result = await slowProgram().compute(on(stop));
    first!.kill("SIGCONT");
    expect(bits(result)).toBe(await expected());
    // It is well, and does what comes next.
    await Promise.all([workers[1]!.endNow(), workers[2]!.endNow()]);
    const by = new Set<string | undefined>();
    const alone = on((event) => {
      if (event.type === "taskEnd" && event.outcome === "done") by.add(event.by);
    });
    expect((await cw.arange(10, { chunks: 5 }).add(1).sum().compute(alone)).item()).toBe(55);
    expect([...by]).toEqual([first!.name]);
    // What it published after the run was over it takes back.
    await vi.waitFor(() => expect(leftOver()).toEqual([]), 10_000);
  });

  test("one that is told to go finishes or hands back, and ends well", async () => {
    const go = after(10, () => workers[0]!.kill("SIGTERM"));
    const result = await slowProgram().compute(on(go));
    expect(bits(result)).toBe(await expected());
    expect(await workers[0]!.end()).toBe(0);
    expect(workers[0]!.text).toMatch(/leaving: \d batches are under way[\s\S]*left/);
  });

  test("Redis may die and come back in the midst of a run", async () => {
    let restarted: Promise<void> | null = null;
    const restart = after(10, () => {
      restarted = server.kill9().then(() => server.start());
    });
    const result = await slowProgram().compute(on(restart));
    expect(restarted).not.toBeNull();
    await restarted;
    expect(bits(result)).toBe(await expected());
    expect(leftOver()).toEqual([]);
  });

  test("a run that is aborted ends, and its workers do other things", async () => {
    const ending = new AbortController();
    const abort = after(5, () => ending.abort(new Error("enough")));
    await expect(slowProgram().compute({ ...on(abort), signal: ending.signal })).rejects.toThrow("enough");
    expect((await cw.arange(10, { chunks: 5 }).add(1).sum().compute(on())).item()).toBe(55);
    // What it had done is there for whoever asks again.
    let found = 0;
    const again = on((event) => {
      if (event.type === "computeStart") found = event.tasksDone;
    });
    expect(bits(await slowProgram().compute(again))).toBe(await expected());
    expect(found).toBeGreaterThan(0);
    expect(leftOver()).toEqual([]);
  });

  test("a program that is killed goes on where it was, when it is run again", async () => {
    const settings = {
      port: server.port,
      password: server.password,
      work: join(folder, "work"),
      queue: place.queue,
    };
    const start = (seed: string) => fork(PROGRAM, [JSON.stringify({ ...settings, seed })], { execArgv: [] });
    type Message = {
      readonly type: string;
      readonly outcome?: string;
      readonly tasks?: number;
      readonly bits?: string;
    };
    const answerOf = async (child: ChildProcess): Promise<{ found: number; bits: string | undefined }> => {
      const told: Message[] = [];
      child.on("message", (message: Message) => told.push(message));
      await once(child, "exit");
      const of = (type: string): Message | undefined => told.find((message) => message.type === type);
      return { found: of("found")?.tasks ?? 0, bits: of("answer")?.bits };
    };
    const wanted = await answerOf(start("inline"));
    const first = start("1");
    let done = 0;
    first.on("message", ({ outcome }: Message) => {
      if (outcome === "done" && ++done === 30) first.kill("SIGKILL");
    });
    expect((await answerOf(first)).bits).toBeUndefined();
    const { found, bits: given } = await answerOf(start("1"));
    expect(found).toBeGreaterThanOrEqual(20);
    expect(given).toBe(wanted.bits);
    expect(given).toMatch(/^[0-9a-f ]{100}/);
    expect(leftOver()).toEqual([]);
  });

  test("a task that kills its workers is named, and the run ends", async () => {
    const supervised = setInterval(() => {
      workers
        .filter((worker) => worker.hasEnded)
        .forEach((worker) => {
          workers.splice(workers.indexOf(worker), 1);
          void more(`${worker.name}x`);
        });
    }, 200);
    try {
      const block = cw.moduleFunction(slow, "deadly");
      const program = cw.mapBlocks(block, cw.arange(20, { chunks: 1, dtype: "float64" })).cumulativeSum();
      const error = await program.compute(on()).catch((cause: unknown) => cause);
      expect(String(error)).toMatch(/the worker that had .* died or was cut off; \d attempts failed/);
      expect(String(error)).toMatch(/chunk \[7\]/);
    } finally {
      clearInterval(supervised);
    }
  }, 120_000);

  test("a module and a store that are not below the roots are refused", async () => {
    const outside = mkdtempSync(join(tmpdir(), "chunkwise-outside-"));
    const module = join(outside, "evil.mjs");
    writeFileSync(module, "export const evil = ({data}) => data.slice();\n");
    const evil = cw.moduleFunction(pathToFileURL(module), "evil");
    const program = cw.mapBlocks(evil, cw.arange(4, { chunks: 2 }));
    await expect(program.compute(on())).rejects.toThrow(/evil\.mjs/);
    await expect(cw.arange(4, { chunks: 2 }).toZarr(join(outside, "x.zarr"), on())).rejects.toThrow(
      /outside/,
    );
    rmSync(outside, { recursive: true });
  });
});
