// The HTTP store against a server that misbehaves.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FetchStore } from "zarrita";
import {
  CorruptDataError,
  createArray,
  HttpStore,
  MemoryStore,
  NotSupportedError,
  openArray,
  type Store,
  type StoreKey,
  StoreRequestError,
} from "../../src/storage/index.ts";
import { bytesOf, hex, randomBytes, sampleBlock, writeAll } from "./support.ts";

const bytes = randomBytes(5000);
let server: Server;
let url: string;
let requests: string[] = [];
let atOnce = 0;
let most = 0;
let answer: (request: IncomingMessage, response: ServerResponse, count: number) => void;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.range ?? ""}`.trim());
    atOnce++;
    most = Math.max(most, atOnce);
    response.on("close", () => atOnce--);
    answer(request, response, requests.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/data`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests = [];
  most = 0;
  answer = (request, response) => serve(bytes, request, response);
});

/** As a server should. */
function serve(body: Uint8Array | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (body === undefined) return void response.writeHead(404).end();
  const [, first, last] = /bytes=(\d*)-(\d*)/.exec(request.headers.range ?? "") ?? [];
  if (first === undefined)
    return void response
      .writeHead(200, { "Content-Length": body.length })
      .end(request.method === "HEAD" ? undefined : body);
  const start = first === "" ? Math.max(0, body.length - Number(last)) : Number(first);
  const end = first === "" ? body.length : Math.min(body.length, Number(last) + 1);
  if (start >= body.length) return void response.writeHead(416).end();
  response.writeHead(206, {
    "Content-Range": `bytes ${start}-${end - 1}/${body.length}`,
    "Content-Length": end - start,
  });
  response.end(body.subarray(start, end));
}

const store = (options = {}): HttpStore => new HttpStore(url, { backoffMs: 1, ...options });

describe("HttpStore", () => {
  test("objects, ranges and suffixes", async () => {
    expect(await store().get("/a b/c?")).toEqual(bytes);
    expect(await store().getRange("/a", { offset: 10, length: 20 })).toEqual(bytes.subarray(10, 30));
    expect(await store().getRange("/a", { suffixLength: 20 })).toEqual(bytes.subarray(4980));
    expect(await store().has("/a")).toBe(true);
    expect(requests).toEqual([
      "GET /data/a%20b/c%3F",
      "GET /data/a bytes=10-29",
      "GET /data/a bytes=-20",
      "HEAD /data/a",
    ]);
  });

  test("404 is a missing object; 403 is an error, once", async () => {
    answer = (_, response) => response.writeHead(404).end();
    expect(await store().get("/a")).toBeUndefined();
    expect(await store().has("/a")).toBe(false);
    requests = [];
    answer = (_, response) => response.writeHead(403).end();
    await expect(store().get("/a")).rejects.toMatchObject({ status: 403, retryable: false });
    expect(requests.length).toBe(1);
    expect(await store({ missing: [403, 404] }).get("/a")).toBeUndefined();
  });

  test("a range answered with 200 is refused, once", async () => {
    answer = (_, response) => response.writeHead(200, { "Content-Length": bytes.length }).end(bytes);
    await expect(store().getRange("/a", { offset: 1, length: 2 })).rejects.toBeInstanceOf(NotSupportedError);
    expect(requests.length).toBe(1);
  });

  test("another range than the one asked for is refused", async () => {
    answer = (_, response) =>
      response.writeHead(206, { "Content-Range": "bytes 0-1/5000" }).end(bytes.subarray(0, 2));
    await expect(store().getRange("/a", { offset: 1, length: 2 })).rejects.toBeInstanceOf(NotSupportedError);
  });

  test("a range beyond the end is damage", async () => {
    await expect(store().getRange("/a", { offset: 4990, length: 20 })).rejects.toBeInstanceOf(
      CorruptDataError,
    );
    await expect(store().getRange("/a", { offset: 6000, length: 20 })).rejects.toBeInstanceOf(
      CorruptDataError,
    );
  });

  test.each([500, 503, 429])("%i passes", async (status) => {
    answer = (request, response, count) => {
      if (count > 2) serve(bytes, request, response);
      else response.writeHead(status, { "Retry-After": "0" }).end();
    };
    expect(await store().get("/a")).toEqual(bytes);
    expect(requests.length).toBe(3);
  });

  test("500 that does not pass ends after all retries", async () => {
    answer = (_, response) => response.writeHead(500).end();
    await expect(store({ retries: 2 }).get("/a")).rejects.toMatchObject({ status: 500, retryable: true });
    expect(requests.length).toBe(3);
  });

  test("a connection that breaks, and a body that is cut short, are tried again", async () => {
    answer = (request, response, count) => {
      if (count === 1) return void request.socket.destroy();
      if (count > 2) return serve(bytes, request, response);
      response.writeHead(200, { "Content-Length": bytes.length });
      response.write(bytes.subarray(0, 100), () => response.destroy());
    };
    expect(await store().get("/a")).toEqual(bytes);
    expect(requests.length).toBe(3);
    answer = (request) => request.socket.destroy();
    await expect(store({ retries: 1 }).get("/a")).rejects.toBeInstanceOf(StoreRequestError);
  });

  test("a server that is silent is given up", async () => {
    answer = () => {};
    await expect(store({ retries: 0, timeoutMs: 50 }).get("/a")).rejects.toThrow(/50 ms/);
  });

  test("an abort ends a request and a pause", async () => {
    answer = () => {};
    const enough = AbortSignal.timeout(30);
    await expect(store().get("/a", { signal: enough })).rejects.toThrow();
    answer = (_, response) => response.writeHead(500).end();
    // A pause that nobody ends is longer than a test may take.
    await expect(
      store({ backoffMs: 600_000 }).get("/a", { signal: AbortSignal.timeout(30) }),
    ).rejects.toThrow();
  });

  test("no more requests at once than allowed", async () => {
    answer = (request, response) => void setTimeout(() => serve(bytes, request, response), 5);
    const http = store({ concurrency: 3 });
    await Promise.all(Array.from({ length: 20 }, (_, i) => http.get(`/${i}`)));
    expect(requests.length).toBe(20);
    expect(most).toBeLessThanOrEqual(3);
  });

  test("who waits for a turn and does not want to any more waits no longer", async () => {
    answer = () => {};
    const http = store({ concurrency: 1, retries: 0 });
    const stop = new AbortController();
    const first = http.get("/a", { signal: stop.signal });
    first.catch(() => {});
    const second = http.get("/b", { signal: AbortSignal.timeout(20) });
    // The first goes on for a minute.
    await expect(second).rejects.toMatchObject({ name: "TimeoutError" });
    expect(requests).toEqual(["GET /data/a"]);
    stop.abort();
    answer = (request, response) => serve(bytes, request, response);
    expect(await http.get("/c")).toEqual(bytes);
  });

  test("what is not the range that was asked for is let go", async () => {
    const open = new Set<unknown>();
    answer = (request, response) => {
      open.add(request.socket);
      request.socket.on("close", () => open.delete(request.socket));
      response.writeHead(200, { "Content-Length": 2 ** 24 }).write(bytes);
    };
    await expect(store().getRange("/a", { offset: 1, length: 2 })).rejects.toThrow("206");
    await expect.poll(() => open.size).toBe(0);
  });

  test("more than allowed is refused before it is read", async () => {
    await expect(store({ maxBytes: 100 }).get("/a")).rejects.toBeInstanceOf(NotSupportedError);
    answer = (_, response) => void response.writeHead(200).end(bytes);
    await expect(store({ maxBytes: 100 }).get("/a")).rejects.toBeInstanceOf(NotSupportedError);
  });
});

