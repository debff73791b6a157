// gzip and zlib: Node's zlib where there is Node, the web's compression streams elsewhere (which have no
// level; the data are the same).

import type * as Zlib from "node:zlib";
import { builtin } from "../builtin.ts";
import { type BytesCodec, checkDecoded, compressedBound, corrupt, type SizeBound } from "./codec.ts";

type Format = "gzip" | "zlib";

/** Up to this many bytes the hop to Node's thread pool costs more than the work. */
const SMALL = 128 * 1024;

export function deflateCodec(format: Format, level: number): BytesCodec {
  return {
    name: format,
    encodedBound: compressedBound,
    encode: async (bytes) => deflate(format, level, bytes, await builtin("node:zlib")),
    decode: (bytes, bound, where) => inflate(format, bytes, bound, where),
  };
}

function deflate(
  format: Format,
  level: number,
  bytes: Uint8Array,
  zlib: typeof Zlib | undefined,
): Uint8Array | Promise<Uint8Array> {
  if (zlib === undefined) return streamed(new CompressionStream(webName(format)), bytes);
  // One buffer that is long enough for anything: zlib's default is many small ones, joined at the end.
  const { max } = compressedBound({ max: bytes.length, exact: true });
  const options = { level, chunkSize: Math.min(max, 2 ** 26) };
  if (bytes.length <= SMALL)
    return plain(format === "gzip" ? zlib.gzipSync(bytes, options) : zlib.deflateSync(bytes, options));
  const run = format === "gzip" ? zlib.gzip : zlib.deflate;
  return new Promise((resolve, reject) =>
    run(bytes, options, (error, result) => (error ? reject(error) : resolve(plain(result)))),
  );
}

export async function inflate(
  format: Format,
  bytes: Uint8Array,
  bound: SizeBound,
  where: string,
): Promise<Uint8Array> {
  const zlib = await builtin("node:zlib");
  try {
    const decoded = await (zlib === undefined
      ? streamed(new DecompressionStream(webName(format)), bytes, bound.max)
      : inflateInNode(zlib, format, bytes, bound.max));
    checkDecoded(decoded.length, bound, format, where);
    return decoded;
  } catch (cause) {
    throw asCorrupt(cause, format, bound, where);
  }
}

function asCorrupt(cause: unknown, format: Format, bound: SizeBound, where: string): unknown {
  if (cause instanceof Error && "cure" in cause) return cause;
  const { code } = cause as { code?: string };
  if (code === "ERR_BUFFER_TOO_LARGE" || cause === TOO_LONG)
    return corrupt(`${format} data of more than the ${bound.max} bytes that belong here`, where, cause);
  return corrupt(`${format} cannot be decoded`, where, cause);
}

function inflateInNode(
  zlib: typeof Zlib,
  format: Format,
  bytes: Uint8Array,
  max: number,
): Uint8Array | Promise<Uint8Array> {
  // One buffer that is not quite filled: zlib's default is many small ones, and after a full one it makes another.
  const chunkSize = Math.min(Math.max(max + 1, 64), 2 ** 26);
  const options = { maxOutputLength: Math.max(max, 1), chunkSize };
  if (max <= SMALL)
    return plain(format === "gzip" ? zlib.gunzipSync(bytes, options) : zlib.inflateSync(bytes, options));
  const run = format === "gzip" ? zlib.gunzip : zlib.inflate;
  return new Promise((resolve, reject) =>
    run(bytes, options, (error, result) => (error ? reject(error) : resolve(plain(result)))),
  );
}

/** A Uint8Array proper: a Buffer's `slice` shares memory. */
export const plain = (buffer: Uint8Array): Uint8Array =>
  new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);

const webName = (format: Format): "gzip" | "deflate" => (format === "gzip" ? "gzip" : "deflate");

const TOO_LONG = new Error("more output than allowed");

/** All of what a transform stream makes of the bytes; stops when that is too much. */
export async function streamed(
  stream: { readable: ReadableStream; writable: WritableStream },
  bytes: Uint8Array,
  max: number = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const writer = stream.writable.getWriter();
  // Failures of the writing side come out of the reading side.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  const reader = stream.readable.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joined(parts, length);
    length += value.length;
    if (length > max) {
      reader.cancel().catch(() => {});
      throw TOO_LONG;
    }
    parts.push(value);
  }
}

export function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
