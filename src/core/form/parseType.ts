// Reads types: `3 * var * {pt: float32, q: ?int64}` → a length and a form. In: text from outside. Out: the form
// with which such data is usually stored, or a typed error that points at the place.

import { describe } from "../chunks.ts";
import { DTYPES, isDType } from "../dtype.ts";
import { ValueError } from "../errors.ts";
import { closest } from "../suggest.ts";
import {
  emptyForm,
  type Form,
  listForm,
  numpyForm,
  optionForm,
  recordForm,
  regularForm,
  stringForm,
  unionForm,
} from "./form.ts";
import {
  bracketsOf,
  LOGICAL_TYPES,
  type Logical,
  logicalNamed,
  MOST_DIGITS,
  parametersOf,
} from "./logical.ts";

/** What `rg.parseType` reads out of a text. */
export interface ParsedType {
  /** Null where the text is the type of elements. */
  readonly length: number | null;
  /** The form of an element. */
  readonly form: Form;
}

/**
 * A type of its text: `rg.parseType("5 * int64")` is an array of 5, `rg.parseType("var * int64")` the type of elements
 * that are lists.
 */
export function parseType(text: string): ParsedType {
  const parser = new TypeParser(text);
  const length = parser.arrayLength();
  const form = parser.type(0);
  parser.end();
  return { length, form };
}

/** The type of elements alone: here `3 * float64` is a list of 3. */
export function parseElementType(text: string): Form {
  const parser = new TypeParser(text);
  const form = parser.type(0);
  parser.end();
  return form;
}

const TOKEN = /\s*(?:(\d+)|([A-Za-z_][A-Za-z_0-9]*)|("(?:[^"\\]|\\.)*")|([*?,:[\](){}]))/y;
const MAX_DEPTH = 100;

interface Token {
  readonly text: string;
  readonly at: number;
}

class TypeParser {
  readonly #text: string;
  readonly #tokens: Token[];
  #next = 0;

  constructor(text: string) {
    if (typeof text !== "string")
      throw new ValueError({
        where: "parseType",
        what: `${describe(text)} is no type`,
        cure: 'Write one, as "var * float64"',
      });
    this.#text = text;
    this.#tokens = tokensOf(text);
  }

  arrayLength(): number | null {
    if (!/^\d+$/.test(this.#peek()) || this.#tokens[this.#next + 1]?.text !== "*") return null;
    const length = this.#number();
    this.#take("*");
    return length;
  }

  end(): void {
    if (this.#next < this.#tokens.length) throw this.#unexpected("the end");
  }

  type(depth: number): Form {
    if (depth > MAX_DEPTH)
      throw new ValueError({ where: "parseType", what: `the type is nested deeper than ${MAX_DEPTH}` });
    const token = this.#peek();
    if (/^\d+$/.test(token)) return this.#regular(depth);
    if (token === "?") return this.#after("?", () => optionForm(this.type(depth + 1)));
    if (token === "(")
      return recordForm(
        null,
        this.#after("(", () => this.#types(")", depth)),
      );
    if (token === "{") return this.#after("{", () => this.#record("}", depth));
    return this.#word(depth);
  }

  #after<T>(text: string, then: () => T): T {
    this.#take(text);
    return then();
  }

  #regular(depth: number): Form {
    const size = this.#number();
    this.#take("*");
    return regularForm(this.type(depth + 1), size);
  }

  #word(depth: number): Form {
    const word = this.#peek();
    if (!/^[A-Za-z_]/.test(word)) throw this.#unexpected("a type");
    this.#next++;
    if (word === "var") return this.#after("*", () => listForm(this.type(depth + 1)));
    if (word === "unknown") return emptyForm();
    if (word === "string") return stringForm();
    if (word === "bytes") return stringForm("bytes");
    const logical = this.#logical(word, depth);
    if (logical !== null) return logical;
    if (isDType(word)) return numpyForm(word);
    if (this.#peek() === "[") return this.#after("[", () => this.#bracketed(word, depth));
    this.#next--;
    throw this.#unexpected(
      "a type",
      closest(word, [...DTYPES, ...Object.keys(LOGICAL_TYPES), "string", "bytes", "var", "option", "union"]),
    );
  }

