// Kernels against the interpreter: the same bits for random loops over types, strides, broadcasting, tails and
// special values, with blocks in the kernels' memory and elsewhere, on one thread and on two.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Block, newBlock } from "../../src/core/block.ts";
import type { TypedArray } from "../../src/core/dtype.ts";
import type { LoopStep } from "../../src/kernel/blockProgram.ts";
import { runLoop } from "../../src/kernel/interpret/reduce.ts";
import { programOf, programText } from "../../src/kernel/program.ts";
import * as s from "../../src/kernel/scalar.ts";
import { runLoopKernel } from "../../src/kernel/wasm/loops.ts";
import { WasmMachine } from "../../src/kernel/wasm/machine.ts";
import { buildLoop, randomLoop } from "./randomLoops.ts";

// Helpers would come only when there has been some work.
const machine = new WasmMachine();
machine.helpers.start(1);
const { memory } = machine;

const RUNS = 20_000;
const SEED = Number(process.env["CHUNKWISE_SEED"] ?? 20261115);

/** Any NaN is any other: engines choose the bits of a computed NaN. */
function firstDifference(a: TypedArray, b: TypedArray): number {
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return i;
  return -1;
}

/** A copy in the kernels' memory. */
function inside(block: Block): Block {
  const copy = {
    ...memory.takeBlock(block.dtype, block.shape)!,
    strides: block.strides,
    offset: block.offset,
  };
  (copy.data as Float64Array).set(block.data as Float64Array);
  return copy;
}

/** Runs a copy of the step's blocks as kernels and compares what the interpreter wrote. */
function compare(
  step: LoopStep,
  blocks: readonly Block[],
  results: readonly number[],
  isInside: (k: number) => boolean,
): void {
  const mine = blocks.map((block, k) => {
    const fresh = results.includes(k) ? newBlock(block.dtype, block.shape) : block;
    return isInside(k) ? inside(fresh) : fresh;
  });
  runLoopKernel(machine, step, mine, 1);
  for (const k of results) {
    const at = firstDifference(mine[k]!.data, blocks[k]!.data);
    if (at < 0) continue;
    const found = `${mine[k]!.data[at]} instead of ${blocks[k]!.data[at]}`;
    throw new Error(`lane ${at}: ${found} in\n${programText(step.program)}`);
  }
  for (const block of mine) memory.giveBlock(block);
}

describe("WebAssembly kernels", () => {
  test(`${RUNS} random loops give the interpreter's bits (seed ${SEED})`, { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(randomLoop, fc.nat(31), (loop, places) => {
        const { step, blocks, results } = buildLoop(loop);
        runLoop(step, blocks);
        // All inside, all outside, or some of each.
        compare(step, blocks, results, (k) => places >= 16 || ((places >> k) & 1) === 1);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  test("many threads and many tiles change no bit", () => {
    const program = programOf(["float64", "float64"], (x, y) => [
      s.div(
        s.add(x as s.Term, s.sqrt(y as s.Term)),
        s.add(s.mul(y as s.Term, y as s.Term), s.one("float64")),
      ),
    ]);
    const shape = [700, 600];
    const whole = { start: [0, 0], steps: [1, 1] };
    const step: LoopStep = {
      kind: "loop",
      domain: shape,
      operands: [
        { buffer: 0, axes: [0, 1], ...whole },
        { buffer: 1, axes: [1, 0], ...whole },
      ],
      program,
      results: [{ buffer: 2, axes: [0, 1], ...whole }],
      from: [0, 0],
    };
    const [x, y, expected] = [
      newBlock("float64", shape),
      newBlock("float64", [600, 700]),
      newBlock("float64", shape),
    ];
    for (let i = 0; i < x!.data.length; i++) {
      x!.data[i] = Math.sin(i);
      y!.data[i] = Math.abs(Math.cos(i)) * 100;
    }
    runLoop(step, [x!, y!, expected!]);
    for (const place of [(block: Block) => block, inside]) {
      for (let round = 0; round < 30; round++) {
        const blocks = [place(x!), place(y!), place(newBlock("float64", shape))];
        runLoopKernel(machine, step, blocks, 4);
        expect(firstDifference(blocks[2]!.data, expected!.data)).toBe(-1);
        for (const block of blocks) memory.giveBlock(block);
      }
    }
  });
});
