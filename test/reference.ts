// The reference evaluation of expressions: one node at a time, over whole arrays. Slow and obviously right;
// every optimisation (rewriting, fusion, chunking, kernels) is compared with it.
// In: the expressions asked for. Out: the value of every node they are made of.
// Must hold: a node sees nothing but the finished values of its inputs, each in one chunk, so no choice of
// chunks and no neighbouring node can change it. Loops only: a chain of a million nodes does not overflow.

import type { Attrs, Block } from "../src/core/block.ts";
import { singleChunk } from "../src/core/chunks.ts";
import { type Expr, makeExpr, postOrder } from "../src/expr/expr.ts";
import { referenceBackend } from "../src/kernel/interpret/backend.ts";
import { DataResource, dataOf, dataOp, sourceAttrs } from "../src/lazy/lazyArray.ts";
import { planOf } from "../src/plan/index.ts";
import { runPlanSync } from "../src/runtime/run.ts";

export function evaluateReference(roots: readonly Expr[]): Map<Expr, Block> {
  const values = new Map<Expr, Block>();
  for (const node of postOrder(roots)) values.set(node, evaluateNode(node, values));
  return values;
}

function evaluateNode(node: Expr, values: ReadonlyMap<Expr, Block>): Block {
  if (node.op === dataOp) return dataOf(node.attrs).block;
  const inputs = node.inputs.map((input) => dataExpr(values.get(input)!));
  return runAlone(makeExpr(node.op, inputs, inOneChunk(node), node.site));
}

/** A finished value as a source in one chunk. */
function dataExpr(block: Block): Expr {
  return makeExpr(dataOp, [], {
    ...sourceAttrs(block, singleChunk(block.shape)),
    data: new DataResource(block),
  });
}

/** Attributes that say how an array is cut, and nothing of what it is, say "in one piece". */
const inOneChunk = ({ op, attrs, shape }: Expr): Attrs =>
  "chunks" in attrs && op.class !== "routine" ? { ...attrs, chunks: singleChunk(shape) } : attrs;

/** The value of a node whose inputs are all in memory: one operation per level of its tree, nothing fused, interpreted. */
function runAlone(node: Expr): Block {
  const { data: plan, sources } = planOf([node], { optimize: false });
  return runPlanSync({ plan, sources, backend: referenceBackend })[0]!;
}
