// Reductions: kernels against the interpreter, bit for bit, over reductions of the table and random ones, dtypes,
// lengths, layouts, broadcasting and segments; every module valid for a second tool; the accuracy of the order.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import loadWabt from "wabt";
import { type Block, newBlock } from "../../src/core/block.ts";
import { infoOf, type TypedArray } from "../../src/core/dtype.ts";
import type { ReduceStep } from "../../src/kernel/blockProgram.ts";
import { BLOCK_ROWS, runReduce } from "../../src/kernel/interpret/reduce.ts";
import { programOf, programText } from "../../src/kernel/program.ts";
import { wasmBackend } from "../../src/kernel/wasm/backend.ts";
import { WasmMachine } from "../../src/kernel/wasm/machine.ts";
import { SCRATCH_BYTES } from "../../src/kernel/wasm/module.ts";
import { reduceModule } from "../../src/kernel/wasm/reduceKernel.ts";
import * as layout from "../../src/kernel/wasm/reduceLayout.ts";
import {
  extents,
  layouts,
  type Operand,
  operandOf,
  type Reduction,
  randomLift,
  randomReduction,
  statesOf,
  TABLE,
} from "./randomReductions.ts";

const SEED = Number(process.env["CHUNKWISE_SEED"] ?? 20261115);
const wabt = await loadWabt();

const PARAMETERS_AT = 0;
const SCRATCH_AT = 65536;
const memory = new WebAssembly.Memory({ initial: 200 });
/** How many bytes are given away. */
let taken = 0;

function take(bytes: number): number {
  const at = SCRATCH_AT + SCRATCH_BYTES + 64 + taken;
  taken += Math.ceil(bytes / 64) * 64;
  return at;
}

/** About so many segments of 2ᵏ blocks. */
function segmentCut({ rows }: layout.ReducePlane, segments: number): layout.ReduceCut {
  const blocks = Math.max(1, rows / BLOCK_ROWS / segments);
  const segmentRows = BLOCK_ROWS * 2 ** Math.ceil(Math.log2(blocks));
  return { blockRows: BLOCK_ROWS, segmentRows: Math.min(rows, segmentRows) };
}

/** In about so many segments; 0: the rows are the totals of segments. */
function runKernel(
  { lift, combine, absorbing }: Reduction,
  plane: layout.ReducePlane,
  wanted: number,
): number[] {
  const states = statesOf(combine);
  const walk = layout.reduceWalk(plane, states);
  const cut = wanted === 0 ? { blockRows: 1, segmentRows: plane.rows } : segmentCut(plane, wanted);
  const segments = Math.ceil(plane.rows / cut.segmentRows);
  const outputs = states.map((dtype) => take(segments * plane.columns * infoOf(dtype).bytes));
  const shape = { isShared: false, ...walk, ...(absorbing === undefined ? {} : { absorbing }) };
  const run = instantiated(reduceModule(lift, combine, shape));
  new Int32Array(memory.buffer, PARAMETERS_AT).set(layout.reduceParameters(plane, walk, cut, outputs));
  const all = layout.reduceUnits(plane, walk, cut);
  const middle = all >> 1;
  run(PARAMETERS_AT, middle, all);
  run(PARAMETERS_AT, 0, middle);
  return segments === 1
    ? outputs
    : combineSegments({ name: "", lift, combine }, outputs, segments, plane.columns);
}

function combineSegments(
  { name, combine }: Reduction,
  at: number[],
  rows: number,
  columns: number,
): number[] {
  const operands = statesOf(combine).map((dtype, i) => {
    const columnStride = infoOf(dtype).bytes;
    return { dtype, address: at[i]!, rowStride: columns * columnStride, columnStride };
  });
  const lift = programOf(statesOf(combine), (...state) => state);
  return runKernel({ name, lift, combine }, { rows, columns, operands }, 0);
}

type Run = (parameters: number, from: number, to: number) => void;

function instantiated(bytes: Uint8Array<ArrayBuffer>): Run {
  const trap = (): never => {
    throw new Error("the kernel trapped");
  };
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
    env: { memory, trap, scratch: SCRATCH_AT },
  });
  return instance.exports["run"] as Run;
}

function interpreted(
  { lift, combine }: Reduction,
  operands: readonly Operand[],
  rows: number,
  columns: number,
): Block[] {
  const inputs = operands.map(({ dtype, data, offset, rowStride, columnStride }) => ({
    ...{ dtype, data, offset },
    ...{ shape: [rows, columns], strides: [rowStride, columnStride] },
  }));
  const results = statesOf(combine).map((dtype) => newBlock(dtype, [columns]));
  const step: ReduceStep = {
    kind: "reduce",
    ...{ domain: [rows, columns], axes: [0], lift, combine, finish: null, absorbing: null, from: [0, 0] },
    identity: results.map(() => 0),
    operands: inputs.map((_, k) => ({ buffer: k, start: [0, 0], axes: [0, 1], steps: [1, 1] })),
    results: results.map((_, i) => ({ buffer: inputs.length + i, start: [0], axes: [-1, 0], steps: [0, 1] })),
  };
  runReduce(step, [...inputs, ...results]);
  return results;
}

/** Copies the operands into the kernels' memory. */
function planeOf(operands: readonly Operand[], rows: number, columns: number): layout.ReducePlane {
  const inside = operands.map(({ dtype, data, offset, rowStride, columnStride }) => {
    const { bytes } = infoOf(dtype);
    const at = take(data.byteLength);
    new Uint8Array(memory.buffer, at).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    const strides = { rowStride: rowStride * bytes, columnStride: columnStride * bytes };
    return { dtype, address: at + offset * bytes, ...strides };
  });
  return { rows, columns, operands: inside };
}

