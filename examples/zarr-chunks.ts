// Zarr chunk by chunk, without a computation: chunkwise/zarr.

import assert from "node:assert/strict";
import { createArray, MemoryStore, newBlock, openArray } from "chunkwise/zarr";

const store = new MemoryStore();

// An array of 100 × 100 in chunks of 40 × 100: the last one ends with the array.
const made = await createArray(store, "grid", { shape: [100, 100], chunks: [40, 100], dtype: "int32" });
const block = newBlock("int32", [40, 100]);
(block.data as Int32Array).forEach((_, i, data) => {
  data[i] = i;
});
await made.setChunk([1, 0], block);

// A chunk that nobody stored is null; as part of a region it has the fill value.
const grid = await openArray(store, "grid");
console.log(await grid.getChunk([0, 0]));
const region = await grid.readRegion([38, 0], [4, 2]);
console.log(region.shape, Array.from(region.data as Int32Array));
for await (const place of grid.listChunks()) console.log("stored:", place);

// Stored bytes as they are: copied without decoding.
const copy = await createArray(store, "copy", { shape: [100, 100], chunks: [40, 100], dtype: "int32" });
await copy.setRaw([1, 0], (await grid.getRaw([1, 0]))!);
assert.deepEqual((await copy.getChunk([1, 0]))?.data, block.data);
