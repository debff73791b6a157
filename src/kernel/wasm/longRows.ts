// Sorting one long row by all threads. In: a routine's call. Out: true, with the output written; false where there is no long row by
// itself. Each thread sorts a part of the row, and the parts are merged, by all threads, too.
// Must hold: the same bits as the sort of the whole: parts are sorted stably, and merged in their order.

import { type Block, isContiguous, newBlock } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import { infoOf, isComplex, type RealDType } from "../../core/dtype.ts";
import type { Routine, RoutineCall } from "../routine.ts";
import { booleanAttr } from "../routines/attributes.ts";
import { blockSampleBy } from "../routines/rankSamples.ts";
import type { Room } from "../routines/room.ts";
import { argsort, sort } from "../routines/sort.ts";
import { argsortRunsBy, sortRunsBy } from "../routines/sortedRuns.ts";
import type { Local } from "./assembler.ts";
import { workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";
import { mergeRow } from "./merging.ts";
import { increase, moduleOf, repeat, setMin } from "./module.ts";
import type { SortKind } from "./sort/row.ts";
import { runSort } from "./sorting.ts";

/** A part has so many elements at least. */
const LEAST = 1 << 16;

type RoutineKernel = (machine: WasmMachine, call: RoutineCall, threads: number) => boolean;

/** sort and argsort, whatever rows they are of. */
export const sortKernel =
  (kind: SortKind): RoutineKernel =>
  (machine, call, threads) =>
    sortLongRow(machine, kind, call, threads) || runSort(machine, kind, call, threads);

function sortLongRow(machine: WasmMachine, kind: SortKind, call: RoutineCall, threads: number): boolean {
  const [x, output] = [call.inputs[0]!, call.outputs[0]!];
  const length = sizeOf(x.shape);
  const isRow = x.shape.every((n) => n === 1 || n === length);
  const parts = Math.min(threads, Math.floor(length / LEAST));
  if (!isRow || parts < 2 || isComplex(x.dtype) || !isContiguous(x) || !isContiguous(output)) return false;
  const flat = (block: Block): Block => ({ ...block, shape: [length], strides: [1] });
  let isDone = false;
  const isInside = workInside(machine.memory, [flat(x)], [flat(output)], ([from], [to]) => {
    isDone = sortParts(machine, kind, [from!, to!], parts, booleanAttr(call.attrs, "descending"));
  });
  return isInside && isDone;
}

function sortParts(
  machine: WasmMachine,
  kind: SortKind,
  [x, output]: readonly [Block, Block],
  parts: number,
  descending: boolean,
): boolean {
  const { memory } = machine;
  const length = x.shape[0]!;
  const values = memory.takeBlock(x.dtype, x.shape);
  const places = kind === "sort" ? null : memory.takeBlock("int64", x.shape);
  try {
    if (values === null || (kind === "argsort" && places === null)) return false;
    const each = Math.floor(length / parts);
    const rest = length - each * parts;
    // What is left over is a part of its own, of a few elements.
    for (const [from, rows, columns] of [[0, parts, each] as const, [each * parts, 1, rest] as const]) {
      const part = (block: Block): Block => ({
        ...block,
        ...{ shape: [rows, columns], strides: [columns, 1], offset: block.offset + from },
      });
      const call = { inputs: [part(x)], outputs: [part(places ?? values)], starts: [] };
      if (columns > 0 && !runSort(machine, kind, { ...call, attrs: { axis: 1, descending } }, parts))
        return false;
    }
    if (places !== null) gatherParts(machine, x, [values, places], each, parts);
    const counts = [...new Array<number>(parts).fill(each), rest];
    const row = { values, places, counts, skip: 0, output };
    return mergeRow(machine, kind === "sort" ? "values" : "places", row, descending, parts);
  } finally {
    for (const block of [values, places]) if (block !== null) memory.giveBlock(block);
  }
}

/** The elements of each part in order, and where they stood in the whole row. */
function gatherParts(
  { memory, kernels, jobs }: WasmMachine,
  x: Block,
  [values, places]: readonly [Block, Block],
  each: number,
  threads: number,
): void {
  const kernel = kernels.get(`gather parts ${x.dtype}`, (isShared) =>
    gatherModule(isShared, x.dtype as RealDType),
  );
  const addresses = [x, values, places].map((block) => memory.placedAddress(block));
  const length = x.shape[0]!;
  jobs.run(kernel, [...addresses, each, length], Math.ceil(length / each), 1, threads);
}

/** A unit is a part. Parameters: addresses of elements, of those in order and of their places in the part; elements of a part, and of all. */
const gatherModule = (isShared: boolean, dtype: RealDType): Uint8Array<ArrayBuffer> =>
  moduleOf(isShared, (w, { parameters, from, to }) => {
    const names = [
      "x",
      "values",
      "places",
      "each",
      "length",
      "at",
      "end",
      "begin",
      "value",
      "place",
      "own",
    ] as const;
    const at = Object.fromEntries(names.map((name) => [name, w.local("i32")])) as {
      readonly [N in (typeof names)[number]]: Local;
    };
    const { bytes } = infoOf(dtype);
    const type = bytes === 8 ? "i64" : "i32";
    const width = bytes < 4 ? String(8 * bytes) : "";
    const load = `${type}.load${width}${width === "" ? "" : "_u"}`;
    [at.x, at.values, at.places, at.each, at.length].forEach((local, i) =>
      w
        .get(parameters)
        .memory("i32.load", 4 * i)
        .set(local),
    );
    repeat(w, from, to, 1, () => {
      w.get(from).get(at.each).op("i32.mul").tee(at.at).set(at.begin);
      setMin(
        w,
        at.end,
        () => w.get(at.begin).get(at.each).op("i32.add"),
        () => w.get(at.length),
      );
      w.get(at.begin).i32(bytes).op("i32.mul").get(at.values).op("i32.add").set(at.value);
      w.get(at.begin).i32(8).op("i32.mul").get(at.places).op("i32.add").set(at.place);
      repeat(w, at.at, at.end, 1, () => {
        w.get(at.place).memory("i32.load").get(at.begin).op("i32.add").set(at.own);
        w.get(at.value).get(at.own).i32(bytes).op("i32.mul").get(at.x).op("i32.add").memory(load);
        w.memory(`${type}.store${width}`);
        w.get(at.place).get(at.own).op("i64.extend_i32_u").memory("i64.store");
        increase(w, at.value, bytes);
        increase(w, at.place, 8);
      });
    });
  });

// Runs of blocks, sorted by these kernels; what is needed on the way lies in the kernels' memory, as stated.

const byKernel =
  (kind: SortKind, routineBy: (sorts: Routine) => Routine): RoutineKernel =>
  (machine, call, threads) => {
    const taken: Block[] = [];
    const room: Room = (dtype, length) => {
      const block = machine.memory.takeBlock(dtype, [length]);
      if (block !== null) taken.push(block);
      return (block ?? newBlock(dtype, [length])).data;
    };
    try {
      routineBy((row) => {
        if (!sortKernel(kind)(machine, row, threads)) (kind === "sort" ? sort : argsort)(row);
      })({ ...call, room });
    } finally {
      for (const block of taken) machine.memory.giveBlock(block);
    }
    return true;
  };

/** By routine. */
export const SORT_KERNELS: readonly (readonly [string, RoutineKernel])[] = [
  ["sort", sortKernel("sort")],
  ["argsort", sortKernel("argsort")],
  ["sortRuns", byKernel("sort", sortRunsBy)],
  ["argsortRuns", byKernel("argsort", argsortRunsBy)],
  ["blockSample", byKernel("sort", blockSampleBy)],
];
