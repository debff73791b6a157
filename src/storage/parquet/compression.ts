// Pages, compressed and decompressed. In: bytes and a codec's name. Out: bytes; decompressed ones may lie in memory that
// the next call overwrites. What must hold: nobody makes more memory than a page of this many compressed bytes can
// become with its codec; anything else is damage.

import type * as Zlib from "node:zlib";
import { builtin } from "../builtin.ts";
import { readUint32 } from "../codecs/codec.ts";
import { deflateCodec, inflate, zstdDecode, zstdEncode } from "../codecs/compressors.ts";
import { lz4Bound, lz4Compress } from "../codecs/lz4.ts";
import { lz4Into } from "../codecs/wasm.ts";

import { Damage, Unsupported } from "./errors.ts";
import type { CodecName } from "./names.ts";
import { snappyCompressed, snappyDecompressed } from "./snappy.ts";

/** How many times its size a page can become: what the formats allow. */
const MOST_GROWTH: { readonly [C in CodecName]: number } = {
  none: 1,
  snappy: 22,
  gzip: 1033,
  lzo: 2 ** 16,
  brotli: 2 ** 21,
  lz4: 256,
  zstd: 2 ** 16,
  lz4raw: 256,
};

export function checkGrowth(codec: CodecName, compressed: number, size: number): void {
  if (size <= MOST_GROWTH[codec] * compressed + 64) return;
  throw new Damage(`${compressed} bytes of ${codec} cannot become ${size}`);
}

/** Decompresses a page that becomes `size` bytes. */
export type Decompressor = (bytes: Uint8Array, size: number) => Uint8Array | Promise<Uint8Array>;
/** A user's own, for codecs that are not there: lzo anywhere, brotli in browsers. */
export type Decompressors = { readonly [C in CodecName]?: Decompressor };

/** `where`: for errors of the codecs. */
export function decompressed(
  codec: CodecName,
  bytes: Uint8Array,
  size: number,
  where: string,
  given: Decompressors = {},
): Uint8Array | Promise<Uint8Array> {
  checkGrowth(codec, bytes.length, size);
  const own = given[codec];
  if (own !== undefined) return checkedSize(own, bytes, size);
  switch (codec) {
    case "none":
      if (bytes.length !== size) throw new Damage(`a page of ${bytes.length} bytes, where ${size} belong`);
      return bytes;
    case "snappy":
      return snappyDecompressed(bytes, size);
    case "gzip":
      return inflate("gzip", bytes, { max: size, exact: true }, where);
    case "zstd":
      return zstdDecode(bytes, { max: size, exact: true }, where);
    case "brotli":
      return brotliDecompressed(bytes, size);
    case "lz4raw":
      return lz4Block(bytes, size);
    case "lz4":
      return lz4Any(bytes, size);
    case "lzo":
      throw new Unsupported(
        "pages compressed with lzo are not read without a decompressor (option `codecs`)",
      );
  }
}

async function checkedSize(own: Decompressor, bytes: Uint8Array, size: number): Promise<Uint8Array> {
  const result = await own(bytes, size);
  if (result.length === size) return result;
  throw new Damage(`a page of ${result.length} bytes, where ${size} belong`);
}

function lz4Block(bytes: Uint8Array, size: number): Uint8Array {
  const target = new Uint8Array(size);
  if (size === 0 || lz4Into(bytes, target)) return target;
  throw new Damage(`lz4 data that are damaged, or not the ${size} bytes that belong here`);
}

/** The older name stands for Hadoop's framing, for LZ4's own frame, and for plain blocks. */
function lz4Any(bytes: Uint8Array, size: number): Uint8Array {
  return hadoopBlocks(bytes, size) ?? frameBlocks(bytes, size) ?? lz4Block(bytes, size);
}

