// Contractions that do not fit: a task of a contraction reads all of the contracted axes, block by block, and adds the
// products up as it goes (compile/rounds.ts). Where the result is small beside what one task would read, as of long
// vectors, many tasks are better than one: the contracted axis is cut into blocks, which become an axis of their own
// along which partial products are made and then added up, as any other reduction.
// In: a contract node and the bytes a task may use. Out: an expression with the same value, up to the order of sums.

import { type Attrs, blockBytes } from "../core/block.ts";
import { type ChunkShape, gridOf, sizeOf } from "../core/chunks.ts";
import { type ContractAxes, chunksOf, type Expr, makeExpr } from "../expr/expr.ts";
import { cast, castAttrs } from "../lazy/cast.ts";
import { contract, contractAxes } from "../ops/contraction.ts";
import { rechunk } from "../ops/moves/axisMoves.ts";
import { pad } from "../ops/moves/pad.ts";
import { reshape } from "../ops/moves/reshape.ts";
import { sum } from "../ops/reductions.ts";
import { contractBytes } from "./compile/scratch.ts";

/** Null where the whole fits, is better added up in one task, or parts would be no smaller. */
export function splitContraction(node: Expr, allowedMem: number | undefined): Expr | null {
  const isBelow = allowedMem === undefined || taskBytes(node) <= allowedMem || fitsInRounds(node, allowedMem);
  if (isBelow && !isWorthTasks(node)) return null;
  const [a, b] = node.inputs as [Expr, Expr];
  const axes = contractAxes(node.attrs);
  const blockOf = (i: number): number =>
    Math.min(chunksOf(a)[axes.contractA[i]!]!, chunksOf(b)[axes.contractB[i]!]!);
  // The first axis that has several blocks; where that is not enough, the products are split in turn.
  const cut = axes.contractA.findIndex((axis, i) => a.shape[axis]! > blockOf(i));
  if (cut < 0) return null;
  const [inA, inB] = [axes.contractA[cut]!, axes.contractB[cut]!];
  const block = isBelow ? blockOf(cut) : largestBlock(node, blockOf(cut), a.shape[inA]!, allowedMem);
  const parts = [inBlocks(a, inA, block), inBlocks(b, inB, block)];
  const products = makeExpr(contract, parts, batchAttrs(axes, inA, inB), node.site);
  const total = makeExpr(sum, [products], { axes: [0], keepdims: false }, node.site);
  // Sums of short integers are longer ones.
  return total.dtype === node.dtype ? total : makeExpr(cast, [total], castAttrs(node.dtype), node.site);
}

/** Along each pair of contracted axes, as long as the longer of both chunks: a task adds up one after another. */
function contractBlocks({ inputs, attrs }: Expr): readonly number[] {
  const [a, b] = inputs as [Expr, Expr];
  const { contractA, contractB } = contractAxes(attrs);
  return contractA.map((axis, i) => Math.max(chunksOf(a)[axis]!, chunksOf(b)[contractB[i]!]!));
}

/** With the lengths of the blocks in which it is added up, where the contracted axes have several. */
export function attrsInBlocks(node: Expr): Attrs {
  const { shape } = node.inputs[0]!;
  const blocks = contractBlocks(node);
  const isWhole = contractAxes(node.attrs).contractA.every((axis, i) => shape[axis]! <= blocks[i]!);
  return isWhole ? node.attrs : { ...node.attrs, blocks };
}

/** Partial products that are not much smaller than what they are made of are not worth storing. */
const SMALL_PART = 4;

function fitsInRounds(node: Expr, allowedMem: number): boolean {
  const [a, b] = node.inputs as [Expr, Expr];
  const axes = contractAxes(node.attrs);
  const { read, written, blocks } = blockTraffic(node);
  const scratch = contractBytes([...blocks, written], a.shape.length, b.shape.length, axes);
  return SMALL_PART * written > read && 2 * read + written + scratch <= allowedMem;
}

/** Blocks of fewer bytes are no task of their own. */
const LEAST_BLOCK = 2 ** 16;

