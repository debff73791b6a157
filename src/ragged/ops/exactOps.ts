// Elementwise functions of decimals, dates, times and spans: exact, by what their numbers stand for. In: leaves of one length,
// some with a logical type, and values as users write them. Out: a leaf: bools, or numbers of the logical type that the rule
// says. Rules are by dimension, never by type: instant − instant is a span, number · span is a span. Functions that have no
// rule take numbers as float64, and refuse the rest.
// Equation: what a result stands for is op(what the operands stand for). It depends on types alone as what it is stored.

import { describe } from "../../core/chunks.ts";
import type { DType } from "../../core/dtype.ts";
import { DTypeError, ValueError } from "../../core/errors.ts";
import { type Exact, shortened, sizeOfExact } from "../../core/form/exactNumbers.ts";
import {
  type Dimension,
  EXPONENTS,
  LOGICAL_TYPES,
  type Logical,
  logicalOf,
  logicalText,
  MOST_DIGITS,
  measureOf,
  NARROW_DIGITS,
  type TimeUnit,
  withLogical,
} from "../../core/form/logical.ts";
import { bytesOfWhole, exactOfValue, WIDE_BYTES, wholeOfBytes } from "../../core/form/logicalValues.ts";
import { isScalar, type Scalar } from "../../core/numbers.ts";
import type { ElementwiseFunction } from "../../ops/define.ts";
import { divide, multiply } from "../../ops/elementwise/arithmetic.ts";
import { castFlat, elementwiseFlat, type FlatOperand } from "../layout/flat.ts";
import { regularOffsets } from "../layout/indices.ts";
import { type NumpyLayout, numpyOf, type Plain, type StringLayout, stringOf } from "../layout/layout.ts";

type Operand = Plain | Scalar | string;

/** A leaf of whole numbers, or a value, and what it stands for: n · factor · 10^−exponent. */
interface Quantity {
  readonly dimension: Dimension;
  readonly exponent: number;
  readonly factor: number;
  /** Digits that a number may have. */
  readonly precision: number;
  /** Null for values and for numbers without a meaning of their own. */
  readonly logical: Logical | null;
  readonly stored: NumpyLayout | StringLayout | bigint;
}

/** Does its number stand for another one? */
export function isMeasured(operand: Operand): boolean {
  if (typeof operand !== "object" || !("kind" in operand)) return false;
  const logical = logicalOf(operand);
  return logical !== null && measureOf(logical) !== null;
}

type Rule = (a: Dimension, b: Dimension) => Dimension | null;

const alike: Rule = (a, b) => (a === b ? a : null);
const spanOrNumber = (a: Dimension): boolean => a === "span" || a === "number";

/** What the results stand for; null where there is no such thing. */
const RULES: { readonly [op: string]: Rule } = {
  add: (a, b) => {
    if (a === b && spanOrNumber(a)) return a;
    return (a === "instant" && b === "span") || (a === "span" && b === "instant") ? "instant" : null;
  },
  subtract: (a, b) => {
    if (a === b) return spanOrNumber(a) ? a : "span";
    return a === "instant" && b === "span" ? a : null;
  },
  multiply: (a, b) =>
    a === "number" ? (spanOrNumber(b) ? b : null) : b === "number" && a === "span" ? a : null,
  ...{ maximum: alike, minimum: alike },
};
const COMPARISONS: ReadonlySet<string> = new Set([
  ...["equal", "notEqual", "less", "lessEqual", "greater", "greaterEqual"],
]);
/** Of one operand, what it is: not of points in time. */
const UNARY: ReadonlySet<string> = new Set(["negative", "positive", "abs"]);

export function exactElementwise(
  op: ElementwiseFunction,
  operands: readonly Operand[],
  length: number,
): Plain {
  const quantities = quantitiesOf(op.name, operands);
  if (quantities === null) return elementwiseFlat(op, operands.map(asFloats), length);
  if (quantities.length === 1 && UNARY.has(op.name) && spanOrNumber(quantities[0]!.dimension))
    return computed(op, quantities, resultOf(op.name, quantities, quantities[0]!.dimension), length);
  const [a, b] = quantities;
  if (b !== undefined && COMPARISONS.has(op.name) && a!.dimension === b.dimension) {
    checkZones(op.name, quantities);
    return computed(op, quantities, null, length);
  }
  const dimension = b === undefined ? null : (RULES[op.name]?.(a!.dimension, b.dimension) ?? null);
  if (dimension !== null) {
    checkZones(op.name, quantities);
    return computed(op, quantities, resultOf(op.name, quantities, dimension), length);
  }
  if (op.name === "divide" && a!.dimension === "span" && b?.dimension === "span") return ratio(a!, b, length);
  if (quantities.every((of) => of.dimension === "number"))
    return elementwiseFlat(op, operands.map(asFloats), length);
  throw new DTypeError({
    what: `there is no ${op.name} of ${operands.map(operandText).join(" and ")}`,
    cure: "Use valuesAstype with a dtype first",
  });
}

