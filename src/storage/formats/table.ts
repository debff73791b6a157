// The formats that there are, by name: the built-in ones, and those that a user adds. In: a name, or a look at a place. Out:
// the format, or an error that says which there are. An engine has one table; each task thread has the same.
// Must hold: a name that is there stays what it is, so that what was planned with it holds.

import { blockBytes, once, Resource, type StoredAccess } from "../../core/block.ts";
import { AUTO_CHUNK_BYTES, type ChunkShape, checkShape, describe, type Shape } from "../../core/chunks.ts";
import { type DType, infoOf, isDType } from "../../core/dtype.ts";
import { ValueError } from "../../core/errors.ts";
import type { Labels } from "../../core/labels.ts";
import type { Address } from "../../core/platform.ts";
import { closest } from "../../core/suggest.ts";
import type { Transfer } from "../../core/transfer.ts";
import { isModuleAddress } from "../builtin.ts";
import { messageOf, NotSupportedError } from "../errors.ts";
import type { PlainData, StoreLocation } from "../store.ts";
import type { DenseArray, DenseFormat, Look, Place } from "./denseFormat.ts";
import type { Format } from "./format.ts";
import type { RaggedFormat } from "./raggedFormat.ts";

// An array of any format as a source of expressions: where it is, as data, and what planning may know of it. In: what a format
// opened. Out: a resource; one that is not an array is an error here, whoever made it.
// Must hold: its fingerprint says where it is and what its metadata say; what it holds can change, so runs that resume look
// at its state besides.

/** Where an array is, as data. */
interface SourceLocation {
  /** The name of its format. */
  readonly format: string;
  readonly store: StoreLocation;
  readonly path: string;
  /** Not there where none were given. */
  readonly options?: PlainData;
}

/** The format that opened an array. */
interface OpenedBy {
  readonly format: string;
  /** Other threads do not have it. */
  readonly isHereOnly: boolean;
  /** What the user gave beside the place. */
  readonly options: object;
}

export class StoredSource extends Resource {
  readonly array: DenseArray;
  readonly place: Place;
  readonly chunks: ChunkShape;
  readonly #by: OpenedBy;
  #transfer: Transfer | null = null;

  constructor(by: OpenedBy, place: Place, array: DenseArray) {
    super();
    this.#by = by;
    this.place = place;
    this.array = checked(array, by.format, place);
    this.chunks = array.chunks ?? rowChunks(array.shape, infoOf(array.dtype).bytes);
  }

  get format(): string {
    return this.#by.format;
  }

  /** Something of it that other threads cannot have, and what to do; null where they can have all. */
  get hereOnly(): { readonly what: string; readonly cure: string } | null {
    return hereOnly(this.#by, this.array);
  }

  /** The options that other threads are told. */
  get sentOptions(): PlainData | undefined {
    return plainOptions(this.#by.options);
  }

  /** null for a store that only this process can reach. */
  location(): SourceLocation | null {
    const store = this.place.store.location?.() ?? null;
    if (store === null) return null;
    const options = this.sentOptions;
    const given = options === undefined ? {} : { options };
    return { format: this.format, store: readPlace(store), path: this.place.path, ...given };
  }

  override transfer(): Transfer {
    const { array, chunks } = this;
    this.#transfer ??= array.transfer?.() ?? plainTransfer(array.dtype, chunks);
    return this.#transfer;
  }

  override labels(): Labels | null {
    return this.array.labels ?? null;
  }

  override access(): StoredAccess {
    return this.array.access?.() ?? { chunks: this.chunks, hasRuns: false };
  }

  fingerprint(): string {
    const { dtype, shape } = this.array;
    const { format: _, ...where } = this.location() ?? { format: "", here: this.id, path: this.place.path };
    const how = this.array.fingerprint?.() ?? `${dtype}[${shape}](${this.chunks})`;
    return `${this.format} ${JSON.stringify(where)} ${how}`;
  }
}

/** A source is only read: how its store writes is not part of where it is. */
const readPlace = (store: StoreLocation): StoreLocation =>
  store.kind === "file" ? { kind: "file", root: store.root } : store;

/** What must not be asked of other threads. */
export function hereOnly(
  { format, isHereOnly }: Pick<OpenedBy, "format" | "isHereOnly">,
  { hereOnly: codec }: Pick<DenseArray, "hereOnly">,
): { readonly what: string; readonly cure: string } | null {
  const [kind, name] = isHereOnly ? ["format", format] : ["codec", codec];
  if (name == null) return null;
  return {
    what: `the ${kind} ${name} is one that only this thread has`,
    cure: `Add it by its module: engine.${kind}s.add({name: "${name}", module: new URL("./${kind}.js", import.meta.url)})`,
  };
}

/** What stops the opening is not part of what is opened. */
function plainOptions(options: object): PlainData | undefined {
  const entries = Object.entries(options).filter(([name, value]) => name !== "signal" && value !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as PlainData);
}

/** Bounds where the format gives none: the elements as they were read, and as they are given. */
export function plainTransfer(dtype: DType, unit: Shape): Transfer {
  const bytes = 2 * blockBytes(dtype, unit);
  return { unit, atOnce: 1, encoded: bytes, aside: 0, decoding: 0, encoding: bytes, padded: 0 };
}

/** As many whole rows as make a chunk of the usual size; of rows that are longer, parts in the same way. */
export function rowChunks(shape: Shape, bytes: number, most: number = AUTO_CHUNK_BYTES): ChunkShape {
  const chunks = shape.map((length) => Math.max(1, length));
  for (let axis = 0; axis < shape.length; axis++) {
    const row = chunks.slice(axis + 1).reduce((product, length) => product * length, bytes);
    chunks[axis] = Math.max(1, Math.min(chunks[axis]!, Math.floor(most / row)));
    if (row <= most) break;
  }
  return chunks;
}

/** Formats of users may give anything. */
function checked(array: DenseArray, format: string, { path }: Place): DenseArray {
  const where = path === "" ? "/" : path;
  const cure = 'It must open {dtype: "float32", shape: [3, 4], chunks: [1, 4], read(box)}';
  const wrong = (what: string): never => {
    throw new NotSupportedError({ what: `the format ${format} gave ${what}`, where, cure });
  };
  if (typeof array !== "object" || array === null) return wrong(describe(array));
  if (!isDType(array.dtype)) wrong(`the dtype ${describe(array.dtype)}`);
  checkShape(array.shape as number[]);
  const { chunks, shape } = array;
  const isCut = (length: number): boolean => Number.isSafeInteger(length) && length > 0;
  if (chunks !== undefined && !(chunks.length === shape.length && chunks.every(isCut)))
    wrong(`the chunks ${describe(chunks)} for ${shape.length} axes`);
  if (typeof array.read !== "function" && typeof array.readInto !== "function")
    wrong("no way to read: neither read nor readInto");
  return array;
}

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

interface FormatEntry {
  readonly name: string;
  readonly suffixes: readonly string[];
  readonly isHereOnly: boolean;
  load(): Promise<Format>;
}

/** Null for one that no message can carry. */
const sentFormat = (format: OwnFormat): SentFormat | null =>
  "module" in format
    ? { name: format.name, suffixes: [...(format.suffixes ?? [])], module: String(format.module) }
    : null;

function ownEntry(format: OwnFormat): FormatEntry {
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
