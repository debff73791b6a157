// Expressions as one line for golden files: `add(multiply(x, 2), 1)`. Attributes that the operands' types do not
// say already are written; sources have the names they are given.

import { attrLabel } from "../../src/core/block.ts";
import { shapeText } from "../../src/core/chunks.ts";
import { type Scalar, scalarText } from "../../src/core/numbers.ts";
import type { Expr } from "../../src/expr/expr.ts";
import { full } from "../../src/lazy/lazyArray.ts";

export function formulaText(node: Expr, names: ReadonlyMap<Expr, string>): string {
  const name = names.get(node);
  if (name !== undefined) return name;
  if (node.op === full) return constantText(node);
  const own = Object.entries(node.attrs).filter(([key]) => key !== "chunks" && key !== "data");
  const attrs = own.map(([key, value]) => attrLabel(key, value));
  return `${node.op.name}(${[...node.inputs.map((input) => formulaText(input, names)), ...attrs].join(", ")})`;
}

function constantText({ attrs, shape, dtype }: Expr): string {
  const value = scalarText(attrs["value"] as Scalar);
  return shape.length === 0 ? value : `full(${value}, ${dtype} ${shapeText(shape)})`;
}
