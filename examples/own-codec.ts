// A codec of your own: added to the engine by the address of its module, named by stored arrays, loaded where a chunk needs it.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-example-"));

// From now on arrays may be written and read with it, on every thread.
cw.engine.codecs.add({ name: "bytedelta", module: new URL("./delta-codec.js", import.meta.url) });

// It goes before compressors, like any other codec; here in the chunks of shards.
const x = cw.arange(0, 1e5, 1, { dtype: "int32", chunks: 25_000 });
const [plain, own] = await cw.store(
  [x, x],
  [
    { store: join(folder, "plain.zarr"), chunks: [5000], shards: [25_000], codecs: ["gzip"] },
    {
      store: join(folder, "own.zarr"),
      chunks: [5000],
      shards: [25_000],
      codecs: [{ name: "bytedelta", configuration: { distance: 4 } }, "gzip"],
    },
  ],
  { executor: "threads" },
);
const sizeOf = (name: string): number => readFileSync(join(folder, name, "c", "0")).length;
console.log("smaller by more than half:", sizeOf("own.zarr") < sizeOf("plain.zarr") / 2);

// Who reads it needs the codec, and nothing else.
const isSame = plain!.equal(own!).all();
console.log("the same elements:", (await isSame.compute({ executor: "threads" })).item());
assert.equal((await own!.sum().compute({ executor: "inline" })).item(), (1e5 * (1e5 - 1)) / 2);

// A codec that is loaded by a function stays on this thread; one that makes more than it is given says by how much.
cw.engine.codecs.add({ name: "hex", growth: 2, load: async () => ({ default: hex }) });
function hex(): cw.CodecImplementation {
  return {
    encode: (bytes) => new TextEncoder().encode(Buffer.from(bytes).toString("hex")),
    decode: (bytes) => new Uint8Array(Buffer.from(Buffer.from(bytes).toString(), "hex")),
  };
}
const text = await x.toZarr(new cw.MemoryStore(), { codecs: ["hex"] });
assert.equal((await text.max().compute()).item(), 99_999);

// A codec that nobody added is an error when the array is opened.
try {
  await x.toZarr(new cw.MemoryStore(), { codecs: ["deltas"] });
} catch (error) {
  console.log(String(error));
}
rmSync(folder, { recursive: true });
