// The codecs that there are, by name: the built-in ones, and those that a user adds. In: a codec as metadata name it.
// Out: the codec, or a typed error for wrong or unknown ones. An engine has one table; each task thread has the same.
// Must hold: a name that is there stays what it is, so that what was planned with it holds.

import { once } from "../../core/block.ts";
import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import type { Address } from "../../core/platform.ts";
import { closest } from "../../core/suggest.ts";
import { isModuleAddress } from "../builtin.ts";
import { messageOf, NotSupportedError } from "../errors.ts";
import type { JsonObject } from "../zarr/zarrJson.ts";
import { BLOSC_COMPRESSORS, BLOSC_SHUFFLES, bloscCodec } from "./blosc.ts";
import {
  type Bytes,
  type BytesCodec,
  type CodecEntry,
  type CodecSpec,
  checkDecoded,
  corrupt,
  Fields,
  type SizeBound,
} from "./codec.ts";
import { deflateCodec, zstdCodec } from "./compressors.ts";
import { ELEMENT_CODECS } from "./elements.ts";
import { lz4Codec } from "./lz4.ts";
import { shuffleCodec } from "./shuffle.ts";
import { checksumCodec } from "./wasm.ts";

// The built-in codecs of bytes: one entry each. What is large (WebAssembly, Node's zlib) a codec loads when a chunk needs it.

/** What new arrays have where nobody says otherwise: on this machine the quickest that gains something. */
export const ZSTD_LEVEL = 1;

const SIDES = ["start", "end"] as const;

export const BUILT_IN: readonly CodecEntry[] = [
  {
    name: "gzip",
    usual: { level: 5 },
    make: (f) => deflateCodec("gzip", f.integer("level", 0, 9, 5)),
  },
  {
    name: "zlib",
    usual: { level: 1 },
    make: (f) => deflateCodec("zlib", f.integer("level", -1, 9, 1)),
  },
  {
    name: "zstd",
    usual: { level: ZSTD_LEVEL, checksum: false },
    make: (f) =>
      zstdCodec({ level: f.integer("level", -131072, 22, 0), checksum: f.flag("checksum", false) }),
  },
  {
    name: "lz4",
    usual: { acceleration: 1 },
    make: (f) => {
      f.integer("acceleration", -(2 ** 31), 2 ** 31, 1);
      return lz4Codec();
    },
  },
  {
    name: "blosc",
    usual: { cname: "lz4", clevel: 5, shuffle: "shuffle", blocksize: 0 },
    make: (f) =>
      bloscCodec({
        cname: f.choice("cname", BLOSC_COMPRESSORS, "lz4"),
        clevel: f.integer("clevel", 0, 9, 5),
        shuffle: f.choice("shuffle", BLOSC_SHUFFLES, "noshuffle"),
        typesize: f.integer("typesize", 1, 255, 1),
        blocksize: f.integer("blocksize", 0, 2 ** 31 - 1, 0),
      }),
  },
  { name: "crc32c", make: (f) => checksumCodec("crc32c", f.choice("location", SIDES, "end")) },
  { name: "crc32", make: (f) => checksumCodec("crc32", f.choice("location", SIDES, "start")) },
  { name: "adler32", make: (f) => checksumCodec("adler32", f.choice("location", SIDES, "start")) },
  { name: "shuffle", make: (f) => shuffleCodec(f.integer("elementsize", 1, 65536, 4)) },
  ...ELEMENT_CODECS,
];

// Codecs of users: bytes in, other bytes out, and the same again. In: a name, and where the code is: a module that every
// thread can import, or a function that loads it in this one. Out: an entry like those of built-in codecs; the code is
// loaded when the first chunk needs it.
// Must hold: whatever the code gives, a chunk is as long as it must be, or it is an error that names the codec. The code is
// given copies, and what it gives is copied: it may change the one and use the other again without harm to anybody's data.

