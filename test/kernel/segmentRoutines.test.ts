// Routines on segments: sorts, picked and spread elements. Kernels give what the routines give, bit for bit, and a sort of
// segments is the sort of each.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Block, newBlock } from "../../src/core/block.ts";
import { type DType, isComplex, isWide, type RealDType } from "../../src/core/dtype.ts";
import type { RoutineCall } from "../../src/kernel/routine.ts";
import { pick, spread } from "../../src/kernel/routines/gather.ts";
import { argsort, segmentArgsort, segmentSort, sort } from "../../src/kernel/routines/sort.ts";
import { WasmMachine } from "../../src/kernel/wasm/machine.ts";
import { runPick, runSpread } from "../../src/kernel/wasm/moving.ts";
import { runSegmentSort } from "../../src/kernel/wasm/sorting.ts";
import { COMPUTED } from "../computed.ts";
import { expectSame } from "../property/compare.ts";
import { check } from "../property/settings.ts";

const machine = new WasmMachine();

const REAL = COMPUTED.filter((dtype): dtype is RealDType => !isComplex(dtype));

function blockOf(dtype: DType, values: readonly number[]): Block {
  const block = newBlock(dtype, [values.length]);
  values.forEach((value, i) => {
    block.data[i] = isWide(dtype) ? BigInt(Math.trunc(Number.isFinite(value) ? value : 0)) : value;
  });
  return block;
}

const numbers = fc.oneof(
  { arbitrary: fc.integer({ min: -5, max: 100 }), weight: 8 },
  { arbitrary: fc.constantFrom(0, -0, 0.5, Infinity, -Infinity), weight: 2 },
  { arbitrary: fc.constant(Number.NaN), weight: 1 },
);
const plainNumbers = fc.integer({ min: -100, max: 100 });
const oddness = fc
  .boolean()
  .chain((isOdd) =>
    fc.array(fc.array(isOdd ? numbers : plainNumbers, { maxLength: 20 }), { maxLength: 20, minLength: 1 }),
  );

function offsetsOf(lists: readonly (readonly unknown[])[]): Block {
  const offsets = [0];
  for (const list of lists) offsets.push(offsets.at(-1)! + list.length);
  return blockOf("int32", offsets);
}

describe("sorts of segments", () => {
  test.each(REAL)("%s", (dtype) =>
    check(40, fc.tuple(oddness, fc.boolean()), ([lists, descending]) => {
      const inputs = [blockOf(dtype, lists.flat()), offsetsOf(lists)];
      const attrs = { descending };
      for (const kind of ["sort", "argsort"] as const) {
        const out = (): Block => newBlock(kind === "sort" ? dtype : "int64", inputs[0]!.shape);
        const [expected, actual] = [out(), out()];
        const call = (output: Block): RoutineCall => ({ inputs, outputs: [output], attrs, starts: [] });
        (kind === "sort" ? segmentSort : segmentArgsort)(call(expected));
        expect(runSegmentSort(machine, kind, call(actual), 2)).toBe(true);
        expectSame(actual, expected);
        let start = 0;
        for (const list of lists) {
          const x = blockOf(dtype, list);
          const alone = newBlock(actual.dtype, x.shape);
          const row = { inputs: [x], outputs: [alone], attrs: { descending, axis: 0 }, starts: [] };
          if (list.length > 0) (kind === "sort" ? sort : argsort)(row);
          const data = actual.data.slice(start, start + list.length);
          start += list.length;
          expectSame({ ...alone, data } as Block, alone);
        }
      }
    }),
  );

  test("segments that do not fit a thread's scratch are sorted between the others", () => {
    const lists = [3, 100_000, 0, 2, 90_000, 1].map((length, g) =>
      Array.from({ length }, (_, i) => Math.sin(i * (g + 1))),
    );
    const inputs = [blockOf("float64", lists.flat()), offsetsOf(lists)];
    for (const kind of ["sort", "argsort"] as const) {
      const out = newBlock(kind === "sort" ? "float64" : "int64", inputs[0]!.shape);
      runSegmentSort(machine, kind, { inputs, outputs: [out], attrs: { descending: false }, starts: [] }, 2);
      const expected = newBlock(out.dtype, out.shape);
      const routine = kind === "sort" ? segmentSort : segmentArgsort;
      routine({ inputs, outputs: [expected], attrs: { descending: false }, starts: [] });
      expectSame(out, expected);
    }
  });
});

describe("moved elements", () => {
  test.each(COMPUTED)("%s", (dtype) => {
    const x = newBlock(dtype, [700]);
    for (let i = 0; i < x.data.length; i++) x.data[i] = isWide(dtype) ? BigInt(i) : i % 100;
    const other = newBlock(dtype, [1]);
    const index = blockOf(
      "int32",
      Array.from({ length: 2003 }, (_, i) => ((i * 7919) % 703) - 3),
    );
    const [picked, expected] = [newBlock(dtype, [2003]), newBlock(dtype, [2003])];
    pick({ inputs: [x, index, other], outputs: [expected], attrs: {}, starts: [] });
    expect(runPick(machine, { inputs: [x, index, other], outputs: [picked], attrs: {}, starts: [] }, 2)).toBe(
      true,
    );
    expectSame(picked, expected);
    const offsets = offsetsOf(Array.from({ length: 700 }, (_, i) => new Array((i * 31) % 9)));
    const count = Number(offsets.data[700]);
    const [repeated, wanted] = [newBlock(dtype, [count]), newBlock(dtype, [count])];
    spread({ inputs: [x, offsets], outputs: [wanted], attrs: {}, starts: [] });
    expect(runSpread(machine, { inputs: [x, offsets], outputs: [repeated], attrs: {}, starts: [] }, 2)).toBe(
      true,
    );
    expectSame(repeated, wanted);
  });

  test("few elements of many outside are not worth bringing all of them in", () => {
    const inputs = [newBlock("float64", [5000]), blockOf("int32", [1, 2]), newBlock("float64", [1])];
    expect(runPick(machine, { inputs, outputs: [newBlock("float64", [2])], attrs: {}, starts: [] }, 1)).toBe(
      false,
    );
  });
});
