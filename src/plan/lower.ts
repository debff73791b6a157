// Lowering: Expr → Plan, one operation per node (reductions and scans: one per level of their tree).
// Sources that are computed from coordinates are steps of whoever needs them; nothing else is fused here.
// In: the expressions asked for. Out: plan data, and the in-memory blocks its sources are bound to.

import type { Expr } from "../expr/expr.ts";
import { postOrder } from "../expr/walk.ts";
import { dataOf } from "../ops/sources.ts";
import type { SiteOf } from "./origin.ts";
import { lowerReduction, lowerScan } from "./trees.ts";
import { type Lowered, PlanWriter } from "./writer.ts";

export function lower(roots: readonly Expr[], siteOf?: SiteOf): Lowered {
  const writer = new PlanWriter(siteOf);
  const wanted = new Set(roots);
  for (const node of postOrder(roots)) lowerNode(node, writer, wanted.has(node));
  return writer.finish(roots);
}

function lowerNode(node: Expr, writer: PlanWriter, wanted: boolean): void {
  const role = wanted ? "result" : "intermediate";
  switch (node.op.class) {
    case "source":
      if (node.op.body === null) writer.source(node, dataOf(node.attrs));
      if (wanted) writer.result(node);
      return;
    case "elementwise":
    case "move":
    case "contract":
    case "routine":
      return writer.single(node, node.op.class, role);
    case "reduce":
      return lowerReduction(node, node.op, writer, role);
    case "scan":
      return lowerScan(node, writer, role);
    default:
      node.op satisfies never;
  }
}
