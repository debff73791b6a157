// Nulls: found, made, filled and left out. In: nested data that may have nulls at any level. Out: the same structure,
// where a null is a place without a value. Must hold: whether a result can be null depends on the form alone.

import { describe } from "../../core/chunks.ts";
import { isComplex, isFloat } from "../../core/dtype.ts";
import { DTypeError, ValueError } from "../../core/errors.ts";
import { logicalOf } from "../../core/form/logical.ts";
import { isScalar, type Scalar } from "../../core/numbers.ts";
import { isnan } from "../../ops/elementwise/logic.ts";
import { COMPUTED, MOVED, MOVED_BY_DATA, STRUCTURE } from "../demand/outline.ts";
import { castFlat, commonDType, elementwiseFlat, filled, scalarDType } from "../layout/flat.ts";
import { drawnFrom, newIndex, offsetsOfCounts, regularOffsets, validOf } from "../layout/indices.ts";
import {
  isLeaf,
  isList,
  isOption,
  listOf,
  type NumpyLayout,
  numpyOf,
  type Plain,
  type PlainList,
  type PlainOption,
  regularOf,
} from "../layout/layout.ts";
import { mergeRows } from "../layout/mergedLayouts.ts";
import { gather, overContent, sliceRows, take, takeOption, viewOf } from "../layout/rows.ts";
import { atAxis, frontAxis, mapLeaves, throughNode } from "./axis.ts";
import { always, belowRows, broadcast, type Rowwise, rowsMatched } from "./broadcast.ts";
import type { AxisAttrs } from "./flatten.ts";
import { checkCount, Item, type RaggedOp, raggedOp } from "./op.ts";
import { storedValue } from "./storedValues.ts";
import { stringsOf } from "./strings.ts";

/** Does something to the rows at an axis that leaves as many. */
function rowsAt(node: Plain, axis: number, each: (node: Plain) => Plain): Plain {
  return atAxis(node, axis, {
    each,
    list: (list) => {
      const view = viewOf(list);
      return overContent(list, view, each(view.content));
    },
  });
}

/** The first element of every list, null where it is empty. */
export const firsts: RaggedOp<AxisAttrs> = raggedOp(
  "firsts",
  belowRows(1),
  MOVED,
  ([input], { axis = 1 }) => {
    if (frontAxis(input!, axis, 0) === 0)
      return new Item(takeOption(input!, Int32Array.of(input!.length === 0 ? -1 : 0)));
    return atAxis(input!, axis, {
      list: (list) => {
        const { offsets, content } = viewOf(list);
        const first = new Int32Array(list.length);
        for (let i = 0; i < first.length; i++) first[i] = offsets[i] === offsets[i + 1] ? -1 : offsets[i]!;
        return takeOption(content, first);
      },
    });
  },
);

/** Every value as a list of one, every null as a list of none: firsts undoes it. */
export const singletons: RaggedOp<AxisAttrs> = raggedOp(
  "singletons",
  always,
  MOVED,
  ([input], { axis = 0 }) =>
    rowsAt(input!, axis, (node) => {
      if (!isOption(node)) return listOf(regularOffsets(node.length, 1), node);
      const counts = node.index.map((at) => (at < 0 ? 0 : 1));
      return listOf(offsetsOfCounts(counts), take(node.content, validOf(node.index)));
    }),
);

export interface PadAttrs {
  readonly target: number;
  readonly axis?: number;
  /** Longer lists are cut: all are of the target's length then, and the axis is regular. */
  readonly clip?: boolean;
}

/** Lists filled up with nulls. */
export const padNone: RaggedOp<PadAttrs> = raggedOp(
  "padNone",
  belowRows(1),
  MOVED,
  ([input], { target, axis = 1, clip = false }) => {
    checkCount(target, "target");
    if (frontAxis(input!, axis, 0) === 0) {
      const length = clip ? target : Math.max(target, input!.length);
      return takeOption(input!, padPlaces(Int32Array.of(0, input!.length), Int32Array.of(0, length)));
    }
    return atAxis(input!, axis, { list: (list) => padLists(list, target, clip) });
  },
  paddedBytes,
);

/** A place for each element and each null. */
function paddedBytes([input]: readonly Plain[], { target, axis = 1, clip = false }: PadAttrs): number {
  if (frontAxis(input!, axis, 0) === 0) return 4 * (clip ? target : Math.max(target, input!.length));
  let bytes = 0;
  atAxis(input!, axis, {
    list: (list) => {
      const { offsets } = viewOf(list);
      for (let i = 0; i < list.length; i++)
        bytes += 8 + 4 * (clip ? target : Math.max(target, offsets[i + 1]! - offsets[i]!));
      return list;
    },
  });
  return bytes;
}

