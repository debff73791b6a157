// Lowering: Expr → Plan, one operation per node (reductions and scans: one per level of their tree).
// Sources that are computed from coordinates are steps of whoever needs them; nothing else is fused here.
// In: the expressions asked for. Out: plan data, and the in-memory blocks its sources are bound to.

import type { Transfer } from "../core/transfer.ts";
import type { Expr } from "../expr/expr.ts";
import { postOrder } from "../expr/walk.ts";
import { resourceOf } from "../lazy/sources.ts";
import { rechunk } from "../ops/moves/axisMoves.ts";
import { attrsInBlocks, splitContraction } from "./contractions.ts";
import type { SiteOf } from "./origin.ts";
import { type DensePlanArray, readsOf } from "./plan.ts";
import { lowerRechunk } from "./rechunk.ts";
import { lowerReduction, lowerScan } from "./trees.ts";
import { type Lowered, type LowerSettings, type PlanStorage, PlanWriter } from "./writer.ts";

export function lower(roots: readonly Expr[], siteOf?: SiteOf, settings?: LowerSettings): Lowered {
  const writer = new PlanWriter(siteOf, settings);
  const wanted = new Set(roots);
  for (const node of postOrder(roots)) lowerNode(node, writer, wanted.has(node) && !isPartitioned(node));
  // Results of partitions are given away as they come; what others read is an array of its own.
  for (const root of wanted) if (isPartitioned(root)) writer.result(root);
  return withTransfers(writer.finish(roots), settings?.storage);
}

/** What the arrays' storage needs, where they lie in a store or may come to. */
function withTransfers({ data, sources }: Lowered, storage: PlanStorage | undefined): Lowered {
  const isStored = [...sources.values()].some((resource) => resource.transfer() !== null);
  if (storage === undefined && !isStored) return { data, sources };
  const results = new Map(data.results.map((name, i) => [name, i]));
  const read = new Set(data.operations.flatMap(readsOf));
  const transferOf = (array: DensePlanArray): Transfer | null | undefined => {
    if (array.role === "source") return sources.get(array.name)!.transfer();
    if (array.role === "intermediate") return storage?.intermediate(array);
    const transfer = storage?.results[results.get(array.name)!];
    // What nobody reads is not decoded.
    return transfer == null || read.has(array.name) ? transfer : { ...transfer, decoding: 0 };
  };
  const arrays = data.arrays.map((array) => {
    const transfer = array.kind === "dense" ? transferOf(array) : null;
    return transfer == null ? array : { ...array, transfer };
  });
  return { data: { ...data, arrays }, sources };
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
    case "ragged":
      for (const input of node.inputs) if (isFormula(input)) writer.copy(input);
      return writer.single(node, "ragged", role);
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

const isPartitioned = ({ type }: Expr): boolean => type.kind === "ragged";

/** Computed from coordinates: partitions are made of what lies somewhere. */
const isFormula = ({ op }: Expr): boolean => op.class === "source" && op.body !== null;

/** In parts that fit, where the whole does not. */
function lowerContraction(node: Expr, writer: PlanWriter, wanted: boolean): void {
  const parts = splitContraction(node, writer.settings.allowedMem);
  if (parts === null)
    return writer.single(node, "contract", wanted ? "result" : "intermediate", attrsInBlocks(node));
  const isKnown = (input: Expr): boolean => writer.placeOf(input) !== undefined;
  for (const part of postOrder([parts], isKnown)) lowerNode(part, writer, wanted && part === parts);
  writer.place(node, writer.placeOf(parts)!);
}
