// Arrays and tables in S3 (Ceph), through the public functions: written and read inline and on threads, by address with the
// environment's keys and by stores with keys of their own; read by zarrita over plain HTTP; named by saved plans.

import { inspect } from "node:util";
import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as zarrita from "zarrita";
import { ensureBuilt } from "../built.ts";
import { noRadosgw, type Radosgw, startRadosgw, titled } from "./radosgw.ts";

const NAMES = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_ENDPOINT_URL_S3"] as const;
const before = NAMES.map((name) => process.env[name]);

let server: Radosgw;
beforeAll(async () => {
  if (noRadosgw !== false) return;
  await ensureBuilt();
  server = await startRadosgw();
  await server.makeBucket("arrays");
  await server.makePublic("arrays");
  const { credentials, region, endpoint } = server;
  const values = [credentials.accessKeyId, credentials.secretAccessKey, region, endpoint];
  for (const [i, name] of NAMES.entries()) process.env[name] = values[i];
}, 120_000);
afterAll(async () => {
  for (const [i, name] of NAMES.entries())
    if (before[i] === undefined) delete process.env[name];
    else process.env[name] = before[i];
  await server?.stop();
});

const grid = (): cw.LazyArray =>
  cw
    .arange(0, 120 * 80, 1, { dtype: "float64" })
    .reshape([120, 80])
    .rechunk([30, 20])
    .sqrt();

const listOf = async (x: cw.LazyArray, executor: "inline" | "threads" = "inline"): Promise<unknown> =>
  (await x.compute({ executor })).toList();

