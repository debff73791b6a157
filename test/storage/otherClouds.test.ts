// GcsStore and AzureStore against servers that check every request as the services' references say (fakeClouds.ts): the suite of
// all stores, arrays, proofs of who asks, and refusals.

import * as cw from "chunkwise";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AzureStore, GcsStore, type Store } from "../../src/storage/index.ts";
import { FakeAzure, FakeGcs } from "./fakeClouds.ts";
import { type Answered, type FakeServer, startFakeServer, withEnvironment } from "./fakeServer.ts";
import { describeStore, keysOf } from "./storeConformance.ts";
import { randomBytes } from "./support.ts";

const TOKEN = "ya29.a-token-of-this-test";
const SAS = "sv=2022-11-02&sr=c&sp=rwdl&se=2099-01-01T00%3A00%3A00Z&sig=abc%2Bdef%2F123%3D";

let server: FakeServer;
beforeAll(async () => {
  server = await startFakeServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.asked.length = 0;
});

let count = 0;
const NONE = {
  ...{ GOOGLE_OAUTH_ACCESS_TOKEN: undefined, STORAGE_EMULATOR_HOST: undefined },
  ...{ AZURE_STORAGE_SAS_TOKEN: undefined, AZURE_STORAGE_BLOB_ENDPOINT: undefined },
};

function gcs(): { store: Store; fake: FakeGcs } {
  const fake = new FakeGcs("bucket", TOKEN);
  server.answer = fake.answer;
  const store = new GcsStore(`gs://bucket/p${count++}`, { token: TOKEN, endpoint: server.url, backoffMs: 1 });
  return { store, fake };
}

function azure(): { store: Store; fake: FakeAzure } {
  const fake = new FakeAzure("container", { sas: SAS });
  server.answer = fake.answer;
  const options = { sas: `?${SAS}`, endpoint: server.url, backoffMs: 1 };
  return { store: new AzureStore(`az://account/container/p${count++}`, options), fake };
}

describeStore("GcsStore", () => gcs().store, { deleteTells: false });
describeStore("AzureStore", () => azure().store, { deleteTells: false });

describe.each([
  ["gs", gcs],
  ["az", azure],
] as const)("%s", (_, make) => {
  test("listings of several pages, odd names, deletion of all", async () => {
    const { store, fake } = make();
    const names = ["a b", "+", "é", "&<>", "(1)'*!", "%41", "#?=", "x/y/z", "x/w", "🦊"];
    for (const name of names) await store.set!(`/k/${name}`, new Uint8Array(1));
    await store.set!("/other", new Uint8Array(1));
    expect(await keysOf(store, "/k")).toEqual(names.map((name) => `/k/${name}`).sort());
    expect((await store.listDir!("/k")).folders).toEqual(["x"]);
    expect(server.asked.filter(({ query }) => query.has("prefix")).length).toBeGreaterThan(5);
    await store.deleteBelow!("/k");
    expect(fake.objects.size).toBe(1);
  });

  test("large objects in parts", async () => {
    const { store } = make();
    const block = randomBytes(1 << 20);
    await store.setParts!("/large", Array<Uint8Array>(35).fill(block).values());
    const got = (await store.get("/large"))!;
    expect(got.length).toBe(35 << 20);
    for (let i = 0; i < 35; i++) expect(Buffer.compare(got.subarray(i << 20, (i + 1) << 20), block)).toBe(0);
  });

  test("arrays", async () => {
    const { store } = make();
    const x = cw.arange(0, 1000, 1, { dtype: "int32" }).reshape([20, 50]).rechunk([5, 25]);
    await x.toZarr(store, { shards: [10, 50], chunks: [5, 25], executor: "inline" });
    expect((await (await cw.fromZarr(store)).compute()).toList()).toEqual((await x.compute()).toList());
  });
});