function operandText(operand: Operand): string {
  if (typeof operand !== "object" || !("kind" in operand)) return describe(operand);
  const logical = logicalOf(operand);
  if (logical !== null) return logicalText(logical);
  return operand.kind === "numpy" ? operand.dtype : operand.kind;
}

/** Null where floats are among the operands: then all are. */
function quantitiesOf(op: string, operands: readonly Operand[]): Quantity[] | null {
  const measured = operands.find(isMeasured) as Plain;
  const { dimension } = measureOf(logicalOf(measured)!)!;
  const all: Quantity[] = [];
  for (const operand of operands) {
    const quantity = quantityOf(op, operand, dimension);
    if (quantity === null) return null;
    all.push(quantity);
  }
  return all;
}

const DIGITS: { readonly [dtype: string]: number } = {
  ...{ bool: 1, int8: 3, uint8: 3, int16: 5, uint16: 5, int32: 10, uint32: 10, int64: 19, uint64: 20 },
};

function quantityOf(op: string, operand: Operand, beside: Dimension): Quantity | null {
  if (typeof operand !== "object" || !("kind" in operand)) return quantityOfValue(op, operand, beside);
  const logical = logicalOf(operand);
  if (logical !== null && measureOf(logical) !== null) {
    const { dimension, exponent, factor } = measureOf(logical)!;
    const precision = logical.kind === "decimal" ? logical.precision : NARROW_DIGITS;
    return { dimension, exponent, factor, precision, logical, stored: operand as NumpyLayout };
  }
  const plain = { dimension: "number", exponent: 0, factor: 1, logical: null } as const;
  if (operand.kind === "empty") return { ...plain, precision: 1, stored: numpyOf(new BigInt64Array(0)) };
  if (operand.kind !== "numpy" || logical !== null)
    throw new DTypeError({ what: `${op} does not take ${operandText(operand)} and ${beside}s together` });
  const precision = DIGITS[operand.dtype];
  return precision === undefined ? null : { ...plain, precision, stored: operand };
}

/** A text beside points in time may be one, or a span. Null for numbers that are not exact. */
function quantityOfValue(op: string, value: Scalar | string, beside: Dimension): Quantity | null {
  if (typeof value === "boolean" || (typeof value === "object" && value !== null))
    throw new DTypeError({ what: `${op} does not take ${describe(value)} and ${beside}s together` });
  const dimensions: readonly Dimension[] =
    typeof value !== "string" ? ["number"] : beside === "instant" ? ["instant", "span"] : [beside];
  for (const dimension of dimensions) {
    const exact = exactOfValue(dimension, value);
    if (exact !== null) return ofExact(dimension, shortened(exact));
  }
  if (typeof value === "number" && beside === "number") return null;
  throw new ValueError({
    what: `${describe(value)} is no ${beside === "timeOfDay" ? "time of a day" : beside}`,
    cure: 'Write "2024-02-29", "2024-02-29T12:34:56Z", "12:34:56", spans as "P1DT2H", decimals as "1.05"',
  });
}

const ofExact = (dimension: Dimension, exact: Exact): Quantity => ({
  ...{ dimension, exponent: exact.exponent, factor: 1, logical: null, stored: exact.digits },
  precision: sizeOfExact(exact).precision,
});

/** What has a zone is an instant; what has none is a time on somebody's wall. */
function checkZones(op: string, quantities: readonly Quantity[]): void {
  const zones = quantities.flatMap(({ logical }) =>
    logical?.kind === "timestamp" ? [logical.zone !== null] : [],
  );
  if (new Set(zones).size < 2) return;
  throw new DTypeError({
    what: `${op} of timestamps with a zone and without one`,
    cure: 'Say what they are: valuesAstype(x, "timestamp[us, UTC]")',
  });
}

/** The logical type of what has this dimension. */
function resultOf(op: string, quantities: readonly Quantity[], dimension: Dimension): Logical {
  const first = quantities.find((of) => of.logical !== null && of.dimension === dimension)?.logical;
  const same = quantities.every(
    (of) => of.logical !== null && sameLogical(of.logical, quantities[0]!.logical!),
  );
  if (same && !["add", "subtract", "multiply"].includes(op)) return quantities[0]!.logical!;
  const exponents = quantities.map(({ exponent }) => exponent);
  const scale = op === "multiply" ? exponents.reduce((a, b) => a + b, 0) : Math.max(...exponents);
  if (dimension === "number") return decimalOf(op, quantities, scale);
  const unit = unitOf(scale);
  if (dimension === "span") return { kind: "duration", unit };
  const zone = first !== undefined && first !== null && "zone" in first ? first.zone : null;
  return { kind: dimension === "instant" ? "timestamp" : "time", unit, zone };
}

