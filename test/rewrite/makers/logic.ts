// Makers of comparisons, choices, casts and what is made of them.

import { type DType, isComplex, isInteger } from "../../../src/core/dtype.ts";
import { broadcasts } from "../../property/makers/elementwise.ts";
import { axesOf } from "../../property/makers/reductions.ts";
import type { Maker } from "../../property/writer.ts";
import { constantFor, numeric, second } from "./values.ts";

const COMPARISONS = ["less", "lessEqual", "greater", "greaterEqual", "equal", "notEqual"];
export const compare: Maker = (writer, choices) => {
  const x = writer.any(choices, (one) => !isComplex(one.dtype) && numeric(one));
  return x === null ? null : writer.call(choices.pick(COMPARISONS), x, second(writer, x, choices));
};

/** How many, whether any, whether all: of a test, or of a test as numbers. */
export const countTests: Maker = (writer, choices) => {
  const x = writer.any(choices, (one) => numeric(one) && !isComplex(one.dtype));
  if (x === null) return null;
  const test = writer.call(choices.pick(COMPARISONS), x, choices.pick([0, 1, 2]));
  const way = choices.below(4);
  const inner =
    way === 0 ? test : way === 1 ? writer.call("logicalNot", test) : writer.call("astype", test, "int64");
  const options = { axis: axesOf(writer.of(x).ndim, choices), keepdims: choices.flip() };
  const names =
    way < 2 ? ["any", "all", "countNonzero", "max", "min"] : ["sum", "max", "min", "any", "countNonzero"];
  const total = writer.call(choices.pick(names), inner, options);
  return choices.flip() ? total : writer.call(choices.pick(COMPARISONS), total, choices.pick([0, 1]));
};

export const choose: Maker = (writer, choices) => {
  const x = writer.any(choices)!;
  const { shape } = writer.of(x);
  const condition = writer.any(choices, (one) => one.dtype === "bool" && broadcasts(one.shape, shape));
  const test = condition ?? writer.call("astype", x, "bool");
  const other = choices.below(4) === 3 ? x : second(writer, x, choices);
  return choices.flip() ? writer.call("where", test, x, other) : writer.call("where", test, other, x);
};

/** A constant array as a condition or an operand. */
export const filled: Maker = (writer, choices) => {
  const x = writer.any(choices)!;
  const constant = writer.call("fullLike", x, constantFor(writer.of(x).dtype, choices));
  if (writer.of(x).dtype === "bool")
    return writer.call(choices.pick(["logicalAnd", "logicalOr", "logicalXor"]), x, constant);
  return writer.call(choices.pick(["add", "multiply", "subtract"]), x, constant);
};

export const castTwice: Maker = (writer, choices) => {
  const x = writer.any(choices, (one) => !isComplex(one.dtype));
  if (x === null) return null;
  const dtypes: readonly DType[] = [
    "float64",
    "float32",
    "int32",
    "int64",
    "int8",
    "uint8",
    "bool",
    "float64",
  ];
  const once = writer.call("astype", x, choices.pick(dtypes));
  return choices.flip() ? once : writer.call("astype", once, choices.pick([writer.of(x).dtype, ...dtypes]));
};

/** x // c · c + x mod c, and its neighbours. */
export const divisions: Maker = (writer, choices) => {
  const x = writer.any(choices, (one) => isInteger(one.dtype));
  if (x === null) return null;
  const c = choices.pick([2, 3, 4, 8, 1, 5]);
  const quotient = writer.call("floorDivide", x, c);
  const rest = writer.call("remainder", x, c);
  const way = choices.below(4);
  if (way === 0) return writer.call("add", writer.call("multiply", quotient, c), rest);
  if (way === 1) return writer.call("floorDivide", quotient, choices.pick([2, 3, 4]));
  if (way === 2) return writer.call(choices.pick(COMPARISONS), quotient, choices.pick([0, 1, 2, 5]));
  return writer.call(choices.pick(COMPARISONS), rest, choices.pick([0, 1, 2, 5]));
};
