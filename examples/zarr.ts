// Zarr: arrays in files, over HTTP, in archives and in memory; written chunk by chunk, read in parts, never trusted.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-zarr-"));
const place = (name: string): string => join(folder, name);

// Write: chunks are those of the lazy array, codecs are zstd and crc32c.
const days = cw
  .arange(0, 365 * 24, 1, { dtype: "float32" })
  .reshape([365, 24])
  .rechunk([73, 24]);
const stored = await days.toZarr(place("days.zarr"), {
  attributes: { units: "K" },
  dimensionNames: ["day", "hour"],
});
console.log(stored.dtype, stored.shape, stored.chunks);

// Open: only metadata are read. Computing reads the chunks that are needed.
const opened = await cw.fromZarr(place("days.zarr"));
const noon = opened.get(":", 12);
console.log("mean at noon:", (await noon.mean().compute()).item());

// Cut otherwise than it is stored: multiples of the stored chunks are read best.
const wide = await cw.fromZarr(place("days.zarr"), { chunks: [146, 24] });
console.log(wide.chunks);

// Several arrays at once: what they share is computed once, each chunk is written as soon as it is there.
const celsius = opened.subtract(273.15);
const [low, high] = await cw.store(
  [celsius.min({ axis: 1 }), celsius.max({ axis: 1 })],
  [
    { store: place("weather.zarr"), path: "daily/low" },
    { store: place("weather.zarr"), path: "daily/high", codecs: ["gzip"] },
  ],
);
console.log(low!.shape, high!.shape);

// Groups.
const group = await cw.openGroup(place("weather.zarr"), { path: "daily" });
for (const { path, kind } of await group.members()) console.log(kind, path);
console.log((await group.array("high")).chunks);

// An array that is one value everywhere is stored as its fill value: no chunk is written, however large it is.
await cw.zeros([40_000, 40_000], { dtype: "float32", chunks: 1000 }).toZarr(place("large.zarr"));
const tile = cw.ones([1000, 2000], { dtype: "float32" });
const large = await tile.toZarr(place("large.zarr"), { region: ["3000:4000", ":2000"] });
console.log("written of 6.4 GB:", (await large.get("2500:4500", ":4000").sum().compute()).item(), "elements");

// A region of an array that is there: slices that begin and end where its chunks do.
await cw.zeros([73, 24], { dtype: "float32" }).toZarr(place("days.zarr"), { region: ["73:146", ":"] });
console.log("day 100 is cleared:", (await opened.get(100).sum().compute()).item());

// Codecs: compressors and checksums in the order of writing; a name, or with its configuration.
await days.toZarr(place("packed.zarr"), {
  codecs: [
    { name: "blosc", configuration: { cname: "zstd", shuffle: "shuffle", typesize: 4, clevel: 5 } },
    "crc32c",
  ],
});
// Half the bytes, as zarr-python 2 would write it.
await days.divide(10_000).toZarr(place("half.zarr"), {
  dtype: "float16",
  zarrFormat: 2,
  order: "F",
  codecs: ["zstd"],
  fillValue: Number.NaN,
});
console.log((await cw.fromZarr(place("half.zarr"))).dtype);

// Shards: many chunks in one file. A part is read without the rest of the file.
await days.toZarr(place("sharded.zarr"), { chunks: [5, 24], shards: [75, 24] });
console.log("files:", readdirSync(place("sharded.zarr/c")).length);
const week = await (await cw.fromZarr(place("sharded.zarr"))).get("0:7").compute();
console.log("a week:", week.shape);

// Stores are paths, URLs, or objects with a method `get`.
const memory = new cw.MemoryStore();
await days.toZarr(memory);
console.log("in memory:", memory.byteLength > 0);

// A store of one's own: any object with `get`; what it cannot do, it need not have.
const counted: { [key: string]: number } = {};
const counting: cw.Store = {
  get(key) {
    counted[key] = (counted[key] ?? 0) + 1;
    return memory.get(key);
  },
};
await (await cw.fromZarr(counting)).get("0:10").sum().compute({ executor: "inline" });
console.log(counted);

// Over HTTP: ranges must be answered with 206, what fails in passing is tried again.
const server = createServer((request, response) => {
  const file = place(`sharded.zarr${request.url!}`);
  const range = /bytes=(\d*)-(\d*)/.exec(request.headers.range ?? "");
  try {
    const bytes = readFileSync(file);
    if (range === null) return void response.end(bytes);
    const start = range[1] === "" ? bytes.length - Number(range[2]) : Number(range[1]);
    const end = range[1] === "" ? bytes.length : Number(range[2]) + 1;
    response.writeHead(206, { "Content-Range": `bytes ${start}-${end - 1}/${bytes.length}` });
    response.end(bytes.subarray(start, end));
  } catch {
    response.writeHead(404).end();
  }
}).listen(0);
const { port } = server.address() as AddressInfo;
const remote = await cw.fromZarr(
  new cw.HttpStore(`http://127.0.0.1:${port}`, { concurrency: 4, retries: 2 }),
);
console.log("over HTTP:", (await remote.get("0:2", 0).compute()).toList());
server.close();
server.closeAllConnections();

// Integrity: a chunk is whole or an error that names it.
const file = place("days.zarr/c/4/0");
const bytes = readFileSync(file);
bytes[bytes.length - 20]! ^= 1;
writeFileSync(file, bytes);
try {
  await opened.add(1).compute({ executor: "inline" });
} catch (error) {
  assert.ok(error instanceof cw.RunError);
  assert.ok(error.cause instanceof cw.CorruptDataError);
  console.log(error.operation, error.chunk, error.cause.where);
}
// Parts that do not need it are there.
console.log((await opened.get(0, 1).compute()).item());

// Hostile metadata are refused before anything is made of them.
writeFileSync(place("days.zarr/zarr.json"), '{"zarr_format": 3, "node_type": "array", "shape": [-1e308]}');
try {
  await cw.fromZarr(place("days.zarr"));
} catch (error) {
  assert.ok(error instanceof cw.MetadataError);
  console.log(error.message);
}

rmSync(folder, { recursive: true });
