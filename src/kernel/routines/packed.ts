// A function with several outputs is called once for each block, whoever needs which of them. callAll: all its results
// for a block as one row of bytes, one after another. unpack: one of them out of such rows again.
// Must hold: a row has room for the largest block of every output, so that each begins at the same byte of every row.

import { type Attrs, type Block, blockBytes, subBlock } from "../../core/block.ts";
import { type ChunkShape, type Shape, sizeOf, stridesOf } from "../../core/chunks.ts";
import { type DType, infoOf, type TypedArray } from "../../core/dtype.ts";
import type { Routine } from "../routine.ts";
import type { Room } from "./room.ts";
import { copyElements, fromContiguous, toContiguous } from "./stridedWalk.ts";
import { blockGrid, callBlock, forEachBlock, type OutputGrid, outputGrid, placesOf } from "./userCall.ts";

/** Every result begins at a multiple of this, so that elements of any dtype can be seen where they lie. */
const ALIGNMENT = 16;

/** The byte at which each output begins, and behind the last the length of a row. */
export function rowOffsets(dtypes: readonly DType[], chunks: readonly ChunkShape[]): number[] {
  const offsets = [0];
  dtypes.forEach((dtype, k) => {
    const bytes = blockBytes(dtype, chunks[k]!);
    offsets.push(offsets[k]! + Math.ceil(bytes / ALIGNMENT) * ALIGNMENT);
  });
  return offsets;
}

/** The outputs that a packed call has, from its attributes. */
export function packedOutputs(attrs: Attrs): OutputGrid[] {
  const dtypes = attrs["dtypes"] as unknown as readonly DType[];
  const shapes = attrs["shapes"] as unknown as readonly Shape[];
  const chunks = attrs["blocks"] as unknown as readonly ChunkShape[];
  const axes = attrs["axes"] as unknown as readonly (readonly number[])[];
  return dtypes.map((dtype, k) => ({ dtype, shape: shapes[k]!, chunks: chunks[k]!, axes: axes[k]! }));
}

export const callAll: Routine = (given) => {
  const [rows] = given.outputs;
  const origin = given.starts.at(-1)!;
  const types = packedOutputs(given.attrs);
  const offsets = rowOffsets(
    types.map(({ dtype }) => dtype),
    types.map(({ chunks }) => chunks),
  );
  const one = [...rows!.shape.slice(0, -1).map(() => 1), rows!.shape.at(-1)!];
  forEachBlock(rows!.shape, one, (within) => {
    const place = within.slice(0, -1).map((x, axis) => x + origin[axis]!);
    callBlock(given, types, place).forEach((result, k) => {
      const bytes = bytesOf(toContiguous(result, given.room));
      const shape = [...place.map(() => 1), bytes.length];
      const target = subBlock(rows!, [...within.slice(0, -1), offsets[k]!], shape);
      copyElements({ dtype: "uint8", shape, strides: stridesOf(shape), offset: 0, data: bytes }, target);
    });
  });
};

const bytesOf = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

export const unpack: Routine = ({ inputs, outputs, attrs, starts, room }) => {
  const [rows] = inputs;
  const [output] = outputs;
  const [rowStart, origin] = starts;
  const type = outputGrid(attrs);
  const dims = rowStart!.length - 1;
  forEachBlock(output!.shape, type.chunks, (within, shape) => {
    const start = within.map((x, axis) => x + origin![axis]!);
    const { first } = placesOf({ start, shape }, type, dims);
    const row = first.map((x, axis) => x - rowStart![axis]!);
    const bytes = subBlock(rows!, [...row, 0], [...row.map(() => 1), blockBytes(type.dtype, shape)]);
    fromContiguous(elementsOf(bytes, type.dtype, sizeOf(shape), room), subBlock(output!, within, shape));
  });
};

/** Bytes as elements: where they lie, if they lie as elements must. */
function elementsOf(bytes: Block, dtype: DType, count: number, room?: Room): TypedArray {
  const { array: ArrayOf, slots } = infoOf(dtype);
  const given = toContiguous(bytes, room);
  const { buffer, byteOffset } = given.byteOffset % ArrayOf.BYTES_PER_ELEMENT === 0 ? given : given.slice();
  return new ArrayOf(buffer, byteOffset, count * slots);
}

/** The rows of a grid that a call is made for, and how long they are. */
export function rowsShape(attrs: Attrs): Shape {
  const { cut } = blockGrid(attrs);
  const grid = attrs["grid"] as unknown as Shape;
  const types = packedOutputs(attrs);
  const length = rowOffsets(
    types.map(({ dtype }) => dtype),
    types.map(({ chunks }) => chunks),
  ).at(-1)!;
  return [...grid.slice(0, cut.length), length];
}
