// Users' functions over blocks. A call is made for each place of a grid; `from` says for every axis of every input
// along which axis of the grid it is cut (−1: not at all), `axes` the same of the output. mapBlocks: the one result of
// a function. mapBlocksAll: all results, packed in a row of bytes for each place. blockOutput: one of them again.
// attrs of a call: function (a resource that can be called), cut, from, and where needed before, after, cores, memory
// (kernel/routines/userCall.ts). Of an output: dtype, shape, chunks, axes; of several: dtypes, shapes, blocks, axes, grid.

import { type Attrs, blockBytes } from "../core/block.ts";
import { type Box, type ChunkShape, isLength, type Shape, wholeBox } from "../core/chunks.ts";
import { isDType } from "../core/dtype.ts";
import { type DenseType, denseType, type RoutineOp } from "../expr/op.ts";
import { type AxisSeams, SEAMLESS } from "../expr/pieces.ts";
import { packedOutputs, rowsShape } from "../kernel/routines/packed.ts";
import {
  type BlockGrid,
  blockGrid,
  Callable,
  inputBox,
  type OutputGrid,
  outputGrid,
  type Places,
  placesOf,
} from "../kernel/routines/userCall.ts";
import { checkCounts, checkGridAxes, checkList, wrongAttr } from "./attrChecks.ts";

const NO_PULLBACK = {
  why: "nobody can look into a function of blocks, which has no derivative",
  cure: "Say its pullback: cw.mapBlocks(fn, x, {pullback}), or cw.customPullback around the call",
};

/** What a call is made of, for any number of outputs. */
function checkCall(op: string, inputs: readonly DenseType[], attrs: Attrs): void {
  const { cut, from, before, after, cores, memory } = blockGrid(attrs);
  if (!(attrs["function"] instanceof Callable)) throw wrongAttr(op, "function", attrs["function"]);
  checkCounts(op, "cut", cut, undefined, 1);
  checkList(op, "from", from, inputs.length);
  inputs.forEach(({ shape }, k) => {
    checkGridAxes(op, "from", from[k], shape.length, cut.length);
    if (cores !== undefined && cores[k]! > shape.length) throw wrongAttr(op, "cores", cores);
  });
  for (const [name, list] of Object.entries({ before, after }))
    if (list !== undefined) checkCounts(op, name, list, cut.length);
  if (cores !== undefined) checkCounts(op, "cores", cores, inputs.length);
  if (memory !== undefined && !isLength(memory)) throw wrongAttr(op, "memory", memory);
}

function checkOutput(op: string, { dtype, shape, chunks, axes }: OutputGrid, dims: number): void {
  if (!isDType(dtype)) throw wrongAttr(op, "dtype", dtype);
  checkCounts(op, "shape", shape);
  checkCounts(op, "chunks", chunks, shape.length, 1);
  checkGridAxes(op, "axes", axes, shape.length, dims);
}

/** A function of single elements has the axes of the grid first, in every output. */
function checkLoop(op: string, { cut, cores }: BlockGrid, { axes }: OutputGrid): void {
  if (cores !== undefined && cut.some((_, axis) => axes[axis] !== axis)) throw wrongAttr(op, "axes", axes);
}

/** The blocks that a box touches, whole. */
function wholeBlocks(out: Box, { shape }: DenseType, chunks: ChunkShape): Box {
  const start = out.start.map((x, axis) => x - (x % chunks[axis]!));
  const end = out.start.map((x, axis) =>
    Math.min(shape[axis]!, Math.ceil((x + out.shape[axis]!) / chunks[axis]!) * chunks[axis]!),
  );
  return { start, shape: start.map((x, axis) => Math.max(0, end[axis]! - x)) };
}

/** Where blocks meet; the last may be shorter than others, in the output and in the inputs. */
const blockSeams = (shape: Shape, chunks: ChunkShape): AxisSeams[] =>
  shape.map((n, axis) => {
    const every = chunks[axis]!;
    const last = Math.floor(Math.max(0, n - 1) / every) * every;
    return { zones: [[last, n]], periods: [{ every, at: [0] }] };
  });

