// The built-in codecs of bytes: one entry each. What is large (WebAssembly, Node's zlib) a codec loads when a chunk needs it.

import { BLOSC_COMPRESSORS, BLOSC_SHUFFLES, bloscCodec } from "./blosc.ts";
import { checksumCodec } from "./checksums.ts";
import type { CodecEntry } from "./codec.ts";
import { deflateCodec } from "./deflate.ts";
import { lz4Codec } from "./lz4.ts";
import { shuffleCodec } from "./shuffle.ts";
import { zstdCodec } from "./zstd.ts";

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
];
