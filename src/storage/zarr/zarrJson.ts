// JSON as Zarr needs it: whole numbers that a float64 cannot hold come out as BigInt, −0 keeps its sign, and
// Python's NaN and Infinity are read. Depth and size are bounded, so that hostile text costs little.

import type { Json, JsonObject } from "../../core/labels.ts";
import { MetadataError } from "../errors.ts";

// Text ⇄ UTF-8 bytes.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

export const utf8 = (text: string): Uint8Array => encoder.encode(text);
/** Throws a TypeError for bytes that are not UTF-8. */
export const fromUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes);

export type { Json, JsonObject };

const DEEPEST = 100;
/** Longer texts are refused: parsed, they would take many times their length. */
export const LONGEST_JSON: number = 64 * 1024 * 1024;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function parseJson(bytes: Uint8Array, where: string): Json {
  if (bytes.length > LONGEST_JSON) throw new MetadataError({ what: `${bytes.length} bytes of JSON`, where });
  let text: string;
  try {
    text = fromUtf8(bytes);
  } catch (cause) {
    throw new MetadataError({ what: "the text is not UTF-8", where }, { cause });
  }
  return new Parser(text, where).document();
}

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const QUOTE = 34;
const BACKSLASH = 92;
const SPACE = /[ \t\n\r]*/y;
const WORD = /true|false|null|NaN|-?Infinity/y;
const WORDS: { readonly [word: string]: Json } = {
  true: true,
  false: false,
  null: null,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

class Parser {
  readonly #text: string;
  readonly #where: string;
  #at = 0;

  constructor(text: string, where: string) {
    this.#text = text;
    this.#where = where;
  }

  document(): Json {
    const value = this.#value(0);
    this.#match(SPACE);
    if (this.#at < this.#text.length) throw this.#error("something follows the end");
    return value;
  }

  #value(depth: number): Json {
    if (depth > DEEPEST) throw this.#error(`nested deeper than ${DEEPEST}`);
    this.#match(SPACE);
    const first = this.#text[this.#at];
    if (first === "{") return this.#object(depth);
    if (first === "[") return this.#list(depth);
    if (first === '"') return this.#string();
    const word = this.#match(WORD);
    if (word !== undefined) return WORDS[word]!;
    return this.#number();
  }

  #number(): number | bigint {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.#text);
    if (match === null) throw this.#error("a value should be here");
    this.#at = NUMBER.lastIndex;
    const value = Number(match[0]);
    if (match[1] !== undefined || match[2] !== undefined || Number.isSafeInteger(value)) return value;
    // BigInt takes quadratic time; no Zarr number has so many digits.
    if (match[0].length > 400) throw this.#error(`a number of ${match[0].length} digits`);
    return BigInt(match[0]);
  }

  #string(): string {
    const start = this.#at;
    let isPlain = true;
    for (let at = start + 1; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) {
        this.#at = at + 1;
        return isPlain ? this.#text.slice(start + 1, at) : this.#escaped(start);
      }
      if (code === BACKSLASH) at++;
      if (code === BACKSLASH || code < 32) isPlain = false;
    }
    throw this.#error("a string that does not end");
  }

  /** Escapes are read by the engine, which refuses what JSON does not allow. */
  #escaped(start: number): string {
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string;
    } catch {
      this.#at = start;
      throw this.#error("a string with a bad escape or a control character");
    }
  }

  #list(depth: number): Json[] {
    const list: Json[] = [];
    this.#at++;
    if (this.#take("]")) return list;
    do list.push(this.#value(depth + 1));
    while (this.#take(","));
    if (!this.#take("]")) throw this.#error('"," or "]" should be here');
    return list;
  }

  #object(depth: number): JsonObject {
    const object: { [name: string]: Json } = {};
    this.#at++;
    if (this.#take("}")) return object;
    do {
      this.#match(SPACE);
      const name = this.#text[this.#at] === '"' ? this.#string() : undefined;
      if (name === undefined || !this.#take(":")) throw this.#error('a name and ":" should be here');
      // Readers differ in which of two they take, so that one text would mean two things.
      if (Object.hasOwn(object, name))
        throw this.#error(`the name ${JSON.stringify(name.slice(0, 60))} is there twice`);
      const value = this.#value(depth + 1);
      // Assigning to "__proto__" would change the object's prototype.
      if (name === "__proto__") Object.defineProperty(object, name, { value, enumerable: true });
      else object[name] = value;
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#error('"," or "}" should be here');
    return object;
  }

  #take(character: string): boolean {
    this.#match(SPACE);
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }

  #error(what: string): MetadataError {
    const near = JSON.stringify(this.#text.slice(this.#at, this.#at + 20));
    return new MetadataError({
      what: `not valid JSON at character ${this.#at} (${near}): ${what}`,
      where: this.#where,
    });
  }
}

export const jsonBytes = (value: Json, where: string): Uint8Array => utf8(jsonText(value, where, 0));

function jsonText(value: Json, where: string, depth: number): string {
  if (depth > DEEPEST) throw new MetadataError({ what: `nested deeper than ${DEEPEST}`, where });
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return numberJson(value, where);
  const inner = "  ".repeat(depth + 1);
  const outer = "  ".repeat(depth);
  if (Array.isArray(value)) return listText(value, where, depth, inner, outer);
  if (!isObject(value)) return primitiveText(value, where);
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .map((name) => `${inner}${JSON.stringify(name)}: ${jsonText(value[name]!, where, depth + 1)}`);
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n${outer}}`;
}

function listText(list: readonly Json[], where: string, depth: number, inner: string, outer: string): string {
  const items = list.map((item) => jsonText(item, where, depth + 1));
  if (items.every((item) => !item.includes("\n"))) return `[${items.join(", ")}]`;
  return `[\n${items.map((item) => inner + item).join(",\n")}\n${outer}]`;
}

function primitiveText(value: unknown, where: string): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text !== undefined) return text;
  throw new MetadataError({
    what: `a ${typeof value} cannot be stored as JSON`,
    where,
    cure: "Store it as a string, a number or a list",
  });
}

function numberJson(value: number, where: string): string {
  if (Object.is(value, -0)) return "-0.0";
  // A whole number that long is read back as a BigInt unless it looks like a float.
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21) return `${value}.0`;
  if (Number.isFinite(value)) return String(value);
  throw new MetadataError({
    what: `JSON has no ${value}`,
    where,
    cure: `Store it as the string "${value}"`,
  });
}
