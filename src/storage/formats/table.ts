// The formats that there are, by name: the built-in ones, and those that a user adds. In: a name, or a look at a place. Out:
// the format, or an error that says which there are. An engine has one table; each task thread has the same.
// Must hold: a name that is there stays what it is, so that what was planned with it holds.

import { ValueError } from "../../core/errors.ts";
import { once } from "../../core/once.ts";
import type { Address } from "../../core/platform.ts";
import { describe } from "../../core/shape.ts";
import { closest } from "../../core/suggest.ts";
import { isModuleAddress } from "../builtin.ts";
import { messageOf, NotSupportedError } from "../errors.ts";
import type { DenseFormat, Look } from "./denseFormat.ts";
import type { Format } from "./format.ts";
import type { RaggedFormat } from "./raggedFormat.ts";

// Formats of users. In: a name, and where the code is: a module that every thread can import, or an object of this one. Out: an
// entry like those of built-in formats; a module is imported when something is opened or written with it.

/** A module of a format: its default export is one, without its name and suffixes. */
export interface FormatModule {
  /** The format, but for what `add` says of it. */
  readonly default: Omit<DenseFormat, "name" | "suffixes"> | Omit<RaggedFormat, "name" | "suffixes">;
}

/** A format that every thread can import. */
export interface ModuleFormat {
  /** As options and saved plans name it. */
  readonly name: string;
  /** How names of its files or folders end: ".grid". */
  readonly suffixes?: readonly string[] | undefined;
  /** Its address: `new URL("./grid-format.js", import.meta.url)`. */
  readonly module: string | Address;
}

/** A format as an object stays on this thread: tasks that need it are not for others. */
export type OwnFormat = ModuleFormat | Format;

/** A module format as plain data. */
export interface SentFormat extends ModuleFormat {
  readonly module: string;
}

export interface FormatEntry {
  readonly name: string;
  readonly suffixes: readonly string[];
  readonly isHereOnly: boolean;
  load(): Promise<Format>;
}

/** Null for one that no message can carry. */
export const sentFormat = (format: OwnFormat): SentFormat | null =>
  "module" in format
    ? { name: format.name, suffixes: [...(format.suffixes ?? [])], module: String(format.module) }
    : null;

export function ownEntry(format: OwnFormat): FormatEntry {
  const { name, suffixes = [] } = format;
  check(format);
  if (!("module" in format)) return { name, suffixes, isHereOnly: true, load: async () => format };
  return {
    name,
    suffixes,
    isHereOnly: false,
    load: once(() => imported(name, suffixes, String(format.module))),
  };
}

function check(format: OwnFormat): void {
  const { name, suffixes = [] } = format;
  const where = "formats.add";
  if (typeof name !== "string" || name === "")
    throw new ValueError({ where, what: `the name of a format is ${describe(name)}`, cure: "Give it one" });
  const areTexts = Array.isArray(suffixes) && suffixes.every((end) => typeof end === "string" && end !== "");
  if (!areTexts || suffixes.some((end) => end !== end.toLowerCase()))
    throw new ValueError({
      where,
      what: `the suffixes of the format ${describe(name)} are ${describe(suffixes)}`,
      cure: 'Give ends of names in small letters: [".grid"]',
    });
  if ("module" in format ? isModuleAddress(String(format.module)) : isFormat(format)) return;
  throw new ValueError({
    where,
    what: `the format ${describe(name)} has no code`,
    cure: 'Give {name, module: new URL("./format.js", import.meta.url)}, or {name, kind: "dense", open(place)}',
  });
}

const isFormat = (format: unknown): boolean => {
  const { kind, open } = (format ?? {}) as { kind?: unknown; open?: unknown };
  return (kind === "dense" || kind === "ragged") && typeof open === "function";
};

async function imported(name: string, suffixes: readonly string[], module: string): Promise<Format> {
  const cure = 'Its module must export by default {kind: "dense" or "ragged", open(place, options)}';
  let made: FormatModule["default"];
  try {
    made = ((await import(/* @vite-ignore */ /* webpackIgnore: true */ module)) as FormatModule).default;
  } catch (cause) {
    const what = `the format ${name} cannot be loaded: ${messageOf(cause)}`;
    throw new NotSupportedError({ what, cure }, { cause });
  }
  // Its methods may be those of a class.
  if (isFormat(made)) return Object.assign(Object.create(made) as object, { name, suffixes }) as Format;
  throw new NotSupportedError({ what: `the format ${name} is ${describe(made)}`, cure });
}

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
