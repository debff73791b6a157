// Three worker processes over a real Redis whose shared store, sources and targets are in a real S3 (Ceph): the bits are those of
// the inline executor, also when a worker is killed, and of what was between tasks nothing is left.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import { bullmq } from "chunkwise/bullmq";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { storeOf } from "../../src/storage/location.ts";
import { requireList } from "../../src/storage/store.ts";
import { ensureBuilt } from "../built.ts";
import { DENSE } from "../runtime/remotePrograms.ts";
import { noRadosgw, type Radosgw, startRadosgw, titled } from "../storage/radosgw.ts";
import { hasRedis, needsRedis, RedisServer } from "./redisServer.ts";
import { MODULES, WorkerProcess } from "./workerProcess.ts";

const isSkipped = noRadosgw !== false || !hasRedis;

const bits = ({ dtype, shape, data }: cw.NDArray): string =>
  `${dtype} [${shape}] ${Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("hex")}`;

describe.skipIf(isSkipped)(titled(`workers whose store is S3${needsRedis}`), () => {
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-s3-cluster-"));
  const keys: { [name: string]: string } = {};
  const before: { [name: string]: string | undefined } = {};
  let redis: RedisServer;
  let s3: Radosgw;
  let workers: WorkerProcess[] = [];

  beforeAll(async () => {
    await ensureBuilt();
    [redis, s3] = await Promise.all([RedisServer.start(), startRadosgw()]);
    await s3.makeBucket("cluster");
    const { credentials, region, endpoint } = s3;
    Object.assign(keys, {
      ...{ AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey },
      ...{ AWS_REGION: region, AWS_ENDPOINT_URL_S3: endpoint },
    });
    for (const name of Object.keys(keys)) before[name] = process.env[name];
    Object.assign(process.env, keys);
    workers = await Promise.all(["ada", "bea", "cleo"].map(startWorker));
  }, 120_000);
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.endNow()));
    await Promise.all([redis.stop(), s3.stop()]);
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    rmSync(folder, { recursive: true, force: true });
  });

  const startWorker = (name: string): Promise<WorkerProcess> => {
    const where = ["--redis", `redis://127.0.0.1:${redis.port}`, "--name", name, "--threads", "1"];
    const roots = ["--store", "s3://cluster/work", "--allow-stores", "s3://cluster/data"];
    return WorkerProcess.run(name, ["worker", ...where, ...roots, "--allow-modules", MODULES], {
      ...keys,
      CHUNKWISE_REDIS_PASSWORD: redis.password,
    });
  };
  const on = () => ({
    executor: bullmq({ connection: redis.address }),
    spec: new cw.Spec({ workDir: "s3://cluster/work", allowedMem: "400MB" }),
  });
  const leftOver = async (): Promise<string[]> => {
    const list = requireList(await storeOf("s3://cluster/work"));
    const keysLeft: string[] = [];
    for await (const key of list("/")) keysLeft.push(String(key));
    return keysLeft;
  };

  test.each(DENSE)(
    "$name",
    async ({ arrays }) => {
      const wanted = await cw.compute(arrays(), { executor: "inline" });
      const by = new Set<string | undefined>();
      const onEvent = (event: cw.RunEvent): void => {
        if (event.type === "taskEnd") by.add(event.by);
      };
      const found = await cw.compute(arrays(), { ...on(), onEvent });
      expect(found.map(bits)).toEqual(wanted.map(bits));
      expect([...by].every((name) => ["ada", "bea", "cleo"].includes(name!))).toBe(true);
      expect(await leftOver()).toEqual([]);
    },
    60_000,
  );

  test("Zarr in S3 in and out, while a worker is killed", async () => {
    const x = cw
      .arange(0, 400 * 50, 1, { dtype: "float64" })
      .reshape([400, 50])
      .rechunk([20, 50])
      .sin();
    const source = await x.toZarr("s3://cluster/data/in.zarr", { executor: "inline" });
    const scan = (y: cw.LazyArray): cw.LazyArray => y.cumulativeSum({ axis: 0 }).add(y.mean({ axis: 0 }));
    let done = 0;
    const onEvent = (event: cw.RunEvent): void => {
      if (event.type === "taskEnd" && event.outcome === "done" && ++done === 5) workers[0]!.kill("SIGKILL");
    };
    const stored = await scan(source).toZarr("s3://cluster/data/out.zarr", { ...on(), onEvent });
    expect(bits(await stored.compute({ executor: "inline" }))).toBe(
      bits(await scan(x).compute({ executor: "inline" })),
    );
    expect(await workers[0]!.end()).toBe("SIGKILL");
    expect(await leftOver()).toEqual([]);
  }, 60_000);
});
