// Counting in bins of one width by the kernel against the plain routine: elements on edges and beside them, outside, infinite and NaN;
// bins far from zero, very narrow, very wide, very many.

import { expect, test } from "vitest";
import { type Block, newBlock } from "../../src/core/block.ts";
import { uniformEdges } from "../../src/kernel/routines/bins.ts";
import { ROUTINES } from "../../src/kernel/routines/index.ts";
import { runBinCounts } from "../../src/kernel/wasm/binCountKernel.ts";
import { WasmMachine } from "../../src/kernel/wasm/machine.ts";

const machine = new WasmMachine();
const COUNT = 70_003;
const ODD = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, -0, 1e300, -1e300, 5e-324];

function neighbour(x: number, by: number): number {
  const bits = new BigInt64Array(Float64Array.of(x).buffer);
  bits[0]! += BigInt(by);
  return new Float64Array(bits.buffer)[0]!;
}

/** All over the range and a little beyond, on edges, and next to them. */
function elements(dtype: "float64" | "float32", edges: Float64Array): Block {
  const x = newBlock(dtype, [COUNT]);
  const [first, range] = [edges[0]!, edges.at(-1)! - edges[0]!];
  for (let i = 0; i < COUNT; i++) {
    const part = (i * 0.6180339887498949) % 1;
    const edge = edges[(i * 7) % edges.length]!;
    const kind = i % 11;
    if (kind === 0) x.data[i] = ODD[((i / 11) % ODD.length) | 0]!;
    else if (kind < 4) x.data[i] = neighbour(edge, kind - 2);
    else x.data[i] = first + range * (1.2 * part - 0.1);
  }
  return x;
}

test.each([
  [1, 0, 1],
  [3, -1, 1],
  [100, 0, 1],
  [100, 1e9, 1e9 + 1],
  [10, -1e-35, 1e-35],
  [1000, -1e-6, 1e6],
  [50, 1e35, 3e35],
  [4096, -2, 7],
  [6000, 0, 1],
])("%i bins between %d and %d", (bins, least, most) => {
  const list = uniformEdges(least, most, bins);
  const edges = { ...newBlock("float64", [bins + 1]), data: list };
  for (const dtype of ["float64", "float32"] as const) {
    const x = elements(dtype, list);
    const made = [0, 1].map(() => newBlock("int32", [3, bins]));
    const call = {
      inputs: [x, edges],
      attrs: { uniform: true, block: [30_000] },
      starts: [[0], [0], [0, 0]],
    };
    ROUTINES.get("binCounts")!({ ...call, outputs: [made[0]!] });
    expect(runBinCounts(machine, { ...call, outputs: [made[1]!] }, 1)).toBe(true);
    expect(made[1]!.data).toEqual(made[0]!.data);
  }
});
