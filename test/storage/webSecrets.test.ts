// Addresses with a password or a signature in them: they open what they are for, and what proves who asks is in no plan, event,
// error, location or name, whatever the server says and whatever fails.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mayBeTold, shownAddress } from "../../src/storage/webAddress.ts";

const [SIGNATURE, PASSWORD] = ["s1gnature-of/the+address", "pass:w0rd-of-the-address"];
const LOGIN = `Basic ${Buffer.from(`somebody:${PASSWORD}`).toString("base64")}`;
const query = `?versionId=3&X-Amz-Signature=${encodeURIComponent(SIGNATURE)}`;
/** As it may be read somewhere, in any of the ways in which addresses are written. */
const SECRETS = [SIGNATURE, PASSWORD, LOGIN.slice(6)].flatMap((text) => [text, encodeURIComponent(text)]);

const objects = new cw.MemoryStore();
let server: Server;
let origin: string;
/** What the server does in the place of answering. */
let fails: ((request: IncomingMessage, response: ServerResponse) => void) | null = null;

beforeAll(async () => {
  await cw.arange(12, { chunks: 5 }).toZarr(objects, { path: "x.zarr", executor: "inline" });
  await cw.toNpy(cw.arange(12), objects, { path: "x.npy", executor: "inline" });
  await objects.set("/lines.jsonl", new TextEncoder().encode('{"a": 1}\n{"a": 2}\n'));
  server = createServer((request, response) => void answered(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://somebody:${encodeURIComponent(PASSWORD)}@127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function answered(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (fails !== null) return fails(request, response);
  const url = new URL(request.url!, "http://here");
  const isKnown = url.searchParams.get("X-Amz-Signature") === SIGNATURE;
  if (!isKnown || request.headers.authorization !== LOGIN) return void response.writeHead(403).end();
  const bytes = await objects.get(url.pathname as cw.StoreKey);
  if (bytes === undefined) return void response.writeHead(404).end("not here");
  const [, first, last] = /bytes=(\d*)-(\d*)/.exec(request.headers.range ?? "") ?? [];
  const start =
    first === undefined ? 0 : first === "" ? Math.max(0, bytes.length - Number(last)) : Number(first);
  const end = first === undefined || first === "" ? bytes.length : Math.min(bytes.length, Number(last) + 1);
  const range = { "Content-Range": `bytes ${start}-${end - 1}/${bytes.length}` };
  response.writeHead(first === undefined ? 200 : 206, {
    ...(first === undefined ? {} : range),
    "Content-Length": end - start,
  });
  response.end(request.method === "HEAD" ? undefined : bytes.subarray(start, end));
}

const at = (path: string): string => `${origin}/${path}${query}`;
const thrown = (action: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(action)
    .then(
      () => expect.unreachable(),
      (error: unknown) => error,
    );
const told = (what: unknown): string =>
  `${inspect(what, { depth: 12, showHidden: true })}\n${String((what as Error)?.stack)}`;

test("they open what they are for, and no text has them", async () => {
  const texts: string[] = [];
  const x = await cw.fromZarr(at("x.zarr"));
  const y = await cw.fromNpy(at("x.npy"));
  const lines = await rg.fromJsonLines(at("lines.jsonl"));
  const events: unknown[] = [];
  const listen = (event: unknown): void => void events.push(event);
  expect((await x.add(y).compute({ executor: "inline", onEvent: listen })).toList()).toEqual(
    Array.from({ length: 12 }, (_, i) => 2 * i),
  );
  expect((await lines.compute()).toList()).toEqual([{ a: 1 }, { a: 2 }]);
  const store = new cw.HttpStore(at("x.zarr"));
  for (const lazy of [x, y]) {
    expect((await thrown(() => cw.savePlan(lazy.plan()))) as Error).toBeInstanceOf(cw.ChunkwiseError);
    texts.push(told(await thrown(() => cw.savePlan(lazy.plan()))));
    texts.push(String(lazy), String(lazy.plan()), JSON.stringify(lazy.plan().toJSON()));
  }
  texts.push(String(lines), JSON.stringify(events), inspect(store, { showHidden: true, depth: 9 }));
  texts.push(JSON.stringify(store), JSON.stringify(store.location()));
  const failures: readonly (typeof fails)[] = [
    (request, response) => response.writeHead(403, `no: ${decodeURIComponent(request.url!)}`).end(),
    (request, response) => response.writeHead(500, `no: ${request.headers.authorization}`).end(),
    (request) => request.socket.destroy(),
    (request, response) => {
      response.writeHead(200, { "Content-Length": 500 }).write(request.url!.slice(0, 5));
      response.destroy();
    },
  ];
  const quick = { http: { retries: 0, backoffMs: 1 } };
  const throwing: typeof fetch = async (input, init) => {
    throw new Error(`cannot reach ${input} with ${JSON.stringify([...new Headers(init?.headers)])}`);
  };
  const failing = [{ retries: 0 }, { retries: 0, fetch: throwing }].map(
    (more) => new cw.HttpStore(at("x.zarr"), more),
  );
  for (const failure of failures) {
    fails = failure;
    for (const ask of [
      ...failing.flatMap((one) => [() => one.get("/a"), () => cw.fromZarr(one)]),
      () => rg.fromJsonLines(at("lines.jsonl"), quick),
      () => rg.fromParquet(at("t.parquet"), quick),
      () => rg.fromParquet(at("t.parquet"), { http: { retries: 0, fetch: throwing } }),
    ])
      texts.push(told(await thrown(ask)));
  }
  fails = null;
  for (const ask of [
    () => cw.fromZarr(at("y.zarr")),
    () => cw.fromNpy(at("y.npy")),
    () => cw.open(at("what.is-it")),
    () => rg.fromParquet(at("lines.jsonl")),
    () => rg.fromParquet(at("none.parquet")),
    () => rg.fromJsonLines(at("lines.jsonl"), { type: "{a: string}" }).then((read) => read.compute()),
    () => new cw.HttpStore(`http://somebody:${PASSWORD}@127.0.0.1:99999/${query}`),
    () => cw.fromZarr(`ftp://somebody:${PASSWORD}@127.0.0.1/${query}`),
  ])
    texts.push(told(await thrown(ask)));
  const all = texts.join("\n");
  expect(all).toContain("versionId=3");
  for (const secret of SECRETS) expect(all.includes(secret), secret).toBe(false);
});

test("of an address all is told but what proves who asks", () => {
  for (const [address, shown] of [
    ["https://example.org/a.parquet?versionId=3", "https://example.org/a.parquet?versionId=3"],
    ["https://me:you@example.org/a", "https://example.org/a"],
    ["https://example.org/a?sig=b&sp=r&sig=c", "https://example.org/a?sig=***&sp=r"],
    ["https://example.org/a?v=2&access_token=b", "https://example.org/a?v=2&access_token=***"],
  ] as const) {
    expect(shownAddress(new URL(address))).toBe(shown);
    expect(mayBeTold(new URL(address))).toBe(address === shown);
  }
});
