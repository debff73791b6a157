// Elementwise calls on nested lists: promotion, weak scalars, broadcasting, then one element after another.

import { kindOf, RULES, type Value } from "./elements.ts";
import {
  at,
  cast,
  commonShape,
  type Element,
  make,
  meet,
  type Naive,
  type NaiveDType,
  seenFrom,
  wrap,
} from "./lists.ts";

export type Operand = Naive | Element;
export const isArray = (x: unknown): x is Naive => typeof x === "object" && x !== null && "list" in x;

type Kind = "bool" | "int" | "float";
const KINDS: readonly Kind[] = ["bool", "int", "float"];
const kindOfArray = (dtype: NaiveDType): Kind =>
  dtype === "bool" ? "bool" : dtype === "float64" ? "float" : "int";

/** A negative zero is no integer: integers have none. */
function kindOfScalar(x: Element): Kind {
  if (typeof x === "boolean") return "bool";
  return typeof x === "bigint" || (Number.isInteger(x) && !Object.is(x, -0)) ? "int" : "float";
}

function withScalar(dtype: NaiveDType, x: Element): NaiveDType {
  const kind = kindOfScalar(x);
  if (KINDS.indexOf(kind) <= KINDS.indexOf(kindOfArray(dtype))) return dtype;
  return kind === "int" ? "int64" : "float64";
}

export function resultDType(operands: readonly Operand[]): NaiveDType {
  const arrays = operands.filter(isArray).map(({ dtype }) => dtype);
  const scalars = operands.filter((x): x is Element => !isArray(x));
  return scalars.reduce(withScalar, arrays.reduce(meet));
}

export const asArray = (x: Operand, dtype: NaiveDType): Naive =>
  isArray(x) ? x : make(dtype, [], () => cast(x, dtype));

/** Elements of one dtype in, an element out: bigints stand for integers of every width. */
function apply(name: string, dtype: NaiveDType, x: Element, y: Element): Element {
  const rules = RULES[name]!;
  const kind = kindOf(dtype);
  const rule = rules[kind] as ((x: Value, y: Value) => Value) | undefined;
  if (rule === undefined) throw new Error(`the naive ${name} does not take ${dtype}`);
  const given = (value: Element): Value =>
    kind === "integer" ? BigInt(cast(value, dtype)) : cast(value, dtype);
  const result = rule(given(x), given(y));
  return typeof result === "bigint" ? wrap(result, dtype) : result;
}

export function elementwise(name: string, operands: readonly Operand[]): Naive {
  const { floating, gives } = RULES[name]!;
  const promoted = resultDType(operands);
  const dtype = floating === true && kindOf(promoted) === "integer" ? "float64" : promoted;
  const arrays = operands.map((x) => asArray(x, dtype));
  const shape = commonShape(arrays.map((x) => x.shape));
  return make(gives ?? dtype, shape, (place) => {
    const [x, y] = arrays.map((array) => at(array.list, seenFrom(place, array.shape)));
    return apply(name, dtype, x!, y ?? x!);
  });
}

export function where(condition: Naive, x: Operand, y: Operand): Naive {
  const dtype = resultDType([x, y]);
  const arrays = [condition, asArray(x, dtype), asArray(y, dtype)] as const;
  return make(dtype, commonShape(arrays.map(({ shape }) => shape)), (place) => {
    const [test, yes, no] = arrays.map((array) => at(array.list, seenFrom(place, array.shape)));
    return cast(test ? yes! : no!, dtype);
  });
}

export const astype = (x: Naive, dtype: NaiveDType): Naive =>
  make(dtype, x.shape, (place) => cast(at(x.list, place), dtype));

export function clip(x: Naive, lower: Operand | null, upper: Operand | null): Naive {
  const floored = lower === null ? x : elementwise("maximum", [x, lower]);
  const clipped = upper === null ? floored : elementwise("minimum", [floored, upper]);
  return astype(clipped, x.dtype);
}
