// S3Store behind a bad network: answers that fail, are lost, come twice or are cut short. What is read is what was written, of
// those who take a name one has it, and what was refused for good is not asked again. Seeds are printed; CHUNKWISE_SEED runs
// one again.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { S3Store } from "../../src/storage/index.ts";
import { type Fault, type FaultyProxy, startFaultyProxy } from "./faultyProxy.ts";
import { noRadosgw, type Radosgw, startRadosgw, titled } from "./radosgw.ts";
import { keysOf } from "./storeConformance.ts";
import { randomBytes } from "./support.ts";

const SEED = Number(process.env["CHUNKWISE_SEED"] ?? Math.floor(Math.random() * 1e6));
const ALL: { readonly [F in Fault]: number } = {
  ...{ error: 0.08, refuse: 0.04, lost: 0.06, lost500: 0.06, duplicate: 0.06, truncate: 0.05, short: 0.05 },
  ...{ slow: 0, full: 0 },
};

let server: Radosgw;
let proxy: FaultyProxy;
beforeAll(async () => {
  if (noRadosgw !== false) return;
  console.log(`faults of seed ${SEED}: CHUNKWISE_SEED=${SEED} runs them again`);
  server = await startRadosgw();
  await server.makeBucket("faults");
  proxy = await startFaultyProxy(server.endpoint);
  proxy.seed = SEED;
}, 120_000);
afterAll(async () => {
  if (proxy !== undefined) console.log(`faults of seed ${SEED}: ${JSON.stringify(proxy.counts)}`);
  await proxy?.stop();
  await server?.stop();
});

function through(path: string, options: { retries?: number; endpoint?: string } = {}): S3Store {
  const { region, credentials } = server;
  const usual = { endpoint: proxy.url, region, credentials, backoffMs: 2, retries: 12 };
  return new S3Store(`s3://faults/${path}`, { ...usual, ...options });
}

async function withRates<T>(rates: { readonly [F in Fault]?: number }, run: () => Promise<T>): Promise<T> {
  proxy.rates = rates;
  try {
    return await run();
  } finally {
    proxy.rates = {};
  }
}