/** What users' code makes of a configuration. */
export interface CodecImplementation {
  /** What is stored of these bytes. */
  encode(bytes: Uint8Array): Bytes;
  /** `size`: how many bytes belong there, at most, or just that when `exact`. */
  decode(bytes: Uint8Array, size: SizeBound): Bytes;
}

/** A module of a codec: its default export makes one of a configuration, as metadata have it. */
export interface CodecModule {
  /** Makes a codec of the configuration that metadata have. */
  readonly default: (configuration: JsonObject) => CodecImplementation;
}

interface Named {
  /** As metadata name it. */
  readonly name: string;
  /** How many times as long as its input its output can be; 1, and a little for headers, unless given. */
  readonly growth?: number | undefined;
}

/** A codec that every thread can import. */
export interface ModuleCodec extends Named {
  /** Its address: `new URL("./delta-codec.js", import.meta.url)`. */
  readonly module: string | Address;
}

/** A codec that only this thread has: chunks that need it are not for task threads. */
export interface LoadedCodec extends Named {
  /** Loads it: `async () => ({default: (configuration) => ({encode, decode})})`. */
  readonly load: () => Promise<CodecModule>;
}

/** A codec of your own, for `cw.engine.codecs.add`: by the address of its module, or by a function that loads it. */
export type OwnCodec = ModuleCodec | LoadedCodec;

/** A module codec as plain data. */
export interface SentCodec extends Named {
  readonly module: string;
}

/** Null for one that no message can carry. */
export const sentCodec = (codec: OwnCodec): SentCodec | null =>
  "module" in codec
    ? { name: codec.name, module: String(codec.module), ...(codec.growth ? { growth: codec.growth } : {}) }
    : null;

export function entryOf(codec: OwnCodec): CodecEntry {
  checkCodec(codec);
  const load = "load" in codec ? codec.load : () => imported(String(codec.module));
  return { name: codec.name, make: (fields) => loadedCodec(codec, load, fields) };
}

const imported = async (module: string): Promise<CodecModule> =>
  (await import(/* @vite-ignore */ /* webpackIgnore: true */ module)) as CodecModule;

function checkCodec(codec: OwnCodec): void {
  const { name, growth = 1 } = codec;
  const where = "codecs.add";
  if (typeof name !== "string" || name === "")
    throw new ValueError({ where, what: `the name of a codec is ${describe(name)}`, cure: "Give it one" });
  if (typeof growth !== "number" || !(growth >= 1 && growth <= 1000))
    throw new ValueError({ where, what: `growth is ${describe(growth)}`, cure: "A number from 1 to 1000" });
  const isCode = "load" in codec ? typeof codec.load === "function" : isModuleAddress(String(codec.module));
  if (!isCode)
    throw new ValueError({
      where,
      what: `the codec ${describe(name)} has no code`,
      cure: 'Give {name, module: new URL("./codec.js", import.meta.url)}, or {name, load: () => import("./codec.js")}',
    });
}

function loadedCodec(codec: OwnCodec, load: () => Promise<CodecModule>, fields: Fields): BytesCodec {
  const { name, growth = 1 } = codec;
  const implementation = once(() => implemented(name, load, fields.all));
  const encodedBound = ({ max }: SizeBound): SizeBound => ({
    max: Math.ceil(growth * max + max / 64) + 1024,
    exact: false,
  });
  return {
    name,
    encodedBound,
    isHereOnly: !("module" in codec),
    async encode(bytes) {
      const encoded = copied(name, await (await implementation()).encode(new Uint8Array(bytes)));
      const { max } = encodedBound({ max: bytes.length, exact: true });
      if (encoded.length <= max) return encoded;
      throw new NotSupportedError({
        what: `the codec ${name} made ${encoded.length} bytes of ${bytes.length}, and at most ${max} are read again`,
        cure: `Say so when it is added: {growth: ${Math.ceil(encoded.length / bytes.length)}}`,
      });
    },
    async decode(bytes, bound, where) {
      const { decode } = await implementation();
      const failed = (cause: unknown): never => {
        throw corrupt(`${name} cannot be decoded: ${messageOf(cause)}`, where, cause);
      };
      const decoded = copied(name, await (async () => decode(new Uint8Array(bytes), bound))().catch(failed));
      checkDecoded(decoded.length, bound, name, where);
      return decoded;
    },
  };
}