const sameLogical = (a: Logical, b: Logical): boolean => logicalText(a) === logicalText(b);

function unitOf(exponent: number): TimeUnit {
  const unit = (Object.keys(EXPONENTS) as TimeUnit[]).find((name) => EXPONENTS[name] >= exponent);
  if (unit !== undefined) return unit;
  throw new ValueError({
    what: `there is no unit of 10^-${exponent} seconds`,
    cure: "Use nanoseconds at most",
  });
}

function decimalOf(op: string, quantities: readonly Quantity[], scale: number): Logical {
  if (scale > MOST_DIGITS)
    throw new DTypeError({ what: `${op} would have ${scale} digits behind the point`, cure: "Use float64" });
  const whole = Math.max(...quantities.map(({ precision, exponent }) => precision - exponent));
  const sum = quantities.reduce((total, { precision }) => total + precision, 0);
  const carry = op === "add" || op === "subtract" ? 1 : 0;
  const precision = op === "multiply" ? sum : whole + scale + carry;
  return { kind: "decimal", precision: Math.min(MOST_DIGITS, Math.max(1, precision)), scale };
}

/** Spans by spans are numbers. */
function ratio(a: Quantity, b: Quantity, length: number): NumpyLayout {
  const [x, y] = [a, b].map((of) => floatsOfQuantity(of));
  return elementwiseFlat(divide, [x!, y!], length);
}

// Computing: by the kernels of int64 where numbers are small enough, seen from their size, and by whole numbers of any size
// where they are not. Both give the same.

function computed(
  op: ElementwiseFunction,
  quantities: readonly Quantity[],
  result: Logical | null,
  length: number,
): NumpyLayout | StringLayout {
  const scales = scalesFor(op.name, quantities, result);
  const stored = quantities.map(({ stored: of }) => of);
  const isSmall = areSmall(op.name, stored, scales) && (result === null || isNarrow(result));
  if (isSmall) {
    const numbers = stored.map((of, i) => scaled(of as NumpyLayout | bigint, scales[i]!));
    const made = elementwiseFlat(op, numbers, length);
    return result === null ? made : withLogical(castFlat(made, storageOf(result)), result);
  }
  const rows = stored.map((of, i) => wholesOf(of, scales[i]!, length));
  const compute = WHOLE[op.name]!;
  const values = Array.from({ length }, (_, i) => compute(rows[0]![i]!, rows[1]?.[i] ?? 0n));
  if (result === null)
    return numpyOf(
      Uint8Array.from(values, (value) => (value === 0n ? 0 : 1)),
      "bool",
    );
  return storedWholes(values, result);
}

/** The dtype of a type that numbers of 64 bits hold. */
const storageOf = (logical: Logical): DType => LOGICAL_TYPES[logical.kind].storage(logical) as DType;

const isNarrow = (logical: Logical): boolean =>
  logical.kind !== "decimal" || logical.precision <= NARROW_DIGITS;

/** By what each is multiplied so that all are in one unit, that of the result. */
function scalesFor(op: string, quantities: readonly Quantity[], result: Logical | null): readonly bigint[] {
  if (op === "multiply") {
    const scale = quantities.reduce((sum, { exponent }) => sum + exponent, 0);
    const measure = measureOf(result!)!;
    const more = 10n ** BigInt(measure.exponent - scale);
    return quantities.map(({ factor }, i) => BigInt(factor) * (i === 0 ? more : 1n));
  }
  const measure = result === null ? null : measureOf(result)!;
  const at = Math.max(...quantities.map(({ exponent }) => exponent), measure?.exponent ?? 0);
  const raw = quantities.map(({ exponent, factor }) => BigInt(factor) * 10n ** BigInt(at - exponent));
  // What all have in common need not be multiplied, nor what the result is counted in.
  const unit =
    measure === null ? raw.reduce(divisor) : BigInt(measure.factor) * 10n ** BigInt(at - measure.exponent);
  return raw.map((scale) => scale / unit);
}

function divisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : divisor(b, a % b);
}

const MOST = 2 ** 62;

/** From the numbers' sizes alone, and for types without rows by no number at all. */
function areSmall(op: string, stored: readonly Quantity["stored"][], scales: readonly bigint[]): boolean {
  if (stored.some((of) => typeof of === "object" && of.kind === "string")) return false;
  const sizes = stored.map((of, i) => mostOf(of as NumpyLayout | bigint) * Number(scales[i]));
  const size =
    op === "multiply" ? sizes.reduce((a, b) => a * Math.max(1, b), 1) : sizes.reduce((a, b) => a + b, 0);
  return size < MOST && scales.every((scale) => scale < BigInt(MOST));
}

