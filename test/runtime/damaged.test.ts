// What a system that stopped without warning may leave: chunks that are empty, cut short, or full of zeros. A run that goes
// on takes none of them for done, wherever that can be known, and nothing that was spoiled keeps it from ending well. With
// `durable: true` what counts as done is on the disk before it does.

import { execFileSync } from "node:child_process";
import fs, {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { RunEvent } from "../../src/runtime/events.ts";
import { ensureBuilt } from "../built.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-damaged-"));
let folder: string;
beforeAll(ensureBuilt, 300_000);
beforeEach(() => {
  folder = mkdtempSync(join(root, "run-"));
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => rmSync(root, { recursive: true, force: true }));

const N = 64;
/** Scans have intermediates. No element is 0. */
const program = (): cw.LazyArray =>
  cw
    .arange(1, N * N + 1, 1, { dtype: "float64" })
    .reshape([N, N])
    .rechunk([16, 16])
    .cumulativeSum({ axis: 0 });
const target = (): string => join(folder, "out.zarr");

async function run(stopAfter: number, options: cw.ToZarrOptions): Promise<{ found: number; done: number }> {
  const stop = new AbortController();
  let [found, done] = [0, 0];
  const onEvent = (event: RunEvent): void => {
    if (event.type === "computeStart") found = event.tasksDone;
    if (event.type === "taskEnd" && event.outcome === "done" && ++done >= stopAfter) stop.abort();
  };
  const running = program().toZarr(target(), {
    executor: "inline",
    signal: stop.signal,
    onEvent,
    ...options,
  });
  if (stopAfter < Number.POSITIVE_INFINITY) await expect(running).rejects.toThrow(/abort/i);
  else await running;
  return { found, done };
}

async function expectRight(): Promise<void> {
  const [stored, right] = [await cw.fromZarr(target()), program()];
  const lists = await Promise.all([stored, right].map((x) => x.compute({ executor: "inline" })));
  expect(lists[0]!.toList()).toEqual(lists[1]!.toList());
}

/** Files of chunks below a folder. */
const chunksIn = (parent: string): string[] =>
  readdirSync(parent, { recursive: true, encoding: "utf8" })
    .filter((file) => /(^|\/)c\/\d/.test(file))
    .map((file) => join(parent, file))
    .filter((file) => statSync(file).isFile());

/** Time does not tell that somebody was here. */
function spoil(file: string, change: (bytes: Buffer) => Uint8Array): void {
  const copy = join(folder, "copy");
  execFileSync("cp", ["-p", file, copy]);
  writeFileSync(file, change(readFileSync(file)));
  execFileSync("touch", ["-r", copy, file]);
}

const SPOIL: { readonly [name: string]: (bytes: Buffer) => Uint8Array } = {
  emptied: () => new Uint8Array(0),
  "filled with zeros": (bytes) => new Uint8Array(bytes.length),
  "cut short": (bytes) => bytes.subarray(0, bytes.length - 8),
};

const LAYOUTS: { readonly [name: string]: cw.ToZarrOptions } = {
  plain: { codecs: [] },
  summed: { codecs: ["crc32c"] },
  usual: {},
  compressed: { codecs: ["gzip"] },
  sharded: { chunks: [8, 8], shards: [16, 16] },
};

describe.each(Object.entries(LAYOUTS))("a target: %s", (_, layout) => {
  test.each(Object.entries(SPOIL))("chunks that were %s are computed again", async (how, change) => {
    await run(20, layout);
    const before = chunksIn(target());
    expect(before.length).toBeGreaterThan(1);
    // What is compressed and cut short is known only by a sum, if there is one: the rest of the tests have them.
    const isKnown = how !== "cut short" || JSON.stringify(layout) !== '{"codecs":["gzip"]}';
    if (isKnown) spoil(before[0]!, change);
    const { found } = await run(Number.POSITIVE_INFINITY, layout);
    expect(found).toBe(before.length - (isKnown ? 1 : 0));
    await expectRight();
  });
});

const markFile = (): string => join(target(), ".chunkwise-run");
const restart = (): void =>
  writeFileSync(markFile(), readFileSync(markFile(), "utf8").replace(/^(\S+) \S+/, "$1 another-start"));

describe("which chunks are looked into", () => {
  const zeros = (file: string, agoSeconds: number): void => {
    writeFileSync(file, new Uint8Array(statSync(file).size));
    utimesSync(file, Date.now() / 1000 - agoSeconds, Date.now() / 1000 - agoSeconds);
  };

  test("after a new start of the system, those of the last ten minutes; else those of the last", async () => {
    await run(20, { codecs: [] });
    const chunks = chunksIn(target());
    zeros(chunks[0]!, 300);
    const lengths = readFileSync(markFile(), "utf8").split(" ").length;
    expect(lengths).toBe(2);
    restart();
    const { found } = await run(Number.POSITIVE_INFINITY, { codecs: [] });
    expect(found).toBe(chunks.length - 1);
    await expectRight();
  });

  test("a finished target after a new start", async () => {
    await run(Number.POSITIVE_INFINITY, { codecs: [] });
    spoil(chunksIn(target())[3]!, SPOIL["filled with zeros"]!);
    restart();
    await run(Number.POSITIVE_INFINITY, { codecs: [] });
    await expectRight();
    expect(readFileSync(markFile(), "utf8")).not.toContain("another-start");
  });
});

describe.each(["inline", "threads"] as const)("intermediates in a named folder, %s", (executor) => {
  const how = (): cw.ToZarrOptions => ({
    executor,
    spec: new cw.Spec({ workDir: join(folder, "work"), threads: 2, retries: { delayMs: 1 } }),
  });

  test.each(Object.entries(SPOIL))("all were %s: they are computed again", async (_, change) => {
    await run(24, how());
    const chunks = chunksIn(join(folder, "work"));
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) spoil(chunk, change);
    await run(Number.POSITIVE_INFINITY, how());
    await expectRight();
    expect(readdirSync(join(folder, "work"))).toEqual([]);
  });

  test("metadata that were emptied, too", async () => {
    await run(24, how());
    const all = readdirSync(join(folder, "work"), { recursive: true, encoding: "utf8" });
    for (const file of all.filter((name) => name.endsWith("zarr.json")))
      writeFileSync(join(folder, "work", file), "");
    await run(Number.POSITIVE_INFINITY, how());
    await expectRight();
    expect(readdirSync(join(folder, "work"))).toEqual([]);
  });
});

