// S3Store against a real S3 server (Ceph): the suite of all stores, and what only object storage has.

import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { S3Store, type Store } from "../../src/storage/index.ts";
import { noRadosgw, type Radosgw, startRadosgw, titled } from "./radosgw.ts";
import { describeStore, keysOf } from "./storeConformance.ts";
import { randomBytes } from "./support.ts";

let server: Radosgw;
let count = 0;
beforeAll(async () => {
  if (noRadosgw !== false) return;
  server = await startRadosgw();
  await server.makeBucket("stores");
}, 120_000);
afterAll(() => server?.stop());

function storeAt(path: string, bucket = "stores"): S3Store {
  const { endpoint, region, credentials } = server;
  return new S3Store(`s3://${bucket}${path}`, { endpoint, region, credentials });
}

const fresh = (): Store => storeAt(`/store-${count++}`);

describe.skipIf(noRadosgw !== false)(titled("S3Store on radosgw"), () => {
  describeStore("the suite of all stores", fresh, { deleteTells: false });

  test("keys of all kinds of characters, and what lies beside the path", async () => {
    const store = storeAt("/odd/with space");
    await storeAt("/odd").set("/with space2/x", new Uint8Array(1));
    const names = [
      "a b",
      "+",
      "a+b%20c",
      "é/ü",
      "漢字",
      "(1)'*!~",
      "&<>\"'",
      "a=b;c,d",
      "@:$",
      "%",
      "🦊",
      "#?",
    ];
    for (const [i, name] of names.entries()) await store.set(`/k/${name}`, new Uint8Array(i + 1));
    for (const [i, name] of names.entries()) expect((await store.get(`/k/${name}`))!.length).toBe(i + 1);
    expect(await keysOf(store, "/")).toEqual(names.map((name) => `/k/${name}`).sort());
    expect((await store.listDir("/k")).keys.sort()).toEqual(
      names.filter((name) => !name.includes("/")).sort(),
    );
    await store.deleteBelow("/");
    expect(await keysOf(storeAt("/odd"), "/")).toEqual(["/with space2/x"]);
  });

  test("listings of several pages; names that are no keys are not listed, and go with the rest", async () => {
    const store = storeAt("/pages");
    const names = Array.from({ length: 1203 }, (_, i) => `/c/${i}` as const);
    await Promise.all(names.map((name) => store.set(name, new Uint8Array(0))));
    const { endpoint, client } = server;
    for (const odd of ["pages/c/", "pages//c"])
      expect((await client.fetch(`${endpoint}/stores/${odd}`, { method: "PUT", body: "" })).status).toBe(200);
    const pages: number[] = [];
    for await (const page of store.listSizes("/c")) pages.push(page.length);
    expect(pages.reduce((sum, length) => sum + length, 0)).toBe(1203);
    expect(pages.length).toBeGreaterThan(1);
    expect(await keysOf(store, "/")).toEqual([...names].sort());
    expect(await store.listDir("/")).toEqual({ keys: [], folders: ["c"] });
    await store.deleteBelow("/");
    const left = await (await client.fetch(`${endpoint}/stores?prefix=pages/`)).text();
    expect(left).not.toContain("<Key>");
  }, 60_000);

  test("large objects are sent in parts, from streams and from lists; nothing is left of those that fail", async () => {
    const store = storeAt("/large");
    const block = randomBytes(1 << 20);
    function* stream(length: number, failsAt = Number.POSITIVE_INFINITY): Iterable<Uint8Array> {
      const shared = new Uint8Array(1 << 20);
      for (let i = 0; i < length; i++) {
        if (i === failsAt) throw new Error("no more");
        // The same memory every time: what was handed over may be used again.
        shared.set(block);
        shared[0] = i;
        yield shared;
      }
    }
    await store.setParts("/stream", stream(37));
    const got = (await store.get("/stream"))!;
    expect(got.length).toBe(37 << 20);
    for (let i = 0; i < 37; i++) {
      expect(got[i << 20]).toBe(i);
      expect(Buffer.compare(got.subarray((i << 20) + 1, (i + 1) << 20), block.subarray(1))).toBe(0);
    }
    expect(await store.version("/stream")).toMatch(/^"[0-9a-f]{32}-3"$/);
    await store.setParts("/list", Array<Uint8Array>(65).fill(block));
    expect(await store.version("/list")).toMatch(/-5"$/);
    await store.setParts("/small", [block, block]);
    expect(await store.version("/small")).toMatch(/^"[0-9a-f]{32}"$/);

    await expect(store.setParts("/failed", stream(60, 40))).rejects.toThrow("no more");
    for (const delay of [0, 2, 5, 10, 20, 40, 80]) {
      const stop = new AbortController();
      const stopping = store.setParts("/stopped", stream(60), { signal: stop.signal });
      setTimeout(() => stop.abort(new Error("enough")), delay);
      await expect(stopping).rejects.toThrow("enough");
    }
    expect(await keysOf(store, "/")).toEqual(["/list", "/small", "/stream"]);
    const uploads = await (await server.client.fetch(`${server.endpoint}/stores?uploads`)).text();
    expect(uploads).not.toContain("<UploadId>");
    await store.deleteBelow("/");
  }, 120_000);

  test("memory that threads share can be written", async () => {
    const store = fresh();
    const shared = new Uint8Array(new SharedArrayBuffer(100)).fill(7);
    await store.set!("/shared", shared);
    await store.setParts!("/parts", [shared, shared].values());
    await store.setNew!("/new", shared);
    for (const [key, length] of [
      ["/shared", 100],
      ["/parts", 200],
      ["/new", 100],
    ] as const)
      expect(await store.get(key)).toEqual(new Uint8Array(length).fill(7));
  });

  test("ranges beyond the end are errors; what is longer than allowed is refused", async () => {
    const store = fresh();
    await store.set!("/ten", new Uint8Array(10));
    await expect(store.getRange!("/ten", { offset: 5, length: 10 })).rejects.toThrow(
      "10 bytes should be there and 5 are",
    );
    await expect(store.getRange!("/ten", { offset: 20, length: 1 })).rejects.toThrow(
      "shorter than the range",
    );
    expect((await store.getRange!("/ten", { suffixLength: 100 }))!.length).toBe(10);
    await expect(store.get("/ten", { maxBytes: 9 })).rejects.toThrow("at most 9 belong");
    expect(await store.getRange!("/ten", { offset: 3, length: 0 })).toEqual(new Uint8Array(0));
    expect(await store.getRange!("/none", { offset: 3, length: 0 })).toBeUndefined();
  });

  test("an object that another store overwrites is not read old", async () => {
    const path = `/store-${count++}`;
    const [reader, writer] = [storeAt(path), storeAt(path)];
    await writer.set("/a", randomBytes(1000, 1));
    const read = (offset: number): Promise<Uint8Array | undefined> =>
      reader.getRange("/a", { offset, length: 10 }, { mayKeep: 1e6 });
    for (let i = 0; i < 5; i++) await read(i * 10);
    const after = randomBytes(1000, 2);
    await writer.set("/a", after);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await expect(read(0)).rejects.toThrow("changed on the server while it was read");
    expect(await read(0)).toEqual(after.subarray(0, 10));
  });

  test("anonymous: what everybody may read", async () => {
    await server.makeBucket("open");
    await storeAt("", "open").set("/a/b", new Uint8Array([5]));
    await storeAt("", "stores").set("/closed", new Uint8Array([5]));
    await server.makePublic("open");
    const { endpoint } = server;
    const open = new S3Store("s3://open", { endpoint, anonymous: true });
    expect(await open.get("/a/b")).toEqual(new Uint8Array([5]));
    expect(await keysOf(open, "/")).toEqual(["/a/b"]);
    expect(open.location()).toEqual({ kind: "s3", bucket: "open", path: "", endpoint, anonymous: true });
    await expect(open.set("/c", new Uint8Array(1))).rejects.toThrow(
      "It is not for everybody: give credentials",
    );
    const closed = new S3Store("s3://stores", { endpoint, anonymous: true });
    await expect(closed.get("/closed")).rejects.toThrow("403 AccessDenied");
    const lenient = new S3Store("s3://stores", { endpoint, anonymous: true, missing: [403, 404] });
    expect(await lenient.get("/closed")).toBeUndefined();
  });

  test("buckets that are not there, keys that are wrong", async () => {
    const none = storeAt("", "none-such");
    for (const ask of [
      () => none.get("/a"),
      () => none.set("/a", new Uint8Array(1)),
      () => keysOf(none, "/"),
    ])
      await expect(ask()).rejects.toThrow(/NoSuchBucket.*check the name, or make it first/);
    const { endpoint, region, credentials } = server;
    for (const wrong of [
      { ...credentials, secretAccessKey: "wrong-secret-key" },
      { accessKeyId: "AKIAWRONGWRONG", secretAccessKey: "wrong-secret-key" },
    ]) {
      const store = new S3Store("s3://stores", { endpoint, region, credentials: wrong });
      const error = await store.get("/a").catch((cause: unknown) => cause);
      expect(String(error)).toMatch(
        /403 (SignatureDoesNotMatch|InvalidAccessKeyId).*not those of this service/,
      );
      expect(JSON.stringify(error) + String((error as Error).stack)).not.toMatch(/wrong-secret|AKIAWRONG/);
    }
  });

  it("says where it is without saying who asks", async () => {
    const store = storeAt("/a");
    expect(store.location()).toBeNull();
    expect(await store.address()).toBe(`${server.endpoint}/stores/a`);
    expect((store as Store).near).toBeUndefined();
  });
});