describe("gs: who asks", () => {
  const at = (options: ConstructorParameters<typeof GcsStore>[1] = {}): GcsStore =>
    new GcsStore("gs://bucket/p", { endpoint: server.url, backoffMs: 1, ...options });

  test("the environment, the metadata server, a function; nobody", async () => {
    const fake = new FakeGcs("bucket", TOKEN);
    server.answer = (asked): Answered => {
      if (!asked.path.startsWith("/computeMetadata")) return fake.answer(asked);
      const isRight = asked.headers["metadata-flavor"] === "Google" && asked.path.endsWith("/default/token");
      return isRight ? { body: JSON.stringify({ access_token: TOKEN, expires_in: 3600 }) } : { status: 403 };
    };
    const host = server.url.replace("http://", "");
    await withEnvironment({ ...NONE, GOOGLE_OAUTH_ACCESS_TOKEN: TOKEN }, () =>
      at().set("/a", new Uint8Array(1)),
    );
    await withEnvironment({ ...NONE, GCE_METADATA_HOST: host }, async () => {
      const store = at();
      await Promise.all([store.get("/a"), store.get("/a"), store.get("/b")]);
      expect(server.asked.filter(({ path }) => path.startsWith("/computeMetadata")).length).toBe(1);
    });
    let given = 0;
    const token = () => ({ token: given++ === 0 ? "too-old-token" : TOKEN, expires: Date.now() + 3.6e6 });
    expect(await at({ token }).has("/a")).toBe(true);
    expect(given).toBe(2);
    server.answer = () => ({ status: 404 });
    await withEnvironment({ ...NONE, GCE_METADATA_HOST: host }, () =>
      expect(at().get("/a")).rejects.toThrow(
        /looked for GOOGLE_OAUTH_ACCESS_TOKEN.*gcloud auth print-access-token/,
      ),
    );
    server.answer = ({ headers }) => (headers.authorization === undefined ? { body: "x" } : { status: 400 });
    expect((await at({ anonymous: true }).get("/a"))!.length).toBe(1);
    expect(() => at({ anonymous: true }).location()).not.toThrow();
  });

  test("refusals and locations", async () => {
    server.answer = new FakeGcs("other", TOKEN).answer;
    await expect(at({ token: TOKEN }).get("/a")).rejects.toThrow("There is no gs://bucket");
    await expect(at({ token: "wrong-token" }).get("/a")).rejects.toThrow("401 AuthenticationRequired");
    await expect(
      new GcsStore("gs://bucket", { token: TOKEN, endpoint: "http://example.org" }).get("/a"),
    ).rejects.toThrow("a token over http: to example.org");
    await withEnvironment(NONE, async () => {
      expect(new GcsStore("gs://bucket/p").location()).toEqual({ kind: "gs", bucket: "bucket", path: "p" });
      expect(await new GcsStore("gs://bucket/p").address()).toBe("https://storage.googleapis.com/bucket/p");
    });
    expect(at({ token: TOKEN }).location()).toBeNull();
  });
});

describe("az: who asks", () => {
  const at = (options: ConstructorParameters<typeof AzureStore>[1] = {}): AzureStore =>
    new AzureStore("az://account/container/p", { endpoint: server.url, backoffMs: 1, ...options });

  test("a token, the environment; nobody", async () => {
    server.answer = new FakeAzure("container", { token: TOKEN }).answer;
    await at({ token: TOKEN }).set("/a", new Uint8Array(1));
    server.answer = new FakeAzure("container", { sas: SAS }).answer;
    await withEnvironment({ ...NONE, AZURE_STORAGE_SAS_TOKEN: SAS }, () => at().set("/a", new Uint8Array(1)));
    await withEnvironment(NONE, () =>
      expect(at().get("/a")).rejects.toThrow(
        /looked for the options sas and token, and AZURE_STORAGE_SAS_TOKEN/,
      ),
    );
    server.answer = ({ query, headers }) =>
      query.size === 0 && headers.authorization === undefined ? { body: "x" } : { status: 400 };
    expect((await at({ anonymous: true }).get("/a"))!.length).toBe(1);
  });

  test("refusals and locations", async () => {
    server.answer = new FakeAzure("other", { sas: SAS }).answer;
    await expect(at({ sas: SAS }).get("/a")).rejects.toThrow("There is no az://account/container");
    await expect(at({ sas: "sv=1&sig=wrong-signature" }).get("/a")).rejects.toThrow(
      "The SAS or token is wrong or too old",
    );
    await expect(at({ sas: "a b" }).get("/a")).rejects.toThrow("sas is not a shared access signature");
    await withEnvironment(NONE, async () => {
      const store = new AzureStore("az://account/container/p", { anonymous: true });
      expect(store.location()).toEqual({
        ...{ kind: "az", account: "account", container: "container", path: "p", anonymous: true },
      });
      expect(await store.address()).toBe("https://account.blob.core.windows.net/container/p");
    });
    for (const wrong of ["az://account", "az://Account/container", "az://account/"])
      expect(() => new AzureStore(wrong), wrong).toThrow("az://account/container/path");
  });
});
