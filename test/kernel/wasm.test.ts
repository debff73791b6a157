// Kernels against the interpreter: the same bits for random loops over types, strides, broadcasting, tails and
// special values.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Block, newBlock } from "../../src/core/block.ts";
import type { TypedArray } from "../../src/core/dtype.ts";
import { runLoop } from "../../src/kernel/interpret/loop.ts";
import { programText } from "../../src/kernel/program.ts";
import { runLoopInArena } from "../../src/kernel/wasm/arena.ts";
import { buildLoop, randomLoop } from "./randomLoops.ts";

const RUNS = 20_000;
const SEED = Number(process.env["CHUNKWISE_SEED"] ?? 20261115);

/** Any NaN is any other: engines choose the bits of a computed NaN. */
function firstDifference(a: TypedArray, b: TypedArray): number {
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return i;
  return -1;
}

describe("WebAssembly kernels", () => {
  test(`${RUNS} random loops give the interpreter's bits (seed ${SEED})`, { timeout: 120_000 }, () => {
    let compiled = 0;
    fc.assert(
      fc.property(randomLoop, (loop) => {
        const { step, blocks, results } = buildLoop(loop);
        const mine: Block[] = blocks.map((block, k) =>
          results.includes(k) ? newBlock(block.dtype, block.shape) : block,
        );
        runLoop(step, blocks);
        if (!runLoopInArena(step, mine, 1)) return;
        compiled++;
        for (const k of results) {
          const at = firstDifference(mine[k]!.data, blocks[k]!.data);
          if (at >= 0) {
            throw new Error(
              `lane ${at}: ${mine[k]!.data[at]} instead of ${blocks[k]!.data[at]} in\n${programText(step.program)}`,
            );
          }
        }
      }),
      { numRuns: RUNS, seed: SEED },
    );
    // A loop over one element has no axes left and stays with the interpreter; nearly all others must compile.
    expect(compiled).toBeGreaterThan(0.8 * RUNS);
  });
});
