// How many rows the partitions of an expression have, where that is known without data. In: a node. Out: a number for
// each partition, or null. Sources know theirs; what keeps rows hands them on; anything else starts unknown.

import { type Expr, postOrder } from "../../expr/expr.ts";
import { raggedOf } from "../../expr/op.ts";
import { fromDense } from "./dense.ts";
import { formsOf, Reading, recordOfNode } from "./placewise.ts";
import { append, repartition, rowNumbers } from "./structure.ts";

export type Rows = readonly (number | null)[];

const known = new WeakMap<Expr, Rows>();

export function rowsOfExpr(expr: Expr): Rows {
  const found = known.get(expr);
  if (found !== undefined) return found;
  for (const node of postOrder([expr], (input) => known.has(input))) known.set(node, rowsOfNode(node));
  return known.get(expr)!;
}

export const areKnown = (rows: Rows): rows is readonly number[] => rows.every((n) => n !== null);

function rowsOfNode(node: Expr): Rows {
  const { op, attrs, inputs, type } = node;
  const resource = attrs["data"];
  if (resource instanceof Reading) return resource.source.rows;
  if (type.kind === "dense") return NO_ROWS;
  const unknown: Rows = new Array<null>(type.partitions).fill(null);
  if (op === fromDense) return rowsOfBlocks(inputs[0]!.shape[0]!, attrs["rows"] as number, unknown.length);
  if (op === repartition) return attrs["to"] as readonly number[];
  if (op === append) return inputs.flatMap((input) => known.get(input)!);
  if (op === rowNumbers) return known.get(inputs[0]!)!;
  const record = recordOfNode(op);
  if (record === undefined || type.isItem) return unknown;
  const types = inputs.map((input) => raggedOf(input.type));
  const arrays = inputs.filter((_, i) => !types[i]!.isItem).map((input) => known.get(input)!);
  if (arrays.length === 0) return unknown;
  const forms = formsOf(types);
  return record.keepsRows(forms, attrs) && !mayStretch(arrays) ? arrays[0]! : unknown;
}

/** Of dense arrays nobody asks. */
const NO_ROWS: Rows = [];

/** One row goes with all rows of another array, where both are in one partition. */
const mayStretch = ([first, ...others]: readonly Rows[]): boolean =>
  first!.length === 1 && first![0] === 1 && others.some(([n]) => n !== 1);

/** The last block may have fewer. */
const rowsOfBlocks = (rows: number, each: number, blocks: number): Rows =>
  Array.from({ length: blocks }, (_, i) => Math.max(0, Math.min(each, rows - i * each)));