async function implemented(
  name: string,
  load: () => Promise<CodecModule>,
  configuration: JsonObject,
): Promise<CodecImplementation> {
  const cure = "Its module must export by default a function from a configuration to {encode, decode}";
  let made: CodecImplementation;
  try {
    made = (await load()).default(configuration);
  } catch (cause) {
    const what = `the codec ${name} cannot be loaded: ${messageOf(cause)}`;
    throw new NotSupportedError({ what, cure }, { cause });
  }
  if (typeof made?.encode === "function" && typeof made.decode === "function")
    return { encode: made.encode.bind(made), decode: made.decode.bind(made) };
  throw new NotSupportedError({ what: `the codec ${name} is ${describe(made)}`, cure });
}

function copied(name: string, bytes: unknown): Uint8Array {
  // Not `slice`: that of a Node Buffer does not copy.
  if (bytes instanceof Uint8Array) return new Uint8Array(bytes);
  throw new NotSupportedError({
    what: `the codec ${name} gave ${describe(bytes)}`,
    cure: "Its encode and decode must give a Uint8Array",
  });
}

/** Not of bytes: build.ts makes these. */
const STRUCTURE: readonly string[] = ["bytes", "transpose", "sharding_indexed"];

/**
 * The codecs that arrays may name, the built-in ones and yours, for the option `known`: `new cw.CodecTable([{name:
 * "delta", module: new URL("./delta.js", import.meta.url)}])`.
 */
export class CodecTable {
  readonly #entries: Map<string, CodecEntry>;
  readonly #own: OwnCodec[] = [];

  constructor(own: Iterable<OwnCodec> = []) {
    this.#entries = new Map(BUILT_IN.map((entry) => [entry.name, entry]));
    for (const codec of own) this.add(codec);
  }

  /** From now on arrays may be read and written with it. */
  add(codec: OwnCodec): void {
    const entry = entryOf(codec);
    if (this.#entries.has(entry.name) || STRUCTURE.includes(entry.name))
      throw new ValueError({
        where: "codecs.add",
        what: `there is a codec ${describe(entry.name)} already`,
        cure: "Give it another name: stored arrays are read by the name that they were written with",
      });
    this.#entries.set(entry.name, entry);
    this.#own.push(codec);
  }

  /** What other readers expect to find in a configuration, though it is the default. */
  usual(name: string): JsonObject {
    return this.#entries.get(name)?.usual ?? {};
  }

  /** Those that were added, for other threads. */
  sent(): SentCodec[] {
    return this.#own.flatMap((codec) => sentCodec(codec) ?? []);
  }

  /** For arrays that all threads must read, as intermediates of runs. */
  checkSent(names: readonly string[]): void {
    const here = this.#own.find((codec) => names.includes(codec.name) && sentCodec(codec) === null);
    if (here === undefined) return;
    throw new ValueError({
      where: "Spec",
      what: `intermediates cannot have the codec ${describe(here.name)}: only this thread has it`,
      cure: 'Add it by its module: {name, module: new URL("./codec.js", import.meta.url)}',
    });
  }

  /** The codec that metadata name; an error where there is none. */
  codec(spec: CodecSpec, where: string): BytesCodec {
    const entry = this.#entries.get(spec.name);
    if (entry !== undefined) return entry.make(new Fields(spec, where));
    throw new NotSupportedError({
      what: `the codec ${JSON.stringify(spec.name.slice(0, 60))} is not supported`,
      where,
      cure: `Add it with engine.codecs.add({name, module}). ${closest(spec.name, [...this.#entries.keys(), ...STRUCTURE])}`,
    });
  }
}

/** What arrays need of a table. */
export type KnownCodecs = Pick<CodecTable, "codec" | "usual">;

/** For those who have no engine; nothing is ever added to it. */
export const builtInCodecs: KnownCodecs = new CodecTable();
