// The literal pieces of a template → tokens.
// In: n+1 pieces around n holes (best `strings.raw`). Out: the display text and its tokens, closed by an `end` token.
// Must hold: `offset` is the position in the display text; one pass, linear in the length of the input.

import { foreignSymbols } from "./spellings.ts";
import { ExprSyntaxError, printable, quote } from "./syntaxError.ts";

// The text of a number literal → its value.
// In: text matched by `numeralPattern`. Out: a number; a bigint where a number would lose digits.
// Must hold: never a silently different value (octal-looking zeros, lost digits) and never a huge bigint.

const numeralPattern: RegExp =
  /0[xX][\da-fA-F_]+|0[oO][\d_]+|0[bB][\d_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJ]?/y;

type Numeral =
  | { readonly kind: "number"; readonly value: number | bigint }
  | { readonly kind: "imaginary"; readonly value: number }
  | { readonly kind: "malformed"; readonly what: string; readonly cure?: string };

const longestInteger = "0b".length + 64;
const largestInteger = 2n ** 64n - 1n;

function readNumeral(text: string): Numeral {
  if (/(?<![\da-fA-F])_|_(?![\da-fA-F])/.test(text)) {
    return { kind: "malformed", what: "`_` in a number stands only between two digits" };
  }
  const digits = text.replaceAll("_", "");
  if (/^(?:\d+|0[xXoObB].*)$/.test(digits)) return readInteger(digits);
  if (/[jJ]$/.test(digits)) return { kind: "imaginary", value: Number(digits.slice(0, -1)) };
  return { kind: "number", value: Number(digits) };
}

function readInteger(digits: string): Numeral {
  if (/^0+[1-9]/.test(digits)) {
    return {
      kind: "malformed",
      what: "A whole number does not begin with 0",
      cure: "Remove the zeros; an octal number is written `0o17`",
    };
  }
  const value = Number(digits);
  if (Number.isNaN(value))
    return { kind: "malformed", what: "A digit does not belong to the base of this number" };
  return Number.isSafeInteger(value) ? { kind: "number", value } : readLargeInteger(digits);
}

function readLargeInteger(digits: string): Numeral {
  // The length comes first: a million digits must not become a bigint only to be refused.
  if (digits.length <= longestInteger) {
    const value = BigInt(digits);
    if (value <= largestInteger) return { kind: "number", value };
  }
  return {
    kind: "malformed",
    what: "This whole number does not fit in 64 bits",
    cure: "Write it as a float, as in `1e30`",
  };
}

interface Lexeme {
  /** As written. */
  readonly text: string;
  readonly offset: number;
}

export type Token = Lexeme &
  (
    | { readonly kind: "number"; readonly value: number | bigint }
    | { readonly kind: "imaginary"; readonly value: number }
    | { readonly kind: "string"; readonly value: string }
    | { readonly kind: "hole"; readonly index: number }
    | { readonly kind: "name" }
    | { readonly kind: "symbol" }
    | { readonly kind: "end" }
  );

export interface Tokens {
  /** The template on one line, holes shown as `${0}`, `${1}`, … */
  readonly text: string;
  readonly tokens: readonly Token[];
}

const spacePattern = /\s+/y;
const namePattern = /[A-Za-z_][A-Za-z0-9_]*/y;
const stringPattern = /"[^"\r\n]*"|'[^'\r\n]*'/y;
// Longest first; the foreign ones are read whole so that the error shows `&&`, not `&`.
const symbolPattern =
  /===|!==|>>>|\.\.\.|&&|\|\||<>|=>|=<|\*\*|\/\/|<<|>>|<=|>=|==|!=|[-+*/%@<>&|^~()[\],:.=!]/y;
const wordSymbols: ReadonlySet<string> = new Set(["and", "or", "not"]);

export function tokenize(pieces: readonly string[]): Tokens {
  // A cooked piece is undefined at run time where it has a bad escape; a backslash is what was wrong with it.
  const parts = Array.from(pieces, (piece: string | undefined) => piece ?? "\\");
  const text = displayText(parts);
  const tokens: Token[] = [];
  let offset = 0;
  for (const [index, part] of parts.entries()) {
    if (index > 0) {
      const hole = holeText(index - 1);
      tokens.push({ kind: "hole", index: index - 1, text: hole, offset });
      offset += hole.length;
    }
    readPiece(part, offset, text, tokens);
    offset += part.length;
  }
  tokens.push({ kind: "end", text: "", offset });
  return { text, tokens };
}

function displayText(pieces: readonly string[]): string {
  return pieces.map((piece, index) => (index === 0 ? "" : holeText(index - 1)) + printable(piece)).join("");
}

function holeText(index: number): string {
  return `\${${index}}`;
}

function readPiece(piece: string, start: number, text: string, tokens: Token[]): void {
  let at = matchAt(spacePattern, piece, 0).length;
  while (at < piece.length) {
    const token = readToken(piece, at, start + at, text);
    tokens.push(token);
    at += token.text.length;
    at += matchAt(spacePattern, piece, at).length;
  }
}

function readToken(piece: string, at: number, offset: number, text: string): Token {
  const name = matchAt(namePattern, piece, at);
  if (name !== "") return { kind: wordSymbols.has(name) ? "symbol" : "name", text: name, offset };
  const numeral = matchAt(numeralPattern, piece, at);
  if (numeral !== "") return numberToken(numeral, offset, text);
  const string = matchAt(stringPattern, piece, at);
  if (string !== "") return { kind: "string", value: string.slice(1, -1), text: string, offset };
  const symbol = matchAt(symbolPattern, piece, at);
  if (symbol === "" || foreignSymbols.has(symbol))
    throw strangeCharacter(piece, at, symbol, { text, offset });
  return { kind: "symbol", text: symbol, offset };
}

function numberToken(numeral: string, offset: number, text: string): Token {
  const read = readNumeral(numeral);
  if (read.kind === "malformed")
    throw new ExprSyntaxError({ text, offset, what: read.what, cure: read.cure });
  return { ...read, text: numeral, offset };
}

type Place = { readonly text: string; readonly offset: number };

function strangeCharacter(piece: string, at: number, symbol: string, place: Place): ExprSyntaxError {
  const character = symbol || String.fromCodePoint(piece.codePointAt(at) ?? 0);
  if (character === '"' || character === "'") {
    const what = `The string that begins with ${character} does not end before the next line, hole or end`;
    return new ExprSyntaxError({
      ...place,
      what,
      cure: `Close it, or put the whole value in with \`\${value}\``,
    });
  }
  const found = /[\s\p{C}]/u.test(character) ? codePointName(character) : quote(character);
  const what = `Expected a value or an operator, found ${found}`;
  return new ExprSyntaxError({ ...place, what, cure: foreignSymbols.get(character) });
}

/** Invisible characters are named, or nobody would find them. */
function codePointName(character: string): string {
  return `the character U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The text the sticky pattern matches at this place, or "". */
function matchAt(pattern: RegExp, piece: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(piece)?.[0] ?? "";
}
