// Merging sorted runs against the plain routine, and sorting long rows in parts against sorting them as a whole, to the last bit: every
// dtype, both directions, ties, NaN, zeros of both signs, runs of very different lengths, any part of the result.

import { describe, expect, test } from "vitest";
import { type Block, newBlock } from "../../src/core/block.ts";
import { type DType, isComplex, isFloat, isWide } from "../../src/core/dtype.ts";
import type { RoutineCall } from "../../src/kernel/routine.ts";
import { ROUTINES } from "../../src/kernel/routines/index.ts";
import { sortKernel } from "../../src/kernel/wasm/longRows.ts";
import { WasmMachine } from "../../src/kernel/wasm/machine.ts";
import { runMerge } from "../../src/kernel/wasm/merging.ts";
import { runSort } from "../../src/kernel/wasm/sorting.ts";
import { COMPUTED } from "../computed.ts";

const REAL = COMPUTED.filter((dtype) => !isComplex(dtype));
const machine = new WasmMachine();

/** xorshift: the same numbers every time. */
function randomOf(seed: number): () => number {
  let state = (seed * 2654435761 + 1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const ODD = [0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/** `distinct`: about so many values. */
function filled(dtype: DType, length: number, distinct: number, random: () => number): Block {
  const block = newBlock(dtype, [length]);
  for (let i = 0; i < length; i++) {
    const value = Math.floor((random() - 0.3) * distinct);
    if (isWide(dtype)) block.data[i] = BigInt(value) * 0x1_0000_0001n;
    else if (dtype === "bool") block.data[i] = value & 1;
    else block.data[i] = isFloat(dtype) && random() < 0.05 ? ODD[Math.floor(5 * random())]! : value / 8;
  }
  return block;
}

const bytesOf = ({ data }: Block): Buffer => Buffer.from(data.buffer, data.byteOffset, data.byteLength);

interface Merge {
  readonly dtype: DType;
  readonly runs: readonly number[];
  readonly skip: number;
  readonly count: number;
  readonly descending: boolean;
  readonly distinct: number;
}

/** A row of runs, each in order. */
function mergeCall({ dtype, runs, skip, count, descending, distinct }: Merge): RoutineCall {
  const length = runs.reduce((sum, n) => sum + n, 0);
  const x = filled(dtype, length, distinct, randomOf(length + skip));
  const row = newBlock(dtype, [1, length]);
  const places = newBlock("int64", [1, length]);
  let from = 0;
  for (const n of runs) {
    const part = { ...x, shape: [n], offset: from };
    const sorted = { ...row, shape: [n], strides: [1], offset: from };
    const attrs = { axis: 0, descending };
    if (n > 0 && !runSort(machine, "sort", { inputs: [part], outputs: [sorted], attrs, starts: [] }, 1))
      throw new Error("there is no room");
    from += n;
  }
  for (let i = 0; i < length; i++) places.data[i] = BigInt(7 * i);
  const merge = {
    counts: runs,
    rows: [0, runs.length],
    skips: [skip],
    chunk: count,
    length: count,
    descending,
  };
  return { inputs: [row, places], outputs: [], attrs: merge, starts: [[0, 0], [0, 0], [0]] };
}

function expectMerged(merge: Merge): void {
  const call = mergeCall(merge);
  for (const kind of ["values", "places"] as const) {
    const inputs = call.inputs.slice(0, kind === "values" ? 1 : 2);
    const outputs = [0, 1].map(() => [newBlock(kind === "values" ? merge.dtype : "int64", [merge.count])]);
    const starts = [...inputs.map(() => [0, 0]), [0]];
    ROUTINES.get(kind === "values" ? "mergeRuns" : "mergePlaces")!({
      ...call,
      inputs,
      starts,
      outputs: outputs[0]!,
    });
    expect(runMerge(machine, kind, { ...call, inputs, starts, outputs: outputs[1]! }, 1)).toBe(true);
    expect(Buffer.compare(bytesOf(outputs[0]![0]!), bytesOf(outputs[1]![0]!)), JSON.stringify(merge)).toBe(0);
  }
}

describe("runs", () => {
  test.each(REAL)("of %s", (dtype) => {
    for (const descending of [false, true])
      for (const distinct of [3, 1e6])
        expectMerged({
          dtype,
          runs: [5000, 1, 0, 12_000, 700],
          skip: 900,
          count: 15_000,
          descending,
          distinct,
        });
  });

  test("of all lengths, from anywhere on", () => {
    const random = randomOf(5);
    const below = (n: number): number => Math.floor(n * random());
    for (let i = 0; i < 60; i++) {
      const runs = Array.from({ length: 1 + below(12) }, () => below(10 ** (1 + below(4))));
      const length = runs.reduce((sum, n) => sum + n, 0);
      const skip = below(length);
      const [count, descending] = [1 + below(length - skip), random() < 0.5];
      if (length > 0)
        expectMerged({ dtype: "float64", runs, skip, count, descending, distinct: 10 ** below(7) });
    }
  });

  test("of very many blocks", () => {
    const runs = Array.from({ length: 300 }, (_, i) => (i * 37) % 90);
    expectMerged({ dtype: "float64", runs, skip: 11, count: 9000, descending: false, distinct: 1000 });
  });
});

test.each(["float64", "float32", "int64", "uint8"] as const)(
  "a long row of %s is sorted in parts",
  (dtype) => {
    const x = filled(dtype, 150_001, 20_000, randomOf(3));
    for (const kind of ["sort", "argsort"] as const)
      for (const descending of [false, true]) {
        const made = [0, 1].map(() => newBlock(kind === "sort" ? dtype : "int64", x.shape));
        const calls = made.map((output) => ({
          ...{ inputs: [x], outputs: [output], attrs: { axis: 0, descending }, starts: [] },
        }));
        expect(runSort(machine, kind, calls[0]!, 1) && sortKernel(kind)(machine, calls[1]!, 2)).toBe(true);
        expect(Buffer.compare(bytesOf(made[0]!), bytesOf(made[1]!)), `${kind} ${descending}`).toBe(0);
      }
  },
);
