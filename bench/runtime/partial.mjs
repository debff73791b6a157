// Parts of uncompressed chunks: a row, a column and a corner of a 4096 × 4096 array in chunks of 8 MB, beside zarrita,
// which reads whole chunks.

import { join } from "node:path";
import { FileSystemStore } from "@zarrita/storage";
import * as zarrita from "zarrita";
import { sampleData } from "./codecs.mjs";
import { sharedBlock, storage } from "./ours.mjs";
import { takeTurns } from "./turns.mjs";

const SIDE = 4096;
const CHUNK = 1024;
/** What is read, from where and how much, and how often in one turn. */
const PARTS = [
  { name: "one row", start: [1500, 0], shape: [1, SIDE], times: 8 },
  { name: "one column", start: [0, 1500], shape: [SIDE, 1], times: 4 },
  { name: "eight columns", start: [0, 1500], shape: [SIDE, 8], times: 4 },
  { name: "a corner of 64 × 64", start: [1000, 1000], shape: [64, 64], times: 8 },
  { name: "every chunk's first row", start: [0, 0], shape: [1, SIDE], times: 8 },
];

export async function measurePartial(folder, { rounds, progress }) {
  const place = join(folder, "partial");
  const options = { shape: [SIDE, SIDE], chunks: [CHUNK, CHUNK], dtype: "float64", codecs: [] };
  const array = await storage.createArray(new storage.FileStore(place), "", options);
  for (let i = 0; i < 16; i++) {
    const block = { dtype: "float64", shape: [CHUNK, CHUNK], strides: [CHUNK, 1], offset: 0 };
    await array.setChunk([i >> 2, i & 3], { ...block, data: sampleData(CHUNK * CHUNK, i) });
  }
  const theirs = await zarrita.open.v3(zarrita.root(new FileSystemStore(place)), { kind: "array" });
  const rows = [];
  for (const part of PARTS) {
    progress(`partial ${part.name}`);
    rows.push(await measurePart(part, array, theirs, rounds));
  }
  return rows;
}

async function measurePart({ name, start, shape, times }, array, theirs, rounds) {
  const target = sharedBlock(shape);
  const ranges = start.map((x, axis) => zarrita.slice(x, x + shape[axis]));
  const { data } = await zarrita.get(theirs, ranges);
  await array.readRegion(start, shape, target);
  if (!target.data.every((x, i) => x === data[i])) throw new Error(`${name} differs`);
  const timed = (action) => async () => {
    await action();
  };
  const measured = await takeTurns(
    {
      ours: timed(() => array.readRegion(start, shape, target)),
      fresh: timed(() => array.readRegion(start, shape)),
      zarrita: timed(() => zarrita.get(theirs, ranges)),
    },
    rounds,
    times,
  );
  const each = (time) => (1000 * time.best) / times;
  const ours = each(measured.ours);
  const peer = each(measured.zarrita);
  const fresh = each(measured.fresh);
  return {
    name: `part: ${name}`,
    unit: "µs",
    ours,
    fresh,
    peer,
    peerName: "zarrita",
    ratio: peer / ours,
    medianRatio: measured.zarrita.median / measured.ours.median,
    goal: 3,
  };
}
