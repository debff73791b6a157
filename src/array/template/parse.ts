// Template pieces → AST, by operator precedence (Pratt).
// In: the pieces around the holes. Out: the AST with the display text its offsets refer to.
// Must hold: linear time; every recursion passes through `Cursor.nested`; nothing is evaluated.

import { readArguments } from "./arguments.ts";
import type { Ast, CompareLink, Node } from "./ast.ts";
import { pairBrackets } from "./brackets.ts";
import type { BinaryOperator, LogicalOperator, UnaryOperator } from "./operators.ts";
import { isOperator, lowestLevel, operators } from "./operators.ts";
import { misplacedAsValue } from "./spellings.ts";
import { readSuffixes } from "./suffixes.ts";
import { canonicalName, noneWords, truthValues } from "./templateNames.ts";
import { Cursor, describe } from "./tokenCursor.ts";
import type { Token } from "./tokenize.ts";
import { tokenize } from "./tokenize.ts";

export function parse(pieces: readonly string[]): Ast {
  const tokens = tokenize(pieces);
  const cursor = new Cursor(tokens, pairBrackets(tokens));
  const root = readExpression(cursor);
  if (cursor.peek().kind !== "end") throw cursor.unexpected("an operator or the end");
  return { text: tokens.text, root };
}

function readExpression(cursor: Cursor): Node {
  return readFrom(cursor, lowestLevel);
}

/** The longest expression from here whose operators all bind at least as tightly as `level`. */
function readFrom(cursor: Cursor, level: number): Node {
  let left = readOperand(cursor, level);
  for (;;) {
    const symbol = cursor.peek().text;
    if (isOperator("binary", symbol) && operators.binary[symbol].level >= level) {
      left = readBinary(cursor, left, symbol);
    } else if (isOperator("compare", symbol) && operators.compare[symbol].level >= level) {
      left = readComparison(cursor, left);
    } else if (isOperator("logical", symbol) && operators.logical[symbol].level >= level) {
      left = readLogical(cursor, left, symbol);
    } else return left;
  }
}

function readBinary(cursor: Cursor, left: Node, operator: BinaryOperator): Node {
  const token = cursor.next();
  const { level, rightAssociative } = operators.binary[operator];
  const right = readRight(cursor, token, rightAssociative ? level : level + 1);
  return { kind: "binary", offset: token.offset, operator, left, right };
}

function readComparison(cursor: Cursor, left: Node): Node {
  const { offset } = cursor.peek();
  const links: CompareLink[] = [];
  for (let symbol = cursor.peek().text; isOperator("compare", symbol); symbol = cursor.peek().text) {
    const token = cursor.next();
    const right = readRight(cursor, token, operators.compare[symbol].level + 1);
    links.push({ operator: symbol, offset: token.offset, right });
  }
  return { kind: "compare", offset, left, links };
}

function readLogical(cursor: Cursor, left: Node, operator: LogicalOperator): Node {
  const token = cursor.next();
  const right = readRight(cursor, token, operators.logical[operator].level + 1);
  return { kind: "logical", offset: token.offset, operator, left, right };
}

/** What stands to the right of an operator. Counted: a dozen levels inside each bracket would exhaust the stack. */
function readRight(cursor: Cursor, operator: Token, level: number): Node {
  return cursor.nested(operator, () => readFrom(cursor, level));
}

function readOperand(cursor: Cursor, level: number): Node {
  const token = cursor.next();
  const { text } = token;
  // A sign may follow any operator (`2**-1`); `not` may not follow one that binds tighter (`1 + not x`).
  const fits = text !== "not" || operators.unary.not.level >= level;
  if (fits && isOperator("unary", text)) return readUnary(cursor, token, text);
  return readSuffixes(cursor, readAtom(cursor, token), readExpression);
}

function readUnary(cursor: Cursor, token: Token, operator: UnaryOperator): Node {
  const operand = readRight(cursor, token, operators.unary[operator].level);
  return { kind: "unary", offset: token.offset, operator, operand };
}

function readAtom(cursor: Cursor, token: Token): Node {
  const { kind, offset } = token;
  if (kind === "number") {
    const { value } = token;
    return typeof value === "bigint" ? { kind: "bigint", offset, value } : { kind, offset, value };
  }
  if (kind === "imaginary") return { kind, offset, value: token.value };
  if (kind === "hole") return { kind, offset, index: token.index };
  if (kind === "name" && !noneWords.has(token.text)) return readName(cursor, token);
  if (token.text === "(") return readGroup(cursor, token);
  throw noValue(cursor, token);
}

function readName(cursor: Cursor, token: Token): Node {
  const { offset } = token;
  const value = truthValues.get(token.text);
  if (value !== undefined) return { kind: "bool", offset, value };
  const name = canonicalName(token.text);
  if (!cursor.is("(")) return { kind: "name", offset, name };
  return { kind: "call", offset, name, ...readArguments(cursor, readExpression) };
}

function readGroup(cursor: Cursor, opener: Token): Node {
  const inside = cursor.nested(opener, () => readExpression(cursor));
  if (cursor.take(")")) return inside;
  throw cursor.unexpected("an operator or `)`");
}

function noValue(cursor: Cursor, token: Token): Error {
  const cure =
    token.kind === "string" ? 'A string stands only after `name=`, as in `dtype="float32"`' : undefined;
  return cursor.error(
    token,
    `Expected a value, found ${describe(token)}`,
    cure ?? misplacedAsValue.get(token.text),
  );
}
