// labelCounts as a kernel. In: a routine's call. Out: true, with the counts written; false where the routine itself has to do it.
// Must hold: the same counts as the routine: what lies outside is not counted.

import { type Block, isContiguous } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import { infoOf, kindOf } from "../../core/dtype.ts";
import type { RoutineCall } from "../routine.ts";
import { integerAttr } from "../routines/attributes.ts";
import { countedBlocks, countTables } from "../routines/bins.ts";
import { fromContiguous } from "../routines/stridedWalk.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import { withBuffer, workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";
import { increase, moduleOf, type RunArguments, repeat } from "./module.ts";

/** Neighbours are counted in tables of their own, so that equal ones need not wait for each other. */
const TABLES = 2;
/** Elements of a unit, which has counts of its own. */
const PART = 65_536;

/** How an integer is read as one of 64 bits. */
const LOADS: ReadonlyMap<string, string> = new Map([
  ...([
    ["bool", "i64.load8_u"],
    ["int8", "i64.load8_s"],
    ["uint8", "i64.load8_u"],
  ] as const),
  ...([
    ["int16", "i64.load16_s"],
    ["uint16", "i64.load16_u"],
    ["int32", "i64.load32_s"],
  ] as const),
  ...([
    ["uint32", "i64.load32_u"],
    ["int64", "i64.load"],
    ["uint64", "i64.load"],
  ] as const),
]);

export function runLabelCounts(machine: WasmMachine, call: RoutineCall, threads: number): boolean {
  const first = BigInt(integerAttr(call.attrs, "first"));
  const [x] = call.inputs;
  if (!LOADS.has(x!.dtype) || (kindOf(x!.dtype) === "uint" && first < 0n)) return false;
  for (const [block, output] of countedBlocks(call))
    if (!isContiguous(block) || !countBlock(machine, block, output, first, threads)) return false;
  return true;
}

function countBlock(
  { memory, kernels, jobs }: WasmMachine,
  x: Block,
  output: Block,
  first: bigint,
  threads: number,
): boolean {
  const bins = sizeOf(output.shape);
  const count = sizeOf(x.shape);
  const parts = Math.max(1, Math.min(Math.floor(countTables(bins) / TABLES), Math.ceil(count / PART)));
  const part = Math.ceil(count / parts);
  const words = TABLES * bins;
  let isDone = false;
  const isInside = workInside(memory, [x], [], ([given]) => {
    isDone = withBuffer(memory, 8 + 4 * words * parts, (at) => {
      new BigInt64Array(memory.buffer, at, 1)[0] = first;
      const tables = new Int32Array(memory.buffer, at + 8, words * parts).fill(0);
      const kernel = kernels.get(`labelCounts ${x.dtype}`, (isShared) =>
        moduleOf(isShared, (w, run) => writeCounts(w, run, LOADS.get(x.dtype)!, infoOf(x.dtype).bytes)),
      );
      const parameters = [memory.placedAddress(given!), at, bins, count, part];
      jobs.run(kernel, parameters, parts, 1, parts === 1 ? 1 : threads);
      const counts = new Int32Array(bins);
      for (let from = 0; from < tables.length; from += bins)
        for (let bin = 0; bin < bins; bin++) counts[bin]! += tables[from + bin]!;
      fromContiguous(counts, output);
    });
  });
  return isInside && isDone;
}

/** What counting works with. */
interface Counting {
  readonly w: FunctionWriter;
  readonly load: string;
  readonly bytes: number;
  /** The first number that is counted, and how many there are. */
  readonly first: Local;
  readonly wide: Local;
  readonly read: Local;
  readonly slot: Local;
  readonly label: Local;
}

/** A unit is a part. Parameters: addresses of elements and of what is before the tables; bins, elements, elements of a part. */
function writeCounts(
  w: FunctionWriter,
  { parameters, from, to }: RunArguments,
  load: string,
  bytes: number,
): void {
  const [data, tables, bins, count, part] = [0, 4, 8, 12, 16].map((at) => {
    const local = w.local("i32");
    w.get(parameters).memory("i32.load", at).set(local);
    return local;
  }) as [Local, Local, Local, Local, Local];
  const [read, end, even, odd, slot, done] = [0, 1, 2, 3, 4, 5].map(() => w.local("i32")) as [
    ...[Local, Local, Local],
    ...[Local, Local, Local],
  ];
  const [first, wide, label] = [w.local("i64"), w.local("i64"), w.local("i64")];
  const counting: Counting = { w, load, bytes, first, wide, read, slot, label };
  w.get(tables).memory("i64.load").set(first);
  w.get(bins).op("i64.extend_i32_u").set(wide);
  repeat(w, from, to, 1, () => {
    w.get(from).get(part).op("i32.mul").set(slot);
    w.get(slot).i32(bytes).op("i32.mul").get(data).op("i32.add").set(read);
    w.get(slot).get(part).op("i32.add").tee(end).get(count).get(end).get(count).op("i32.lt_u").select("i32");
    w.get(slot).op("i32.sub").set(end);
    w.get(from)
      .get(bins)
      .op("i32.mul")
      .i32(4 * TABLES)
      .op("i32.mul")
      .get(tables)
      .op("i32.add");
    w.i32(8).op("i32.add").tee(even);
    w.get(bins).i32(4).op("i32.mul").op("i32.add").set(odd);
    w.i32(0).set(done);
    repeat(w, done, end, TABLES, () => countTogether(counting, [even, odd]));
    repeat(w, done, end, 1, () => countTogether(counting, [even]));
  });
}

/** Neighbours, each in a table of its own. */
function countTogether(
  { w, load, bytes, first, wide, read, slot, label }: Counting,
  tables: readonly Local[],
): void {
  tables.forEach((table, ahead) => {
    w.get(read)
      .memory(load, bytes * ahead)
      .get(first)
      .op("i64.sub")
      .tee(label);
    w.get(wide).op("i64.lt_u");
    w.when(() => {
      w.get(label).op("i32.wrap_i64").i32(2).op("i32.shl").get(table).op("i32.add").tee(slot);
      w.get(slot).memory("i32.load").i32(1).op("i32.add").memory("i32.store");
    });
  });
  increase(w, read, tables.length * bytes);
}