function padLists(list: PlainList, target: number, clip: boolean): Plain {
  const { offsets, content } = viewOf(list);
  const padded = clip ? regularOffsets(list.length, target) : paddedOffsets(offsets, target);
  const elements = takeOption(content, padPlaces(offsets, padded));
  return clip ? regularOf(elements, target, list.length) : listOf(padded, elements);
}

function paddedOffsets(offsets: Int32Array, target: number): Int32Array {
  const counts = newIndex(offsets.length - 1);
  for (let i = 0; i < counts.length; i++) counts[i] = Math.max(offsets[i + 1]! - offsets[i]!, target);
  return offsetsOfCounts(counts);
}

function padPlaces(from: Int32Array, to: Int32Array): Int32Array {
  const places = newIndex(to[to.length - 1]!);
  for (let i = 0, at = 0; i + 1 < to.length; i++) {
    const stop = to[i + 1]!;
    const end = from[i + 1]!;
    let place = from[i]!;
    for (; at < stop; at++, place++) {
      // All ones where there is an element: without a jump, which nobody could foresee.
      const exists = (place - end) >> 31;
      places[at] = (place & exists) | ~exists;
    }
  }
  return places;
}

export interface FillAttrs {
  /** Not said where the value is a second input: the only slot of a tuple, in its first row. */
  readonly value?: Scalar | string;
  /** Null: nulls at every level. */
  readonly axis?: number | null;
}

/** A value in the place of nulls; one of another type makes a union. */
export const fillNone: RaggedOp<FillAttrs> = raggedOp(
  "fillNone",
  always,
  MOVED,
  ([input, constant], { value, axis = -1 }) => {
    const fill = constant === undefined ? value : constantOf(constant);
    if (fill === undefined || (typeof fill === "object" && !isScalar(fill) && !("kind" in fill)))
      throw new ValueError({
        what: `the value is ${describe(value)}`,
        cure: "Use a number, bigint, boolean or string",
      });
    return axis === null ? fillAll(input!, fill) : rowsAt(input!, axis, (node) => fillRows(node, fill));
  },
);

/** What fills: a value, or the only row of a layout. */
type Fill = Scalar | string | Plain;

/** A value of any type travels as a tuple of it, once or once for every row; none where there are no rows to fill. */
function constantOf(tuple: Plain): Plain {
  if (tuple.kind !== "record" || tuple.contents.length !== 1)
    throw new ValueError({ what: `the value is a ${tuple.kind}`, cure: "Use a tuple of one slot" });
  return sliceRows(tuple.contents[0]!, 0, Math.min(1, tuple.length));
}

/** Nulls among these rows; those inside lists are another axis's. */
function fillRows(node: Plain, value: Fill): Plain {
  if (isOption(node)) return fillOption(node, value);
  return isList(node) || isLeaf(node)
    ? node
    : throughNode(
        node,
        (child) => fillRows(child, value),
        (leaf) => leaf,
      );
}

function fillAll(node: Plain, value: Fill): Plain {
  if (isOption(node)) return fillOption({ ...node, content: fillAll(node.content, value) }, value);
  if (!isList(node))
    return throughNode(
      node,
      (child) => fillAll(child, value),
      (leaf) => leaf,
    );
  const view = viewOf(node);
  return overContent(node, view, fillAll(view.content, value));
}

function fillOption({ index, content }: PlainOption, value: Fill): Plain {
  if (
    content.kind === "numpy" &&
    logicalOf(content) === null &&
    isScalar(value) &&
    (content.dtype === "bool") === (typeof value === "boolean")
  )
    return fillNumbers(index, content, value);
  const isRow = typeof value === "object" && "kind" in value;
  const row = isRow ? value : drawnFrom(oneRow(value, content), content, false);
  const all = mergeRows([content, row]);
  // Where the types are one, the value's row comes last.
  const last = all.length - 1;
  return take(
    all,
    index.map((at) => (at < 0 ? last : at)),
  );
}

/** Numbers taken by index, and the value where there are nulls. */
function fillNumbers(index: Int32Array, content: NumpyLayout, value: Scalar): Plain {
  const dtype = commonDType([content, value]);
  if (content.length === 0) return { ...filled(value, dtype, index.length), parameters: content.parameters };
  const { data } = filled(value, dtype, 1);
  const numbers = castFlat(content, dtype);
  return { ...numbers, data: gather(numbers.data, dtype, index, data), length: index.length };
}