test("zarrita's FetchStore plugs in, and its whole bodies for ranges are refused", async () => {
  const memory = new MemoryStore();
  const array = await createArray(memory, "", {
    shape: [64],
    chunks: [8],
    shards: [64],
    dtype: "int32",
    codecs: [],
  });
  const block = sampleBlock("int32", [64]);
  await writeAll(array, block);
  const body = (request: IncomingMessage) => memory.get(request.url!.slice("/data".length) as StoreKey);
  answer = async (request, response) => serve(await body(request), request, response);
  const remote = await openArray(new FetchStore(url) as Store);
  expect(hex(bytesOf(await remote.read()))).toBe(hex(bytesOf(block)));
  answer = async (request, response) => void response.writeHead(200).end(await body(request));
  await expect(remote.readRegion([0], [3])).rejects.toBeInstanceOf(NotSupportedError);
});

test("of a sharded array only the index and the wanted chunks are read, and the index once", async () => {
  const memory = new MemoryStore();
  const array = await createArray(memory, "", {
    shape: [64, 64],
    chunks: [8, 8],
    shards: [64, 64],
    dtype: "float64",
    codecs: ["zstd"],
  });
  const block = sampleBlock("float64", [64, 64]);
  await writeAll(array, block);
  const shard = (await memory.get("/c/0/0"))!;
  let sent = 0;
  answer = async (request, response) => {
    const body = await memory.get(request.url!.slice("/data".length) as StoreKey);
    response.on("finish", () => {
      sent += Number(response.getHeader("Content-Length") ?? 0);
    });
    serve(body, request, response);
  };
  const remote = await openArray(store());
  requests = [];
  sent = 0;
  const part = await remote.readRegion([8, 8], [8, 16]);
  expect(requests).toEqual([
    `GET /data/c/0/0 bytes=-${64 * 16 + 4}`,
    expect.stringMatching(/bytes=\d+-\d+$/),
  ]);
  expect(sent).toBeLessThan(shard.length / 4);
  await remote.getChunk([3, 3]);
  expect(requests.length).toBe(3);
  const local = await array.readRegion([8, 8], [8, 16]);
  expect(hex(bytesOf(part))).toBe(hex(bytesOf(local)));
});

test("an address that says who asks is told to nobody", () => {
  const query = (text: string): unknown => new HttpStore(`https://example.org/x.zarr?${text}`).location();
  expect(query("versionId=3")).toEqual({ kind: "http", url: "https://example.org/x.zarr?versionId=3" });
  for (const secret of [
    ...["X-Amz-Signature=s3cret", "X-Amz-Security-Token=s3cret", "X-Goog-Signature=s3cret"],
    ...["sv=2022&sig=s3cret", "Signature=s3cret&Expires=1", "access_token=s3cret", "apiKey=s3cret"],
  ])
    expect(query(secret), secret).toBeNull();
  const store = new HttpStore("https://me:s3cret@example.org/x.zarr?sig=s3cret");
  expect(store.location()).toBeNull();
  expect(JSON.stringify(new HttpStore("https://example.org/x.zarr?sig=s3cret"))).not.toContain("s3cret");
});