/** Each block behind its two lengths, highest byte first. Undefined when that is not what it is. */
function hadoopBlocks(bytes: Uint8Array, size: number): Uint8Array | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const target = new Uint8Array(size);
  let at = 0;
  let done = 0;
  while (at + 8 <= bytes.length) {
    const [into, from] = [view.getUint32(at), view.getUint32(at + 4)];
    if (into > size - done || from > bytes.length - at - 8) return undefined;
    if (!lz4Into(bytes.subarray(at + 8, at + 8 + from), target.subarray(done, done + into))) return undefined;
    at += 8 + from;
    done += into;
  }
  return at === bytes.length && done === size ? target : undefined;
}

const LZ4_FRAME = 0x184d2204;

function frameBlocks(bytes: Uint8Array, size: number): Uint8Array | undefined {
  if (bytes.length < 11 || readUint32(bytes, 0) !== LZ4_FRAME) return undefined;
  const flags = bytes[4]!;
  // Blocks that refer to earlier ones cannot be decoded one by one; nobody writes them into Parquet.
  if ((flags & 0x20) === 0 || (flags & 1) !== 0) return undefined;
  const checksum = (flags & 0x10) !== 0 ? 4 : 0;
  const most = 2 ** (8 + 2 * ((bytes[5]! >>> 4) & 7));
  const target = new Uint8Array(size);
  let done = 0;
  for (let at = 7 + ((flags & 8) !== 0 ? 8 : 0); at + 4 <= bytes.length; ) {
    const length = readUint32(bytes, at) & 0x7fffffff;
    const isStored = bytes[at + 3]! >= 128;
    const block = bytes.subarray(at + 4, at + 4 + length);
    if (length === 0) return done === size ? target : undefined;
    const into = isStored ? length : Math.min(most, size - done);
    if (block.length < length || into > size - done) return undefined;
    if (isStored) target.set(block, done);
    else if (!lz4Into(block, target.subarray(done, done + into))) return undefined;
    done += into;
    at += 4 + length + checksum;
  }
  return undefined;
}

async function brotliDecompressed(bytes: Uint8Array, size: number): Promise<Uint8Array> {
  const zlib = await brotliOfNode();
  try {
    const result = zlib.brotliDecompressSync(bytes, {
      maxOutputLength: Math.max(1, size),
      chunkSize: Math.min(Math.max(size, 64), 2 ** 24),
    });
    if (result.length === size) return new Uint8Array(result.buffer, result.byteOffset, size);
  } catch (cause) {
    throw new Damage("brotli data that are damaged or too long", { cause });
  }
  throw new Damage(`brotli data that are not the ${size} bytes that belong here`);
}

async function brotliOfNode(): Promise<typeof Zlib> {
  const zlib = await builtin("node:zlib");
  if (zlib !== undefined) return zlib;
  throw new Unsupported("brotli needs Node, or a decompressor (option `codecs`)");
}

/** The codecs that are written. */
export type WrittenCodec = Exclude<CodecName, "lzo" | "lz4">;

export async function compressed(codec: WrittenCodec, bytes: Uint8Array): Promise<Uint8Array> {
  switch (codec) {
    case "none":
      return bytes;
    case "snappy":
      return snappyCompressed(bytes);
    case "gzip":
      return deflateCodec("gzip", 6).encode(bytes);
    case "zstd":
      return zstdEncode(bytes, { level: 3, checksum: false });
    case "brotli":
      return brotliCompressed(bytes, await brotliOfNode());
    case "lz4raw": {
      const target = new Uint8Array(lz4Bound(bytes.length));
      return target.slice(0, lz4Compress(bytes, target));
    }
  }
}

function brotliCompressed(bytes: Uint8Array, zlib: typeof Zlib): Uint8Array {
  // The highest quality, which is the default, takes a hundred times as long.
  const params = {
    [zlib.constants.BROTLI_PARAM_QUALITY]: 5,
    [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const result = zlib.brotliCompressSync(bytes, { params });
  return new Uint8Array(result.buffer, result.byteOffset, result.length);
}
