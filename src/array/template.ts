// cw.expr: mathematics as a template. The parser knows grammar only; this is where names become functions
// of the array API and holes become operands. Nothing is evaluated as code: names are looked up in a table.

import { describe } from "../core/chunks.ts";
import type { DType } from "../core/dtype.ts";
import { ChunkwiseError, ValueError } from "../core/errors.ts";
import { isScalar } from "../core/numbers.ts";
import { suggestions } from "../core/suggest.ts";
import type { Built } from "../lazy/build.ts";
import { namedArguments, userCall } from "../lazy/call.ts";
import { asLazy, LazyArray, type Operand } from "../lazy/lazyArray.ts";
import type { Joined } from "../lazy/operandTypes.ts";
import * as functions from "./functions/index.ts";
import { type SelectionItem, Slice } from "./selection.ts";
import { type EvaluationContext, evaluate, type IndexItem, UnknownName } from "./template/evaluate.ts";
import { parse } from "./template/parse.ts";

type AnyFunction = (...args: readonly unknown[]) => unknown;

const FUNCTIONS: ReadonlyMap<string, AnyFunction> = new Map(
  Object.entries<unknown>(functions).filter(
    (entry): entry is [string, AnyFunction] => typeof entry[1] === "function",
  ),
);

const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ["pi", functions.pi],
  ["e", functions.e],
  ["inf", functions.inf],
  ["nan", functions.nan],
]);

type ExprTag = <Holes extends Operand[]>(
  strings: TemplateStringsArray,
  ...holes: Holes
) => LazyArray<DType, Joined<Holes>>;

/** `` expr`(${x}*2 + ${y}*3) / (1 + ${x}**2)` `` */
export const expr: ExprTag = userCall(
  "expr",
  (strings: TemplateStringsArray, ...holes: readonly Operand[]): Built =>
    evaluate(parse(checkTemplate(strings)), contextOf(holes)),
);

function contextOf(holes: readonly Operand[]): EvaluationContext<Built> {
  return {
    hole: (index) => holes[index],
    constant: (name) => CONSTANTS.get(name),
    call,
    method: (target, name, args, keywords) =>
      attribute(target, name) ?? call(name, [target, ...args], keywords),
    index: (target, items) => functions.get(target as Operand, ...items.map(selectionItem)),
    result: (value) => (value instanceof LazyArray ? value : asLazy(checkResult(value))) as Built,
  };
}

function call(name: string, args: readonly unknown[], keywords: ReadonlyMap<string, unknown>): unknown {
  const f = FUNCTIONS.get(name);
  if (f === undefined) throw new UnknownName(name, suggestions(name, [...FUNCTIONS.keys()]));
  try {
    return keywords.size === 0 ? f(...args) : f(...withOptions(f, args, keywords));
  } catch (error) {
    throw error instanceof ChunkwiseError ? error.at(`${name} in expr`) : error;
  }
}

/** Keywords go where the function takes its options, whatever is left out before. */
function withOptions(
  f: AnyFunction,
  args: readonly unknown[],
  keywords: ReadonlyMap<string, unknown>,
): unknown[] {
  // A null prototype: no keyword can reach Object's own.
  const options: Record<string, unknown> = Object.assign(Object.create(null), Object.fromEntries(keywords));
  return namedArguments(f, args, options);
}

function checkTemplate(strings: unknown): readonly string[] {
  const raw: unknown = (strings as { readonly raw?: unknown } | null | undefined)?.raw;
  if (Array.isArray(strings) && Array.isArray(raw)) return raw as string[];
  throw new ValueError({
    what: `the expression is ${describe(strings)}, not a template`,
    cure: "Write expr`…` with backquotes",
  });
}

/** `.T` and `.mT` are properties of arrays. */
function attribute(target: unknown, name: string): LazyArray | undefined {
  if (name !== "T" && name !== "mT") return undefined;
  return asLazy(target as Operand)[name];
}

function selectionItem(item: IndexItem): SelectionItem {
  if (item === null || item === "..." || typeof item === "number") return item;
  return "value" in item ? (item.value as SelectionItem) : new Slice(item.start, item.stop, item.step);
}

function checkResult(value: unknown): Operand {
  if (isScalar(value)) return value;
  throw new ValueError({
    what: `the expression is ${describe(value)}, not an array`,
    cure: "Functions that return lists cannot end an expression",
  });
}
