// AST → value, by calling the functions of a context.
// In: an AST and a context that knows holes, names and functions. Out: whatever the context built.
// Must hold: a long sum does not recurse; two plain numbers meet in JavaScript, everything else in the context.

import type {
  ArgumentNode,
  Arguments,
  Ast,
  BinaryNode,
  CompareNode,
  ItemNode,
  KeywordNode,
  LeaningNode,
  LogicalNode,
  Node,
  StringNode,
  UnaryNode,
} from "./ast.ts";
import { operators } from "./operators.ts";
import { ExprSyntaxError, quote } from "./syntaxError.ts";

// The items of `x[…]` → what the array's own indexing takes.
// In: item nodes and a way to compute their values. Out: one IndexItem each.
// Must hold: numbers are whole (and never -0); anything that is not a number, a slice or an axis is passed on untouched.

interface IndexSlice {
  readonly start: number | null;
  readonly stop: number | null;
  readonly step: number | null;
}

/** `null` is a new axis; `{value}` an array, a mask or whatever else a hole held. */
export type IndexItem = number | IndexSlice | "..." | null | { readonly value: unknown };

type EvaluateNode = (node: Node) => unknown;

function selectionOf(items: readonly ItemNode[], text: string, evaluateNode: EvaluateNode): IndexItem[] {
  return items.map((item) => {
    if (item.kind === "ellipsis") return "...";
    if (item.kind === "none") return null;
    if (item.kind !== "slice") return single(item, text, evaluateNode);
    const [start, stop, step] = [item.start, item.stop, item.step].map((node) =>
      bound(node, text, evaluateNode),
    );
    return { start: start ?? null, stop: stop ?? null, step: step ?? null };
  });
}

function single(node: Node, text: string, evaluateNode: EvaluateNode): IndexItem {
  const value = evaluateNode(node);
  if (value === null) return null;
  if (typeof value !== "number" && typeof value !== "bigint") return { value };
  const whole = wholeNumber(value);
  if (whole !== null) return whole;
  const what = `Expected a whole number as index, found ${value}`;
  throw new ExprSyntaxError({ text, offset: node.offset, what, cure: "Round it first" });
}

function bound(node: Node | null, text: string, evaluateNode: EvaluateNode): number | null {
  const value = node && evaluateNode(node);
  if (node === null || value === null || value === undefined) return null;
  const whole = wholeNumber(value);
  if (whole !== null) return whole;
  const found = typeof value === "number" ? `${value}` : `a value of type ${typeof value}`;
  const what = `Expected a whole number as bound of the slice, found ${found}`;
  // A bound is needed now, so it cannot be a lazy array.
  const cure = typeof value === "object" ? `Compute it first and put it in with \`\${bound}\`` : undefined;
  throw new ExprSyntaxError({ text, offset: node.offset, what, cure });
}

function wholeNumber(value: unknown): number | null {
  const number = typeof value === "bigint" ? Number(value) : value;
  // Adding 0 turns -0 into 0.
  return typeof number === "number" && Number.isSafeInteger(number) ? number + 0 : null;
}

// What an expression is evaluated with, and the three ways in which evaluation speaks to it.
// Must hold: names reach the context as plain strings, which it looks up in a Map, never on an object;
// a name it does not know becomes an error that points at that name.

export interface EvaluationContext<V> {
  hole(index: number): unknown;
  /** `undefined` if there is no such constant. */
  constant(name: string): unknown | undefined;
  /** Keywords stay in a Map, because a hostile one may be called `__proto__`. */
  call(name: string, args: unknown[], keywords: Map<string, unknown>): unknown;
  method(target: unknown, name: string, args: unknown[], keywords: Map<string, unknown>): unknown;
  index(target: unknown, items: IndexItem[]): unknown;
  /** Makes the final value a V: it may be a bare number. Without it the value is returned as it is. */
  result?(value: unknown): V;
}

/** Thrown by a context that does not know a name; leaves `evaluate` as an ExprSyntaxError that points at it. */
export class UnknownName extends Error {
  readonly unknownName: string;
  readonly suggestions: readonly string[];

  constructor(name: string, suggestions: string[]) {
    super(`Unknown name ${quote(name)}`);
    this.unknownName = name;
    this.suggestions = suggestions;
  }
}

interface Scope {
  readonly text: string;
  readonly context: EvaluationContext<unknown>;
}

interface Site {
  readonly offset: number;
  readonly keywords?: readonly KeywordNode[];
}

function callFunction(name: string, args: unknown[], offset: number, scope: Scope): unknown {
  return withNames({ offset }, scope, () => scope.context.call(name, args, new Map()));
}

function lookUpConstant(name: string, offset: number, scope: Scope): unknown {
  const value = withNames({ offset }, scope, () => scope.context.constant(name));
  if (value === undefined) throw unknownAt(offset, new UnknownName(name, []), scope);
  return value;
}

