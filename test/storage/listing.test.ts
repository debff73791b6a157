// What is listed of a store in a folder: every object once, with its length; and which chunks of an array can be whole.

import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import * as cw from "../../src/index.ts";
import { FileStore, openArray, StoreRequestError } from "../../src/storage/index.ts";
import { machineName } from "../../src/storage/strays.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-listing-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const newPlace = (): string => join(root, `store${count++}`);

async function sizesOf(store: FileStore, prefix: `/${string}`): Promise<{ [key: string]: number }> {
  const found: { [key: string]: number } = {};
  for await (const batch of store.listSizes(prefix))
    for (const { key, size } of batch) {
      expect(found).not.toHaveProperty([key]);
      found[key] = size;
    }
  return found;
}

describe("FileStore.listSizes", () => {
  test.each([false, true])("everything below, once (blocking: %s)", async (blocking) => {
    const place = newPlace();
    const expected: { [key: string]: number } = {};
    // More than a batch, in one folder and in many.
    for (let i = 0; i < 1500; i++) {
      const name = i % 3 === 0 ? `a/${i}/x` : `a/b/${i}`;
      mkdirSync(join(place, name, ".."), { recursive: true });
      writeFileSync(join(place, name), "x".repeat(i % 7));
      expected[`/${name}`] = i % 7;
    }
    writeFileSync(join(place, "other"), "");
    writeFileSync(join(place, "a", `.chunkwise-${machineName()}-1-abc-0-1.partial`), "half");
    symlinkSync(place, join(place, "a", "loop"));
    symlinkSync("nowhere", join(place, "a", "nothing"));
    const store = new FileStore(place, { blocking });
    expect(await sizesOf(store, "/a")).toEqual(expected);
    expect(await sizesOf(store, "/")).toEqual({ ...expected, "/other": 0 });
    expect(await sizesOf(store, "/none")).toEqual({});
    const keys: string[] = [];
    for await (const key of store.list("/a")) keys.push(key);
    expect(keys.filter((key) => !/loop|nothing/.test(key)).sort()).toEqual(Object.keys(expected).sort());
  });

  test("stops when it is told to", async () => {
    const place = newPlace();
    mkdirSync(place);
    for (let i = 0; i < 10; i++) writeFileSync(join(place, String(i)), "");
    const signal = AbortSignal.abort(new Error("enough"));
    const listing = (async () => {
      for await (const _ of new FileStore(place).listSizes("/", { signal }));
    })();
    await expect(listing).rejects.toThrow("enough");
  });

  test.skipIf(process.getuid?.() === 0)("a folder that may not be read is an error", async () => {
    const place = newPlace();
    mkdirSync(place, { mode: 0 });
    const listing = (async () => {
      for await (const _ of new FileStore(place).listSizes("/"));
    })();
    await expect(listing).rejects.toThrow(StoreRequestError);
  });
});

const WAYS: { readonly [name: string]: cw.ToZarrOptions } = {
  "as they are": { codecs: [] },
  "with a checksum": { codecs: ["crc32c"] },
  compressed: {},
  "in shards": { chunks: [5], shards: [10] },
  "as v2": { zarrFormat: 2, codecs: [] },
};

describe.each(Object.keys(WAYS))("chunks stored %s", (name) => {
  const options = { ...WAYS[name], executor: "inline" } as const;
  const x = cw.arange(0, 60, 1, { dtype: "float64" }).rechunk([10]).sqrt();
  const fileOf = (place: string, i: number): string => join(place, name === "as v2" ? `${i}` : `c/${i}`);

  /** A finished array as a killed run leaves it: all there, and nobody said that it is done. */
  async function unfinished(): Promise<string> {
    const place = newPlace();
    await x.toZarr(place, options);
    const mark = join(place, ".chunkwise-run");
    writeFileSync(mark, readFileSync(mark, "utf8").split(" ")[0]!);
    return place;
  }

  async function computedAgain(place: string): Promise<number> {
    let begun = 0;
    const stored = await x.toZarr(place, {
      ...options,
      onEvent: ({ type }) => {
        if (type === "taskStart") begun++;
      },
    });
    expect((await stored.compute()).toList()).toEqual((await x.compute()).toList());
    return begun;
  }

  test("all of them are taken for whole", async () => {
    const place = await unfinished();
    const places: number[] = [];
    for await (const [at] of (await openArray(new FileStore(place))).listShards()) places.push(at!);
    expect(places.sort()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await computedAgain(place)).toBe(0);
  });

  test("one that was emptied is computed again", async () => {
    const place = await unfinished();
    truncateSync(fileOf(place, 3));
    expect(await computedAgain(place)).toBe(1);
    expect(statSync(fileOf(place, 3)).size).toBeGreaterThan(0);
  });

  test.skipIf(name === "compressed" || name === "in shards")(
    "one that was cut short, or grew, too",
    async () => {
      const place = await unfinished();
      truncateSync(fileOf(place, 1), statSync(fileOf(place, 1)).size - 1);
      writeFileSync(fileOf(place, 4), new Uint8Array(statSync(fileOf(place, 4)).size + 1));
      expect(await computedAgain(place)).toBe(2);
    },
  );
});
