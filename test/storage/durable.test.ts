// What a durable store does before it says that an object is there: the data are on the disk before they get their name,
// the name is before `set` ends, and so are the names of folders that were made for it.

import fs, { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FileStore, StoreRequestError, storeAt } from "../../src/storage/index.ts";
import { isStray } from "../../src/storage/strays.ts";

const { fsync, renameSync } = fs;
let root: string;
let seen: string[];

/** Renames and syncs as they happen, with paths relative to the root. */
function record(): void {
  const nameOf = (path: string): string => relative(root, path) || ".";
  vi.spyOn(fs, "fsync").mockImplementation((file, done) => {
    const path = readlinkSync(`/proc/self/fd/${file}`);
    const isFile = isStray(path.split("/").at(-1)!);
    seen.push(isFile ? "sync data" : `sync ${nameOf(path)}`);
    return fsync(file, done);
  });
  vi.spyOn(fs, "renameSync").mockImplementation((from, to) => {
    seen.push(`rename ${nameOf(String(to))}`);
    return renameSync(from, to);
  });
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "chunkwise-durable-"));
  seen = [];
  if (process.platform === "linux") record();
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

describe.runIf(process.platform === "linux")("durable: true", () => {
  test.each([false, true])("data, name and new folders, in this order (blocking: %s)", async (blocking) => {
    const store = new FileStore(root, { durable: true, blocking });
    await store.set("/a/b/x", new Uint8Array(100_000));
    expect(seen).toEqual(["sync .", "sync a", "sync data", "rename a/b/x", "sync a/b"]);
    seen.length = 0;
    await store.set("/a/b/y", new Uint8Array(3));
    expect(seen).toEqual(["sync data", "rename a/b/y", "sync a/b"]);
  });

  test("a small object is not written behind its back", async () => {
    const store = new FileStore(root, { durable: true });
    await store.set("/x", new Uint8Array(3));
    expect(store.writeNow("/x", new Uint8Array(3))).toBe(false);
  });

  test("without it nothing is synced; the names of a tree can be, all at once", async () => {
    const store = new FileStore(join(root, "s"));
    await store.set("/a/b/x", new Uint8Array(3));
    expect(seen).toEqual(["rename s/a/b/x"]);
    seen.length = 0;
    await store.syncFolders("/a");
    expect(seen).toEqual(["sync s/a/b", "sync s/a", "sync s"]);
    seen.length = 0;
    await store.syncFolders();
    expect(seen).toEqual(["sync s/a/b", "sync s/a", "sync s", "sync ."]);
    await store.syncFolders("/nothing");
    expect(seen).toHaveLength(4);
  });

  test("a disk that fails is an error, and no name is given", async () => {
    const store = new FileStore(root, { durable: true });
    vi.spyOn(fs, "fsync").mockImplementation((_, done) =>
      done(Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" })),
    );
    await expect(store.set("/x", new Uint8Array(3))).rejects.toThrow(StoreRequestError);
    expect(readdirSync(root)).toEqual([]);
  });

  test("a file system that cannot sync folders is as durable as it can be", async () => {
    const store = new FileStore(root, { durable: true });
    vi.spyOn(fs, "fsync").mockImplementation((file, done) =>
      isStray(readlinkSync(`/proc/self/fd/${file}`).split("/").at(-1)!)
        ? fsync(file, done)
        : done(Object.assign(new Error("EINVAL"), { code: "EINVAL" })),
    );
    await store.set("/x", new Uint8Array(3));
    expect(await store.has("/x")).toBe(true);
  });
});

test("a thread opens the store as durable as it is", async () => {
  const location = new FileStore(root, { durable: true }).location();
  expect(location).toEqual({ kind: "file", root, durable: true });
  expect((await storeAt(location)).isDurable).toBe(true);
  expect(new FileStore(root).location()).toEqual({ kind: "file", root });
});
