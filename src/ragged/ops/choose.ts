// Values from several arrays in one. In: a condition and two arrays, or arrays to join. Out: where picks element by
// element, concatenate puts rows or lists one after another. What does not fit in one type is a union.

import { AxisError, ValueError } from "../../core/errors.ts";
import { logicalOf } from "../../core/form/logical.ts";
import { isScalar, type Scalar } from "../../core/numbers.ts";
import { DATA_THEN_MOVED, MOVED } from "../demand/outline.ts";
import { type FlatOperand, whereFlat } from "../layout/flat.ts";
import { checkLength, regularOffsets } from "../layout/indices.ts";
import { depthsOf, isLeaf, isList, isOption, listOf, type Plain, regularOf } from "../layout/layout.ts";
import { mergeRows } from "../layout/mergedLayouts.ts";
import { type ListView, take } from "../layout/rows.ts";
import { checkAxisNumber } from "./axis.ts";
import { belowAllRows, broadcast, rowsMatched } from "./broadcast.ts";
import { type OperandAttrs, operandsOf } from "./elementwise.ts";
import { listsOf } from "./flatten.ts";
import { oneRow, truthsOf } from "./nulls.ts";
import { type RaggedOp, raggedOp } from "./op.ts";

/** Inputs: a condition, and the arrays among x and y; attrs.operands has [x, y], null for the next input. */
export const where: RaggedOp<OperandAttrs> = raggedOp(
  "where",
  rowsMatched,
  DATA_THEN_MOVED,
  (inputs, attrs) => {
    const stop = (nodes: readonly Plain[]): Plain | null => {
      const [condition, ...values] = nodes;
      if (!isLeaf(condition!)) return null;
      const [x, y] = operandsOf(values, attrs);
      return chosen(condition, x!, y!);
    };
    return broadcast(inputs, stop);
  },
);

type Choice = ReturnType<typeof operandsOf>[number];

function chosen(condition: Plain, x: Choice, y: Choice): Plain {
  const test = truthsOf(condition, "the condition");
  if (condition.kind === "numpy" && isFlat(x) && isFlat(y)) return whereFlat(condition, x, y);
  const [xs, ys] = [asRows(x, y), asRows(y, x)];
  const rows = new Int32Array(test.length);
  for (let i = 0; i < rows.length; i++)
    rows[i] =
      test[i] !== 0 ? (xs.length === test.length ? i : 0) : xs.length + (ys.length === test.length ? i : 0);
  return mergedRows([xs, ys], rows);
}

/** Rows of all inputs counted through, even where one of them has no type. */
function mergedRows(nodes: readonly Plain[], rows: Int32Array): Plain {
  return take(mergeRows(nodes, { mergeBool: true }), rows);
}

const isFlat = (operand: Choice): operand is FlatOperand =>
  isScalar(operand) ||
  (typeof operand === "object" &&
    "kind" in operand &&
    operand.kind === "numpy" &&
    logicalOf(operand) === null);

function asRows(operand: Choice, other: Choice): Plain {
  if (typeof operand === "object" && "kind" in operand) return operand;
  const beside =
    typeof other === "object" && "kind" in other
      ? other
      : oneRow(operand, { kind: "empty", length: 0, parameters: {} });
  return oneRow(operand, beside);
}

export interface ConcatenateAttrs extends OperandAttrs {
  readonly axis?: number;
  /** Bools and numbers become numbers, and not a union: so unless said otherwise. */
  readonly mergeBool?: boolean;
}

export const concatenate: RaggedOp<ConcatenateAttrs> = raggedOp(
  "concatenate",
  belowAllRows(0),
  MOVED,
  (arrays, { axis = 0, mergeBool = true, ...attrs }) => {
    if (arrays.length === 0)
      throw new ValueError({ what: "there is nothing to concatenate", cure: "Pass at least one array" });
    const front = frontOf(arrays, axis);
    const rows = front === 0 ? 1 : arrays[0]!.length;
    const inputs = operandsOf(arrays, attrs).map((operand) =>
      typeof operand === "object" && "kind" in operand ? operand : constantRows(operand, arrays, rows),
    );
    if (front === 0) return mergeRows(inputs, { mergeBool });
    const stop = (nodes: readonly Plain[], depth: number): Plain | null =>
      depth === front - 1 ? joinLists(nodes, axis, mergeBool) : null;
    return broadcast(inputs, stop, { right: false });
  },
);

/** A value once for every row, in the dtype that it has beside the first of these arrays. */
export function constantRows(value: Scalar | string, beside: readonly Plain[], rows: number): Plain {
  let leaf = beside[0]!;
  while (isOption(leaf) || isList(leaf)) leaf = leaf.content;
  return take(oneRow(value, leaf), new Int32Array(rows));
}

/** The axis counted from the front, by the deepest array. */
export function frontOf(inputs: readonly Plain[], axis: number): number {
  const deepest = Math.max(...inputs.map((input) => depthsOf(input)[1]));
  const front = checkAxisNumber(axis) < 0 ? axis + deepest : axis;
  if (front >= 0 && front < deepest) return front;
  throw new AxisError({
    what: `axis ${axis} is outside of arrays of ${deepest} axes`,
    cure: `Use ${-deepest} to ${deepest - 1}`,
  });
}

/** List i of the result is list i of every input, one after another. */
function joinLists(nodes: readonly Plain[], axis: number, mergeBool: boolean): Plain {
  if (!nodes.some((node) => isList(node) || (isOption(node) && isList(node.content))))
    throw new AxisError({ what: `there are no lists along axis ${axis}`, cure: "Use another axis" });
  const views = nodes.map(viewOrSingle);
  const { length } = nodes[0]!;
  const content = mergeRows(
    views.map((view) => view.content),
    { mergeBool },
  );
  const { offsets, places } = interleaved(views, length);
  const sizes = nodes.map((node) =>
    node.kind === "regular" ? node.size : isList(node) || isOption(node) ? null : 1,
  );
  const elements = take(content, places);
  if (sizes.some((size) => size === null)) return listOf(offsets, elements);
  return regularOf(
    elements,
    sizes.reduce<number>((sum, size) => sum + size!, 0),
    length,
  );
}

/** What is no list goes to every list as one element. */
function viewOrSingle(node: Plain): ListView {
  const isLists = isList(node) || (isOption(node) && isList(node.content));
  return isLists ? listsOf(node) : { offsets: regularOffsets(node.length, 1), content: node };
}

function interleaved(
  views: readonly ListView[],
  length: number,
): { offsets: Int32Array; places: Int32Array } {
  const total = views.reduce((sum, view) => sum + view.offsets[length]!, 0);
  const offsets = new Int32Array(length + 1);
  const places = new Int32Array(checkLength(total, "the lists together"));
  const bases: number[] = [];
  views.reduce((base, view) => {
    bases.push(base);
    return base + view.content.length;
  }, 0);
  let at = 0;
  for (let i = 0; i < length; i++) {
    for (let v = 0; v < views.length; v++) {
      const list = views[v]!.offsets;
      for (let from = list[i]!; from < list[i + 1]!; from++) places[at++] = bases[v]! + from;
    }
    offsets[i + 1] = at;
  }
  return { offsets, places };
}
