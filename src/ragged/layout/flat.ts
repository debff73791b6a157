// Flat numbers through the dense kernels. In: numbers one after another, scalars, and a body from the dense op table.
// Out: new numbers. Promotion, casts and arithmetic are the dense arrays' own: there is no second arithmetic.

import { type Block, fillElements, storeElement } from "../../core/block.ts";
import { allocate, type DType, infoOf } from "../../core/dtype.ts";
import {
  DEFAULT_OF_SCALAR_KIND,
  fitScalar,
  isScalar,
  resultDType,
  type Scalar,
  scalarKind,
} from "../../core/numbers.ts";
import { denseType } from "../../expr/op.ts";
import type { Borrowed, LoopStep } from "../../kernel/blockProgram.ts";
import { programOf, type ScalarProgram } from "../../kernel/program.ts";
import * as s from "../../kernel/scalar.ts";
import { cast, castValue } from "../../lazy/cast.ts";
import type { ElementwiseFunction } from "../../ops/define.ts";
import { where } from "../../ops/elementwise/choice.ts";
import { joinedParameters } from "./indices.ts";
import { type NumpyLayout, numpyOf } from "./layout.ts";
import { blockOfData, borrowing, newNumbers, runBlocks } from "./leafKernels.ts";

export type FlatOperand = NumpyLayout | Scalar;

/** One program for each function, dtype it computes in, and dtypes of operands, so that its kernel is found again. */
const programs = new WeakMap<object, Map<string, ScalarProgram>>();

function programFor(by: object, dtype: DType, dtypes: readonly DType[], body: Body): ScalarProgram {
  const own = programs.get(by) ?? new Map<string, ScalarProgram>();
  if (own.size === 0) programs.set(by, own);
  const key = `${dtype} ${dtypes.join(" ")}`;
  let program = own.get(key);
  if (program === undefined) {
    program = programOf(dtypes, (...values) => [body(...values)]);
    own.set(key, program);
  }
  return program;
}

type Body = (...values: s.Value[]) => s.Value;

/** A body over operands of one length and scalars, which are of `dtype`. It is the same for one `by` and one dtype. */
function runFlat(
  by: object,
  operands: readonly FlatOperand[],
  dtype: DType,
  body: Body,
  result: DType,
  length: number,
): NumpyLayout {
  const dtypes = operands.map((operand) => (isScalar(operand) ? dtype : operand.dtype));
  // A scalar that does not fit is an error, whether there are elements or not.
  for (const operand of operands) if (isScalar(operand)) fitScalar(operand, dtype);
  if (length === 0) return numpyOf(allocate(result, 0), result);
  return loopOver(programFor(by, dtype, dtypes, body), operands, result, length);
}

/** A body over arrays of one length, which is written anew each time. */
export function computedFlat(operands: readonly NumpyLayout[], result: DType, body: Body): NumpyLayout {
  const { length } = operands[0]!;
  if (length === 0) return numpyOf(allocate(result, 0), result);
  const dtypes = operands.map((operand) => operand.dtype);
  return loopOver(
    programOf(dtypes, (...values) => [body(...values)]),
    operands,
    result,
    length,
  );
}

function loopOver(
  program: ScalarProgram,
  operands: readonly FlatOperand[],
  result: DType,
  length: number,
): NumpyLayout {
  const borrowed = borrowing();
  try {
    const inputs = operands.map((operand, i) =>
      isScalar(operand)
        ? scalarBlock(operand, program.operands[i]!, length, borrowed)
        : blockOfData(operand.data, operand.dtype),
    );
    const out = newNumbers(result, length);
    const accesses = [...inputs, out].map((_, buffer) => ({ buffer, start: [0], axes: [0], steps: [1] }));
    const step: LoopStep = {
      ...{ kind: "loop", domain: [length], program, from: [0] },
      ...{ operands: accesses.slice(0, -1), results: accesses.slice(-1) },
    };
    runBlocks(step, inputs, [out], length);
    return numpyOf(out.data, result);
  } finally {
    borrowed.giveBack();
  }
}

/** A block whose one element is read over and over, so that kernels do not depend on it. */
function scalarBlock(value: Scalar, dtype: DType, length: number, borrowed: Borrowed): Block {
  const block = borrowed.block(dtype, [1]);
  storeElement(block.data, dtype, 0, value);
  return { ...block, shape: [length], strides: [0] };
}

