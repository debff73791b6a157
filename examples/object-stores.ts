// Arrays in object storage: by address, by a store with options, and what a store tells of itself. The bucket is one of this
// example's own, on this machine.

import assert from "node:assert/strict";
import * as cw from "chunkwise";
// @ts-expect-error: JavaScript, without types
import { startTinyS3 } from "./tiny-s3.js";

const server = (await startTinyS3()) as { url: string; stop(): void };
const before = { ...process.env };
const variables = {
  AWS_ENDPOINT_URL_S3: server.url,
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "example",
  AWS_SECRET_ACCESS_KEY: "example-secret",
};
Object.assign(process.env, variables);

// An address wherever a store is asked for: keys, region and endpoint are those of the environment.
const days = cw.arange(0, 365, 1, { dtype: "float64", chunks: 73 });
const warm = cw.expr`10 - 8 * cos(2 * 3.14159265 * ${days} / 365)`;
await warm.toZarr("s3://weather/warm.zarr");
const year = await cw.fromZarr("s3://weather/warm.zarr");
console.log("mean:", Number((await year.mean().compute()).item()).toFixed(3));

// The same with options. Keys that are given so stay here: task threads ask this thread for objects.
const store = new cw.S3Store("s3://weather/warm.zarr", {
  endpoint: server.url,
  region: "us-east-1",
  credentials: { accessKeyId: "example", secretAccessKey: "example-secret" },
  concurrency: 8,
  retries: 3,
});
const same = await cw.fromZarr(store);
assert.equal((await same.equal(year).all().compute()).item(), true);
console.log("with keys:", store.location());

// Where a store is can be told to others; who asks cannot: they use keys of their own.
const told = new cw.S3Store("s3://weather/warm.zarr").location() as cw.S3Location;
assert.deepEqual(Object.keys(told).sort(), ["bucket", "endpoint", "kind", "path", "region"]);
console.log("without:", told.kind, told.bucket, told.path, told.region);

// An object that one of many makes, and the others find.
const locks = new cw.S3Store("s3://weather/locks");
const taken = await Promise.all(
  ["a", "b", "c"].map((name) => locks.setNew("/run-7", new TextEncoder().encode(name))),
);
console.log("taken:", taken.filter((isMine) => isMine).length);

for (const name of Object.keys(variables))
  if (before[name] === undefined) delete process.env[name];
  else process.env[name] = before[name];
server.stop();