describe.skipIf(noRadosgw !== false)(titled("S3Store behind a bad network"), () => {
  test("what was written is read, whole and in parts", async () => {
    const store = through("all");
    const objects = Array.from({ length: 60 }, (_, i) => randomBytes(1 + i * 997, SEED + i));
    await withRates(ALL, async () => {
      await Promise.all(objects.map((bytes, i) => store.set(`/o/${i}`, bytes)));
      const got = await Promise.all(objects.map((_, i) => store.get(`/o/${i}`)));
      const parts = await Promise.all(
        objects.map((_, i) => store.getRange(`/o/${i}`, { suffixLength: 1 + (i >> 1) })),
      );
      for (const [i, bytes] of objects.entries()) {
        expect(Buffer.compare(got[i]!, bytes), `object ${i}`).toBe(0);
        expect(Buffer.compare(parts[i]!, bytes.subarray(-(1 + (i >> 1)))), `part of ${i}`).toBe(0);
      }
      expect((await keysOf(store, "/o")).length).toBe(60);
      await store.deleteBelow("/o");
      expect(await keysOf(store, "/")).toEqual([]);
    });
    expect(Object.keys(proxy.counts).length).toBeGreaterThan(5);
  }, 120_000);

  test("of those who take a name at once one has it, and the object is its own", async () => {
    const [direct, stores] = [
      through("locks", { endpoint: server.endpoint }),
      [1, 2, 3, 4].map(() => through("locks")),
    ];
    await withRates({ ...ALL, lost: 0.15, duplicate: 0.15 }, async () => {
      for (let lock = 0; lock < 25; lock++) {
        // All of them write the same bytes: what is there does not tell whose it is.
        const tries = await Promise.all(
          stores.flatMap((store) => [1, 2].map(() => store.setNew(`/${lock}`, new Uint8Array([lock])))),
        );
        expect(tries.filter((made) => made).length, `lock ${lock}: ${tries}`).toBe(1);
      }
    });
    expect((await keysOf(direct, "/")).length).toBe(25);
  }, 120_000);

  test("uploads in parts: whole, or nothing is left of them", async () => {
    const block = randomBytes(1 << 20, SEED);
    function* stream(count: number): Iterable<Uint8Array> {
      for (let i = 0; i < count; i++) yield block;
    }
    const store = through("parts");
    await withRates({ ...ALL, lost: 0.2, short: 0 }, async () => {
      for (let i = 0; i < 4; i++) await store.setParts(`/${i}`, stream(33 + i));
      const impatient = through("parts", { retries: 0 });
      await Promise.allSettled([5, 6, 7, 8].map((i) => impatient.setParts(`/${i}`, stream(33))));
    });
    const direct = through("parts", { endpoint: server.endpoint });
    for (let i = 0; i < 4; i++) {
      const got = (await direct.get(`/${i}`))!;
      expect(got.length).toBe((33 + i) << 20);
      expect(Buffer.compare(got.subarray(-(1 << 20)), block)).toBe(0);
    }
    for await (const page of direct.listSizes("/"))
      for (const { size } of page) expect(size).toBeGreaterThanOrEqual(33 << 20);
  }, 240_000);

  test("faults that do not end are errors that say so; refusals are not tried again", async () => {
    const store = through("never", { retries: 2 });
    for (const [fault, message] of [
      ["error", /answered 50[03] (SlowDown|InternalError): by the test/],
      ["refuse", /the request to s3:\/\/faults failed/],
      ["lost", /the request to s3:\/\/faults failed/],
    ] as const)
      await withRates({ [fault]: 1 }, async () => {
        await expect(store.get("/a")).rejects.toMatchObject({
          retryable: true,
          message: expect.stringMatching(message),
        });
        await expect(store.set("/a", new Uint8Array(1))).rejects.toThrow(message);
      });
    const before = proxy.counts["none"]!;
    const denied = new S3Store("s3://faults", { endpoint: proxy.url, anonymous: true });
    await expect(denied.get("/a")).rejects.toMatchObject({ retryable: false, status: 403 });
    expect(proxy.counts["none"]).toBe(before + 1);
  }, 60_000);

  test("tags that are no digests: found out, and then the bytes are taken", async () => {
    const direct = through("tags", { endpoint: server.endpoint });
    await direct.set("/a", randomBytes(1000));
    let asked = 0;
    const { region, credentials, endpoint } = server;
    const store = new S3Store("s3://faults/tags", {
      ...{ region, credentials, endpoint, backoffMs: 1 },
      fetch: async (input, init) => {
        asked++;
        const response = await fetch(input, init);
        const headers = new Headers(response.headers);
        headers.set("ETag", `"${"ab".repeat(16)}"`);
        const body = init?.method === "HEAD" ? null : await response.arrayBuffer();
        return new Response(body, { status: response.status, headers });
      },
    });
    expect(await store.get("/a")).toEqual(randomBytes(1000));
    expect(asked).toBe(3);
    expect(await store.get("/a")).toEqual(randomBytes(1000));
    expect(asked).toBe(4);
  });

  test("a service that ignores conditions is noticed", async () => {
    const { region, credentials, endpoint } = server;
    const store = new S3Store("s3://faults/ignoring", {
      ...{ region, credentials, endpoint },
      fetch: async (input, init) => {
        const isNew = new Headers(init?.headers).has("If-None-Match");
        return isNew ? new Response(null, { status: 200 }) : fetch(input, init);
      },
    });
    await expect(store.setNew("/lock", new Uint8Array(1))).rejects.toThrow(
      /in spite of If-None-Match: \*.*use one, or a folder/,
    );
  });
});
