// Chunks of what is made, element by element, of several arrays. In: shapes and chunks of the arrays, and the shape of the
// result. Out: its chunks. Must hold: no chunk has more elements than the largest of the arrays', or a usual one.

import { AUTO_CHUNK_BYTES, type ChunkShape, type Shape, sizeOf } from "../core/chunks.ts";
import { type DType, infoOf } from "../core/dtype.ts";

interface Shaped {
  readonly shape: Shape;
  readonly dtype?: DType;
}

/**
 * Aligned at the ends; on each axis the shortest chunk of those inputs that are not broadcast along it, or the longest
 * where that consists of whole ones of all of them. So a long chunk is not read piece by piece for the sake of short ones.
 * Last axes first, and while a chunk has no more elements than the largest of the inputs': no task needs more than they do.
 */
export function unifyChunks(
  types: readonly Shaped[],
  chunks: readonly ChunkShape[],
  out: Shaped,
): ChunkShape {
  const lengths = out.shape.map((length, axis) =>
    lengthsAlong(types, chunks, length, out.shape.length - axis),
  );
  // Inputs can be very many: no call takes them all as arguments.
  const unified = lengths.map((list, axis) =>
    list.reduce((a, b) => Math.min(a, b), Math.max(1, out.shape[axis]!)),
  );
  const room = chunks.reduce(
    (most, chunk, i) => Math.max(most, ownSize(chunk, types[i]!.shape, out.shape)),
    1,
  );
  let size = unified.reduce((product, n) => product * n, 1);
  for (let axis = unified.length - 1; axis >= 0; axis--) {
    const longest = lengths[axis]!.reduce((a, b) => Math.max(a, b), unified[axis]!);
    const isWhole = lengths[axis]!.every((n) => longest % n === 0) || longest >= out.shape[axis]!;
    const larger = (size / unified[axis]!) * longest;
    if (!isWhole || larger > room) continue;
    unified[axis] = longest;
    size = larger;
  }
  return out.dtype === undefined ? unified : ofUsualSize(unified, room, infoOf(out.dtype).bytes);
}

/** Where inputs are stretched along different axes their chunks make larger ones: these are halved along the longest axis. */
export function ofUsualSize(chunks: readonly number[], room: number, bytes: number): ChunkShape {
  const most = Math.max(room, AUTO_CHUNK_BYTES / bytes);
  if (sizeOf(chunks) <= most) return chunks;
  const cut = [...chunks];
  while (sizeOf(cut) > most) {
    const longest = cut.reduce((at, chunk, axis) => (chunk > cut[at]! ? axis : at), 0);
    cut[longest] = Math.ceil(cut[longest]! / 2);
  }
  return cut;
}

/** Chunk lengths of the inputs along an axis, counted from the end, that are not broadcast along it. */
function lengthsAlong(
  types: readonly Shaped[],
  chunks: readonly ChunkShape[],
  length: number,
  fromEnd: number,
): number[] {
  const lengths: number[] = [];
  types.forEach(({ shape }, i) => {
    const at = shape.length - fromEnd;
    if (at >= 0 && shape[at] === length && length > 1) lengths.push(chunks[i]![at]!);
  });
  return lengths;
}

/** Elements of an input's chunk along the axes where it is not broadcast. */
function ownSize(chunk: ChunkShape, shape: Shape, out: Shape): number {
  const lead = out.length - shape.length;
  return chunk.reduce((size, n, axis) => (shape[axis] === out[axis + lead] ? size * n : size), 1);
}
