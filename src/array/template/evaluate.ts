// AST → value, by calling the functions of a context.
// In: an AST and a context that knows holes, names and functions. Out: whatever the context built.
// Must hold: a long sum does not recurse; two plain numbers meet in JavaScript, everything else in the context.

import type {
  ArgumentNode,
  Arguments,
  Ast,
  BinaryNode,
  CompareNode,
  LeaningNode,
  LogicalNode,
  Node,
  StringNode,
  UnaryNode,
} from "./ast.ts";
import type { EvaluationContext, Scope } from "./context.ts";
import { callFunction, lookUpConstant, withNames } from "./context.ts";
import { operators } from "./operators.ts";
import { selectionOf } from "./templateSelection.ts";

export type { EvaluationContext } from "./context.ts";
export { UnknownName } from "./context.ts";
export type { IndexItem, IndexSlice } from "./templateSelection.ts";

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
