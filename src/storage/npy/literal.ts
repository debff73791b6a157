// Python's literals as data: what the header of an npy file is written in. In: text from anybody. Out: values, or an error that
// says where it stops making sense. Must hold: nothing is ever run; depth and length are bounded by the text's.

import { MetadataError } from "../errors.ts";

/** A dictionary is a Map; tuples and lists are both arrays. */
export type Literal = string | number | boolean | null | readonly Literal[] | ReadonlyMap<string, Literal>;

const DEEPEST = 20;

export function parseLiteral(text: string, where: string): Literal {
  const reader = new Reader(text, where);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  readonly #text: string;
  readonly #where: string;
  #at = 0;

  constructor(text: string, where: string) {
    this.#text = text;
    this.#where = where;
  }

  value(depth: number): Literal {
    this.#space();
    const next = this.#text[this.#at];
    if (depth > DEEPEST) throw this.#wrong(`brackets deeper than ${DEEPEST}`);
    if (next === "{") return this.#dictionary(depth);
    if (next === "(" || next === "[") return this.#sequence(next === "(" ? ")" : "]", depth);
    if (next === "'" || next === '"') return this.#string(next);
    return this.#word();
  }

  end(): void {
    this.#space();
    if (this.#at < this.#text.length) throw this.#wrong("more than one value");
  }

  #dictionary(depth: number): Literal {
    const entries = new Map<string, Literal>();
    this.#at++;
    while (!this.#closes("}")) {
      const key = this.value(depth + 1);
      if (typeof key !== "string" || entries.has(key))
        throw this.#wrong("a key that is no text, or there twice");
      this.#take(":");
      entries.set(key, this.value(depth + 1));
      if (!this.#closes("}")) this.#take(",");
    }
    this.#at++;
    return entries;
  }

  #sequence(end: string, depth: number): Literal {
    const items: Literal[] = [];
    this.#at++;
    let commas = 0;
    while (!this.#closes(end)) {
      items.push(this.value(depth + 1));
      if (this.#closes(end)) break;
      this.#take(",");
      commas++;
    }
    this.#at++;
    // "(3)" is a number in brackets.
    return end === ")" && items.length === 1 && commas === 0 ? items[0]! : items;
  }

  /** Without escapes: no name in a header needs one. */
  #string(quote: string): string {
    const end = this.#text.indexOf(quote, this.#at + 1);
    const value = this.#text.slice(this.#at + 1, end < 0 ? this.#at + 1 : end);
    if (end < 0 || /[\\\n]/.test(value)) throw this.#wrong("a text that does not end, or has escapes");
    this.#at = end + 1;
    return value;
  }

  #word(): Literal {
    // Old writers marked long numbers: 3L.
    const [word = "", digits] =
      /^(?:(-?\d{1,20})L?|True|False|None)\b/.exec(this.#text.slice(this.#at, this.#at + 24)) ?? [];
    if (word === "") throw this.#wrong("neither a text, a number nor a bracket");
    this.#at += word.length;
    if (digits !== undefined) return Number(digits);
    return word === "None" ? null : word === "True";
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #closes(end: string): boolean {
    this.#space();
    return this.#text[this.#at] === end;
  }

  #take(wanted: string): void {
    this.#space();
    if (this.#text[this.#at] !== wanted) throw this.#wrong(`no ${JSON.stringify(wanted)}`);
    this.#at++;
  }

  #wrong(what: string): MetadataError {
    const near = JSON.stringify(this.#text.slice(this.#at, this.#at + 20));
    return new MetadataError({
      what: `the header of the npy file has ${what} at character ${this.#at}, ${near}`,
      where: this.#where,
      cure: "It is not what NumPy writes; write it again",
    });
  }
}
