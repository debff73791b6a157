// Leaves replaced by others of the same structure: another dtype, one value everywhere, closeness, runs. In: nested
// data. Out: the same lists around new leaves.

import { describe } from "../../core/chunks.ts";
import { checkKind, DTYPES, type DType, isDType, isFloat, toFloating } from "../../core/dtype.ts";
import { DTypeError } from "../../core/errors.ts";
import type { Scalar } from "../../core/numbers.ts";
import { closest } from "../../core/suggest.ts";
import * as s from "../../kernel/scalar.ts";
import { COMPUTED, DATA, MOVED, STRUCTURE } from "../demand/outline.ts";
import { commonDType, composedFlat, type FlatOperand, filled } from "../layout/flat.ts";
import { int64Of } from "../layout/indices.ts";
import {
  isLeaf,
  type Leaf,
  listOf,
  type NumpyLayout,
  numpyOf,
  type Plain,
  type StringLayout,
} from "../layout/layout.ts";
import { packed } from "../layout/pack.ts";
import { take, viewOf } from "../layout/rows.ts";
import { atAxis, mapLeaves } from "./axis.ts";
import { always, belowRows, broadcast, type Rowwise, rowsMatched } from "./broadcast.ts";
import { asNumbers, type OperandAttrs, operandsOf } from "./elementwise.ts";
import { isMeasured } from "./exactOps.ts";
import { oneRow } from "./nulls.ts";
import { type RaggedOp, raggedOp } from "./op.ts";
import { sameText, stringsOf } from "./strings.ts";

function checkDType(dtype: unknown): DType {
  if (isDType(dtype)) return dtype;
  throw new DTypeError({ what: `${describe(dtype)} is not a dtype`, cure: closest(String(dtype), DTYPES) });
}

/** Nothing but what can be seen, from offset 0 on. */
export const toPacked: RaggedOp<object> = raggedOp("toPacked", always, MOVED, ([input]) => packed(input!));

export interface FullLikeAttrs {
  readonly value: Scalar | string;
  readonly dtype?: DType;
}

/** One value in the place of every other: a text anywhere, a number's text for strings, and for 0 the empty one. */
export const fullLike: RaggedOp<FullLikeAttrs> = raggedOp(
  "fullLike",
  always,
  STRUCTURE,
  ([input], { value, dtype }) => {
    const to = dtype === undefined ? undefined : checkDType(dtype);
    return mapLeaves(input!, (leaf) => {
      if (leaf.kind !== "empty" && to === undefined && isMeasured(leaf))
        return likeMeasured(leaf as NumpyLayout | StringLayout, value);
      if (leaf.kind === "numpy")
        return typeof value === "string" && to === undefined
          ? take(stringsOf([value]), new Int32Array(leaf.length))
          : filled(numberOf(value), to ?? leaf.dtype, leaf.length);
      if (leaf.kind === "string") return textLike(leaf, value, to);
      return to === undefined ? leaf : filled(numberOf(value), to, 0);
    });
  },
);

/** A value of the same meaning; a number that cannot be one is itself. */
function likeMeasured(leaf: NumpyLayout | StringLayout, value: Scalar | string): Plain {
  return take(oneRow(value, leaf), new Int32Array(leaf.length));
}

function textLike({ length, encoding }: StringLayout, value: Scalar | string, to: DType | undefined): Plain {
  if (to !== undefined) return filled(numberOf(value), to, length);
  const text = stringsOf([typeof value !== "string" && Number(value) === 0 ? "" : String(value)]);
  return take({ ...text, encoding }, new Int32Array(length));
}

function numberOf(value: Scalar | string): Scalar {
  if (typeof value !== "string") return value;
  throw new DTypeError({ what: `${describe(value)} is no number`, cure: "Leave the dtype out" });
}

const like = (name: string, value: number): RaggedOp<{ readonly dtype?: DType }> =>
  raggedOp(name, always, STRUCTURE, ([input], { dtype }) =>
    fullLike.run([input!], dtype === undefined ? { value } : { value, dtype }),
  );
