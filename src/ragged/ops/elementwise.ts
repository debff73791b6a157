// Elementwise functions: every one of the dense op table, on nested data. In: layouts, and scalars in
// attrs.operands. Out: a layout of their common structure. Strings are compared for equality.

import { attrsText } from "../../core/block.ts";
import { DTypeError, RunError } from "../../core/errors.ts";
import { isScalar, type Scalar } from "../../core/numbers.ts";
import type { ElementwiseFunction } from "../../ops/define.ts";
import * as arithmetic from "../../ops/elementwise/arithmetic.ts";
import * as exponential from "../../ops/elementwise/exponential.ts";
import * as logic from "../../ops/elementwise/logic.ts";
import * as special from "../../ops/elementwise/special.ts";
import { stopGradient } from "../../ops/elementwise/stopGradient.ts";
import { COMPUTED } from "../demand/outline.ts";
import { elementwiseFlat, type FlatOperand } from "../layout/flat.ts";
import { EMPTY, isLeaf, type NumpyLayout, numpyOf, type Plain, type StringLayout } from "../layout/layout.ts";
import { broadcast, rowsMatched } from "./broadcast.ts";
import { type RaggedOp, raggedOp } from "./op.ts";
import { equalStrings, stringsOf } from "./strings.ts";

/** A place for every operand: null is the next input, anything else stands for itself. */
export type OperandAttrs = { readonly operands?: readonly (Scalar | string | null)[] };

type Operand = Plain | Scalar | string;

/** Inputs and scalars in the order of the arguments. */
export function operandsOf(leaves: readonly Plain[], attrs: OperandAttrs): Operand[] {
  let next = 0;
  return (attrs.operands ?? leaves.map(() => null)).map((value) =>
    value === null ? leaves[next++]! : value,
  );
}

function elementwise(op: ElementwiseFunction): RaggedOp<OperandAttrs> {
  const record = raggedOp<OperandAttrs>(
    op.name,
    rowsMatched,
    { ...COMPUTED, failsOnZeros: () => failsOnZeros(op), attrsText: kindsOfOperands },
    (inputs, attrs) => {
      const stop = (nodes: readonly Plain[]): Plain | null =>
        nodes.every(isLeaf) ? onLeaves(op, operandsOf(nodes, attrs), nodes[0]!.length) : null;
      return broadcast(inputs, stop);
    },
  );
  return { ...record, formText: operandsText };
}

/** Fractions of usual size are all alike to types; other scalars may not fit one. */
const LARGEST_ALIKE = 1e4;
const isAlike = (value: unknown): boolean =>
  typeof value === "number" && !Number.isInteger(value) && Math.abs(value) < LARGEST_ALIKE;

const operandsText = ({ operands = [] }: OperandAttrs): string =>
  attrsText({ operands: operands.map((value) => (isAlike(value) ? 0.5 : value)) }, String);

/** Which operands are inputs; of the others only the type counts, and the result's form says what came of it. */
const kindsOfOperands = ({ operands }: OperandAttrs): string =>
  operands?.map((value) => (value === null ? "input" : typeof value)).join() ?? "";

const failing = new WeakMap<ElementwiseFunction, boolean>();

/** Whole numbers cannot be divided by 0: found by trying. */
function failsOnZeros(op: ElementwiseFunction): boolean {
  const known = failing.get(op);
  if (known !== undefined) return known;
  let fails = false;
  try {
    const zeros = Array.from({ length: op.arity }, () => numpyOf(new Int32Array(1)));
    elementwiseFlat(op, zeros, 1);
  } catch (error) {
    fails = error instanceof RunError;
  }
  failing.set(op, fails);
  return fails;
}

function onLeaves(op: ElementwiseFunction, operands: readonly Operand[], length: number): Plain {
  if (operands.some(isText)) return onStrings(op, operands, length);
  return elementwiseFlat(op, operands.map(asNumbers), length);
}

const isText = (operand: Operand): boolean =>
  typeof operand === "string" ||
  (typeof operand === "object" && "kind" in operand && operand.kind === "string");

/** An array of no known type is one of no numbers. */
export function asNumbers(operand: Operand): FlatOperand {
  if (isScalar(operand)) return operand;
  const leaf = operand as Plain;
  if (leaf === EMPTY || leaf.kind === "empty") return numpyOf(new Float64Array(0));
  if (leaf.kind === "numpy") return leaf;
  throw new DTypeError({ what: "takes numbers, not strings", cure: "Use a field that holds numbers" });
}

function onStrings(op: ElementwiseFunction, operands: readonly Operand[], length: number): NumpyLayout {
  const isEquality = op.name === "equal" || op.name === "notEqual";
  if (!isEquality || !operands.every((operand) => isText(operand) || isEmpty(operand))) {
    throw new DTypeError({
      what: `${op.name} does not take strings${isEquality ? " and numbers together" : ""}`,
      cure: "Strings can be compared with equal and notEqual",
    });
  }
  const [a, b] = operands.map((operand) =>
    typeof operand === "string"
      ? stringsOf([operand])
      : isEmpty(operand)
        ? stringsOf([])
        : (operand as StringLayout),
  );
  return equalStrings(a!, b!, length, op.name === "notEqual");
}

const isEmpty = (operand: Operand): boolean =>
  typeof operand === "object" && "kind" in operand && operand.kind === "empty";

/** Every elementwise function by its name. */
export const ELEMENTWISE: { readonly [name: string]: RaggedOp<OperandAttrs> } = Object.fromEntries(
  [arithmetic, exponential, logic, special, { stopGradient }]
    .flatMap((family) => Object.values(family) as ElementwiseFunction[])
    .map((op) => [op.name, elementwise(op)]),
);
