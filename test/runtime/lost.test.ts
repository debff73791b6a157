// Intermediates in files that somebody removes, empties or changes while the run goes on, as cleaners of temporary folders
// do: they are computed again, the results are the same to the bit, and when they cannot be kept the error says which file.
// Never is a chunk that is not there taken for its fill value.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { RunEvent } from "../../src/runtime/events.ts";
import { ensureBuilt } from "../built.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-lost-"));
let right: Uint8Array;
beforeAll(async () => {
  await ensureBuilt();
  right = bytesOf(await program().compute({ executor: "inline" }));
}, 300_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, "run-"));
  vi.stubEnv("TMPDIR", folder);
});
afterEach(() => vi.unstubAllEnvs());

const N = 128;

/** Two scans with a transposition between: most of it goes through files when memory is small. */
function program(): cw.LazyArray {
  const x = cw
    .arange(0, N * N, 1, { dtype: "float64", chunks: 1024 })
    .multiply(7.3)
    .sin();
  const y = x.reshape([N, N]).rechunk([32, 32]).cumulativeSum({ axis: 0 });
  return y.subtract(y.mean({ axis: 1, keepdims: true })).T.cumulativeSum({ axis: 0 });
}

const bytesOf = (result: cw.NDArray): Uint8Array => {
  const { data } = result.toContiguous();
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
};

/** Chunks of intermediates that are in files now. */
const chunkFiles = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /chunkwise-[^/]+\/a\d+\/c\//.test(file) && !file.endsWith(".partial"))
    .map((file) => join(folder, file))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());

interface Case {
  readonly executor: "inline" | "threads";
  readonly isNamed: boolean;
}

interface Told {
  readonly retries: string[];
  readonly result: cw.NDArray;
}

/** Runs the program; from the time when half of it is done, `meddle` is called after each task. */
async function run({ executor, isNamed }: Case, meddle: () => void): Promise<Told> {
  const retries: string[] = [];
  let [done, tasks] = [0, 0];
  const onEvent = (event: RunEvent): void => {
    if (event.type === "computeStart") tasks = event.tasks;
    if (event.type === "retry") retries.push(event.error);
    if (event.type === "taskEnd" && ++done > tasks / 2) meddle();
  };
  const spec = new cw.Spec({
    ...{ allowedMem: "100.12MB", reservedMem: "100MB", threads: 2, retries: { delayMs: 1 } },
    workDir: isNamed ? join(folder, "work") : undefined,
  });
  const stored = await program().toZarr(join(folder, "out.zarr"), { executor, spec, onEvent });
  return { retries, result: await stored.compute({ executor: "inline" }) };
}

const SPOIL: { readonly [name: string]: (file: string) => void } = {
  removed: (file) => rmSync(file),
  emptied: (file) => writeFileSync(file, ""),
  "filled with zeros": (file) => writeFileSync(file, new Uint8Array(statSync(file).size)),
  "cut short": (file) => writeFileSync(file, readFileSync(file).subarray(0, 100)),
  "changed in one bit": (file) => {
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1]! ^= 4;
    writeFileSync(file, bytes);
  },
};

const CASES: Case[] = [
  { executor: "inline", isNamed: false },
  { executor: "inline", isNamed: true },
  { executor: "threads", isNamed: false },
  { executor: "threads", isNamed: true },
];

describe.each(CASES)("$executor, named folder: $isNamed", (how) => {
  const few = how.isNamed ? ["removed", "filled with zeros"] : Object.keys(SPOIL);
  test.each(few)("files are %s", async (name) => {
    let spoiled = 0;
    const { retries, result } = await run(how, () => {
      if (spoiled > 0) return;
      const files = chunkFiles();
      // The oldest are read again first; not all of what is there is.
      if (files.length < 6) return;
      for (const file of files) {
        SPOIL[name]!(file);
        spoiled++;
      }
    });
    expect(spoiled).toBeGreaterThan(5);
    expect(retries.length).toBeGreaterThan(0);
    for (const message of retries)
      expect(message).toMatch(
        name === "removed"
          ? /^chunk \[[\d, ]+\] of a\d+ was stored and is gone: .*\/chunkwise-[^/]+\/a\d+\/c[/\d]+\. Something removes/
          : /^chunk \[[\d, ]+\] of a\d+ is not what was stored \(.*\): .*\/a\d+\/c[/\d]+\. Something removes/,
      );
    expect(Buffer.compare(bytesOf(result), right)).toBe(0);
    expect(chunkFiles()).toEqual([]);
  });

  test("all that is there is removed, with the arrays", async () => {
    let removed = false;
    const { retries, result } = await run(how, () => {
      if (removed || chunkFiles().length < 6) return;
      removed = true;
      const parent = how.isNamed ? join(folder, "work") : folder;
      for (const name of readdirSync(parent))
        if (name.startsWith("chunkwise-")) rmSync(join(parent, name), { recursive: true });
    });
    expect([removed, retries.length > 0]).toEqual([true, true]);
    expect(Buffer.compare(bytesOf(result), right)).toBe(0);
  });

  test("who removes everything at once, always, gets an error that says so", async () => {
    const meddling = run(how, () => {
      for (const file of chunkFiles()) rmSync(file, { force: true });
    });
    const error = await meddling.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(cw.RunError);
    expect((error as cw.RunError).message).toMatch(
      /chunk \[[\d, ]+\] of op-\d+: chunk \[[\d, ]+\] of a\d+ was stored and is gone: .*Something removes or changes files of a run while it goes on: keep it from that, or name another folder with workDir\.$/,
    );
    expect((error as cw.RunError).cause).toBeInstanceOf(cw.LostChunkError);
  });
});
