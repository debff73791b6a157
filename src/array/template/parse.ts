// Template pieces → AST, by operator precedence (Pratt).
// In: the pieces around the holes. Out: the AST with the display text its offsets refer to.
// Must hold: linear time; every recursion passes through `Cursor.nested`; nothing is evaluated.

import type {
  ArgumentNode,
  Arguments,
  Ast,
  CompareLink,
  ItemNode,
  KeywordNode,
  Node,
  SliceNode,
  StringNode,
} from "./ast.ts";
import {
  type BinaryOperator,
  isOperator,
  type LogicalOperator,
  lowestLevel,
  operators,
  type UnaryOperator,
} from "./operators.ts";
import { misplacedAsValue } from "./spellings.ts";
import { ExprSyntaxError, quote } from "./syntaxError.ts";
import { attributes, canonicalName, noneWords, truthValues } from "./templateNames.ts";
import { Cursor, describe } from "./tokenCursor.ts";
import { type Token, type Tokens, tokenize } from "./tokenize.ts";

// What stands between the parentheses of a call.
// In: a cursor at `(`. Out: positional and keyword arguments, the cursor after `)`.
// Must hold: positional before keyword, no keyword twice; lists, tuples and strings occur only here.

/** The parser's own entry, handed in because it and this file need each other. */
type ReadExpression = (cursor: Cursor) => Node;

function readArguments(cursor: Cursor, read: ReadExpression): Arguments {
  const args: ArgumentNode[] = [];
  const keywords = new Map<string, KeywordNode>();
  readSequence(cursor, ")", () => {
    if (cursor.peek().kind === "name" && cursor.peek(1).text === "=") {
      const keyword = readKeyword(cursor, keywords, read);
      keywords.set(keyword.name, keyword);
    } else if (keywords.size > 0) {
      throw cursor.error(
        cursor.peek(),
        `Expected another \`name=value\`, found ${describe(cursor.peek())}`,
        "Put the arguments without a name first",
      );
    } else args.push(readArgument(cursor, read));
  });
  return { args, keywords: [...keywords.values()] };
}

function readKeyword(cursor: Cursor, seen: ReadonlyMap<string, unknown>, read: ReadExpression): KeywordNode {
  const token = cursor.next();
  const name = canonicalName(token.text);
  if (seen.has(name)) {
    throw cursor.error(
      token,
      `Expected a new keyword, found ${describe(token)} again`,
      "Remove one of the two",
    );
  }
  cursor.take("=");
  return { name, offset: token.offset, value: readString(cursor) ?? readArgument(cursor, read) };
}

function readString(cursor: Cursor): StringNode | null {
  const token = cursor.peek();
  if (token.kind !== "string") return null;
  cursor.next();
  return { kind: "string", offset: token.offset, value: token.value };
}

function readArgument(cursor: Cursor, read: ReadExpression): ArgumentNode {
  const { offset, text } = cursor.peek();
  if (noneWords.has(text)) {
    cursor.next();
    return { kind: "none", offset };
  }
  if (!cursor.is("[") && !cursor.atTuple()) return read(cursor);
  const items: ArgumentNode[] = [];
  readSequence(cursor, text === "[" ? "]" : ")", () => items.push(readArgument(cursor, read)));
  return { kind: "list", offset, items };
}

/** An opening bracket, parts separated by commas (one may trail), the closing bracket. */
function readSequence(cursor: Cursor, closer: string, readPart: () => void): void {
  cursor.nested(cursor.next(), () => {
    while (!cursor.is(closer)) {
      readPart();
      if (!cursor.take(",") && !cursor.is(closer)) throw cursor.unexpected(`\`,\` or \`${closer}\``);
    }
  });
  cursor.next();
}

// Pairs the brackets before anything is parsed.
// In: tokens. Out: the `(` that open a tuple, should they stand where a tuple may (directly inside: a comma, or nothing).
// Must hold: afterwards every bracket has its partner, so the parser never meets the end inside one.

const partners: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
]);
const closers: ReadonlySet<string> = new Set(partners.values());