/** One block after another would keep few tasks busy for long, and what each block gives is small. */
function isWorthTasks(node: Expr): boolean {
  const { read, written } = blockTraffic(node);
  const { contractA } = contractAxes(node.attrs);
  const lengths = contractBlocks(node);
  const blocks = sizeOf(contractA.map((axis, i) => Math.ceil(node.inputs[0]!.shape[axis]! / lengths[i]!)));
  return (
    sizeOf(gridOf(node.shape, chunksOf(node))) < blocks && read >= LEAST_BLOCK && SMALL_PART * written <= read
  );
}

/** What one block of each operand has, and what is made of them. */
function blockTraffic(node: Expr): { read: number; written: number; blocks: readonly [number, number] } {
  const [a, b] = node.inputs as [Expr, Expr];
  const axes = contractAxes(node.attrs);
  const lengths = contractBlocks(node);
  const blockOf = (input: Expr, contracted: readonly number[]): number =>
    blockBytes(
      input.dtype,
      chunksOf(input).map((n, axis) => Math.min(lengths[contracted.indexOf(axis)] ?? n, input.shape[axis]!)),
    );
  const blocks = [blockOf(a, axes.contractA), blockOf(b, axes.contractB)] as const;
  return { read: blocks[0] + blocks[1], written: blockBytes(node.dtype, chunksOf(node)), blocks };
}

/** Few partial products are better than many: chunks are taken together, twice as many each time, while they fit. */
function largestBlock(node: Expr, chunk: number, length: number, allowedMem = 0): number {
  let block = chunk;
  while (2 * block < length && taskBytes(node, (2 * block) / length) <= allowedMem) block *= 2;
  return block;
}

/** What one task needs that reads this part of the contracted axes of both: panels, its chunk, and what the product takes. */
function taskBytes(node: Expr, part = 1): number {
  const [a, b] = node.inputs as [Expr, Expr];
  const axes = contractAxes(node.attrs);
  const panel = (input: Expr, contracted: readonly number[]): number =>
    part *
    blockBytes(
      input.dtype,
      chunksOf(input).map((n, axis) => (contracted.includes(axis) ? input.shape[axis]! : n)),
    );
  const bytes = [panel(a, axes.contractA), panel(b, axes.contractB), blockBytes(node.dtype, chunksOf(node))];
  const scratch = contractBytes(bytes, a.shape.length, b.shape.length, axes);
  // The product lies in memory before it goes into a sum.
  return bytes.reduce((total, n) => total + n, scratch) + (part < 1 ? 2 * bytes[2]! : 0);
}

/** The axis as blocks, one chunk each, and places within them; zeros fill the last. */
function inBlocks(x: Expr, axis: number, block: number): Expr {
  const count = Math.ceil(x.shape[axis]! / block);
  const missing = count * block - x.shape[axis]!;
  const none = x.shape.map(() => 0);
  const attrs = {
    before: none,
    after: none.map((_, a) => (a === axis ? missing : 0)),
    mode: "constant",
    value: 0,
  };
  const filled = missing === 0 ? x : makeExpr(pad, [x], attrs, x.site);
  const split = (list: readonly number[], inner: readonly number[]): number[] =>
    list.flatMap((n, a) => (a === axis ? inner : [n]));
  const shaped = makeExpr(reshape, [filled], { shape: split(x.shape, [count, block]) }, x.site);
  const chunks: ChunkShape = split(chunksOf(x), [1, block]);
  return makeExpr(rechunk, [shaped], { chunks }, x.site);
}

/** Blocks are the first batch axis; axes behind the one that was cut move up by one. */
function batchAttrs(
  axes: ContractAxes,
  inA: number,
  inB: number,
): { readonly [name: string]: readonly number[] } {
  const moved = (list: readonly number[], cut: number): number[] =>
    list.map((axis) => (axis >= cut ? axis + 1 : axis));
  return {
    batchA: [inA, ...moved(axes.batchA, inA)],
    batchB: [inB, ...moved(axes.batchB, inB)],
    contractA: moved(axes.contractA, inA),
    contractB: moved(axes.contractB, inB),
  };
}
