// What storage needs is part of a task's stated memory: by codec, by how a window lies in stored objects, and as data.

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { memoryOf } from "../../src/plan/taskMemory.ts";
import { arraysOf } from "../property/planTasks.ts";
import { planned, zeros } from "./plans.ts";

const CHUNK = 64 * 64 * 8;

async function stored(codecs: readonly string[]): Promise<cw.LazyArray> {
  const memory = new cw.MemoryStore();
  await zeros([256, 256], [64, 64]).toZarr(memory, { codecs });
  // Bytes lie in memory here, but are read as out of files: straight into place.
  const open = async (key: string): Promise<unknown> => {
    const bytes = await memory.get(key as "/");
    const readInto = (offset: number, target: Uint8Array): undefined => {
      target.set(bytes!.subarray(offset, offset + target.length));
    };
    return bytes && { size: bytes.length, readInto, close: () => {} };
  };
  return cw.fromZarr(Object.assign(memory, { open }) as unknown as cw.MemoryStore);
}

function termsOf(x: cw.LazyArray): { [reason: string]: number } {
  const { data } = planned(x);
  const terms = memoryOf(data.operations[0]!, arraysOf(data));
  return Object.fromEntries(terms.map(({ reason, bytes }) => [reason, bytes]));
}

test("plain chunks go straight into their place", async () => {
  const x = await stored([]);
  expect(termsOf(x.exp())).toEqual({ "read a0": CHUNK, "write a1": CHUNK });
});

test("a compressed chunk is there twice, and a decoder has its own", async () => {
  const terms = termsOf((await stored(["zstd"])).sum());
  expect(terms["read a0: encoded"]).toBeGreaterThan(CHUNK);
  expect(terms["decoding"]).toBeGreaterThan(2 * CHUNK);
});

test("parts of chunks with a checksum are decoded aside, of two objects at once", async () => {
  const x = await stored(["crc32c"]);
  expect(termsOf(x.sum())["read a0: aside"]).toBeUndefined();
  expect(termsOf(x.get("32:160", "32:160").sum())["read a0: aside"]).toBe(2 * CHUNK);
});

test("it is plain data, which is checked when a plan is loaded", async () => {
  const x = await stored(["zstd"]);
  const { arrays } = JSON.parse(JSON.stringify(x.exp().plan())) as { arrays: { transfer: object }[] };
  expect(arrays[0]!.transfer).toMatchObject({ unit: [64, 64], atOnce: 2 });
});
