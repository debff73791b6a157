// Verification: an Expr says what it means. In: roots. Out: nothing, or an InvariantError that names
// the node. Types must be what the op infers, and nodes must be interned and acyclic by construction.

import { InvariantError } from "../core/errors.ts";
import { type Expr, makeExpr, postOrder } from "./expr.ts";
import { arrayTypeText, inferType, sameType } from "./op.ts";

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
  const types = node.inputs.map((input) => input.type);
  const type = inferType(node.op, types, node.attrs);
  if (sameType(type, node.type)) return;
  const [said, is] = [node.type, type].map(arrayTypeText);
  fail(node, `says ${said} and is ${is}`, "A rule must keep the type");
}

function fail(node: Expr, what: string, cure: string): never {
  throw new InvariantError({ what: `node ${node.id} (${node.op.name}) ${what}`, cure });
}
