// The kernels' memory: places that never overlap and are used again, blocks that live as long as their data is held,
// and threads that report what went wrong.

import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newBlock, type Place } from "../../src/core/block.ts";
import type { LoopStep } from "../../src/kernel/blockProgram.ts";
import { LaneFailure } from "../../src/kernel/interpret/index.ts";
import { programOf } from "../../src/kernel/program.ts";
import * as s from "../../src/kernel/scalar.ts";
import { KeptBlocks } from "../../src/kernel/wasm/backend.ts";
import { Heap } from "../../src/kernel/wasm/heap.ts";
import { runLoopKernel } from "../../src/kernel/wasm/loops.ts";
import { WasmMachine } from "../../src/kernel/wasm/machine.ts";

// Helpers would come only when there has been some work.
const machine = new WasmMachine();
machine.helpers.start(1);
const { memory } = machine;
const results = new KeptBlocks(memory);

const LIMIT = 1 << 20;

const endOf = ({ address, bytes }: Place): number => address + bytes;
const areApart = (a: Place, b: Place): boolean => endOf(a) <= b.address || endOf(b) <= a.address;

/** Sizes to take, and negative numbers to give back one that is held. */
const moves = fc.array(fc.integer({ min: -40, max: 60_000 }), { maxLength: 200 });

describe("the heap", () => {
  test("gives places that are aligned, apart and inside the limit, and all of them back again", () => {
    fc.assert(
      fc.property(moves, (list) => {
        const heap = new Heap(1000, LIMIT);
        const held: Place[] = [];
        for (const move of list) {
          if (move < 0 && held.length > 0) heap.give(held.splice(-move % held.length, 1)[0]!);
          if (move < 0) continue;
          const place = heap.take(move);
          if (place === null) continue;
          expect(place.address % 64).toBe(0);
          expect(place.address).toBeGreaterThanOrEqual(1000);
          expect(place.bytes).toBe(move);
          expect(endOf(place)).toBeLessThanOrEqual(LIMIT);
          for (const other of held) expect(areApart(place, other)).toBe(true);
          held.push(place);
        }
        for (const place of held) heap.give(place);
        expect(heap.take(LIMIT - 2048)?.address).toBe(1024);
      }),
    );
  });

  test("places that settle go down, stay apart, and leave what is free in one piece", () => {
    fc.assert(
      fc.property(moves, (list) => {
        const heap = new Heap(0, LIMIT);
        const held: Place[] = [];
        for (const move of list) {
          const place = move < 0 ? null : heap.take(move);
          if (place !== null) held.push(place);
          if (move >= 0 || held.length === 0) continue;
          const index = -move % held.length;
          if (move % 2 === 0) heap.give(held.splice(index, 1)[0]!);
          else {
            const before = held[index]!;
            const to = heap.settle(before);
            expect(to.address).toBeLessThanOrEqual(before.address);
            held[index] = to;
            for (const other of held) if (other !== to) expect(areApart(to, other)).toBe(true);
          }
        }
        held.sort((a, b) => a.address - b.address);
        const settled = held.map((place) => heap.settle(place));
        const total = held.reduce((sum, { bytes }) => sum + bytes + 256 + bytes / 16, 0);
        for (const { address } of settled) expect(address).toBeLessThanOrEqual(total);
        for (const place of settled) heap.give(place);
        expect(heap.take(LIMIT - 2048)?.address).toBe(0);
      }),
    );
  });

  test("a place that was given back is the next to be taken, however often", () => {
    const heap = new Heap(0, LIMIT);
    const first = heap.take(5000);
    for (let i = 0; i < 1000; i++) {
      const at = heap.take(100_000)!;
      heap.give(at);
      expect(heap.end).toBeLessThan(110_000);
    }
    expect(first?.address).toBe(0);
  });

  test("a place is given back once: what lies there afterwards is another's", () => {
    const heap = new Heap(0, LIMIT);
    const first = heap.take(1000)!;
    heap.give(first);
    expect(heap.isTaken(first)).toBe(false);
    const second = heap.take(1000)!;
    expect(second.address).toBe(first.address);
    expect(heap.isTaken(second)).toBe(true);
    expect(heap.isTaken(first)).toBe(false);
    expect(() => heap.give(first)).toThrow(/given back before/);
    expect(() => heap.settle(first)).toThrow(/given back before/);
    heap.give(second);
    expect(heap.takenPlaces).toBe(0);
  });

  test("a small place that is kept does not lie where a large one was", () => {
    const heap = new Heap(0, 1 << 30);
    const kept: number[] = [];
    for (let i = 0; i < 50; i++) {
      const large = heap.take(8 << 20)!;
      kept.push(heap.take(1000)!.address);
      heap.give(large);
    }
    expect(new Set(kept).size).toBe(50);
    expect(heap.end).toBeLessThan(14 << 20);
  });

  test("one that stays does not lie where a large one was, though it is not small", () => {
    const heap = new Heap(0, 1 << 30);
    const large = heap.take(8 << 20)!;
    const next = heap.take(8 << 20)!;
    heap.give(large);
    heap.take(1 << 20, true);
    heap.give(next);
    const { end } = heap;
    heap.take(16 << 20);
    expect(heap.end).toBe(end);
  });

  test("says no when it is full", () => expect(new Heap(0, LIMIT).take(LIMIT)).toBeNull());
});

