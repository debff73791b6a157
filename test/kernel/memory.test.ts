// The kernels' memory: places that never overlap and are used again, blocks that live as long as their data is held,
// and threads that report what went wrong.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newBlock } from "../../src/core/block.ts";
import type { LoopStep } from "../../src/kernel/blockProgram.ts";
import { LaneFailure } from "../../src/kernel/interpret/index.ts";
import { programOf } from "../../src/kernel/program.ts";
import * as s from "../../src/kernel/scalar.ts";
import { Heap } from "../../src/kernel/wasm/heap.ts";
import { runLoopKernel } from "../../src/kernel/wasm/loops.ts";
import { addressOf, giveBlock, keepBlock, memory, takeBlock } from "../../src/kernel/wasm/memory.ts";
import { hasHelpers } from "../../src/kernel/wasm/threads.ts";

// They would come only when there has been some work.
hasHelpers(1);

const LIMIT = 1 << 20;

/** Sizes to take, and negative numbers to give back one that is held. */
const moves = fc.array(fc.integer({ min: -40, max: 60_000 }), { maxLength: 200 });

describe("the heap", () => {
  test("gives places that are aligned, apart and inside the limit, and all of them back again", () => {
    fc.assert(
      fc.property(moves, (list) => {
        const heap = new Heap(1000, LIMIT);
        const held: { at: number; size: number }[] = [];
        for (const move of list) {
          if (move < 0 && held.length > 0) heap.give(held.splice(-move % held.length, 1)[0]!.at);
          if (move < 0) continue;
          const at = heap.take(move);
          if (at === null) continue;
          expect(at % 64).toBe(0);
          expect(at).toBeGreaterThanOrEqual(1000);
          expect(at + move).toBeLessThanOrEqual(LIMIT);
          for (const other of held) expect(at + move <= other.at || other.at + other.size <= at).toBe(true);
          held.push({ at, size: move });
        }
        for (const { at } of held) heap.give(at);
        expect(heap.take(LIMIT - 2048)).toBe(1024);
      }),
    );
  });

  test("places that settle go down, stay apart, and leave what is free in one piece", () => {
    fc.assert(
      fc.property(moves, (list) => {
        const heap = new Heap(0, LIMIT);
        const held: { at: number; size: number }[] = [];
        for (const move of list) {
          const at = move < 0 ? null : heap.take(move);
          if (at !== null) held.push({ at, size: move });
          if (move >= 0 || held.length === 0) continue;
          const index = -move % held.length;
          if (move % 2 === 0) heap.give(held.splice(index, 1)[0]!.at);
          else {
            const { at: before, size } = held[index]!;
            const to = heap.settle(before);
            expect(to).toBeLessThanOrEqual(before);
            held[index] = { at: to, size };
            for (const [i, other] of held.entries())
              if (i !== index) expect(to + size <= other.at || other.at + other.size <= to).toBe(true);
          }
        }
        held.sort((a, b) => a.at - b.at);
        const settled = held.map(({ at }) => heap.settle(at));
        const total = held.reduce((sum, { size }) => sum + size + 256 + size / 16, 0);
        for (const at of settled) expect(at).toBeLessThanOrEqual(total);
        for (const at of settled) heap.give(at);
        expect(heap.take(LIMIT - 2048)).toBe(0);
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
    expect(first).toBe(0);
  });

  test("a small place that is kept does not lie where a large one was", () => {
    const heap = new Heap(0, 1 << 30);
    const kept: (number | null)[] = [];
    for (let i = 0; i < 50; i++) {
      const large = heap.take(8 << 20)!;
      kept.push(heap.take(1000));
      heap.give(large);
    }
    expect(new Set(kept).size).toBe(50);
    expect(heap.end).toBeLessThan(14 << 20);
  });

  test("says no when it is full", () => expect(new Heap(0, LIMIT).take(LIMIT)).toBeNull());
});

describe("blocks", () => {
  test("are known by where they lie", () => {
    const block = takeBlock("float64", [10])!;
    expect(addressOf(block)).toBe(block.data.byteOffset);
    expect(addressOf({ ...block, offset: 3 })).toBe(block.data.byteOffset + 24);
    expect(addressOf(newBlock("float64", [10]))).toBeNull();
    giveBlock(block);
  });

  test("that are kept survive growth, and go when nobody holds them", { timeout: 30_000 }, async () => {
    const kept = keepBlock("float64", [1000])!;
    kept.data.fill(7 as never);
    const before = memory.buffer.byteLength;
    const others = Array.from({ length: 4 }, () => takeBlock("float64", [16 << 20])!);
    expect(memory.buffer.byteLength).toBeGreaterThan(before);
    for (const block of others) giveBlock(block);
    expect(kept.data.every((x) => x === 7)).toBe(true);
    // 100 results of 64 MB pass through a memory of 4 GiB, because those let go give theirs back.
    for (let i = 0; i < 100; i++) {
      expect(keepBlock("float64", [8 << 20])).not.toBeNull();
      // About as long as it takes to fill one.
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
});

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
  const blocks = [0, 1, 2].map(() => takeBlock("int32", [n])!);
  for (let round = 0; round < 40; round++) {
    for (const { data } of blocks) data.fill(1 as never);
    blocks[1]!.data[(round * 104729) % n] = 0;
    expect(() => runLoopKernel(step, blocks, 2)).toThrow(LaneFailure);
    blocks[1]!.data.fill(2 as never);
    runLoopKernel(step, blocks, 2);
    expect(blocks[2]!.data.every((x) => x === 0)).toBe(true);
  }
  for (const block of blocks) giveBlock(block);
});
