// One conformance suite over the stores, then what only a folder has to hold: containment, atomic writes, strays.

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  CorruptDataError,
  FileStore,
  MemoryStore,
  type StoreKey,
  StoreKeyError,
  ZipStore,
  zipOf,
} from "../../src/storage/index.ts";
import { isStray, machineName } from "../../src/storage/strays.ts";
import { describeStore, keysOf } from "./storeConformance.ts";
import { randomBytes } from "./support.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-stores-"));
afterAll(() => rmSync(root, { recursive: true }));
let count = 0;
const folder = (): string => join(root, `store${count++}`);

describeStore("MemoryStore", () => new MemoryStore(), { hasSignals: false });
describeStore("FileStore", () => new FileStore(folder()));
describeStore(
  "FileStore, blocking, durable",
  () => new FileStore(folder(), { blocking: true, durable: true }),
);

describe("FileStore stays inside its root", () => {
  function escaping(): { store: FileStore; outside: string } {
    const at = folder();
    const outside = `${at}-outside`;
    mkdirSync(join(at, "real"), { recursive: true });
    mkdirSync(outside);
    writeFileSync(join(outside, "secret"), "secret");
    writeFileSync(join(at, "real", "here"), "here");
    symlinkSync(outside, join(at, "folder"));
    symlinkSync(join(outside, "secret"), join(at, "file"));
    symlinkSync(join(outside, "not-there"), join(at, "dangling"));
    symlinkSync(join(at, "real"), join(at, "inside"));
    symlinkSync(join(at, "real", "here"), join(at, "inside-file"));
    return { store: new FileStore(at), outside };
  }

  test.each(["/file", "/folder/secret", "/dangling/x"] as const)("%s cannot be read", async (key) => {
    const { store } = escaping();
    for (const read of [
      () => store.get(key),
      () => store.getRange(key, { offset: 0, length: 1 }),
      () => store.has(key),
      () => store.open(key),
    ])
      await expect(read(), String(read)).rejects.toBeInstanceOf(StoreKeyError);
  });

  test("nothing is written or deleted through a link that leads out", async () => {
    const { store, outside } = escaping();
    for (const key of ["/folder/new", "/folder/deep/er/new", "/dangling/new"] as const)
      await expect(store.set(key, new Uint8Array(1))).rejects.toBeInstanceOf(StoreKeyError);
    await expect(store.delete("/folder/secret")).rejects.toBeInstanceOf(StoreKeyError);
    // A link that is the object itself is replaced, not followed.
    await store.set("/file", new Uint8Array([1]));
    expect([...(await store.get("/file"))!]).toEqual([1]);
    expect(readdirSync(outside)).toEqual(["secret"]);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret");
    await expect(store.listDir("/folder")).rejects.toBeInstanceOf(StoreKeyError);
    await expect(keysOf(store, "/folder")).rejects.toBeInstanceOf(StoreKeyError);
  });

  test("links that stay inside are followed", async () => {
    const { store } = escaping();
    expect(new TextDecoder().decode(await store.get("/inside/here"))).toBe("here");
    expect(new TextDecoder().decode(await store.get("/inside-file"))).toBe("here");
    expect(await store.has("/inside-file")).toBe(true);
  });

  test("a root that is a link, and a root that is not there yet", async () => {
    const at = folder();
    mkdirSync(at);
    symlinkSync(at, `${at}-link`);
    const store = new FileStore(`${at}-link`);
    await store.set("/a", new Uint8Array([5]));
    expect([...(await store.get("/a"))!]).toEqual([5]);
    const deep = new FileStore(join(at, "x", "y"));
    expect(await deep.get("/a")).toBeUndefined();
    await deep.set("/a", new Uint8Array([6]));
    expect([...(await deep.get("/a"))!]).toEqual([6]);
  });
});

