// Codecs: MB/s of writing and reading 16 chunks of 8 MB, chunk by chunk, beside zarrita with its own file store. Each
// does it in its usual way: zarrita makes a new array per chunk, we read into memory that is there, as tasks do (and,
// as "new array", as zarrita does). zarrita cannot write gzip, crc32c or shards: then it reads ours.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { FileSystemStore } from "@zarrita/storage";
import * as zarrita from "zarrita";
import { sharedBlock, storage } from "./ours.mjs";
import { takeTurns } from "./turns.mjs";

const CHUNKS = 16;
const LENGTH = 2 ** 20;
const MEGABYTES = (CHUNKS * LENGTH * 8) / 1e6;

const little = { name: "bytes", configuration: { endian: "little" } };
const BLOSC = { cname: "lz4", clevel: 5, shuffle: "shuffle", typesize: 8, blocksize: 0 };

const CASES = [
  { name: "none", codecs: [], theirs: [] },
  { name: "zstd", codecs: [{ name: "zstd", configuration: { level: 1 } }], writes: true },
  { name: "gzip", codecs: [{ name: "gzip", configuration: { level: 1 } }] },
  { name: "blosc-lz4", codecs: [{ name: "blosc", configuration: BLOSC }], writes: true },
  { name: "lz4", codecs: [{ name: "lz4", configuration: { acceleration: 1 } }], writes: true },
  { name: "crc32c", codecs: ["crc32c"] },
  { name: "zstd + crc32c", codecs: [{ name: "zstd", configuration: { level: 1 } }, "crc32c"] },
  { name: "sharded", codecs: [], shards: 4 },
  { name: "sharded, zstd", codecs: [{ name: "zstd", configuration: { level: 1 } }], shards: 4 },
];

/** A slow wave with a little noise, in eighths: what measurements look like. The same every time. */
export function sampleData(length, seed) {
  const data = new Float64Array(length);
  let state = seed + 1;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    data[i] = Math.round(2000 * Math.sin((i + seed * length) / 5000) + (state >>> 28)) / 8;
  }
  return data;
}

const blockOf = (data) => ({ dtype: "float64", shape: [data.length], strides: [1], offset: 0, data });

async function ourArray(folder, { codecs, shards }) {
  return storage.createArray(new storage.FileStore(folder), "", {
    shape: [CHUNKS * LENGTH],
    chunks: [shards === undefined ? LENGTH : LENGTH / shards],
    shards: shards === undefined ? null : [LENGTH],
    dtype: "float64",
    codecs,
    overwrite: true,
    writeEmptyChunks: true,
  });
}

async function theirArray(folder, { codecs }) {
  mkdirSync(folder, { recursive: true });
  return zarrita.create(zarrita.root(new FileSystemStore(folder)), {
    shape: [CHUNKS * LENGTH],
    chunkShape: [LENGTH],
    dtype: "float64",
    codecs: [little, ...codecs],
  });
}

function setChunk(array, i, data) {
  const range = [zarrita.slice(i * LENGTH, (i + 1) * LENGTH)];
  return zarrita.set(array, range, { data, shape: [LENGTH], stride: [1] });
}

async function measureWrites(kase, folder, data, rounds) {
  const ours = await ourArray(join(folder, "ours"), kase);
  const entries = {
    ours: async (i) => {
      await ours.setShard([i], blockOf(data[i]));
    },
  };
  if (kase.writes || kase.name === "none") {
    const theirs = await theirArray(join(folder, "theirs"), kase);
    entries.zarrita = async (i) => {
      await setChunk(theirs, i, data[i]);
    };
  }
  return takeTurns(entries, rounds, CHUNKS);
}

/** Both read what we wrote. */
async function measureReads(kase, folder, data, rounds) {
  const ours = await storage.openArray(new storage.FileStore(join(folder, "ours")));
  const location = zarrita.root(new FileSystemStore(join(folder, "ours")));
  const theirs = await zarrita.open.v3(location, { kind: "array" });
  const target = sharedBlock([LENGTH]);
  await checkSame(ours, target, data);
  const perChunk = kase.shards ?? 1;
  /** The chunks of a shard, one after another. */
  const inTurn = async (i, get) => {
    for (let part = 0; part < perChunk; part++) await get([i * perChunk + part]);
  };
  return takeTurns(
    {
      ours: async (i) => {
        await ours.readRegion([i * LENGTH], [LENGTH], target);
      },
      "ours, new array": (i) => inTurn(i, (place) => ours.getChunk(place)),
      zarrita: (i) => inTurn(i, (place) => theirs.getChunk(place)),
    },
    rounds,
    CHUNKS,
  );
}

async function checkSame(array, target, data) {
  for (const i of [0, CHUNKS - 1]) {
    await array.readRegion([i * LENGTH], [LENGTH], target);
    if (!target.data.every((x, at) => x === data[i][at]))
      throw new Error(`chunk ${i} is not what was written`);
  }
}

const rate = (time) => (time === undefined ? null : MEGABYTES / (time.best / 1000));

function rowOf(name, times) {
  const ours = rate(times.ours);
  const fresh = rate(times["ours, new array"]);
  const peer = rate(times.zarrita);
  const ratio = peer === null ? null : ours / peer;
  const medianRatio = peer === null ? null : times.zarrita.median / times.ours.median;
  return { name, unit: "MB/s", ours, fresh, peer, peerName: "zarrita", ratio, medianRatio, goal: 1 };
}

export async function measureCodecs(folder, { rounds, only, progress }) {
  const data = Array.from({ length: CHUNKS }, (_, i) => sampleData(LENGTH, i));
  const rows = [];
  for (const kase of CASES) {
    if (only !== null && !only.includes(kase.name)) continue;
    progress(`codec ${kase.name}`);
    const place = join(folder, kase.name.replace(/\W+/g, "-"));
    const writes = await measureWrites(kase, place, data, Math.max(2, Math.ceil(rounds / 2)));
    rows.push(rowOf(`write ${kase.name}`, writes));
    const reads = await measureReads(kase, place, data, rounds);
    rows.push(rowOf(`read ${kase.name}`, reads));
  }
  return rows;
}
