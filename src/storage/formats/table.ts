// The formats that there are, by name: the built-in ones, and those that a user adds. In: a name, or a look at a place. Out:
// the format, or an error that says which there are. An engine has one table; each task thread has the same.
// Must hold: a name that is there stays what it is, so that what was planned with it holds.

import { ValueError } from "../../core/errors.ts";
import { describe } from "../../core/shape.ts";
import { closest } from "../../core/suggest.ts";
import { NotSupportedError } from "../errors.ts";
import type { DenseFormat } from "./denseFormat.ts";
import type { Format } from "./format.ts";
import type { Look } from "./look.ts";
import { type FormatEntry, type OwnFormat, ownEntry, type SentFormat, sentFormat } from "./ownFormat.ts";
import type { RaggedFormat } from "./raggedFormat.ts";

/**
 * The formats that there are, by name: `cw.engine.formats`, or a `new FormatTable([])`.
 *
 * @example
 * engine.formats.add({ name: "grid", suffixes: [".grid"], module: new URL("./grid-format.js", import.meta.url) });
 */
export class FormatTable {
  readonly #entries = new Map<string, FormatEntry>();
  readonly #own: OwnFormat[] = [];

  constructor(builtIn: Iterable<Format>, own: Iterable<OwnFormat> = []) {
    for (const format of builtIn) this.#entries.set(format.name, entryOf(format));
    for (const format of own) this.add(format);
  }

  /** From now on arrays may be opened and written with it. */
  add(format: OwnFormat): void {
    const entry = ownEntry(format);
    if (this.#entries.has(entry.name))
      throw new ValueError({
        where: "formats.add",
        what: `there is a format ${describe(entry.name)} already`,
        cure: "Give it another name: plans name what they read by it",
      });
    this.#entries.set(entry.name, entry);
    this.#own.push(format);
  }

  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /** Those that were added, for other threads. */
  sent(): SentFormat[] {
    return this.#own.flatMap((format) => sentFormat(format) ?? []);
  }

  /** True for a format that no message can carry. */
  isHereOnly(name: string): boolean {
    return this.#entries.get(name)?.isHereOnly === true;
  }

  async find(name: string): Promise<Format> {
    const entry = this.#entries.get(name);
    if (entry !== undefined) return entry.load();
    throw new ValueError({
      what: `there is no format ${describe(name)}`,
      cure: `Add it with engine.formats.add({name, module}). ${closest(String(name), this.names)}`,
    });
  }

  async dense(name: string): Promise<DenseFormat> {
    const format = await this.find(name);
    if (format.kind === "dense") return format;
    throw new ValueError({ what: `${name} is a format of nested data`, cure: "Use chunkwise/ragged" });
  }

  async ragged(name: string): Promise<RaggedFormat> {
    const format = await this.find(name);
    if (format.kind === "ragged") return format;
    throw new ValueError({ what: `${name} is a format of dense arrays`, cure: "Open it with cw.open" });
  }

  /** By the end of a name: the longest that fits, of those the last that was added. */
  bySuffix(name: string): string | null {
    let best: { readonly name: string; readonly length: number } | null = null;
    for (const { name: format, suffixes } of this.#entries.values())
      for (const suffix of suffixes)
        if (name.toLowerCase().endsWith(suffix) && suffix.length >= (best?.length ?? 0))
          best = { name: format, length: suffix.length };
    return best?.name ?? null;
  }

  /** Users' before the built-in ones, which they may know better. */
  get #inQuestion(): string[] {
    const own = this.#own.map(({ name }) => name).reverse();
    return [...own, ...this.names.filter((name) => !own.includes(name))];
  }

  /** What lies there, by its name, or else by what it is. */
  async recognised(look: Look): Promise<Format> {
    const named = this.bySuffix(look.name.replace(/\/+$/, ""));
    if (named !== null) return this.find(named);
    for (const name of this.#inQuestion) {
      const format = await this.find(name);
      if ((await format.recognises?.(look)) === true) return format;
    }
    throw new NotSupportedError({
      what: `no format knows what is at ${describe(look.name)}`,
      cure: `Check the place, or say what it is: open(place, {format}). There are ${this.names.join(", ")}`,
    });
  }
}

const entryOf = (format: Format): FormatEntry => ({
  name: format.name,
  suffixes: format.suffixes ?? [],
  isHereOnly: false,
  load: async () => format,
});

/** What those need of a table who open by location. */
export type KnownFormats = Pick<FormatTable, "dense" | "ragged">;