/** Any NaN is any other: engines choose the bits of a computed NaN. */
function firstDifference(a: TypedArray, b: TypedArray): number {
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return i;
  return -1;
}

function compare(
  reduction: Reduction,
  operands: readonly Operand[],
  rows: number,
  columns: number,
  wanted: number,
): void {
  taken = 0;
  const plane = planeOf(operands, rows, columns);
  const expected = interpreted(reduction, operands, rows, columns);
  const found = runKernel(reduction, plane, wanted);
  expected.forEach(({ dtype, data }, i) => {
    const { array: ArrayOf } = infoOf(dtype);
    const mine = new ArrayOf(memory.buffer, found[i]!, data.length);
    const at = firstDifference(mine, data);
    if (at < 0) return;
    const { mode, walks } = layout.reduceWalk(plane, statesOf(reduction.combine));
    throw new Error(
      `component ${i}, slot ${at}: ${mine[at]} instead of ${data[at]}; ${reduction.name} of ${rows} × ${columns} ${mode} ${walks}, ${wanted} segments\n` +
        `${programText(reduction.lift, "lift ")}\n${programText(reduction.combine, "combine ")}`,
    );
  });
}

const segmentCounts = fc.constantFrom(1, 1, 2, 5, 40);

describe("reduction kernels give the interpreter's bits", () => {
  test(`of the table (seed ${SEED})`, { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TABLE),
        extents,
        layouts,
        segmentCounts,
        fc.nat(1000),
        (reduction, [rows, columns], [how], segments, seed) => {
          const [dtype] = reduction.lift.operands;
          compare(reduction, [operandOf(dtype!, how!, rows, columns, seed)], rows, columns, segments);
        },
      ),
      { numRuns: 1900, seed: SEED },
    );
  });

  test(`of random programs (seed ${SEED})`, { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(
        randomLift,
        extents,
        layouts,
        segmentCounts,
        fc.nat(1000),
        (loop, [rows, columns], how, segments, seed) => {
          const reduction = randomReduction(loop, seed);
          const operands = reduction.lift.operands.map((dtype, k) =>
            operandOf(dtype, how[k]!, rows, columns, seed + k),
          );
          compare(reduction, operands, rows, columns, segments);
        },
      ),
      { numRuns: 1300, seed: SEED },
    );
  });
});

test("300 random reductions of every mode are valid modules", () => {
  const modes = fc.constantFrom("inner", "outer", "flat");
  const walks = fc.array(fc.constantFrom("unit", "fixed", "strided"), { minLength: 3, maxLength: 3 });
  const features = { simd: true, sat_float_to_int: true, sign_extension: true, threads: true };
  fc.assert(
    fc.property(randomLift, modes, walks, fc.nat(100), fc.boolean(), (loop, mode, walk, how, isShared) => {
      const { lift, combine } = randomReduction(loop, how);
      const shape = { isShared, mode, walks: walk.slice(0, lift.operands.length) };
      const module = wabt.readWasm(reduceModule(lift, combine, shape), {
        ...features,
        readDebugNames: false,
      });
      (module as unknown as { validate(features: object): void }).validate(features);
      module.destroy();
    }),
    { numRuns: 300, seed: SEED },
  );
});

test("any stops at the first block that has one", () => {
  const { absorbing, ...rest } = TABLE.find(
    ({ name, lift }) => name === "any" && lift.operands[0] === "bool",
  )!;
  taken = 0;
  // More rows than there is memory: to read them all is an error.
  const plane = {
    ...planeOf(
      [{ dtype: "bool", data: new Uint8Array(1000).fill(1), offset: 0, rowStride: 1, columnStride: 0 }],
      1,
      1,
    ),
    rows: 2 ** 30,
  };
  expect(() => runKernel(rest, plane, 1)).toThrow(WebAssembly.RuntimeError);
  const [at] = runKernel({ ...rest, absorbing: absorbing! }, plane, 1);
  expect(new Uint8Array(memory.buffer, at!, 1)).toEqual(Uint8Array.of(1));
});

test("lanes go along the axis that vectors can follow", () => {
  const modeOf = (rows: number, columns: number, rowStride: number, columnStride: number): string => {
    const operands = [{ dtype: "float64" as const, address: 0, rowStride, columnStride }];
    const { mode, walks } = layout.reduceWalk({ rows, columns, operands }, ["float64"]);
    return `${mode} ${walks}`;
  };
  expect(modeOf(1000, 1, 8, 0)).toBe("inner unit");
  expect(modeOf(1000, 500, 8, 8000)).toBe("inner unit");
  expect(modeOf(1000, 500, 4000, 8)).toBe("outer unit");
  expect(modeOf(1000, 3, 24, 8)).toBe("flat unit");
  expect(modeOf(1000, 3, 48, 8)).toBe("outer unit");
  expect(modeOf(1000, 500, 0, 8)).toBe("inner fixed");
  expect(modeOf(1000, 500, 8000, 16)).toBe("outer strided");
  expect(modeOf(1000, 500, 16, 16_000)).toBe("inner strided");
});

test("the error of a float32 sum grows with log n, as NumPy's pairwise sum does", () => {
  const machine = new WasmMachine();
  // They would come only when there has been some work.
  machine.helpers.start(1);
  const backend = wasmBackend(machine);
  for (const n of [1e3, 1e5, 1e6]) {
    const data = Float32Array.from({ length: n }, (_, i) => Math.fround(1 + ((i * 7919) % 1000) / 997));
    const exact = data.reduce((sum, x) => sum + x, 0);
    const found = Number(cw.asarray(data).sum().computeSync({ backend }).item());
    const bound = (16 + Math.log2(n)) * 2 ** -24 * exact;
    expect(Math.abs(found - exact)).toBeLessThanOrEqual(bound);
  }
});