function inputBoxes(inputs: readonly DenseType[], attrs: Attrs, places: Places): Box[] {
  const { from, cut } = blockGrid(attrs);
  return inputs.map(({ shape }, k) => inputBox(shape, from[k]!, cut, places));
}

export const mapBlocks: RoutineOp = {
  name: "mapBlocks",
  class: "routine",
  routine: "call",
  noPullback: NO_PULLBACK,
  isOpaque: true,
  infer(inputs, attrs) {
    const type = outputGrid(attrs);
    checkCall("mapBlocks", inputs, attrs);
    checkOutput("mapBlocks", type, blockGrid(attrs).cut.length);
    checkLoop("mapBlocks", blockGrid(attrs), type);
    return denseType(type.dtype, type.shape);
  },
  computes: (out, type, attrs) => wholeBlocks(out, type, outputGrid(attrs).chunks),
  demand: (out, inputs, attrs) =>
    inputBoxes(inputs, attrs, placesOf(out, outputGrid(attrs), blockGrid(attrs).cut.length)),
  seams: (_, attrs, { shape }) => blockSeams(shape, outputGrid(attrs).chunks),
  chunks: (_, __, attrs) => outputGrid(attrs).chunks,
};

export const mapBlocksAll: RoutineOp = {
  name: "mapBlocksAll",
  class: "routine",
  routine: "callAll",
  noPullback: NO_PULLBACK,
  isOpaque: true,
  infer(inputs, attrs) {
    checkCall("mapBlocksAll", inputs, attrs);
    const grid = blockGrid(attrs);
    const count = (attrs["dtypes"] as readonly unknown[]).length;
    for (const name of ["dtypes", "shapes", "blocks", "axes"])
      checkList("mapBlocksAll", name, attrs[name], count);
    for (const type of packedOutputs(attrs)) {
      checkOutput("mapBlocksAll", type, grid.cut.length);
      checkLoop("mapBlocksAll", grid, type);
    }
    checkCounts("mapBlocksAll", "grid", attrs["grid"], grid.cut.length);
    return denseType("uint8", rowsShape(attrs));
  },
  // A row is made as a whole.
  computes: ({ start, shape }, type) => ({
    start: [...start.slice(0, -1), 0],
    shape: [...shape.slice(0, -1), type.shape.at(-1)!],
  }),
  demand(out, inputs, attrs) {
    const first = out.start.slice(0, -1);
    const last = first.map((x, axis) => x + out.shape[axis]!);
    return inputBoxes(inputs, attrs, { first, last });
  },
  seams: (_, __, { shape }) =>
    shape.map((n, axis) => (axis === shape.length - 1 ? SEAMLESS : { zones: [[n - 1, n]] })),
  chunks: (_, __, ___, { shape }) => shape.map((n, axis) => (axis < shape.length - 1 ? 1 : Math.max(1, n))),
};

/** attrs.offset: the byte of a row where the result begins. */
export const blockOutput: RoutineOp = {
  name: "blockOutput",
  class: "routine",
  routine: "unpack",
  partOf: (attrs) => attrs["offset"] as number,
  infer([rows], attrs) {
    const { dtype, shape, chunks, axes } = outputGrid(attrs);
    checkOutput("blockOutput", { dtype, shape, chunks, axes }, rows!.shape.length - 1);
    const offset = attrs["offset"];
    const end = Number(offset) + blockBytes(dtype, chunks);
    if (!isLength(offset) || end > rows!.shape.at(-1)!) throw wrongAttr("blockOutput", "offset", offset);
    return denseType(dtype, shape);
  },
  computes: mapBlocks.computes,
  demand(out, [rows], attrs) {
    const type = outputGrid(attrs);
    const { first, last } = placesOf(out, type, rows!.shape.length - 1);
    if (out.shape.includes(0)) return [{ ...wholeBox(rows!.shape), shape: rows!.shape.map(() => 0) }];
    return [
      {
        start: [...first, attrs["offset"] as number],
        shape: [...first.map((x, axis) => last[axis]! - x), blockBytes(type.dtype, type.chunks)],
      },
    ];
  },
  seams: mapBlocks.seams!,
  chunks: mapBlocks.chunks,
};

export const BLOCK_OPS: readonly RoutineOp[] = [mapBlocks, mapBlocksAll, blockOutput];