/** No number is further from 0. */
function mostOf(stored: NumpyLayout | bigint): number {
  if (typeof stored === "bigint") return Math.abs(Number(stored));
  const { data, dtype } = stored;
  if (dtype === "uint64") return data.length === 0 ? 0 : 2 ** 64;
  if (!(data instanceof BigInt64Array)) {
    let most = 0;
    for (let i = 0; i < data.length; i++) most = Math.max(most, Math.abs(data[i] as number));
    return most;
  }
  const halves = new Int32Array(data.buffer, data.byteOffset, 2 * data.length);
  let high = 0;
  for (let i = 1; i < halves.length; i += 2) high = Math.max(high, halves[i]! ^ (halves[i]! >> 31));
  return data.length === 0 ? 0 : (high + 1) * 2 ** 32;
}

function scaled(stored: NumpyLayout | bigint, scale: bigint): FlatOperand {
  if (typeof stored === "bigint") return stored * scale;
  const wide = withLogical(castFlat(stored, "int64"), null);
  return scale === 1n ? wide : elementwiseFlat(multiply, [wide, scale], wide.length);
}

/** Whole numbers of any size. */
function wholesOf(stored: Quantity["stored"], scale: bigint, length: number): bigint[] {
  if (typeof stored === "bigint") return new Array<bigint>(length).fill(stored * scale);
  return storedWholesOf(stored).map((value) => value * scale);
}

/** What is stored, as whole numbers. */
export function storedWholesOf(leaf: NumpyLayout | StringLayout): bigint[] {
  if (leaf.kind === "numpy") return Array.from(leaf.data as ArrayLike<number>, (value) => BigInt(value));
  const { offsets, bytes } = leaf;
  return Array.from({ length: leaf.length }, (_, i) =>
    wholeOfBytes(bytes.subarray(offsets[i]!, offsets[i + 1]!)),
  );
}

const truth = (is: boolean): bigint => (is ? 1n : 0n);

const WHOLE: { readonly [op: string]: (a: bigint, b: bigint) => bigint } = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  maximum: (a, b) => (a > b ? a : b),
  minimum: (a, b) => (a < b ? a : b),
  negative: (a) => -a,
  positive: (a) => a,
  abs: (a) => (a < 0n ? -a : a),
  equal: (a, b) => truth(a === b),
  notEqual: (a, b) => truth(a !== b),
  less: (a, b) => truth(a < b),
  lessEqual: (a, b) => truth(a <= b),
  greater: (a, b) => truth(a > b),
  greaterEqual: (a, b) => truth(a >= b),
};

/** Stored as the type says; an error for a number that does not fit. */
export function storedWholes(values: readonly bigint[], logical: Logical): NumpyLayout | StringLayout {
  const limit = logical.kind === "decimal" ? 10n ** BigInt(logical.precision) : 2n ** 63n;
  const large = values.find((value) => value >= limit || value <= -limit);
  if (large !== undefined)
    throw new ValueError({
      what: `${large} units of ${logicalText(logical)} are more than it holds`,
      cure: 'Use valuesAstype(x, "float64"), or a coarser unit',
    });
  if (isNarrow(logical)) {
    return withLogical(castFlat(numpyOf(BigInt64Array.from(values)), storageOf(logical)), logical);
  }
  const bytes = new Uint8Array(values.length * WIDE_BYTES);
  values.forEach((value, i) => bytes.set(bytesOfWhole(value, WIDE_BYTES), i * WIDE_BYTES));
  return withLogical(stringOf(regularOffsets(values.length, WIDE_BYTES), bytes, "bytes"), logical);
}

/** Numbers as float64: a decimal is rounded once. Other meanings are refused. */
export function asFloats(operand: Operand): FlatOperand {
  if (isScalar(operand)) return operand;
  if (typeof operand === "string") return Number(operand);
  const logical = logicalOf(operand);
  if (logical?.kind === "decimal") return floatsOfQuantity(quantityOf("float64", operand, "number")!);
  if (operand.kind === "empty") return numpyOf(new Float64Array(0));
  if (operand.kind === "numpy" && logical === null) return operand;
  throw new DTypeError({
    what: `${operandText(operand)} is no number`,
    cure: "Use valuesAstype with a dtype first",
  });
}

function floatsOfQuantity({ stored, exponent, factor }: Quantity): NumpyLayout | number {
  const one = 10 ** exponent / factor;
  if (typeof stored === "bigint") return Number(stored) / one;
  if (stored.kind === "string")
    return numpyOf(Float64Array.from(storedWholesOf(stored), (value) => Number(value) / one));
  const numbers = withLogical(castFlat(stored, "float64"), null);
  return one === 1 ? numbers : elementwiseFlat(divide, [numbers, one], numbers.length);
}
