// The codecs that there are, by name: the built-in ones, and those that a user adds. In: a codec as metadata name it.
// Out: the codec, or a typed error for wrong or unknown ones. An engine has one table; each task thread has the same.
// Must hold: a name that is there stays what it is, so that what was planned with it holds.

import { ValueError } from "../../core/errors.ts";
import { describe } from "../../core/shape.ts";
import { closest } from "../../core/suggest.ts";
import { NotSupportedError } from "../errors.ts";
import type { JsonObject } from "../zarr/zarrJson.ts";
import { BUILT_IN } from "./builtIn.ts";
import type { BytesCodec, CodecEntry } from "./codec.ts";
import { type CodecSpec, Fields } from "./codecFields.ts";
import { entryOf, type OwnCodec, type SentCodec, sentCodec } from "./ownCodec.ts";

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
