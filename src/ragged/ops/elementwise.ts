// Elementwise functions: every one of the dense op table, on nested data. In: layouts, and scalars in
// attrs.operands. Out: a layout of their common structure. Strings are compared for equality; what stands for another number
// (decimals, dates, times) goes by its own rules: exactOps.ts.

import { attrsText } from "../../core/block.ts";
import { DTypeError, RunError } from "../../core/errors.ts";
import { exactOfNumber, shortened, sizeOfExact } from "../../core/form/exactNumbers.ts";
import { type Logical, logicalOf } from "../../core/form/logical.ts";
import { uuidOfText } from "../../core/form/logicalValues.ts";
import { isScalar, type Scalar } from "../../core/numbers.ts";
import type { ElementwiseFunction } from "../../ops/define.ts";
import * as arithmetic from "../../ops/elementwise/arithmetic.ts";
import * as exponential from "../../ops/elementwise/exponential.ts";
import * as logic from "../../ops/elementwise/logic.ts";
import * as special from "../../ops/elementwise/special.ts";
import { stopGradient } from "../../ops/elementwise/stopGradient.ts";
import { COMPUTED } from "../demand/outline.ts";
import { elementwiseFlat, type FlatOperand } from "../layout/flat.ts";
import {
  EMPTY,
  isLeaf,
  type NumpyLayout,
  numpyOf,
  type Plain,
  type StringLayout,
  stringOf,
} from "../layout/layout.ts";
import { broadcast, rowsMatched } from "./broadcast.ts";
import { asFloats, exactElementwise, isMeasured } from "./exactOps.ts";
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

/** Fractions of usual size and as many digits are all alike to types; other scalars may not fit one. */
const LARGEST_ALIKE = 1e4;
const isAlike = (value: unknown): boolean =>
  typeof value === "number" && !Number.isInteger(value) && Math.abs(value) < LARGEST_ALIKE;

const operandsText = ({ operands = [] }: OperandAttrs): string =>
  attrsText(
    { operands: operands.map((value) => (isAlike(value) ? digitsText(value as number) : value)) },
    String,
  );

/** Beside decimals a number has the digits that it is written with. */
function digitsText(value: number): string {
  const { precision, scale } = sizeOfExact(shortened(exactOfNumber(value)!));
  return `number(${precision}, ${scale})`;
}

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
  if (operands.some(isMeasured)) return exactElementwise(op, operands, length);
  if (operands.some(isText)) return onStrings(op, operands, length);
  return elementwiseFlat(op, operands.map(asNumbers), length);
}

const isText = (operand: Operand): boolean =>
  typeof operand === "string" ||
  (typeof operand === "object" && "kind" in operand && operand.kind === "string");

/** An array of no known type is one of no numbers; decimals are rounded to float64. */
export function asNumbers(operand: Operand): FlatOperand {
  if (isScalar(operand)) return operand;
  const leaf = operand as Plain;
  if (isMeasured(leaf)) return asFloats(leaf);
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
  const encoding = operands.flatMap((operand) =>
    typeof operand === "object" && "kind" in operand ? (logicalOf(operand) ?? []) : [],
  )[0];
  const [a, b] = operands.map((operand) =>
    typeof operand === "string"
      ? textBeside(operand, encoding)
      : isEmpty(operand)
        ? stringsOf([])
        : (operand as StringLayout),
  );
  return equalStrings(a!, b!, length, op.name === "notEqual");
}

/** A text as the bytes that it has beside others: of a uuid, 16. */
function textBeside(text: string, beside: Logical | undefined): StringLayout {
  if (beside?.kind !== "uuid") return stringsOf([text]);
  const bytes = uuidOfText(text);
  if (bytes === null)
    throw new DTypeError({
      what: `${JSON.stringify(text)} is no uuid`,
      cure: 'Write it as "01234567-89ab-cdef-0123-456789abcdef"',
    });
  return stringOf(Int32Array.of(0, bytes.length), bytes, "bytes");
}

const isEmpty = (operand: Operand): boolean =>
  typeof operand === "object" && "kind" in operand && operand.kind === "empty";

/** Every elementwise function by its name. */
export const ELEMENTWISE: { readonly [name: string]: RaggedOp<OperandAttrs> } = Object.fromEntries(
  [arithmetic, exponential, logic, special, { stopGradient }]
    .flatMap((family) => Object.values(family) as ElementwiseFunction[])
    .map((op) => [op.name, elementwise(op)]),
);
