// Verification: an Expr says what it means. In: roots. Out: nothing, or an InvariantError that names
// the node. Types must be what the op infers, and nodes must be interned and acyclic by construction.

import { InvariantError } from "../core/errors.ts";
import { sameShape, shapeText } from "../core/shape.ts";
import { type Expr, makeExpr } from "./expr.ts";
import { postOrder } from "./walk.ts";

export function verifyExpr(roots: readonly Expr[]): void {
  for (const node of postOrder(roots)) {
    verifyOrder(node);
    verifyType(node);
    if (makeExpr(node.op, node.inputs, node.attrs) !== node)
      fail(node, "is not interned", "Build nodes with makeExpr");
  }
}

function verifyOrder(node: Expr): void {
  const late = node.inputs.find((input) => input.id >= node.id);
  if (late !== undefined) fail(node, `uses node ${late.id}, which is not older`, "Inputs are built first");
}

function verifyType(node: Expr): void {
  const { dtype, shape } = node.op.infer(
    node.inputs.map((input) => input.type),
    node.attrs,
  );
  if (dtype === node.dtype && sameShape(shape, node.shape)) return;
  const said = `${node.dtype} ${shapeText(node.shape)}`;
  fail(node, `says ${said} and is ${dtype} ${shapeText(shape)}`, "A rule must keep dtype and shape");
}

function fail(node: Expr, what: string, cure: string): never {
  throw new InvariantError({ what: `node ${node.id} (${node.op.name}) ${what}`, cure });
}
