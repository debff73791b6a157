// What stands between the parentheses of a call.
// In: a cursor at `(`. Out: positional and keyword arguments, the cursor after `)`.
// Must hold: positional before keyword, no keyword twice; lists, tuples and strings occur only here.

import type { ArgumentNode, Arguments, KeywordNode, Node, StringNode } from "./ast.ts";
import { canonicalName, noneWords } from "./templateNames.ts";
import type { Cursor } from "./tokenCursor.ts";
import { describe } from "./tokenCursor.ts";

/** The parser's own entry, handed in because it and this file need each other. */
export type ReadExpression = (cursor: Cursor) => Node;

export function readArguments(cursor: Cursor, read: ReadExpression): Arguments {
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
export function readSequence(cursor: Cursor, closer: string, readPart: () => void): void {
  cursor.nested(cursor.next(), () => {
    while (!cursor.is(closer)) {
      readPart();
      if (!cursor.take(",") && !cursor.is(closer)) throw cursor.unexpected(`\`,\` or \`${closer}\``);
    }
  });
  cursor.next();
}
