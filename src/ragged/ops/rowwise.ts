// Which operations work row by row: op(a ++ b) = op(a) ++ op(b), whatever rows a and b have. In: probes of the inputs
// and the attributes. Out: yes or no. Where it is yes, partitions can be worked on one by one; where it is no, somebody
// has to look at several rows at once.

import { depthsOf, type Plain } from "../layout/layout.ts";
import { alignRight } from "./alignRight.ts";
import { frontAxis } from "./axis.ts";

/** True: row i comes of row i. "changed": row by row, and there may be more or fewer rows. False: not row by row. */
export type RowWay = boolean | "changed";
export type Rowwise<A> = (inputs: readonly Plain[], attrs: A) => RowWay;

export const always = (): boolean => true;

/** For operations along an axis: not when that is the axis of the rows. */
export function belowRows(byDefault: number | null): Rowwise<{ readonly axis?: number | null }> {
  return ([input], { axis = byDefault }) => axis !== null && !isRowAxis(input!, axis);
}

/** For operations along an axis of several arrays, counted by the deepest. */
export function belowAllRows(byDefault: number): Rowwise<{ readonly axis?: number }> {
  return (inputs, { axis = byDefault }) => {
    const deepest = Math.max(...inputs.map((input) => depthsOf(input)[1]));
    return (axis < 0 ? axis + deepest : axis) !== 0;
  };
}

function isRowAxis(node: Plain, axis: number): boolean {
  const front = frontAxis(node, axis, 0);
  if (front !== null) return front === 0;
  // Fields that are not equally deep: one of them may end here.
  if (node.kind === "record" || node.kind === "union")
    return node.contents.some((content) => isRowAxis(content, axis));
  return node.kind === "indexedOption" && isRowAxis(node.content, axis);
}

/** For broadcasting: not when the rows of one array are matched with elements of another. */
export const rowsMatched: Rowwise<object> = (inputs) => alignRight(inputs) === inputs;

/** For flattening: fields come one after another, so not where there are several. */
export const oneLeaf: Rowwise<object> = ([input]) => leavesOf(input!) === 1 && "changed";

function leavesOf(node: Plain): number {
  if (node.kind === "record" || node.kind === "union")
    return node.contents.reduce((count, content) => count + leavesOf(content), 0);
  return "content" in node ? leavesOf(node.content) : 1;
}
