// Arrays written by zarr-python 2 and tensorstore are read bit for bit: whole, chunk by chunk, and in parts.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { newBlock, subBlock } from "../../src/core/block.ts";
import { chunkBox, placeOf, sizeOf } from "../../src/core/chunks.ts";

import {
  NotSupportedError,
  openArray,
  openGroup,
  type ZarrArray,
  ZipStore,
} from "../../src/storage/index.ts";
import { copyBlock } from "../../src/storage/zarr/blockCopies.ts";
import { bytesOf, expectedOf, FIXTURES, hex, seen } from "./support.ts";

const stores = {
  v2: new ZipStore(readFileSync(`${FIXTURES}/v2.zip`)),
  v3: new ZipStore(readFileSync(`${FIXTURES}/v3.zip`)),
};

/** The array put together from its chunks. */
async function fromChunks(array: ZarrArray) {
  const whole = newBlock(array.dtype, array.shape);
  for (let i = 0; i < sizeOf(array.chunkGrid); i++) {
    const place = placeOf(i, array.chunkGrid);
    const box = chunkBox(array.shape, array.chunks, place);
    const chunk = await array.getChunk(place, { missing: "fill" });
    expect(chunk!.shape).toEqual(box.shape);
    copyBlock(chunk!, subBlock(whole, box.start, box.shape));
  }
  return whole;
}

describe.each(["v2", "v3"] as const)("%s", (version) => {
  const expected = expectedOf(version);
  const names = Object.keys(expected);

  test.each(names.filter((name) => expected[name] !== null))("%s", async (name) => {
    const wanted = expected[name]!;
    const array = await openArray(stores[version], name);
    const whole = await array.read();
    expect(seen(whole, array.storedDType, wanted)).toEqual(wanted);
    expect(seen(await fromChunks(array), array.storedDType, wanted)).toEqual(wanted);
    // A part that begins and ends inside chunks.
    const start = array.shape.map((length) => Math.floor(length / 3));
    const shape = array.shape.map((length, axis) => Math.max(0, length - start[axis]! - 1));
    const part = await array.readRegion(start, shape);
    expect(hex(bytesOf(part))).toBe(hex(bytesOf(subBlock(whole, start, shape))));
  });

  const bad = names.filter((name) => expected[name] === null);
  test.skipIf(bad.length === 0)("what is not supported says so", async () => {
    for (const name of bad)
      await expect(openArray(stores[version], name), name).rejects.toBeInstanceOf(NotSupportedError);
  });
});

describe("groups and attributes", () => {
  test("v2: consolidated, attributes with NaN, xarray's dimension names", async () => {
    const raw = stores.v2;
    const group = await openGroup(raw);
    expect(group.attributes).toEqual({ title: "fixtures" });
    // One array that is not supported does not make the others unreadable.
    expect((await group.members({ deep: true })).filter(({ kind }) => kind === "unsupported").length).toBe(2);
    await expect(group.openArray("bad/structured")).rejects.toBeInstanceOf(NotSupportedError);
    expect((await group.openArray("plain/int32_F")).chunks).toEqual([3, 4]);
    const plain = await openGroup(raw, "codec");
    expect((await plain.members()).length).toBeGreaterThan(100);
    const named = await openArray(raw, "named");
    expect(named.dimensionNames).toEqual(["y", "x"]);
    expect(named.attributes["units"]).toEqual({ of: ["metre", 1, null, 1.5], missing: Number.NaN });
  });

  test("v3: dimension names and attributes", async () => {
    const named = await openArray(stores.v3, "named");
    expect(named.dimensionNames).toEqual(["y", null]);
    expect(named.attributes).toEqual({ a: { b: [1, null] } });
  });
});
