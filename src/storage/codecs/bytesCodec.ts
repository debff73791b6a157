// From the name and configuration of a codec of bytes, as metadata hold them, to the codec. In: a spec with
// the names of Zarr v3 (v2's are translated before). Out: a codec, or a typed error for wrong or unknown ones.

import { describe } from "../../core/shape.ts";
import { closest } from "../../core/suggest.ts";
import { MetadataError, NotSupportedError } from "../errors.ts";
import type { Json, JsonObject } from "../zarr/json.ts";
import { BLOSC_COMPRESSORS, BLOSC_SHUFFLES, bloscCodec } from "./blosc.ts";
import { checksumCodec } from "./checksums.ts";
import type { BytesCodec } from "./codec.ts";
import { deflateCodec } from "./deflate.ts";
import { lz4Codec } from "./lz4.ts";
import { shuffleCodec } from "./shuffle.ts";
import { zstdCodec } from "./zstd.ts";

export interface CodecSpec {
  readonly name: string;
  readonly configuration: JsonObject;
}

type Make = (fields: Fields) => BytesCodec;

const MAKERS: { readonly [name: string]: Make } = {
  gzip: (f) => deflateCodec("gzip", f.integer("level", 0, 9, 5)),
  zlib: (f) => deflateCodec("zlib", f.integer("level", -1, 9, 1)),
  zstd: (f) => zstdCodec({ level: f.integer("level", -131072, 22, 0), checksum: f.flag("checksum", false) }),
  lz4: (f) => {
    f.integer("acceleration", -(2 ** 31), 2 ** 31, 1);
    return lz4Codec();
  },
  blosc: (f) =>
    bloscCodec({
      cname: f.choice("cname", BLOSC_COMPRESSORS, "lz4"),
      clevel: f.integer("clevel", 0, 9, 5),
      shuffle: f.choice("shuffle", BLOSC_SHUFFLES, "noshuffle"),
      typesize: f.integer("typesize", 1, 255, 1),
      blocksize: f.integer("blocksize", 0, 2 ** 31 - 1, 0),
    }),
  crc32c: (f) => checksumCodec("crc32c", f.choice("location", ["start", "end"], "end")),
  crc32: (f) => checksumCodec("crc32", f.choice("location", ["start", "end"], "start")),
  adler32: (f) => checksumCodec("adler32", f.choice("location", ["start", "end"], "start")),
  shuffle: (f) => shuffleCodec(f.integer("elementsize", 1, 65536, 4)),
};

export const BYTES_CODECS: readonly string[] = Object.keys(MAKERS);

/** Does not change the length by an amount that depends on the data: what a shard's index needs. */
export const hasFixedSize = (name: string): boolean =>
  ["crc32c", "crc32", "adler32", "shuffle"].includes(name);

export function bytesCodec(spec: CodecSpec, where: string): BytesCodec {
  const make = Object.hasOwn(MAKERS, spec.name) ? MAKERS[spec.name] : undefined;
  if (make === undefined) {
    throw new NotSupportedError({
      what: `the codec ${JSON.stringify(spec.name.slice(0, 60))} is not supported`,
      where,
      cure: closest(spec.name, [...BYTES_CODECS, "bytes", "transpose", "sharding_indexed"]),
    });
  }
  return make(new Fields(spec, where));
}

/** The configuration of a codec, read with checks. */
class Fields {
  readonly #spec: CodecSpec;
  readonly #where: string;

  constructor(spec: CodecSpec, where: string) {
    this.#spec = spec;
    this.#where = where;
  }

  integer(name: string, least: number, most: number, otherwise: number): number {
    const value = this.#spec.configuration[name] ?? otherwise;
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most)
      return value as number;
    throw this.#wrong(name, value, `a whole number from ${least} to ${most}`);
  }

  flag(name: string, otherwise: boolean): boolean {
    const value = this.#spec.configuration[name] ?? otherwise;
    if (typeof value === "boolean") return value;
    throw this.#wrong(name, value, "true or false");
  }

  choice<T extends string>(name: string, choices: readonly T[], otherwise: T): T {
    const value = this.#spec.configuration[name] ?? otherwise;
    if (choices.includes(value as T)) return value as T;
    throw this.#wrong(name, value, `one of ${choices.join(", ")}`);
  }

  #wrong(name: string, value: Json, wanted: string): MetadataError {
    return new MetadataError({
      what: `${name} of the codec ${this.#spec.name} is ${describe(value)}`,
      where: this.#where,
      cure: `It must be ${wanted}`,
    });
  }
}
