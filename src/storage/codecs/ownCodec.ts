// Codecs of users: bytes in, other bytes out, and the same again. In: a name, and where the code is: a module that every
// thread can import, or a function that loads it in this one. Out: an entry like those of built-in codecs; the code is
// loaded when the first chunk needs it.
// Must hold: whatever the code gives, a chunk is as long as it must be, or it is an error that names the codec. The code is
// given copies, and what it gives is copied: it may change the one and use the other again without harm to anybody's data.

import { ValueError } from "../../core/errors.ts";
import { once } from "../../core/once.ts";
import type { Address } from "../../core/platform.ts";
import { describe } from "../../core/shape.ts";
import { messageOf, NotSupportedError } from "../errors.ts";
import { isModuleAddress } from "../modules.ts";
import type { JsonObject } from "../zarr/zarrJson.ts";
import {
  type Bytes,
  type BytesCodec,
  type CodecEntry,
  checkDecoded,
  corrupt,
  type SizeBound,
} from "./codec.ts";
import type { Fields } from "./codecFields.ts";

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
