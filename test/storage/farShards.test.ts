// Sharded arrays over HTTP: three requests a shard at most, whatever is read of it in whatever parts and by how many threads;
// bytes that are kept are bounded; two versions of a shard are never mixed.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as cw from "../../src/index.ts";
import { createArray, HttpStore, openArray } from "../../src/storage/index.ts";
import { KeptObjects } from "../../src/storage/keptObjects.ts";
import type { ByteRange, StoreKey } from "../../src/storage/store.ts";
import { bytesOf, hex, randomBytes, sampleBlock, writeAll } from "./support.ts";

const objects = new Map<string, { body: Uint8Array; version: string }>();
let requests: { key: string; bytes: number }[] = [];
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const key = request.url!;
    const found = objects.get(key);
    if (found === undefined) return void response.writeHead(404).end();
    const { body, version } = found;
    const [, first, last] = /bytes=(\d*)-(\d*)/.exec(request.headers.range ?? "") ?? ["", "0", ""];
    const start = first === "" ? Math.max(0, body.length - Number(last)) : Number(first);
    const end = first === "" || last === "" ? body.length : Math.min(body.length, Number(last) + 1);
    requests.push({ key, bytes: end - start });
    response.writeHead(request.headers.range === undefined ? 200 : 206, {
      "Content-Length": end - start,
      "Content-Range": `bytes ${start}-${end - 1}/${body.length}`,
      ETag: `"${version}"`,
    });
    response.end(body.subarray(start, end));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests = [];
});

/** The most requests that any shard got. */
function mostPerShard(): number {
  const counts = new Map<string, number>();
  for (const { key } of requests)
    if (!key.endsWith("zarr.json") && !key.includes("/.z")) counts.set(key, (counts.get(key) ?? 0) + 1);
  return Math.max(...counts.values());
}

async function served(options: Partial<cw.ToZarrOptions>): Promise<cw.LazyArray> {
  const memory = new cw.MemoryStore();
  const numbers = cw
    .arange(0, 300 * 40, 1, { dtype: "float64" })
    .reshape([300, 40])
    .sqrt();
  await numbers.toZarr(memory, { chunks: [6, 8], shards: [60, 40], executor: "inline", ...options });
  objects.clear();
  for (const key of memory.list("/")) objects.set(key, { body: (await memory.get(key))!, version: "1" });
  requests = [];
  return numbers;
}

const WAYS: { readonly [name: string]: Partial<cw.ToZarrOptions> } = {
  compressed: {},
  "as they are": { codecs: [] },
  "with the index before": { indexLocation: "start" },
  "cut otherwise": { chunks: [60, 1], codecs: ["crc32c"] },
};

describe.each(Object.keys(WAYS))("five shards, chunks %s", (name) => {
  test.each([
    ["chunk by chunk", undefined],
    ["shard by shard", [60, 40]],
    ["in parts of chunks", [4, 3]],
    ["across shards", [100, 5]],
    ["column by column", [300, 1]],
  ] as const)("%s", async (_, chunks) => {
    const expected = await served(WAYS[name]!);
    const x = await cw.fromZarr(new HttpStore(url, { concurrency: 16 }), chunks && { chunks: [...chunks] });
    const read = await x.add(1).compute({ executor: "inline" });
    expect(read.toList()).toEqual((await expected.add(1).compute()).toList());
    expect(mostPerShard()).toBeLessThanOrEqual(3);
  });

  test("on threads", async () => {
    const expected = await served(WAYS[name]!);
    const x = await cw.fromZarr(url);
    const read = await x.add(1).compute({ executor: "threads", threads: 4 });
    expect(read.toList()).toEqual((await expected.add(1).compute()).toList());
    expect(mostPerShard()).toBeLessThanOrEqual(3);
  });
});

test("of one small window no more is read than the index and the chunk", async () => {
  await served({});
  const x = await cw.fromZarr(url);
  await x.get("0:3", "0:3").compute({ executor: "inline" });
  expect(requests.filter(({ key }) => key.startsWith("/c"))).toHaveLength(2);
  const shard = objects.get("/c/0/0")!.body.length;
  expect(requests.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(shard / 2);
});

test("a shard that changes while it is read is an error, and is read anew afterwards", async () => {
  const memory = new cw.MemoryStore();
  const options = { shape: [64], chunks: [8], shards: [64], dtype: "int32", codecs: [] } as const;
  const blocks = [1, 2].map((seed) => sampleBlock("int32", [64], seed));
  const put = async (i: number): Promise<void> => {
    const array = await createArray(memory, "", { ...options, overwrite: true });
    await writeAll(array, blocks[i]!);
    objects.clear();
    for (const key of memory.list("/"))
      objects.set(key, { body: (await memory.get(key))!, version: `v${i}` });
  };
  await put(0);
  const array = await openArray(new HttpStore(url));
  await array.readRegion([0], [8]);
  await put(1);
  await expect(array.readRegion([8], [8])).rejects.toThrow(/changed on the server.*Run it again/);
  expect(hex(bytesOf(await array.read()))).toBe(hex(bytesOf(blocks[1]!)));
});

describe("KeptObjects", () => {
  const body = randomBytes(1000);
  const parts = (): { kept: KeptObjects; asked: string[] } => {
    const asked: string[] = [];
    const kept = new KeptObjects(async (key: StoreKey, range: ByteRange) => {
      const { offset, length } = range as { offset: number; length: number };
      asked.push(`${key} ${offset}+${length}`);
      await new Promise((resolve) => setTimeout(resolve));
      return { bytes: body.subarray(offset, offset + length), size: 1000, version: null };
    });
    return { kept, asked };
  };
  const range = { offset: 10, length: 5 };

  test("many at once are three requests", async () => {
    const { kept, asked } = parts();
    const read = await Promise.all(
      Array.from({ length: 50 }, (_, i) => kept.range("/a", { offset: i, length: 5 }, 4000, {})),
    );
    read.forEach((bytes, i) => void expect([...bytes!]).toEqual([...body.subarray(i, i + 5)]));
    expect(asked).toEqual(["/a 0+5", "/a 1+5", "/a 0+1000"]);
  });

  test("what is too large to be kept is got in parts", async () => {
    const { kept, asked } = parts();
    for (let i = 0; i < 5; i++) await kept.range("/a", range, 999, {});
    expect(asked).toEqual(Array.from({ length: 5 }, () => "/a 10+5"));
  });

  test("the one that was used longest ago makes room, once", async () => {
    const { kept, asked } = parts();
    const wholes = (): number => asked.filter((text) => text.endsWith("+1000")).length;
    for (const key of ["/a", "/b", "/c"] as const)
      for (let i = 0; i < 4; i++) await kept.range(key, range, 2000, {});
    expect(wholes()).toBe(3);
    const before = asked.length;
    for (let i = 0; i < 4; i++) await kept.range("/c", range, 2000, {});
    expect(asked).toHaveLength(before);
    for (let i = 0; i < 4; i++) await kept.range("/a", range, 2000, {});
    expect(asked.slice(before)).toEqual(Array.from({ length: 4 }, () => "/a 10+5"));
  });
});
