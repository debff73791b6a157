// Flat numbers through the dense kernels. In: numbers one after another, scalars, and a body from the dense op table.
// Out: new numbers. Promotion, casts and arithmetic are the dense arrays' own: there is no second arithmetic.

import type { Block } from "../../core/block.ts";
import { allocate, type DType, infoOf, isWide } from "../../core/dtype.ts";
import { RunError } from "../../core/errors.ts";
import {
  Complex,
  DEFAULT_OF_SCALAR_KIND,
  fitScalar,
  isScalar,
  type Scalar,
  scalarKind,
} from "../../core/numbers.ts";
import { resultDType } from "../../core/promotion.ts";
import type { BlockProgram } from "../../kernel/blockProgram.ts";
import { resultBlock } from "../../kernel/blocks.ts";
import { execute } from "../../kernel/execute.ts";
import { interpret, LaneFailure } from "../../kernel/interpret/index.ts";
import { programOf, type ScalarProgram } from "../../kernel/program.ts";
import type { Value } from "../../kernel/scalar.ts";
import { castValue, where } from "../../ops/elementwise/choice.ts";
import type { ElementwiseFunction } from "../../ops/elementwise/define.ts";
import { type NumpyLayout, numpyOf } from "./layout.ts";
import { joinedParameters } from "./origins.ts";

export type FlatOperand = NumpyLayout | Scalar;

/** Fewer elements are interpreted: the bits are the same, and no kernel has to be compiled. */
const WORTH_COMPILING = 512;

const programs = new Map<string, ScalarProgram>();

/** One program for each name and operand dtypes, so that its kernel is found again. */
function programFor(
  name: string,
  dtypes: readonly DType[],
  body: (...values: Value[]) => Value,
): ScalarProgram {
  const key = `${name} ${dtypes.join(" ")}`;
  const program = programs.get(key) ?? programOf(dtypes, (...values) => [body(...values)]);
  programs.set(key, program);
  return program;
}

function runFlat(
  name: string,
  blocks: readonly Block[],
  body: (...values: Value[]) => Value,
  dtype: DType,
  length: number,
): NumpyLayout {
  if (length === 0) return numpyOf(allocate(dtype, 0), dtype);
  const program = programFor(
    name,
    blocks.map((block) => block.dtype),
    body,
  );
  const out = resultBlock(dtype, [length]);
  const bound = [...blocks, out];
  const run = length < WORTH_COMPILING ? interpret : execute;
  try {
    run(blockProgramOf(program, bound, length), bound);
  } catch (error) {
    if (!(error instanceof LaneFailure)) throw error;
    throw new RunError({ what: error.message, cure: error.trap.cure }, { cause: error });
  }
  return numpyOf(out.data, dtype);
}

function blockProgramOf(program: ScalarProgram, blocks: readonly Block[], length: number): BlockProgram {
  const accesses = blocks.map((_, buffer) => ({ buffer, start: [0], axes: [0], steps: [1] }));
  return {
    buffers: blocks.map(({ dtype, shape }, i) => ({
      role: i < blocks.length - 1 ? "input" : "output",
      dtype,
      shape,
    })),
    steps: [
      {
        kind: "loop",
        domain: [length],
        operands: accesses.slice(0, -1),
        program,
        results: accesses.slice(-1),
        from: [0],
      },
    ],
  };
}

/** An array as a block; a scalar as a block whose one element is read over and over, so that kernels do not depend on it. */
function blockOf(operand: FlatOperand, dtype: DType, length: number): Block {
  const shape = [length];
  if (!isScalar(operand)) return { dtype: operand.dtype, shape, strides: [1], offset: 0, data: operand.data };
  const data = allocate(dtype, 1);
  storeScalar(data, dtype, fitScalar(operand, dtype));
  return { dtype, shape, strides: [0], offset: 0, data };
}

function storeScalar(data: ReturnType<typeof allocate>, dtype: DType, value: Scalar): void {
  if (value instanceof Complex) (data as Float64Array).set([value.re, value.im]);
  else data[0] = isWide(dtype) ? BigInt(value) : Number(value);
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
  const type = { dtype, shape: [length] };
  const result = op.infer(
    operands.map(() => type),
    {},
  );
  const blocks = operands.map((operand) => blockOf(operand, dtype, length));
  const body = (...values: Value[]): Value =>
    op.body(
      values.map((value) => castValue(value, dtype)),
      {},
    );
  return runFlat(`${op.name} in ${dtype}`, blocks, body, result.dtype, length);
}

/** A function made of ops' bodies, all in one loop; operands are cast to `dtype` first. */
export function composedFlat(
  name: string,
  operands: readonly FlatOperand[],
  dtype: DType,
  result: DType,
  body: (...values: Value[]) => Value,
  length: number,
): NumpyLayout {
  const blocks = operands.map((operand) => blockOf(operand, dtype, length));
  const cast = (...values: Value[]): Value => body(...values.map((value) => castValue(value, dtype)));
  return runFlat(`${name} in ${dtype}`, blocks, cast, result, length);
}

export function castFlat(x: NumpyLayout, dtype: DType): NumpyLayout {
  if (x.dtype === dtype) return x;
  const block = blockOf(x, x.dtype, x.length);
  const cast = runFlat(`cast to ${dtype}`, [block], (value) => castValue(value, dtype), dtype, x.length);
  return { ...cast, parameters: x.parameters };
}

/** x where the condition (a bool array) holds, else y, in the dtype that x and y meet in. */
export function whereFlat(condition: NumpyLayout, x: FlatOperand, y: FlatOperand): NumpyLayout {
  const dtype = commonDType([x, y]);
  const { length } = condition;
  const blocks = [condition, x, y].map((operand, i) => blockOf(operand, i === 0 ? "bool" : dtype, length));
  const body = (test: Value, yes: Value, no: Value): Value =>
    where.body([test, castValue(yes, dtype), castValue(no, dtype)], {});
  return runFlat(`where in ${dtype}`, blocks, body as (...values: Value[]) => Value, dtype, length);
}

/** One value, as often as asked for. */
export function filled(value: Scalar, dtype: DType, length: number): NumpyLayout {
  const fitted = fitScalar(value, dtype);
  const data = allocate(dtype, length);
  if (fitted instanceof Complex) {
    for (let i = 0; i < length; i++) (data as Float64Array).set([fitted.re, fitted.im], 2 * i);
  } else if (isWide(dtype)) (data as BigInt64Array).fill(BigInt(fitted));
  else (data as Float64Array).fill(Number(fitted));
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
