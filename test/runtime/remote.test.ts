// Runs on workers elsewhere: by a carrier in this process (tasks on this thread, and on task threads), in processes of their own
// over a shared folder, and as functions behind https. The same bits as inline, and nothing is left in the shared folder.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import * as cw from "chunkwise";
import { functions } from "chunkwise/functions";
import * as rg from "chunkwise/ragged";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { remoteExecutor } from "../../src/runtime/pools/remote/remotePool.ts";
import { ensureBuilt } from "../built.ts";
import { filesBelow, hereExecutor, newFolder, removeFolder } from "./remoteParts.ts";
import { fetchTrusting, newCertificate, ProcessCarrier, startService, TOKEN } from "./remoteProcesses.ts";
import { DENSE, NESTED, throughStores } from "./remotePrograms.ts";

function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

interface Way {
  readonly executor: cw.Executor;
  end(): Promise<void> | void;
}

/** How each is started, with the folder that it shares with the run. */
const WAYS: { [name: string]: (folder: string, stores: string) => Promise<Way> } = {
  "in this process": async (store, stores) => {
    const { executor, close } = await hereExecutor(3, roots(store, stores, 0));
    return { executor, end: close };
  },
  "on task threads": async (store, stores) => {
    const { executor, close } = await hereExecutor(1, roots(store, stores, 2));
    return { executor, end: close };
  },
  "in three processes": async (store, stores) => {
    const carrier = await ProcessCarrier.start(3, roots(store, stores, 1));
    return {
      executor: remoteExecutor(() => carrier, { name: "processes" }),
      end: () => carrier.end(),
    };
  },
};
if (hasOpenssl())
  WAYS["as functions behind https"] = async (store, stores) => {
    const tls = newCertificate(stores);
    const service = await startService(roots(store, stores, 2), tls);
    const executor = functions({ url: service.url, token: TOKEN, concurrency: 3, fetch: fetchTrusting(tls) });
    return { executor, end: service.end };
  };

const roots = (store: string, stores: string, threads: number) => ({
  ...{ store, threads, stores: [stores], modules: [import.meta.dirname] },
});

test.skipIf(hasOpenssl())(
  "functions behind https are tested where there is openssl (package openssl)",
  () => {},
);

beforeAll(ensureBuilt, 120_000);

describe.each(Object.entries(WAYS))("%s", (_, start) => {
  const [work, stores] = [newFolder("work"), newFolder("stores")];
  let way: Way;
  let run: cw.AsyncComputeOptions;

  beforeAll(async () => {
    way = await start(work, stores);
    run = { executor: way.executor, workDir: work };
  }, 60_000);
  afterAll(async () => {
    await way.end();
    removeFolder(work);
    removeFolder(stores);
  });

  test.each(DENSE)("$name", async ({ arrays }) => {
    const expected = await cw.compute(arrays(), { executor: "inline" });
    const found = await cw.compute(arrays(), run);
    found.forEach((array, i) => {
      expect(array.dtype).toBe(expected[i]!.dtype);
      expect(array.shape).toEqual(expected[i]!.shape);
      expect(array.data).toEqual(expected[i]!.data);
    });
    expect(filesBelow(work)).toEqual([]);
  });

  test("stored arrays, from a store to two others", async () => {
    const expected = await throughStores(join(stores, "inline"), { executor: "inline" });
    const found = await throughStores(join(stores, "remote"), run);
    expect(found.map(({ data }) => data)).toEqual(expected.map(({ data }) => data));
    expect(filesBelow(work)).toEqual([]);
  });

  test.each(NESTED)("nested: $name", async ({ array }) => {
    const plain = (value: unknown): unknown => (value instanceof rg.RaggedArray ? rg.toList(value) : value);
    const expected = plain(await rg.compute(array(), { executor: "inline" }));
    expect(plain(await rg.compute(array(), run))).toEqual(expected);
    expect(filesBelow(work)).toEqual([]);
  });

  test("nested data of a Parquet file", async () => {
    const path = join(stores, "lists.parquet");
    const rows = Array.from({ length: 40 }, (_, i) => ({ x: [i, i / 3], n: i % 3 }));
    await rg.toParquet(rg.lazy(rg.fromIter(rows), { npartitions: 4 }), path, { executor: "inline" });
    const of = async (options: cw.AsyncComputeOptions): Promise<unknown> => {
      const read = await rg.fromParquet(path);
      return rg.compute(rg.sum(read.field("x"), { axis: 1 }) as rg.LazyRagged, options);
    };
    const plain = (value: unknown): unknown => rg.toList(value as rg.RaggedArray);
    expect(plain(await of(run))).toEqual(plain(await of({ executor: "inline" })));
  });
});
