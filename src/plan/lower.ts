// Lowering: Expr → Plan, one operation per node (reductions and scans: one per level of their tree).
// Sources that are computed from coordinates are steps of whoever needs them; nothing else is fused here.
// In: the expressions asked for. Out: plan data, and the in-memory blocks its sources are bound to.

import type { Expr } from "../expr/expr.ts";
import { postOrder } from "../expr/walk.ts";
import { rechunk } from "../ops/moves/layout.ts";
import { resourceOf } from "../ops/sources.ts";
import { splitContraction } from "./contractions.ts";
import type { SiteOf } from "./origin.ts";
import { lowerRechunk } from "./rechunk.ts";
import { lowerReduction, lowerScan } from "./trees.ts";
import { type Lowered, type LowerSettings, PlanWriter } from "./writer.ts";

export function lower(roots: readonly Expr[], siteOf?: SiteOf, settings?: LowerSettings): Lowered {
  const writer = new PlanWriter(siteOf, settings);
  const wanted = new Set(roots);
  for (const node of postOrder(roots)) lowerNode(node, writer, wanted.has(node));
  return writer.finish(roots);
}

function lowerNode(node: Expr, writer: PlanWriter, wanted: boolean): void {
  const role = wanted ? "result" : "intermediate";
  switch (node.op.class) {
    case "source":
      if (node.op.body === null) writer.source(node, resourceOf(node.attrs));
      if (wanted) writer.result(node);
      return;
    case "contract":
      return lowerContraction(node, writer, wanted);
    case "move":
      return node.op === rechunk ? lowerRechunk(node, writer, role) : writer.single(node, "move", role);
    case "elementwise":
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

/** In parts that fit, where the whole does not. */
function lowerContraction(node: Expr, writer: PlanWriter, wanted: boolean): void {
  const parts = splitContraction(node, writer.settings.allowedMem);
  if (parts === null) return writer.single(node, "contract", wanted ? "result" : "intermediate");
  const isKnown = (input: Expr): boolean => writer.placeOf(input) !== undefined;
  for (const part of postOrder([parts], isKnown)) lowerNode(part, writer, wanted && part === parts);
  writer.place(node, writer.placeOf(parts)!);
}