function pairBrackets({ text, tokens }: Tokens): ReadonlySet<Token> {
  const tuples = new Set<Token>();
  const open: Token[] = [];
  let before: Token | undefined;
  for (const token of tokens) {
    const innermost = open.at(-1);
    if (partners.has(token.text)) open.push(token);
    else if (token.text === "," && innermost) tuples.add(innermost);
    else if (closers.has(token.text)) {
      close(text, open.pop(), token);
      if (innermost && innermost === before) tuples.add(innermost);
    }
    before = token;
  }
  const unclosed = open.at(-1);
  if (unclosed) throw neverClosed(text, unclosed, "the end");
  return tuples;
}

function close(text: string, opener: Token | undefined, closer: Token): void {
  if (opener === undefined) throw closesNothing(text, closer);
  const found = `${quote(closer.text)} in column ${closer.offset + 1}`;
  if (partners.get(opener.text) !== closer.text) throw neverClosed(text, opener, found);
}

function closesNothing(text: string, closer: Token): ExprSyntaxError {
  const what = `Expected an operator or the end, found ${quote(closer.text)}, which closes nothing`;
  const cure = "Remove it, or add the bracket that it should close";
  return new ExprSyntaxError({ text, offset: closer.offset, what, cure });
}

/** Points at the opening bracket: the place where the other one is missing is anybody's guess. */
function neverClosed(text: string, opener: Token, found: string): ExprSyntaxError {
  const partner = quote(partners.get(opener.text) ?? "");
  const what = `Expected ${partner} to close this ${quote(opener.text)}, found ${found}`;
  return new ExprSyntaxError({ text, offset: opener.offset, what, cure: `Add the missing ${partner}` });
}

// What may follow a value: an index in brackets, a method, an attribute.
// In: a cursor after the value, and its node. Out: the node with all its suffixes around it.
// Must hold: a loop, not a recursion, so `x.T.T.T…` may be as long as it likes.

function readSuffixes(cursor: Cursor, value: Node, read: ReadExpression): Node {
  let left = value;
  for (;;) {
    if (cursor.is("[")) left = readIndex(cursor, left, read);
    else if (cursor.is(".")) left = readMember(cursor, left, read);
    else return left;
  }
}

function readMember(cursor: Cursor, left: Node, read: ReadExpression): Node {
  cursor.next();
  const token = cursor.next();
  const { offset, text } = token;
  if (token.kind !== "name")
    throw cursor.error(token, `Expected the name of a method, found ${describe(token)}`);
  const name = canonicalName(text);
  if (attributes.has(name)) return { kind: "method", offset, left, name, args: [], keywords: [] };
  if (!cursor.is("(")) {
    const what = `Expected \`(\` after the method ${quote(text)}, found ${describe(cursor.peek())}`;
    throw cursor.error(token, what, `Write ${quote(`.${text}()`)}`);
  }
  return { kind: "method", offset, left, name, ...readArguments(cursor, read) };
}

function readIndex(cursor: Cursor, left: Node, read: ReadExpression): Node {
  const opener = cursor.peek();
  const items: ItemNode[] = [];
  readSequence(cursor, "]", () => items.push(readItem(cursor, read)));
  if (items.length > 0) return { kind: "index", offset: opener.offset, left, items };
  throw cursor.error(opener, "Expected an index, found `]`", "For everything, write `[...]`");
}

function readItem(cursor: Cursor, read: ReadExpression): ItemNode {
  const { offset, text } = cursor.peek();
  if (cursor.take("...")) return { kind: "ellipsis", offset };
  if (noneWords.has(text)) {
    cursor.next();
    return { kind: "none", offset };
  }
  if (cursor.take(":")) return { kind: "slice", offset, start: null, ...readSliceEnd(cursor, read) };
  const value = read(cursor);
  return cursor.take(":") ? { kind: "slice", offset, start: value, ...readSliceEnd(cursor, read) } : value;
}

/** What follows the first colon. */
function readSliceEnd(cursor: Cursor, read: ReadExpression): Pick<SliceNode, "stop" | "step"> {
  const stop = readBound(cursor, read);
  return { stop, step: cursor.take(":") ? readBound(cursor, read) : null };
}

function readBound(cursor: Cursor, read: ReadExpression): Node | null {
  return cursor.is(":") || cursor.is(",") || cursor.is("]") ? null : read(cursor);
}

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
