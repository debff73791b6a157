// The place in the tokens that the parser has reached.
// Must hold: it never moves past the `end` token; `nested` is the only way deeper, so recursion is bounded.

import { deepestNesting } from "./ast.ts";
import { foreignWords, misplacedAfterValue } from "./spellings.ts";
import { ExprSyntaxError, quote } from "./syntaxError.ts";
import type { Token, Tokens } from "./tokenize.ts";

const valueKinds: ReadonlySet<Token["kind"]> = new Set(["number", "imaginary", "string", "hole", "name"]);

export class Cursor {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #tuples: ReadonlySet<Token>;
  readonly #end: Token;
  #position = 0;
  #depth = 0;

  constructor({ text, tokens }: Tokens, tuples: ReadonlySet<Token>) {
    this.#text = text;
    this.#tokens = tokens;
    this.#tuples = tuples;
    this.#end = { kind: "end", text: "", offset: text.length };
  }

  peek(ahead = 0): Token {
    return this.#tokens[this.#position + ahead] ?? this.#end;
  }

  next(): Token {
    const token = this.peek();
    if (token.kind !== "end") this.#position++;
    return token;
  }

  is(symbol: string): boolean {
    return this.peek().text === symbol;
  }

  /** Steps over the symbol if it is next. */
  take(symbol: string): boolean {
    const found = this.is(symbol);
    if (found) this.#position++;
    return found;
  }

  atTuple(): boolean {
    return this.is("(") && this.#tuples.has(this.peek());
  }

  /** One level deeper, because of `token`. */
  nested<T>(token: Token, read: () => T): T {
    if (this.#depth === deepestNesting) {
      const what = `The expression is nested more than ${deepestNesting} levels deep, brackets and operators counted`;
      throw this.error(token, what, `Compute a part of it first and put that in with \`\${part}\``);
    }
    this.#depth++;
    const result = read();
    this.#depth--;
    return result;
  }

  /** After a complete value, where only `expected` may follow. */
  unexpected(expected: string): ExprSyntaxError {
    const found = this.peek();
    return this.error(found, `Expected ${expected}, found ${describe(found)}`, this.#cureAfterValue(found));
  }

  #cureAfterValue(found: Token): string | undefined {
    const before = this.#tokens[this.#position - 1];
    const word = foreignWords.get(found.text);
    if (word !== undefined || before === undefined) return word;
    if (found.kind === "string" || before.kind === "string") return undefined;
    const startsValue = valueKinds.has(found.kind) || found.text === "(";
    if (startsValue) return `To multiply, write ${quote(`${asFactor(before)}*${asFactor(found)}`)}`;
    return misplacedAfterValue.get(found.text);
  }

  error(token: Token, what: string, cure?: string): ExprSyntaxError {
    return new ExprSyntaxError({ text: this.#text, offset: token.offset, what, cure });
  }
}

const bracketed: ReadonlyMap<string, string> = new Map([
  ["(", "(…)"],
  [")", "(…)"],
  ["]", "[…]"],
]);

function asFactor(token: Token): string {
  return bracketed.get(token.text) ?? token.text;
}

export function describe(token: Token): string {
  return token.kind === "end" ? "the end" : quote(token.text);
}
