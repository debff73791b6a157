// Axes of nested data. In: a layout and an axis: 0 is the outermost; −1 the innermost, which fields of a record may
// have at different depths. Out: the same layout with the lists at that axis replaced. Must hold: what replaces a
// list node has as many rows as it.

import { describe } from "../../core/chunks.ts";
import { AxisError, ShapeError } from "../../core/errors.ts";
import { drawnBelow, joinedParameters, ranksOfValid, validOf } from "../layout/indices.ts";
import {
  depthsOf,
  isList,
  isOption,
  type Plain,
  type PlainList,
  type PlainOption,
} from "../layout/layout.ts";
import { makeUnion } from "../layout/mergedLayouts.ts";
import { optionOver } from "../layout/plainLayout.ts";
import { overContent, take, viewOf } from "../layout/rows.ts";

export function checkAxisNumber(axis: number): number {
  if (Number.isSafeInteger(axis)) return axis;
  throw new AxisError({ what: `${describe(axis)} is not an axis`, cure: "An axis is a whole number" });
}

/** The axis counted from the front for a node at `depth`; null where the fields below are not equally deep. */
export function frontAxis(node: Plain, axis: number, depth: number): number | null {
  checkAxisNumber(axis);
  if (axis >= 0) return axis;
  const [least, most] = depthsOf(node);
  if (least !== most) return null;
  if (axis + least >= 0) return depth + least + axis;
  throw new AxisError({
    what: `axis ${axis} is outside of an array of ${depth + least} axes`,
    cure: `Use ${-(depth + least)} to ${depth + least - 1}`,
  });
}

export interface AxisActions {
  /** A list node whose elements lie along the axis. */
  list(list: PlainList): Plain;
  /** A node whose own rows lie along the axis, all of them at once: only where no list is around it. */
  rows?(node: Plain): Plain;
  /** The same for what is done to every row by itself: wherever it is. */
  each?(node: Plain): Plain;
}

/** Does something at an axis, and leaves everything above it as it is. */
export function atAxis(node: Plain, axis: number, actions: AxisActions, depth = 0): Plain {
  const front = frontAxis(node, axis, depth);
  if (front === depth) return ownAxis(node, axis, actions, depth);
  const below = (child: Plain, levels: number): Plain => atAxis(child, axis, actions, depth + levels);
  if (isList(node)) {
    if (front === depth + 1) return drawnBelow(actions.list(node), [node]);
    const view = viewOf(node);
    return overContent(node, view, below(view.content, 1));
  }
  return throughNode(
    node,
    (child) => below(child, 0),
    () => tooDeep(axis, depth),
  );
}

function ownAxis(node: Plain, axis: number, actions: AxisActions, depth: number): Plain {
  if (actions.each !== undefined) return drawnBelow(actions.each(node), [node]);
  if (depth === 0 && actions.rows !== undefined) return drawnBelow(actions.rows(node), [node]);
  throw new AxisError({
    what: `axis ${axis} is ${depth === 0 ? "the rows" : "at different depths in the fields of a record"}`,
    cure: depth === 0 ? "Use an axis of 1 or more" : "Take a field first",
  });
}

/** Applies a function that keeps rows to what is inside an option, a record or a union. */
export function throughNode(
  node: Plain,
  inside: (child: Plain) => Plain,
  onLeaf: (leaf: Plain) => Plain,
): Plain {
  switch (node.kind) {
    case "indexedOption": {
      const { index, content } = tightened(node);
      const below = inside(content);
      const parameters = joinedParameters(isOption(below) ? [node, below] : [node]);
      return { ...optionOver(index, below), parameters };
    }
    case "record":
      return { ...node, contents: node.contents.map((content) => keptRows(inside(content), content)) };
    case "union":
      return makeUnion(node.tags, node.index, node.contents.map(inside), node.parameters);
    default:
      return onLeaf(node);
  }
}

/** After a selection most of the content may be out of sight: then it is not worth working on. */
function tightened(node: PlainOption): PlainOption {
  if (node.content.length <= 2 * node.length + 16) return node;
  return { ...node, index: ranksOfValid(node.index), content: take(node.content, validOf(node.index)) };
}

function keptRows(result: Plain, before: Plain): Plain {
  if (result.length === before.length) return result;
  throw new ShapeError({
    what: `a field of ${before.length} rows became one of ${result.length}`,
    cure: "Take the fields apart first",
  });
}

function tooDeep(axis: number, depth: number): never {
  throw new AxisError({
    what: `axis ${axis} is deeper than the array, which has ${depth + 1} axes here`,
    cure: `Use 0 to ${depth} or a negative axis`,
  });
}

/** Applies a function to every leaf, with all structure kept. */
export function mapLeaves(node: Plain, leaf: (leaf: Plain) => Plain): Plain {
  if (isList(node)) {
    const view = viewOf(node);
    return overContent(node, view, mapLeaves(view.content, leaf));
  }
  return throughNode(
    node,
    (child) => mapLeaves(child, leaf),
    (old) => drawnBelow(leaf(old), [old]),
  );
}
