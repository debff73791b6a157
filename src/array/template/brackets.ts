// Pairs the brackets before anything is parsed.
// In: tokens. Out: the `(` that open a tuple, should they stand where a tuple may (directly inside: a comma, or nothing).
// Must hold: afterwards every bracket has its partner, so the parser never meets the end inside one.

import { ExprSyntaxError, quote } from "./syntaxError.ts";
import type { Token, Tokens } from "./tokenize.ts";

const partners: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
]);
const closers: ReadonlySet<string> = new Set(partners.values());

export function pairBrackets({ text, tokens }: Tokens): ReadonlySet<Token> {
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
