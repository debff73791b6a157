// The arrays that the memory battery reads, written in a process of their own. In: a folder, and ways of storing. Out: in
// the folder, for each way, float64 arrays `x` (noise of 32 bits, which codecs make a little shorter) and `y` (smooth,
// which all make much shorter) and an int32 array `i`.
// Run: node sources.mjs folder kinds…

import { join } from "node:path";
import * as cw from "../../dist/index.js";
import { STORED } from "./stored.mjs";

/** Numbers in [0, 1) that follow each other without a pattern. */
function noise(length) {
  const data = new Float64Array(length);
  for (let i = 0, state = 1; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    data[i] = state / 2 ** 32;
  }
  return data;
}

const smooth = (length) => Float64Array.from({ length }, (_, i) => Math.floor(i / 64) / (length / 64));

async function write(folder, kinds) {
  for (const kind of kinds) {
    const { n, ...options } = STORED[kind];
    const x = noise(n * n);
    const arrays = { x, y: smooth(n * n), i: Int32Array.from(x, (value) => value * 1000) };
    for (const [name, data] of Object.entries(arrays)) {
      const array = cw.asarray(new cw.NDArray(data, [n, n]), { chunks: options.shards ?? options.chunks });
      await array.toZarr(join(folder, kind, name), options);
    }
  }
}

const [folder, ...kinds] = process.argv.slice(2);
await write(folder, kinds);
