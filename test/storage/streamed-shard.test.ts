// Shards that are written chunk by chunk: the same bytes as those that are put together first, with one chunk of memory.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { newBlock } from "../../src/core/block.ts";
import { FileStore } from "../../src/storage/fileStore.ts";
import { createArray } from "../../src/storage/zarr/create.ts";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-streamed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SHAPE = [24, 40];

function filled() {
  const block = newBlock("float64", SHAPE);
  block.data.forEach((_, i) => {
    block.data[i] = Math.sin(i);
  });
  return block;
}

async function written(name: string, options: object, scratch?: { take: number[]; most: number }) {
  const store = new FileStore(join(folder, name));
  const array = await createArray(store, "a", {
    ...{ shape: SHAPE, dtype: "float64", shards: SHAPE, chunks: [8, 10] },
    ...options,
  });
  let held = 0;
  const memory = {
    take(length: number): Uint8Array {
      held += length;
      if (scratch !== undefined) scratch.most = Math.max(scratch.most, held);
      return new Uint8Array(length);
    },
    give(bytes: Uint8Array): void {
      held -= bytes.length;
    },
  };
  await array.setShard([0, 0], filled(), scratch === undefined ? {} : { scratch: memory });
  return { array, bytes: readFileSync(join(folder, name, "a", "c", "0", "0")) };
}

describe("a shard of chunks whose length is known", () => {
  test.each([
    ["without codecs", []],
    ["with a sum", ["crc32c"]],
    ["with a sum in front", [{ name: "crc32c", configuration: { location: "start" } }]],
  ])("%s has the bytes of one that is put together", async (name, codecs) => {
    for (const indexLocation of ["start", "end"]) {
      const options = { codecs, indexLocation };
      const streamed = await written(`${name} ${indexLocation} s`, { ...options, writeEmptyChunks: true });
      const whole = await written(`${name} ${indexLocation} w`, { ...options, writeEmptyChunks: false });
      expect(streamed.bytes.equals(whole.bytes)).toBe(true);
      const { data } = await streamed.array.readRegion([0, 0], SHAPE);
      expect(data).toEqual(filled().data);
    }
  });

  test("takes the memory of one chunk at a time", async () => {
    const scratch = { take: [], most: 0 };
    await written("memory", { codecs: ["crc32c"], writeEmptyChunks: true }, scratch);
    expect(scratch.most).toBe(8 * 10 * 8);
  });
});
