// Damaged and hostile stores, read by tasks: on threads as inline, the caller gets the same typed error, or the same
// elements.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as cw from "chunkwise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CorruptDataError, StorageError } from "../../src/storage/index.ts";
import { ensureBuilt } from "../built.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-hostile-"));
beforeAll(ensureBuilt, 300_000);
afterAll(() => rmSync(root, { recursive: true }));

let folders = 0;

/** 4 chunks of 200 elements each, the second of which will be spoiled. */
async function stored(codecs: readonly string[]): Promise<{ path: string; chunk: string }> {
  const path = join(root, String(++folders));
  const x = cw.arange(0, 800, 1, { dtype: "float64" }).rechunk([200]);
  await x.toZarr(path, { codecs: codecs as never, executor: "inline" });
  return { path, chunk: join(path, "c", "1") };
}

interface Outcome {
  readonly name?: string;
  readonly message?: string;
  readonly cause?: unknown;
  readonly values?: unknown;
}

async function outcomeOf(x: cw.LazyArray, executor: "inline" | "threads"): Promise<Outcome> {
  try {
    const result = await x.add(1).compute({ executor, spec: new cw.Spec({ retries: { delayMs: 1 } }) });
    return { values: result.toList() };
  } catch (error) {
    const { name, message, cause } = error as Error;
    return { name, message, cause };
  }
}

/** What happens inline, when it is the same on threads. */
async function outcomeOfBoth(path: string): Promise<Outcome> {
  const x = await cw.fromZarr(path);
  const inline = await outcomeOf(x, "inline");
  const threads = await outcomeOf(x, "threads");
  expect({ ...threads, cause: undefined }).toEqual({ ...inline, cause: undefined });
  expect(threads.cause?.constructor).toBe(inline.cause?.constructor);
  return threads;
}

const SPOIL: { readonly [name: string]: (bytes: Buffer) => Uint8Array } = {
  "cut short": (bytes) => bytes.subarray(0, bytes.length - 5),
  empty: () => new Uint8Array(0),
  "one byte": () => new Uint8Array([7]),
  "too long": (bytes) => Buffer.concat([bytes, bytes]),
  "a bomb": () => gzipSync(new Uint8Array(50_000_000)),
  zeros: (bytes) => new Uint8Array(bytes.length),
  "a flipped bit in the middle": (bytes) => flipped(bytes, bytes.length >> 1),
  "a flipped bit at the start": (bytes) => flipped(bytes, 2),
};

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at]! ^= 4;
  return copy;
}

const CODECS = [[], ["crc32c"], ["gzip"], ["zlib"], ["zstd"], ["lz4"], ["blosc"], ["zstd", "crc32c"]];

describe.each(CODECS.map((codecs) => [codecs.join(" + ") || "no codec", codecs] as const))(
  "%s",
  (_, codecs) => {
    test("a spoiled chunk", async () => {
      const { path, chunk } = await stored(codecs);
      const whole = readFileSync(chunk);
      for (const [name, spoil] of Object.entries(SPOIL)) {
        writeFileSync(chunk, spoil(whole));
        const { name: error, message, cause, values } = await outcomeOfBoth(path);
        // What has no sum may be other elements; what has the wrong length, or a sum, is always found out.
        const mustFail = name === "empty" || name === "one byte" || codecs.includes("crc32c");
        if (values !== undefined && !mustFail) continue;
        expect(error, name).toBe("RunError");
        expect(cause, name).toBeInstanceOf(CorruptDataError);
        expect(message, name).toMatch(/c\/1/);
      }
      writeFileSync(chunk, whole);
      expect((await outcomeOfBoth(path)).values).toBeDefined();
    });
  },
);

test("a chunk that is a folder, or a link that leads out of the store", async () => {
  const { path, chunk } = await stored([]);
  rmSync(chunk);
  mkdirSync(chunk);
  await outcomeOfBoth(path);
  rmSync(chunk, { recursive: true });
  symlinkSync("/etc/passwd", chunk);
  const { cause, message } = await outcomeOfBoth(path);
  expect(cause).toBeInstanceOf(StorageError);
  expect(message).toMatch(/c\/1/);
});

test("metadata that were spoiled after the array was opened: threads look at them themselves", async () => {
  const { path } = await stored([]);
  const x = await cw.fromZarr(path);
  for (const text of ["{", '{"zarr_format": 3}', "[]", ""]) {
    writeFileSync(join(path, "zarr.json"), text);
    const { cause, name } = await outcomeOf(x, "threads");
    expect(name, text).toBe("RunError");
    expect(cause, text).toBeInstanceOf(StorageError);
  }
});