  /** decimal(10, 2), timestamp[us, UTC], date, map[…]; null for other words, and for records of such a name. */
  #logical(word: string, depth: number): Form | null {
    const next = this.#peek();
    if (word === "map" && next === "[" && this.#tokens[this.#next + 2]?.text !== ":")
      return this.#after("[", () => this.#map(depth));
    const brackets = bracketsOf(word);
    if (brackets === null) return next === "[" ? null : formOfLogical(logicalNamed(word, []));
    if (next !== brackets.open && brackets.isOptional) return formOfLogical(logicalNamed(word, []));
    if (next !== brackets.open || this.#tokens[this.#next + 2]?.text === ":") return null;
    const at = this.#next++;
    const args: (string | number)[] = [];
    while (this.#peek() !== brackets.close) {
      args.push(this.#argument());
      if (this.#peek() !== brackets.close) this.#take(",");
    }
    this.#next++;
    const logical = logicalNamed(word, args);
    if (logical !== null) return formOfLogical(logical);
    this.#next = at;
    throw this.#unexpected(
      `what ${word} takes`,
      word === "decimal"
        ? `Write decimal(precision, scale), of up to ${MOST_DIGITS} digits`
        : brackets.isOptional
          ? `Write ${word}, or ${word}["EPSG:4326"]`
          : `Write ${word}[us]: the unit is s, ms, us or ns`,
    );
  }

  #argument(): string | number {
    const token = this.#peek();
    if (/^\d+$/.test(token)) return this.#number();
    this.#next++;
    return token.startsWith('"') ? this.#unquoted(token) : token;
  }

  #map(depth: number): Form {
    const contents = this.#types("]", depth);
    if (contents.length !== 2) throw this.#unexpected("a type of keys and one of values");
    return { ...listForm(recordForm(["key", "value"], contents)), parameters: parametersOf({ kind: "map" }) };
  }

  /** option[…], union[…] and named records. */
  #bracketed(word: string, depth: number): Form {
    if (word === "union") return unionForm(this.#types("]", depth));
    if (word === "option") {
      const content = this.type(depth + 1);
      this.#take("]");
      return optionForm(content);
    }
    const isRecord = this.#tokens[this.#next + 1]?.text === ":";
    const form = isRecord ? this.#record("]", depth) : recordForm(null, this.#types("]", depth));
    return { ...form, parameters: { __record__: word } };
  }

  #types(close: string, depth: number): Form[] {
    const types: Form[] = [];
    while (this.#peek() !== close) {
      types.push(this.type(depth + 1));
      if (this.#peek() !== close) this.#take(",");
    }
    this.#take(close);
    return types;
  }

  #record(close: string, depth: number): Form {
    const fields: string[] = [];
    const contents: Form[] = [];
    while (this.#peek() !== close) {
      fields.push(this.#fieldName(fields));
      this.#take(":");
      contents.push(this.type(depth + 1));
      if (this.#peek() !== close) this.#take(",");
    }
    this.#take(close);
    return recordForm(fields, contents);
  }

  #fieldName(before: readonly string[]): string {
    const token = this.#peek();
    if (!/^[A-Za-z_"]/.test(token)) throw this.#unexpected("a field's name");
    const name = token.startsWith('"') ? this.#unquoted(token) : token;
    if (before.includes(name)) throw this.#unexpected("another name than before");
    this.#next++;
    return name;
  }

  #unquoted(token: string): string {
    try {
      return JSON.parse(token) as string;
    } catch {
      throw this.#unexpected("a name in quotes");
    }
  }

  #number(): number {
    const value = Number(this.#peek());
    if (!Number.isSafeInteger(value)) throw this.#unexpected("a length");
    this.#next++;
    return value;
  }

  #peek(): string {
    return this.#tokens[this.#next]?.text ?? "";
  }

  #take(text: string): void {
    if (this.#peek() !== text) throw this.#unexpected(JSON.stringify(text));
    this.#next++;
  }

  #unexpected(wanted: string, cure = "Write it as 3 * var * {pt: float32, q: ?int64}"): ValueError {
    const token = this.#tokens[this.#next];
    const found = token === undefined ? "the end" : JSON.stringify(token.text);
    const at = token?.at ?? this.#text.length;
    return new ValueError({
      where: "parseType",
      what: `at ${at}: ${found} where ${wanted} was expected`,
      cure,
    });
  }
}

/** The form as which values of a logical type are stored. */
function formOfLogical(logical: Logical | null): Form | null {
  if (logical === null) return null;
  const storage = LOGICAL_TYPES[logical.kind].storage(logical);
  if (storage === "lists") return null;
  const form = storage === "utf8" || storage === "bytes" ? stringForm(storage) : numpyForm(storage);
  return { ...form, parameters: parametersOf(logical) };
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) {
      throw new ValueError({
        where: "parseType",
        what: `at ${from}: ${JSON.stringify(text.slice(from, from + 20))} is no part of a type`,
        cure: "Write it as 3 * var * {pt: float32, q: ?int64}",
      });
    }
    const token = match[1] ?? match[2] ?? match[3] ?? match[4]!;
    tokens.push({ text: token, at: TOKEN.lastIndex - token.length });
  }
  return tokens;
}