export const zerosLike: RaggedOp<{ readonly dtype?: DType }> = like("zerosLike", 0);
export const onesLike: RaggedOp<{ readonly dtype?: DType }> = like("onesLike", 1);

export interface CloseAttrs extends OperandAttrs {
  readonly rtol?: number;
  readonly atol?: number;
  readonly equalNan?: boolean;
}

/** |x − y| ≤ atol + rtol·|y|, or equal; NaN is close to NaN if asked. */
export const isclose: RaggedOp<CloseAttrs> = raggedOp("isclose", rowsMatched, COMPUTED, (inputs, attrs) => {
  const stop = (nodes: readonly Plain[]): Plain | null =>
    nodes.every(isLeaf)
      ? closeLeaves(operandsOf(nodes, attrs).map(asNumbers), attrs, nodes[0]!.length)
      : null;
  return broadcast(inputs, stop);
});

function closeLeaves(operands: readonly FlatOperand[], attrs: CloseAttrs, length: number): NumpyLayout {
  const { rtol = 1e-5, atol = 1e-8, equalNan = false } = attrs;
  const dtype = toFloating(checkKind("real", commonDType(operands)));
  if (!isFloat(dtype)) throw new DTypeError({ what: `${dtype} has no closeness` });
  const body = equalNan ? isCloseOrBothNaN : isClose;
  return composedFlat([...operands, rtol, atol], dtype, "bool", body as Body, length);
}

type Body = (...values: s.Value[]) => s.Value;

function isClose(x: s.Term, y: s.Term, rtol: s.Term, atol: s.Term): s.Term {
  const allowed = s.add(atol, s.mul(rtol, s.abs(y)));
  const near = s.and(s.le(s.abs(s.sub(x, y)), allowed), s.isFinite_(y));
  return s.or(near, s.eq(x, y));
}

const isCloseOrBothNaN = (x: s.Term, y: s.Term, rtol: s.Term, atol: s.Term): s.Term =>
  s.or(isClose(x, y, rtol, atol), s.and(s.isNaN_(x), s.isNaN_(y)));

const runsBelowRows: Rowwise<object> = (inputs) => belowRows(-1)(inputs, {});

/** Lengths of runs of equal neighbours, along the innermost axis. */
export const runLengths: RaggedOp<object> = raggedOp("runLengths", runsBelowRows, DATA, ([input]) =>
  atAxis(input!, -1, {
    rows: (node) => runsOf(Int32Array.of(0, node.length), node).content,
    list: (list) => {
      const view = viewOf(list);
      const { offsets, content } = runsOf(view.offsets, view.content);
      return listOf(offsets, content);
    },
  }),
);

function runsOf(offsets: Int32Array, content: Plain): { offsets: Int32Array; content: Plain } {
  if (!isLeaf(content))
    throw new DTypeError({
      what: "runs are of numbers or strings",
      cure: "Use fillNone, or take a field first",
    });
  const isSame = sameNeighbours(content);
  const out = new Int32Array(offsets.length);
  const lengths = new Int32Array(content.length);
  let runs = 0;
  for (let i = 0; i + 1 < offsets.length; i++) {
    for (let at = offsets[i]!; at < offsets[i + 1]!; at++) {
      if (at === offsets[i] || !isSame(at)) runs++;
      lengths[runs - 1]!++;
    }
    out[i + 1] = runs;
  }
  return { offsets: out, content: numpyOf(int64Of(lengths.subarray(0, runs))) };
}

/** Is the element at a place equal to the one before? */
function sameNeighbours(leaf: Leaf): (at: number) => boolean {
  if (leaf.kind === "string") return (at) => sameText(leaf, at - 1, leaf, at);
  if (leaf.kind === "empty") return () => false;
  const { data, length } = leaf;
  if (data.length === length) return (at) => data[at] === data[at - 1];
  return (at) => data[2 * at] === data[2 * at - 2] && data[2 * at + 1] === data[2 * at - 1];
}
