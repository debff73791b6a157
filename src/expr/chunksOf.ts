// Chunks of an expression: derived, never part of its type. Sources know theirs, moves and routines say
// how they carry them over, the rest follows from the op's class.

import type { ChunkShape } from "../core/chunks.ts";
import { type Shape, sameShape } from "../core/shape.ts";
import { type Expr, postOrder } from "./expr.ts";
import { assertDense, denseOf } from "./type.ts";

const known = new WeakMap<Expr, ChunkShape>();

export function chunksOf(expr: Expr): ChunkShape {
  const done = known.get(expr);
  if (done !== undefined) return done;
  for (const node of postOrder([expr], (input) => known.has(input))) known.set(node, inferChunks(node));
  return known.get(expr)!;
}

/** Of inputs that are all numbers or cut alike, which most are, the cut they have; undefined where it must be found out. */
function commonChunks({ inputs, shape: whole }: Expr): ChunkShape | undefined {
  let common: ChunkShape | undefined;
  for (let i = 0; i < inputs.length; i++) {
    const { shape } = inputs[i]!;
    if (shape.length === 0) continue;
    const chunks = known.get(inputs[i]!)!;
    if (!sameShape(shape, whole) || (common !== undefined && !sameShape(chunks, common))) return undefined;
    common ??= chunks;
  }
  return common;
}

function inferChunks(node: Expr): ChunkShape {
  const { op, attrs, type } = node;
  const common = op.class === "elementwise" ? commonChunks(node) : undefined;
  if (common !== undefined) return common;
  if (op.class === "source") return op.chunks(attrs, type);
  if (op.class === "ragged") return op.chunks(type, attrs);
  const types = node.inputs.map((input) => input.type);
  assertDense(types);
  const chunks = node.inputs.map((input) => known.get(input)!);
  switch (op.class) {
    case "elementwise":
      return unifyChunks(types, chunks, denseOf(type));
    case "reduce":
      return reducedChunks(chunks[0]!, attrs["axes"] as readonly number[], attrs["keepdims"] as boolean);
    case "scan":
      return chunks[0]!;
    case "move":
    case "routine":
      return op.chunks(chunks, types, attrs, denseOf(type));
    case "contract":
      return contractChunks(chunks, attrs as unknown as ContractAxes);
    default:
      op satisfies never;
      throw op;
  }
}

interface Shaped {
  readonly shape: Shape;
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
  return unified;
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

export function reducedChunks(chunks: ChunkShape, axes: readonly number[], keepdims: boolean): ChunkShape {
  if (keepdims) return chunks.map((chunk, axis) => (axes.includes(axis) ? 1 : chunk));
  return chunks.filter((_, axis) => !axes.includes(axis));
}

/** Attributes of a contraction: which axes of a and b go together. */
export interface ContractAxes {
  readonly batchA: readonly number[];
  readonly batchB: readonly number[];
  readonly contractA: readonly number[];
  readonly contractB: readonly number[];
}

export const freeAxes = (ndim: number, batch: readonly number[], contract: readonly number[]): number[] =>
  Array.from({ length: ndim }, (_, axis) => axis).filter(
    (axis) => !batch.includes(axis) && !contract.includes(axis),
  );

function contractChunks([a, b]: readonly ChunkShape[], axes: ContractAxes): ChunkShape {
  const freeA = freeAxes(a!.length, axes.batchA, axes.contractA);
  const freeB = freeAxes(b!.length, axes.batchB, axes.contractB);
  return [...axes.batchA.map((x) => a![x]!), ...freeA.map((x) => a![x]!), ...freeB.map((x) => b![x]!)];
}