describe("blocks", () => {
  test("are known by where they lie", () => {
    const block = memory.takeBlock("float64", [10])!;
    expect(memory.addressOf(block)).toBe(block.data.byteOffset);
    expect(memory.addressOf({ ...block, offset: 3 })).toBe(block.data.byteOffset + 24);
    expect(memory.addressOf(newBlock("float64", [10]))).toBeNull();
    memory.giveBlock(block);
    expect(() => memory.giveBlock(block)).toThrow(/given back/);
  });

  test("are known by where they lie though the engine shows the memory through another buffer", async () => {
    const block = memory.takeBlock("float64", [1000])!;
    const before = memory.buffer;
    await growAnotherMemory();
    const later = memory.takeBlock("float64", [1000])!;
    // As engines do when any thread grows any shared memory that this one can see.
    expect(memory.buffer).not.toBe(before);
    for (const known of [block, later]) expect(memory.addressOf(known)).toBe(known.data.byteOffset);
    for (const known of [block, later]) memory.giveBlock(known);
  });

  test("cannot be made larger than their place, or have another's view", () => {
    const place = memory.take(64)!;
    expect(() => memory.blockAt(place, "float64", [9])).toThrow(/72 bytes of a place of 64/);
    const block = memory.blockAt(place, "float64", [8]);
    expect(() => memory.addressOf({ ...block, data: new Float64Array(8) })).toThrow(/not in its place/);
    memory.give(place);
  });

  test("that are kept survive growth, and go when nobody holds them", { timeout: 30_000 }, async () => {
    const kept = results.keep("float64", [1000])!;
    kept.data.fill(7 as never);
    const before = memory.buffer.byteLength;
    const others = Array.from({ length: 4 }, () => memory.takeBlock("float64", [16 << 20])!);
    expect(memory.buffer.byteLength).toBeGreaterThan(before);
    for (const block of others) memory.giveBlock(block);
    expect(kept.data.every((x) => x === 7)).toBe(true);
    // 100 results of 64 MB pass through a memory of 4 GiB, because those let go give theirs back.
    for (let i = 0; i < 100; i++) {
      expect(results.keep("float64", [8 << 20])).not.toBeNull();
      // About as long as it takes to fill one.
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
});

/** A thread of the application that grows a shared memory of its own, which this thread can see. */
async function growAnotherMemory(): Promise<void> {
  const own = new WebAssembly.Memory({ initial: 1, maximum: 100, shared: true });
  const code = "const { workerData } = require('node:worker_threads'); workerData.grow(10);";
  const worker = new Worker(code, { eval: true, workerData: own });
  await new Promise((resolve) => worker.once("exit", resolve));
  expect(own.buffer.byteLength).toBe(11 * 65536);
}

test("a failing lane is reported whichever thread meets it", () => {
  const program = programOf(["int32", "int32"], (x, y) => [s.quot(x as s.Term, y as s.Term)]);
  const n = 1 << 20;
  const walk = (buffer: number) => ({ buffer, start: [0], axes: [0], steps: [1] });
  const step: LoopStep = {
    kind: "loop",
    domain: [n],
    operands: [walk(0), walk(1)],
    program,
    results: [walk(2)],
    from: [0],
  };
  const blocks = [0, 1, 2].map(() => memory.takeBlock("int32", [n])!);
  for (let round = 0; round < 40; round++) {
    for (const { data } of blocks) data.fill(1 as never);
    blocks[1]!.data[(round * 104729) % n] = 0;
    expect(() => runLoopKernel(machine, step, blocks, 2)).toThrow(LaneFailure);
    blocks[1]!.data.fill(2 as never);
    runLoopKernel(machine, step, blocks, 2);
    expect(blocks[2]!.data.every((x) => x === 0)).toBe(true);
  }
  for (const block of blocks) memory.giveBlock(block);
});
