// NumPy's way of broadcasting, for arrays without any ragged axis: shapes are matched at their ends. In: layouts. Out:
// the same, and where all are regular and not equally deep, the shallow ones as rows of an array of one row.

import { ShapeError } from "../../core/errors.ts";
import { depthsOf, type Plain, regularOf } from "../layout/layout.ts";

export function alignRight(nodes: readonly Plain[]): readonly Plain[] {
  if (nodes.length < 2 || !nodes.every(isRegularTree)) return nodes;
  const depths = nodes.map((node) => depthsOf(node)[1]);
  const deepest = Math.max(...depths);
  if (depths.every((depth) => depth === deepest)) return nodes;
  const isProbe = nodes.every((node) => node.length === 0);
  return nodes.map((node, i) => {
    const missing = deepest - depths[i]!;
    if (missing === 0) return node;
    const sizes = nodes
      .filter((_, other) => depths[other] === deepest)
      .map((other) => sizeAt(other, missing));
    return wrapped(node, missing, Math.max(...sizes), isProbe);
  });
}

function isRegularTree(node: Plain): boolean {
  if (node.kind === "regular" || node.kind === "indexedOption") return isRegularTree(node.content);
  return node.kind === "numpy" || node.kind === "string";
}

/** How long the lists along an axis are, 1 being the first below the rows. */
function sizeAt(node: Plain, axis: number): number {
  if (node.kind === "indexedOption") return sizeAt(node.content, axis);
  if (node.kind !== "regular") return 1;
  return axis === 1 ? node.size : sizeAt(node.content, axis - 1);
}

/** The array's own rows become the elements of one list. How many they are must be known from the others' form. */
function wrapped(node: Plain, levels: number, size: number, isProbe: boolean): Plain {
  if (!isProbe && node.length !== size && node.length !== 1) {
    throw new ShapeError({
      what: `an array of ${node.length} rows does not broadcast against lists of ${size}`,
      cure: "Their lengths must be equal; or use get(x, [slice, null]) to match rows with rows",
    });
  }
  let result: Plain = regularOf(node, isProbe ? size : node.length, isProbe ? 0 : 1);
  for (let level = 1; level < levels; level++) result = regularOf(result, 1, isProbe ? 0 : 1);
  return result;
}