describe("durable: true", () => {
  test.runIf(process.platform === "linux")("every chunk, the metadata and the mark are synced", async () => {
    const { fsync } = fs;
    const synced: string[] = [];
    vi.spyOn(fs, "fsync").mockImplementation((file, done) => {
      synced.push(readlinkSync(`/proc/self/fd/${file}`));
      return fsync(file, done);
    });
    await run(Number.POSITIVE_INFINITY, {});
    expect(synced).toEqual([]);
    rmSync(target(), { recursive: true });
    const spec = new cw.Spec({ workDir: join(folder, "work"), durable: true });
    await run(Number.POSITIVE_INFINITY, { spec });
    const data = (below: string): string[] =>
      synced.filter((file) => file.startsWith(below) && file.endsWith(".partial"));
    // 16 chunks, metadata, and three marks: before the array is there, and when it is done.
    expect(data(target()).length).toBeGreaterThanOrEqual(16 + 1 + 2);
    expect(data(join(folder, "work")).length).toBeGreaterThan(16);
    expect(synced).toContain(join(target(), "c", "0"));
    expect(readFileSync(markFile(), "utf8")).toMatch(/^\S+ durable \S+$/);
  });

  test("a run that goes on durably over what was not is not called durable", async () => {
    await run(20, {});
    await run(Number.POSITIVE_INFINITY, { durable: true });
    expect(readFileSync(markFile(), "utf8")).not.toContain("durable");
    await expectRight();
  });

  test("what it is not for", async () => {
    await expect(program().toZarr(new cw.MemoryStore(), { durable: true })).rejects.toThrow(
      "toZarr: durable: true, and the store is not in files. Write to a folder, or leave it out: only files can be waited for until they are on the disk.",
    );
    const wrong = { durable: "yes" } as unknown as cw.ToZarrOptions;
    await expect(program().toZarr(target(), wrong)).rejects.toThrow(
      /durable is "yes"\. It must be true or false/,
    );
    expect(() => new cw.Spec({ durable: 1 } as unknown as cw.SpecOptions)).toThrow(
      /durable is 1\. It must be true or false/,
    );
  });
});
