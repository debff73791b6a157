// Dense ⇄ ragged. In: a block of any number of axes, or a layout whose lists are all equally long. Out: the other one.
// What is ragged, null, a record or of several types has no place in a dense array: a typed error says where it is.

import { type Block, isContiguous } from "../../core/block.ts";
import { sizeOf, stridesOf } from "../../core/chunks.ts";
import { allocate, type DType, infoOf } from "../../core/dtype.ts";
import { ShapeError } from "../../core/errors.ts";
import { logicalOf, logicalText } from "../../core/form/logical.ts";
import { copyElements } from "../../kernel/routines/stridedWalk.ts";
import { type Layout, numpyOf, type Plain } from "../layout/layout.ts";
import { plain } from "../layout/plainLayout.ts";
import { take, viewOf } from "../layout/rows.ts";
import { commonCount } from "../ops/regular.ts";

/** The first axis is the rows; the others are regular lists. A block without axes is one row. */
export function fromNumpy(block: Block): Layout {
  const { dtype, shape } = block;
  const { slots } = infoOf(dtype);
  const [length = 1, ...innerShape] = shape;
  const count = sizeOf(shape);
  const layout = (data: Block["data"]): Layout => ({ ...numpyOf(data, dtype, innerShape), length });
  if (isContiguous(block))
    return layout(block.data.subarray(block.offset * slots, (block.offset + count) * slots));
  const data = allocate(dtype, count);
  copyElements(block, { dtype, shape, strides: stridesOf(shape), offset: 0, data });
  return layout(data);
}

/** All elements as one block; nothing is copied where the layout is regular already. */
export function toNumpy(layout: Layout): Block {
  const { shape, dtype, data } = denseParts(plain(layout), "axis 0");
  return {
    dtype,
    shape: [layout.length, ...shape],
    strides: stridesOf([layout.length, ...shape]),
    offset: 0,
    data,
  };
}

function denseParts(node: Plain, at: string): { shape: number[]; dtype: DType; data: Block["data"] } {
  const logical = node.kind === "numpy" ? logicalOf(node) : null;
  if (logical !== null)
    throw notDense(
      `there are values of type ${logicalText(logical)}, which no dtype says`,
      'Use valuesAstype(x, "float64"), or "int64" for times as counts of their units',
    );
  switch (node.kind) {
    case "numpy":
      return { shape: [], dtype: node.dtype, data: node.data };
    case "empty":
      return { shape: [], dtype: "float64", data: new Float64Array(0) };
    case "regular":
    case "listOffset": {
      const size = node.kind === "regular" ? node.size : commonCount(node, at);
      const inner = denseParts(viewOf(node).content, `a list in ${at}`);
      return { ...inner, shape: [size, ...inner.shape] };
    }
    case "indexedOption": {
      const missing = node.index.findIndex((place) => place < 0);
      if (missing < 0) return denseParts(take(node.content, node.index), at);
      throw notDense(`row ${missing} of ${at} is null`, "Use fillNone or dropNone first");
    }
    case "string":
      throw notDense("there are strings", "Take fields that hold numbers");
    case "record":
      throw notDense("there are records", "Take one field at a time");
    case "union":
      throw notDense("there are values of several types", "Choose one type first");
    default:
      node satisfies never;
      throw node;
  }
}

const notDense = (what: string, cure: string): ShapeError => new ShapeError({ where: "toNumpy", what, cure });
