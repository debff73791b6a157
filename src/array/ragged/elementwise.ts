// Elementwise functions on ragged arrays: every one of the dense op table. Lists are matched with lists, nulls in any
// make nulls in the result, and scalars go with every element.

import { ValueError } from "../../core/errors.ts";
import { ELEMENTWISE } from "../../ragged/index.ts";
import { userCall } from "../call.ts";
import { apply } from "./apply.ts";
import type { Ragged } from "./arrays.ts";
import { asRagged, isConstant, type RaggedInput, type RaggedOperand } from "./operands.ts";
import type { Joint } from "./types.ts";

export type Unary = <const X extends RaggedInput>(x: X) => Joint<X>;
export type Binary = <const X extends RaggedOperand, const Y extends RaggedOperand>(
  x: X,
  y: Y,
) => Joint<X | Y>;

/** Arrays and constants in the order of the arguments: null stands for the next array. */
export function splitOperands(values: readonly unknown[]): {
  arrays: Ragged[];
  operands: (ReturnType<typeof constantOf> | null)[];
} {
  const arrays = values.filter((value) => !isConstant(value)).map(asRagged);
  if (arrays.length > 0) return { arrays, operands: values.map(constantOf) };
  throw new ValueError({
    what: "there is no array among the arguments",
    cure: "Pass one ragged array at least",
  });
}

const constantOf = (
  value: unknown,
): Extract<RaggedOperand, number | bigint | string | boolean | object> | null =>
  isConstant(value) ? value : null;

function elementwise(name: string, arity: number): (...values: readonly unknown[]) => unknown {
  const record = ELEMENTWISE[name]!;
  return userCall(name, (...values: readonly unknown[]) => {
    if (values.length !== arity)
      throw new ValueError({
        what: `${values.length} arguments where ${arity} are taken`,
        cure: "Pass arrays or scalars",
      });
    const { arrays, operands } = splitOperands(values);
    return apply(record as never, arrays, operands.every((value) => value === null) ? {} : { operands });
  });
}

const unary = (name: string): Unary => elementwise(name, 1) as Unary;
const binary = (name: string): Binary => elementwise(name, 2) as Binary;

export const abs: Unary = unary("abs");
export const acos: Unary = unary("acos");
export const acosh: Unary = unary("acosh");
export const asin: Unary = unary("asin");
export const asinh: Unary = unary("asinh");
export const atan: Unary = unary("atan");
export const atanh: Unary = unary("atanh");
export const bitwiseInvert: Unary = unary("bitwiseInvert");
export const ceil: Unary = unary("ceil");
export const conj: Unary = unary("conj");
export const cos: Unary = unary("cos");
export const cosh: Unary = unary("cosh");
export const exp: Unary = unary("exp");
export const expm1: Unary = unary("expm1");
export const floor: Unary = unary("floor");
export const imag: Unary = unary("imag");
export const isfinite: Unary = unary("isfinite");
export const isinf: Unary = unary("isinf");
export const isnan: Unary = unary("isnan");
export const log: Unary = unary("log");
export const log10: Unary = unary("log10");
export const log1mexp: Unary = unary("log1mexp");
export const log1p: Unary = unary("log1p");
export const log2: Unary = unary("log2");
export const logicalNot: Unary = unary("logicalNot");
export const negative: Unary = unary("negative");
export const positive: Unary = unary("positive");
export const real: Unary = unary("real");
export const reciprocal: Unary = unary("reciprocal");
export const round: Unary = unary("round");
export const sigmoid: Unary = unary("sigmoid");
export const sign: Unary = unary("sign");
export const signbit: Unary = unary("signbit");
export const sin: Unary = unary("sin");
export const sinh: Unary = unary("sinh");
export const softplus: Unary = unary("softplus");
export const sqrt: Unary = unary("sqrt");
export const square: Unary = unary("square");
export const tan: Unary = unary("tan");
export const tanh: Unary = unary("tanh");
export const trunc: Unary = unary("trunc");
export const add: Binary = binary("add");
export const atan2: Binary = binary("atan2");
export const bitwiseAnd: Binary = binary("bitwiseAnd");
export const bitwiseLeftShift: Binary = binary("bitwiseLeftShift");
export const bitwiseOr: Binary = binary("bitwiseOr");
export const bitwiseRightShift: Binary = binary("bitwiseRightShift");
export const bitwiseXor: Binary = binary("bitwiseXor");
export const copysign: Binary = binary("copysign");
export const divide: Binary = binary("divide");
export const equal: Binary = binary("equal");
export const floorDivide: Binary = binary("floorDivide");
export const greater: Binary = binary("greater");
export const greaterEqual: Binary = binary("greaterEqual");
export const hypot: Binary = binary("hypot");
export const less: Binary = binary("less");
export const lessEqual: Binary = binary("lessEqual");
export const logaddexp: Binary = binary("logaddexp");
export const logicalAnd: Binary = binary("logicalAnd");
export const logicalOr: Binary = binary("logicalOr");
export const logicalXor: Binary = binary("logicalXor");
export const maximum: Binary = binary("maximum");
export const minimum: Binary = binary("minimum");
export const multiply: Binary = binary("multiply");
export const nextafter: Binary = binary("nextafter");
export const notEqual: Binary = binary("notEqual");
export const pow: Binary = binary("pow");
export const remainder: Binary = binary("remainder");
export const subtract: Binary = binary("subtract");