type OfList = (start: s.Term, stop: s.Term) => s.Term;

const LENGTH: OfList = (start, stop) => s.convert(s.sub(stop, start), "int64");
const PLACE: OfList = (start, stop) =>
  s.select(s.eq(start, stop), s.constant("int32", -1), s.convert(s.index(0), "int32"));

/** How long lists are, as int64. */
export const listLengths = (offsets: Int32Array): NumpyLayout => ofLists(offsets, "int64", LENGTH);

/** Numbers of the lists, −1 for those without elements. */
export const placesOfLists = (offsets: Int32Array): Int32Array =>
  ofLists(offsets, "int32", PLACE).data as Int32Array;

function ofLists(offsets: Int32Array, result: DType, body: OfList): NumpyLayout {
  const bounds = [offsets.subarray(0, -1), offsets.subarray(1)].map((data) => numpyOf(data));
  return runFlat(body, bounds, "int32", body as Body, result, offsets.length - 1);
}

const dtypesOf = (operands: readonly FlatOperand[]): DType[] =>
  operands.flatMap((operand) => (isScalar(operand) ? [] : [operand.dtype]));

/** The dtype that operands meet in, scalars weakly. */
export const commonDType = (operands: readonly FlatOperand[]): DType =>
  resultDType(dtypesOf(operands), operands.filter(isScalar));

/** An op of the dense table over arrays of one length and scalars. */
export function elementwiseFlat(
  op: ElementwiseFunction,
  operands: readonly FlatOperand[],
  length: number,
): NumpyLayout {
  const dtype = op.computeIn(commonDType(operands));
  const type = denseType(dtype, [length]);
  const result = op.infer(
    operands.map(() => type),
    {},
  );
  const body = (...values: s.Value[]): s.Value =>
    op.body(
      values.map((value) => castValue(value, dtype)),
      {},
    );
  return runFlat(op, operands, dtype, body, result.dtype, length);
}

/** A function made of ops' bodies, all in one loop; operands are cast to `dtype` first. The body is a constant. */
export function composedFlat(
  operands: readonly FlatOperand[],
  dtype: DType,
  result: DType,
  body: Body,
  length: number,
): NumpyLayout {
  const castFirst = (...values: s.Value[]): s.Value =>
    body(...values.map((value) => castValue(value, dtype)));
  return runFlat(body, operands, dtype, castFirst, result, length);
}

export function castFlat(x: NumpyLayout, dtype: DType): NumpyLayout {
  if (x.dtype === dtype) return x;
  const made = runFlat(cast, [x], dtype, (value) => castValue(value!, dtype), dtype, x.length);
  return { ...made, parameters: x.parameters };
}

/** x where the condition (a bool array) holds, else y, in the dtype that x and y meet in. */
export function whereFlat(condition: NumpyLayout, x: FlatOperand, y: FlatOperand): NumpyLayout {
  const dtype = commonDType([x, y]);
  const { length } = condition;
  const body = (test: s.Value, yes: s.Value, no: s.Value): s.Value =>
    where.body([test, castValue(yes, dtype), castValue(no, dtype)], {});
  return runFlat(where, [condition, x, y], dtype, body as Body, dtype, length);
}

/** One value, as often as asked for. */
export function filled(value: Scalar, dtype: DType, length: number): NumpyLayout {
  const data = allocate(dtype, length);
  fillElements(data, dtype, value);
  return numpyOf(data, dtype);
}

/** The dtype of one value alone. */
export const scalarDType = (value: Scalar): DType => DEFAULT_OF_SCALAR_KIND[scalarKind(value)];

/** Arrays one after another, in the dtype they meet in. */
export function concatenateFlat(parts: readonly NumpyLayout[]): NumpyLayout {
  if (parts.length === 1) return parts[0]!;
  const dtype = commonDType(parts);
  const cast = parts.map((part) => castFlat(part, dtype));
  const { slots } = infoOf(dtype);
  const data = allocate(
    dtype,
    cast.reduce((sum, part) => sum + part.length, 0),
  );
  let at = 0;
  for (const part of cast) {
    (data as Float64Array).set(part.data as Float64Array, at);
    at += part.length * slots;
  }
  return { ...numpyOf(data, dtype), parameters: joinedParameters(parts) };
}
