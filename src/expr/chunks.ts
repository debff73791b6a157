// Chunks of an expression: derived, never part of its type. Sources know theirs, moves and routines say
// how they carry them over, the rest follows from the op's class.

import type { ChunkShape } from "../core/chunks.ts";
import type { Expr } from "./expr.ts";
import type { ArrayType } from "./op.ts";
import { postOrder } from "./walk.ts";

const known = new WeakMap<Expr, ChunkShape>();

export function chunksOf(expr: Expr): ChunkShape {
  const done = known.get(expr);
  if (done !== undefined) return done;
  for (const node of postOrder([expr], (input) => known.has(input))) known.set(node, inferChunks(node));
  return known.get(expr)!;
}

function inferChunks(node: Expr): ChunkShape {
  const { op, attrs, type } = node;
  const types = node.inputs.map((input) => input.type);
  const chunks = node.inputs.map((input) => known.get(input)!);
  switch (op.class) {
    case "source":
      return op.chunks(attrs, type);
    case "elementwise":
      return unifyChunks(types, chunks, type);
    case "reduce":
      return reducedChunks(chunks[0]!, attrs["axes"] as readonly number[], attrs["keepdims"] as boolean);
    case "scan":
      return chunks[0]!;
    case "move":
    case "routine":
      return op.chunks(chunks, types, attrs, type);
    case "contract":
      return contractChunks(chunks, attrs as unknown as ContractAxes);
    case "ragged":
      return op.chunks(type, attrs);
    default:
      op satisfies never;
      throw op;
  }
}

/** Aligned at the ends; on each axis the shortest chunk of those inputs that are not broadcast along it. */
export function unifyChunks(
  types: readonly ArrayType[],
  chunks: readonly ChunkShape[],
  out: ArrayType,
): ChunkShape {
  const ndim = out.shape.length;
  return out.shape.map((length, axis) => {
    let shortest = Math.max(1, length);
    types.forEach(({ shape }, i) => {
      const at = axis - (ndim - shape.length);
      if (at >= 0 && shape[at] === length && length > 1) shortest = Math.min(shortest, chunks[i]![at]!);
    });
    return shortest;
  });
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