describe("FileStore reads and writes small objects at once", () => {
  async function known(): Promise<{ store: FileStore; at: string }> {
    const at = folder();
    const store = new FileStore(at);
    await store.set("/a/x", new Uint8Array([1, 2, 3]));
    return { store, at };
  }

  test("objects of just the length, in folders that were looked at", async () => {
    const { store, at } = await known();
    const target = new Uint8Array(3);
    expect(store.readNow("/a/x", target)).toBe(true);
    expect([...target]).toEqual([1, 2, 3]);
    expect(store.writeNow("/a/y", new Uint8Array([4, 5]))).toBe(true);
    expect(store.writeNow("/a/y", new Uint8Array([6]))).toBe(true);
    expect([...(await store.get("/a/y"))!]).toEqual([6]);
    expect(readdirSync(join(at, "a")).sort()).toEqual(["x", "y"]);
  });

  test("anything else is left to the other way, and nothing has happened", async () => {
    const { store, at } = await known();
    const target = new Uint8Array([9, 9]);
    expect(store.readNow("/a/x", target), "longer").toBe(false);
    expect(store.readNow("/a/x", new Uint8Array(4)), "shorter").toBe(false);
    expect(store.readNow("/a/z", target), "missing").toBe(false);
    expect(store.readNow("/b/x", target), "another folder").toBe(false);
    expect(store.readNow("/a/../x", target), "no name").toBe(false);
    expect(store.readNow("/a/x", new Uint8Array(5000)), "large").toBe(false);
    expect([...target]).toEqual([9, 9]);
    expect(new FileStore(at).readNow("/a/x", new Uint8Array(3)), "not open yet").toBe(false);
    expect(store.writeNow("/b/x", target), "another folder").toBe(false);
    expect(store.writeNow("/a/..", target), "no name").toBe(false);
    mkdirSync(join(at, "a", "folder"));
    expect(store.writeNow("/a/folder", target), "a folder is there").toBe(false);
    rmSync(join(at, "a"), { recursive: true });
    expect(store.writeNow("/a/x", target), "the folder is gone").toBe(false);
    expect(readdirSync(at)).toEqual([]);
  });

  test("no link is followed, and no option forgotten", async () => {
    const { store, at } = await known();
    writeFileSync(`${at}-secret`, "abc");
    symlinkSync(`${at}-secret`, join(at, "a", "link"));
    expect(store.readNow("/a/link", new Uint8Array(3))).toBe(false);
    for (const options of [{ readOnly: true }, { durable: true }]) {
      const other = new FileStore(at, options);
      await other.get("/a/x");
      expect(other.readNow("/a/x", new Uint8Array(3))).toBe(true);
      expect(other.writeNow("/a/x", new Uint8Array(1))).toBe(false);
    }
    expect(readdirSync(join(at, "a")).sort()).toEqual(["link", "x"]);
  });
});

describe("FileStore writes whole objects", () => {
  test("readers see the old object or the new one", async () => {
    const store = new FileStore(folder());
    const versions = [randomBytes(300_000, 1), randomBytes(300_000, 2)];
    await store.set("/a", versions[0]!);
    let done = false;
    const writer = (async () => {
      for (let i = 0; i < 40; i++) await store.set("/a", versions[i % 2]!);
      done = true;
    })();
    while (!done) {
      const bytes = (await store.get("/a"))!;
      expect(versions.some((version) => Buffer.compare(version, bytes) === 0)).toBe(true);
    }
    await writer;
    expect(readdirSync(store.root)).toEqual(["a"]);
  });

  test("a failed write leaves nothing", async () => {
    const store = new FileStore(folder());
    await store.set("/a/b", new Uint8Array(1));
    // A folder cannot be replaced by a file.
    await expect(store.set("/a", new Uint8Array(1))).rejects.toThrow();
    expect(readdirSync(store.root)).toEqual(["a"]);
  });

  test("strays of dead processes are swept, those of living ones are not", async () => {
    const store = new FileStore(folder());
    await store.set("/a/b", new Uint8Array(1));
    const dead = `.chunkwise-${machineName()}-999999999-abc-0-1.partial`;
    const living = `.chunkwise-${machineName()}-${process.ppid}-abc-0-1.partial`;
    const elsewhere = ".chunkwise-00000000-1-abc-0-1.partial";
    for (const name of [dead, living, elsewhere]) {
      expect(isStray(name)).toBe(true);
      writeFileSync(join(store.root, "a", name), "x");
    }
    expect(await keysOf(store, "/")).toEqual(["/a/b"]);
    expect(await store.sweepStrays()).toBe(1);
    expect(readdirSync(join(store.root, "a")).sort()).toEqual([elsewhere, living, "b"].sort());
    expect(await store.sweepStrays({ olderThanMs: -1 })).toBe(2);
    expect(readdirSync(join(store.root, "a"))).toEqual(["b"]);
  });
});

describe("ZipStore", () => {
  test("an archive of a store reads as the store", async () => {
    const store = new MemoryStore();
    const objects: [StoreKey, Uint8Array][] = [
      ["/a", randomBytes(1000)],
      ["/b/ü", new Uint8Array(0)],
      ["/b/c/d", randomBytes(9, 3)],
    ];
    for (const [key, bytes] of objects) await store.set(key, bytes);
    const archive = await zipOf(store);
    const path = join(root, "archive.zip");
    writeFileSync(path, archive);
    for (const zip of [new ZipStore(archive), await ZipStore.fromFile(path)]) {
      for (const [key, bytes] of objects) expect(await zip.get(key)).toEqual(bytes);
      expect(await keysOf(zip, "/b")).toEqual(["/b/c/d", "/b/ü"]);
      expect(await zip.getRange("/a", { offset: 5, length: 6 })).toEqual(objects[0]![1].subarray(5, 11));
      expect(await zip.getRange("/a", { suffixLength: 6 })).toEqual(objects[0]![1].subarray(994));
      expect(await zip.get("/nothing")).toBeUndefined();
    }
  });

  test("damage is found", async () => {
    const store = new MemoryStore();
    await store.set("/a", randomBytes(1000));
    const archive = await zipOf(store);
    const flipped = archive.slice();
    flipped[500]! ^= 1;
    await expect(new ZipStore(flipped).get("/a")).rejects.toBeInstanceOf(CorruptDataError);
    for (let length = 0; length < archive.length; length += 37)
      await expect(new ZipStore(archive.slice(0, length)).get("/a"), String(length)).rejects.toBeInstanceOf(
        CorruptDataError,
      );
  });
});