describe.skipIf(noRadosgw !== false)(titled("arrays in S3 (radosgw)"), () => {
  describe.each(["inline", "threads"] as const)("%s", (executor) => {
    test.each([
      ["plain", {}],
      ["sharded", { shards: [60, 40], chunks: [15, 20] }],
      ["of Zarr 2", { zarrFormat: 2 }],
    ] as const)("toZarr and fromZarr, %s", async (kind, options) => {
      const place = `s3://arrays/${executor}/${kind}.zarr`;
      await grid().toZarr(place, { ...options, executor, durable: true });
      const opened = await cw.fromZarr(place);
      expect(await listOf(opened, executor)).toEqual(await listOf(grid()));
      const part = opened.get(cw.slice(7, 100, 3), cw.slice(5)).add(1);
      const expected = grid()
        .get(cw.slice(7, 100, 3), cw.slice(5))
        .add(1);
      expect(await listOf(part, executor)).toEqual(await listOf(expected));
      // Again, over what is there.
      await grid()
        .negative()
        .toZarr(place, { ...options, executor, overwrite: true });
      const again = await cw.fromZarr(place);
      expect(await listOf(again, executor)).toEqual(await listOf(grid().negative()));
    });

    test("by a store with keys of its own, which threads ask through this one", async () => {
      const { endpoint, region, credentials } = server;
      const store = new cw.S3Store(`s3://arrays/${executor}/own.zarr`, { endpoint, region, credentials });
      expect(store.location()).toBeNull();
      await grid().toZarr(store, { executor, shards: [60, 40], chunks: [15, 20] });
      expect(await listOf(await cw.fromZarr(store), executor)).toEqual(await listOf(grid()));
    });
  });

  test("regions of an array, several arrays at once, groups", async () => {
    const place = "s3://arrays/group.zarr";
    await cw.store(
      [grid(), grid().multiply(2)],
      [
        { store: place, path: "a/x" },
        { store: place, path: "a/y" },
      ],
    );
    const group = await cw.openGroup(place, { path: "a" });
    expect((await group.members()).map(({ path }) => path).sort()).toEqual(["x", "y"]);
    expect(await listOf(await cw.fromZarr(place, { path: "a/y" }))).toEqual(await listOf(grid().multiply(2)));
    const opened = await cw.open(place, { path: "a/x" });
    expect(String(opened)).toContain("[120, 80]");
  });

  test("zarrita reads what we wrote, over plain HTTP without keys; we read it so, too", async () => {
    await grid().toZarr("s3://arrays/shared.zarr", { shards: [60, 40], chunks: [15, 20] });
    const url = `${server.endpoint}/arrays/shared.zarr`;
    const array = await zarrita.open.v3(new zarrita.FetchStore(url), { kind: "array" });
    const { data, shape } = await zarrita.get(array);
    expect(shape).toEqual([120, 80]);
    const own = (await grid().compute()).toList() as number[][];
    expect(Array.from(data as Float64Array)).toEqual(own.flat());
    expect(await listOf(await cw.fromZarr(url))).toEqual(own);
    const { endpoint } = server;
    const anonymous = new cw.S3Store("s3://arrays/shared.zarr", { endpoint, anonymous: true });
    expect(await listOf(await cw.fromZarr(anonymous), "threads")).toEqual(own);
  });

  test("saved plans name where, and not who; they are opened below roots that were named", async () => {
    await grid().toZarr("s3://arrays/planned.zarr");
    const opened = await cw.fromZarr("s3://arrays/planned.zarr");
    const text = cw.savePlan(opened.add(1).plan());
    const { accessKeyId, secretAccessKey } = server.credentials;
    expect(text).toContain('"bucket":"arrays"');
    expect(text).not.toContain(accessKeyId);
    expect(text).not.toContain(secretAccessKey);
    for (const stores of [["s3://arrays"], ["s3://arrays/planned.zarr"]]) {
      const plan = await cw.loadPlan(text, { stores });
      const [result] = await cw.computePlan(plan);
      expect(result!.toList()).toEqual(await listOf(grid().add(1)));
    }
    await expect(cw.loadPlan(text)).rejects.toThrow(/read s3:\/\/arrays\/planned.zarr.*stores: \["s3:/);
    await expect(cw.loadPlan(text, { stores: ["s3://arrays/plan"] })).rejects.toThrow("not below a root");
    // Somebody else's server does not become ours by the name of a bucket.
    const moved = text.replace(server.endpoint, "http://127.0.0.1:9");
    await expect(cw.loadPlan(moved, { stores: ["s3://arrays"] })).rejects.toThrow(
      "read http://127.0.0.1:9/arrays/planned.zarr",
    );
    const odd = text.replace('"bucket":"arrays"', '"bucket":"arrays","secretAccessKey":"x"');
    await expect(cw.loadPlan(odd, { stores: ["s3://arrays"] })).rejects.toThrow(
      "is not the location of a store",
    );
  });

  test("events of runs have no keys in them, of runs that fail neither", async () => {
    const events: string[] = [];
    const onEvent = (event: unknown): void =>
      void events.push(JSON.stringify(event) + inspect(event, { depth: 10 }));
    const { endpoint, region, credentials } = server;
    const own = new cw.S3Store("s3://arrays/events.zarr", { endpoint, region, credentials });
    for (const place of ["s3://arrays/events.zarr", own])
      for (const executor of ["inline", "threads"] as const)
        await grid().toZarr(place, { executor, onEvent, overwrite: true });
    const opened = [await cw.fromZarr("s3://arrays/events.zarr"), await cw.fromZarr(own)];
    await own.set("/c/0/0", new Uint8Array(3));
    for (const [i, executor] of (["inline", "threads"] as const).entries())
      await opened[i]!.add(1)
        .compute({ executor, onEvent })
        .then(
          () => expect.unreachable(),
          (cause: unknown) => events.push(inspect(cause, { depth: 10 })),
        );
    const all = events.join("\n");
    expect(all).toContain("CorruptDataError");
    expect(all).not.toContain(credentials.accessKeyId);
    expect(all).not.toContain(credentials.secretAccessKey);
  });

  test("a file per partition, written by threads", async () => {
    const rows = rg.fromIter([{ of: [1, 2] }, { of: [] }, { of: [3] }, { of: [4, 5, 6] }]);
    const lists = rg.lazy(rows, { npartitions: 2 });
    await rg.toParquet(lists, "s3://arrays/parts", { files: "perPartition", executor: "threads" });
    const opened = await rg.fromParquet("s3://arrays/parts/part-*.parquet");
    expect(((await opened.compute()) as rg.RaggedArray).toList()).toEqual(rows.toList());
    await expect(rg.toParquet(lists, "s3://arrays/parts", { files: "perPartition" })).rejects.toThrow(
      "Write into an empty folder",
    );
  });

  test("Parquet by address, folder and pattern; changed files are noticed", async () => {
    const rows = rg.fromIter([
      { id: 1, of: [1, 2] },
      { id: 2, of: [] },
      { id: 3, of: [5] },
    ]);
    const store = new cw.S3Store("s3://arrays/tables");
    for (const name of ["a", "b"]) await rg.toParquet(rows, `s3://arrays/tables/2024/${name}.parquet`);
    await store.set("/2024/notes.txt", new Uint8Array(3));
    for (const [place, files] of [
      ["s3://arrays/tables/2024/a.parquet", 1],
      ["s3://arrays/tables/2024", 2],
      ["s3://arrays/tables/2024/*.parquet", 2],
      ["s3://arrays/tables/**/?.parquet", 2],
    ] as const)
      for (const executor of ["inline", "threads"] as const) {
        const table = await rg.fromParquet(place);
        const ids = (await table.get("id").compute({ executor })) as rg.RaggedArray;
        expect(ids.toList().length, place).toBe(3 * files);
      }
    await expect(rg.fromParquet("s3://arrays/tables/2025/*.parquet")).rejects.toThrow(
      "no object has a name like this",
    );
    await expect(rg.fromParquet("s3://arrays/tables/2025")).rejects.toThrow("there is no such object");
    const opened = await rg.fromParquet("s3://arrays/tables/2024/a.parquet");
    await store.set("/2024/a.parquet", new Uint8Array(5000));
    await expect(opened.get("of").compute()).rejects.toThrow("has changed since it was opened");
  });
});