/** Runs the context; a name it does not know is looked for among the keywords, else it is the site's own. */
function withNames(site: Site, scope: Scope, run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof UnknownName)) throw error;
    const keyword = site.keywords?.find(({ name }) => name === error.unknownName);
    throw unknownAt((keyword ?? site).offset, error, scope);
  }
}

function unknownAt(offset: number, error: UnknownName, scope: Scope): ExprSyntaxError {
  const names = error.suggestions.map(quote).join(" or ");
  const cure = names === "" ? undefined : `Perhaps you meant ${names}`;
  return new ExprSyntaxError({ text: scope.text, offset, what: error.message, cure });
}

export function evaluate<V>(ast: Ast, context: EvaluationContext<V>): V {
  const value = evaluateNode(ast.root, { text: ast.text, context });
  return context.result ? context.result(value) : (value as V);
}

/** Walks down the left side in a loop, because that side alone may be deep. */
function evaluateNode(node: Node, scope: Scope): unknown {
  const leaning: LeaningNode[] = [];
  let leftmost = node;
  while ("left" in leftmost) {
    leaning.push(leftmost);
    leftmost = leftmost.left;
  }
  let value = evaluateUpright(leftmost, scope);
  for (const parent of leaning.reverse()) value = evaluateLeaning(parent, value, scope);
  return value;
}

function evaluateUpright(node: Exclude<Node, LeaningNode>, scope: Scope): unknown {
  switch (node.kind) {
    case "number":
    case "bigint":
    case "bool":
      return node.value;
    case "imaginary":
      return callFunction("complex", [0, node.value], node.offset, scope);
    case "hole":
      return scope.context.hole(node.index);
    case "name":
      return lookUpConstant(node.name, node.offset, scope);
    case "unary":
      return unary(node, scope);
    case "call": {
      const { args, keywords } = argumentValues(node, scope);
      return withNames(node, scope, () => scope.context.call(node.name, args, keywords));
    }
    default:
      return node satisfies never;
  }
}

function evaluateLeaning(node: LeaningNode, left: unknown, scope: Scope): unknown {
  switch (node.kind) {
    case "binary":
      return binary(node, left, scope);
    case "logical":
      return logical(node, left, scope);
    case "compare":
      return comparison(node, left, scope);
    case "index": {
      const items = selectionOf(node.items, scope.text, (item) => evaluateNode(item, scope));
      return scope.context.index(left, items);
    }
    case "method": {
      const { args, keywords } = argumentValues(node, scope);
      return withNames(node, scope, () => scope.context.method(left, node.name, args, keywords));
    }
    default:
      return node satisfies never;
  }
}

function unary(node: UnaryNode, scope: Scope): unknown {
  const operand = evaluateNode(node.operand, scope);
  const { calls, fold } = operators.unary[node.operator];
  if (fold && typeof operand === "number") return fold(operand);
  // -9223372036854775808 is an int64, though 9223372036854775808 is not: the sign belongs to the literal.
  if (node.operator === "-" && typeof operand === "bigint") return -operand;
  return callFunction(calls, [operand], node.offset, scope);
}

function logical(node: LogicalNode, left: unknown, scope: Scope): unknown {
  const right = evaluateNode(node.right, scope);
  return callFunction(operators.logical[node.operator].calls, [left, right], node.offset, scope);
}

function binary(node: BinaryNode, left: unknown, scope: Scope): unknown {
  const right = evaluateNode(node.right, scope);
  const { calls, fold } = operators.binary[node.operator];
  if (fold && typeof left === "number" && typeof right === "number") return fold(left, right);
  return callFunction(calls, [left, right], node.offset, scope);
}

/** a < b < c = (a < b) and (b < c) */
function comparison(node: CompareNode, first: unknown, scope: Scope): unknown {
  let left = first;
  let all: unknown;
  for (const [position, link] of node.links.entries()) {
    const right = evaluateNode(link.right, scope);
    const holds = callFunction(operators.compare[link.operator].calls, [left, right], link.offset, scope);
    all =
      position === 0 ? holds : callFunction(operators.logical.and.calls, [all, holds], link.offset, scope);
    left = right;
  }
  return all;
}

function argumentValues(node: Arguments, scope: Scope): { args: unknown[]; keywords: Map<string, unknown> } {
  const args = node.args.map((argument) => argumentValue(argument, scope));
  const keywords = new Map(node.keywords.map(({ name, value }) => [name, argumentValue(value, scope)]));
  return { args, keywords };
}

function argumentValue(node: ArgumentNode | StringNode, scope: Scope): unknown {
  if (node.kind === "none") return null;
  if (node.kind === "string") return node.value;
  if (node.kind === "list") return node.items.map((item) => argumentValue(item, scope));
  return evaluateNode(node, scope);
}