/** A value as a layout of one row, in the dtype that it has beside these rows. */
export function oneRow(value: Scalar | string, beside: Plain): Plain {
  const logical = logicalOf(beside);
  const stored = logical === null ? null : storedValue(value, logical);
  if (stored !== null) return stored;
  if (typeof value === "string") return stringsOf([value]);
  const isOneType =
    logical === null && beside.kind === "numpy" && (beside.dtype === "bool") === (typeof value === "boolean");
  return filled(value, isOneType ? commonDType([beside, value]) : scalarDType(value), 1);
}

export interface DropAttrs {
  /** Null: at every level. */
  readonly axis?: number | null;
}

/** Rows that are null go with the others. */
const dropsRows: Rowwise<DropAttrs> = (inputs, { axis = null }) =>
  axis !== null && belowRows(0)(inputs, { axis }) !== false ? true : "changed";

/** Rows without nulls. */
export const dropNone: RaggedOp<DropAttrs> = raggedOp(
  "dropNone",
  dropsRows,
  MOVED,
  ([input], { axis = null }) => {
    if (axis === null) return dropAll(dropRows(input!));
    if (frontAxis(input!, axis, 0) === 0) return dropRows(input!);
    return atAxis(input!, axis, { list: dropInLists });
  },
);

const dropRows = (node: Plain): Plain => (isOption(node) ? take(node.content, validOf(node.index)) : node);

function dropAll(node: Plain): Plain {
  if (isList(node)) {
    const dropped = dropInLists(node);
    const view = viewOf(dropped);
    return overContent(dropped, view, dropAll(view.content));
  }
  return throughNode(node, dropAll, (leaf) => leaf);
}

function dropInLists(list: PlainList): PlainList {
  const { offsets, content } = viewOf(list);
  if (!isOption(content)) return list;
  const counts = new Int32Array(list.length);
  for (let i = 0; i < counts.length; i++)
    for (let at = offsets[i]!; at < offsets[i + 1]!; at++) if (content.index[at]! >= 0) counts[i]!++;
  return listOf(offsetsOfCounts(counts), dropRows(content));
}

/** True where there is a null, at an axis. Records that are no nulls themselves are looked into, field by field. */
export const isNone: RaggedOp<AxisAttrs> = raggedOp("isNone", always, STRUCTURE, ([input], { axis = 0 }) =>
  rowsAt(input!, axis, nullRows),
);

function nullRows(node: Plain): Plain {
  if (node.kind === "record" || node.kind === "union") return throughNode(node, nullRows, (leaf) => leaf);
  const out = new Uint8Array(node.length);
  if (isOption(node)) for (let i = 0; i < out.length; i++) out[i] = node.index[i]! < 0 ? 1 : 0;
  return drawnFrom(numpyOf(out, "bool"), node, isOption(node));
}

export interface MaskAttrs {
  readonly validWhen?: boolean;
}

/** Null where the mask (second input) is not `validWhen`; unlike a selection it keeps every place. */
export const mask: RaggedOp<MaskAttrs> = raggedOp(
  "mask",
  rowsMatched,
  MOVED_BY_DATA,
  (inputs, { validWhen = true }) => {
    const stop = (nodes: readonly Plain[]): Plain | null => {
      const [values, test] = nodes;
      if (!isLeaf(test!)) return null;
      return takeOption(values!, placesWhere(truthsOf(test, "a mask"), validWhen));
    };
    return broadcast(inputs, stop);
  },
);

function placesWhere(test: Uint8Array, wanted: boolean): Int32Array {
  const places = new Int32Array(test.length);
  for (let i = 0; i < places.length; i++) places[i] = (test[i] !== 0) === wanted ? i : -1;
  return places;
}

/** The bytes of a leaf of bools. */
export function truthsOf(leaf: Plain, what: string): Uint8Array {
  if (leaf.kind === "empty") return new Uint8Array(0);
  if (leaf.kind === "numpy" && leaf.dtype === "bool") return leaf.data as Uint8Array;
  const found = leaf.kind === "numpy" ? leaf.dtype : leaf.kind;
  throw new DTypeError({
    what: `${what} is of type ${found}, not bool`,
    cure: "Compare first, for example greater(x, 0)",
  });
}

/** NaN becomes null. */
export const nanToNone: RaggedOp<object> = raggedOp("nanToNone", always, COMPUTED, ([input]) =>
  nanAsNull(input!),
);

export const nanAsNull = (input: Plain): Plain =>
  mapLeaves(input, (leaf) => {
    if (leaf.kind !== "numpy" || !(isFloat(leaf.dtype) || isComplex(leaf.dtype))) return leaf;
    const test = elementwiseFlat(isnan, [leaf], leaf.length).data as Uint8Array;
    return drawnFrom(takeOption(leaf, placesWhere(test, false)), leaf);
  });
