// What may follow a value: an index in brackets, a method, an attribute.
// In: a cursor after the value, and its node. Out: the node with all its suffixes around it.
// Must hold: a loop, not a recursion, so `x.T.T.T…` may be as long as it likes.

import type { ReadExpression } from "./arguments.ts";
import { readArguments, readSequence } from "./arguments.ts";
import type { ItemNode, Node, SliceNode } from "./ast.ts";
import { quote } from "./syntaxError.ts";
import { attributes, canonicalName, noneWords } from "./templateNames.ts";
import type { Cursor } from "./tokenCursor.ts";
import { describe } from "./tokenCursor.ts";

export function readSuffixes(cursor: Cursor, value: Node, read: ReadExpression): Node {
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
