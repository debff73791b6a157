// Leases: of many that want a folder one has it; one that is silent loses it, and knows.

import { MemoryStore } from "chunkwise";
import { describe, expect, test } from "vitest";
import { Lease } from "../../src/runtime/lease.ts";
import { FileStore } from "../../src/storage/fileStore.ts";
import { newFolder, removeFolder } from "./remoteParts.ts";

const TIMES = { beatMs: 20, deadMs: 120 };
/** A process of a machine that is not this one. */
const elsewhere = (beat: number): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ owner: "other", process: "0badcafe-12-ab", beat }));
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("a lease", () => {
  test.each(["memory", "files"])("of twenty at once one has it: %s", async (kind) => {
    const folder = newFolder("lease");
    const store = kind === "memory" ? new MemoryStore() : new FileStore(folder);
    const taken = await Promise.all(Array.from({ length: 20 }, () => Lease.take(store, "/run", TIMES)));
    const ours = taken.filter((lease) => lease !== null);
    expect(ours).toHaveLength(1);
    expect(ours[0]!.isOurs).toBe(true);
    await ours[0]!.release();
    const next = await Lease.take(store, "/run", TIMES);
    expect(next?.isOurs).toBe(true);
    await next!.release();
    removeFolder(folder);
  });

  test("is left to another that renews it, and taken from one that does not", async () => {
    const store = new MemoryStore();
    await store.set("/run/lease-4", elsewhere(0));
    let beat = 0;
    const renewing = setInterval(() => void store.set("/run/lease-4", elsewhere(++beat)), 10);
    expect(await Lease.take(store, "/run", TIMES)).toBeNull();
    clearInterval(renewing);
    const lease = await Lease.take(store, "/run", TIMES);
    expect((await store.listDir("/run")).keys).toEqual(["lease-5"]);
    await lease!.release();
  });

  test("that another took over is lost, and says so", async () => {
    const store = new MemoryStore();
    const lease = (await Lease.take(store, "/run", TIMES))!;
    await store.setNew("/run/lease-2", elsewhere(0));
    await wait(100);
    expect(lease.lost.aborted).toBe(true);
    expect(lease.isOurs).toBe(false);
    expect(await lease.confirm()).toBe(false);
    expect(String(lease.lost.reason)).toMatch(/another process took over this computation/);
    await lease.release();
    expect((await store.listDir("/run")).keys).toContain("lease-2");
  });

  test("that could not be renewed for long is not ours until it is", async () => {
    const store = new MemoryStore();
    let isDown = false;
    const flaky = new Proxy(store, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          if (isDown) throw new Error("the store is down");
          return Reflect.apply(member, target, args) as unknown;
        };
      },
    });
    const lease = (await Lease.take(flaky, "/run", TIMES))!;
    isDown = true;
    await wait(150);
    expect([lease.isOurs, await lease.confirm()]).toEqual([false, false]);
    isDown = false;
    expect(await lease.confirm()).toBe(true);
    await lease.release();
  });
});
