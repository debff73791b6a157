// The zip format: the directory at the end of an archive → its entries, with Zip64; and a writer of entries
// that are not compressed.

import { corrupt } from "./codecs/codec.ts";
import { crc32 } from "./codecs/wasm.ts";
import { NotSupportedError } from "./errors.ts";
import { keySegments, type StoreOptions } from "./store.ts";
import { utf8 } from "./zarr/zarrJson.ts";

/** Where the bytes of an archive are. */
export interface ZipBytes {
  readonly size: number;
  read(offset: number, length: number, options: StoreOptions): Promise<Uint8Array>;
}

export interface ZipEntry {
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  readonly headerAt: number;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
const WHERE = "zip archive";
const MOST_COMMENT = 65535;
/** Directories longer than this are refused before memory is made. */
const MOST_DIRECTORY = 2 ** 30;

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

async function readExactly(
  source: ZipBytes,
  offset: number,
  length: number,
  options: StoreOptions,
): Promise<Uint8Array> {
  const fits = offset >= 0 && length >= 0 && offset + length <= source.size;
  const bytes = fits ? await source.read(offset, length, options) : new Uint8Array(0);
  if (bytes.length !== length || !fits) throw corrupt("the archive is cut short", WHERE);
  return bytes;
}

export async function readDirectory(source: ZipBytes, options: StoreOptions): Promise<Map<string, ZipEntry>> {
  const { at, length } = await findDirectory(source, options);
  if (length > MOST_DIRECTORY) throw new NotSupportedError({ what: `a zip directory of ${length} bytes` });
  return parseDirectory(await readExactly(source, at, length, options));
}

/** The end record is the last thing but for a comment. */
async function findDirectory(
  source: ZipBytes,
  options: StoreOptions,
): Promise<{ at: number; length: number }> {
  const tailLength = Math.min(source.size, 22 + MOST_COMMENT);
  const tail = await readExactly(source, source.size - tailLength, tailLength, options);
  const view = viewOf(tail);
  for (let i = tail.length - 22; i >= 0; i--) {
    if (view.getUint32(i, true) !== END || i + 22 + view.getUint16(i + 20, true) > tail.length) continue;
    const length = view.getUint32(i + 12, true);
    const at = view.getUint32(i + 16, true);
    if (at !== 0xffffffff && length !== 0xffffffff && view.getUint16(i + 10, true) !== 0xffff)
      return { at, length };
    return findDirectory64(source, source.size - tailLength + i - 20, options);
  }
  throw corrupt("not a zip archive: it has no directory", WHERE);
}

async function findDirectory64(
  source: ZipBytes,
  locatorAt: number,
  options: StoreOptions,
): Promise<{ at: number; length: number }> {
  const locator = viewOf(await readExactly(source, locatorAt, 20, options));
  if (locator.getUint32(0, true) !== LOCATOR64) throw corrupt("the Zip64 directory is not there", WHERE);
  const end = viewOf(await readExactly(source, number64(locator, 8), 56, options));
  if (end.getUint32(0, true) !== END64) throw corrupt("the Zip64 directory is not there", WHERE);
  return { length: number64(end, 40), at: number64(end, 48) };
}

function number64(view: DataView, at: number): number {
  const value = view.getBigUint64(at, true);
  if (value < 2n ** 53n) return Number(value);
  throw corrupt(`the archive speaks of ${value} bytes`, WHERE);
}

function parseDirectory(bytes: Uint8Array): Map<string, ZipEntry> {
  const view = viewOf(bytes);
  const entries = new Map<string, ZipEntry>();
  const decoder = new TextDecoder();
  for (let at = 0; at + 46 <= bytes.length; ) {
    if (view.getUint32(at, true) !== CENTRAL) throw corrupt("the directory of the archive is damaged", WHERE);
    const nameLength = view.getUint16(at + 28, true);
    const extraAt = at + 46 + nameLength;
    const extraLength = view.getUint16(at + 30, true);
    const next = extraAt + extraLength + view.getUint16(at + 32, true);
    if (next > bytes.length) throw corrupt("the directory of the archive is damaged", WHERE);
    const name = decoder.decode(bytes.subarray(at + 46, extraAt));
    if ((view.getUint16(at + 8, true) & 1) !== 0)
      throw new NotSupportedError({ what: `the zip entry ${name.slice(0, 60)} is encrypted` });
    if (!name.endsWith("/") && isKey(name)) entries.set(`/${name}`, entryAt(view, at, extraAt, extraLength));
    at = next;
  }
  return entries;
}

/** Names that could mean something outside are not entries of ours. */
function isKey(name: string): boolean {
  try {
    return keySegments(`/${name}`).length > 0;
  } catch {
    return false;
  }
}

function entryAt(view: DataView, at: number, extraAt: number, extraLength: number): ZipEntry {
  let size = view.getUint32(at + 24, true);
  let packedSize = view.getUint32(at + 20, true);
  let headerAt = view.getUint32(at + 42, true);
  // Zip64: an extra field has, in this order, those that did not fit.
  let field = extraAt;
  const end = extraAt + extraLength;
  while (field + 4 <= end && view.getUint16(field, true) !== 1) field += 4 + view.getUint16(field + 2, true);
  let wide = field + 4;
  const take = (narrow: number): number => {
    if (narrow !== 0xffffffff) return narrow;
    if (wide + 8 > end) throw corrupt("the directory of the archive is damaged", WHERE);
    wide += 8;
    return number64(view, wide - 8);
  };
  size = take(size);
  packedSize = take(packedSize);
  headerAt = take(headerAt);
  return {
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    packedSize,
    size,
    headerAt,
  };
}

/** Data follow the entry's own header, whose length only it knows. */
export async function dataStart(
  source: ZipBytes,
  entry: ZipEntry,
  key: string,
  options: StoreOptions,
): Promise<number> {
  const header = viewOf(await readExactly(source, entry.headerAt, 30, options));
  if (header.getUint32(0, true) !== LOCAL) throw corrupt("the zip entry is not where it should be", key);
  const start = entry.headerAt + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  if (start + entry.packedSize > source.size) throw corrupt("the zip entry is cut short", key);
  return start;
}

/** 1980-01-01, the first day of zip: archives of equal contents are equal. */
const DATE = 0x00210000;

export class ZipWriter {
  readonly #parts: Uint8Array[] = [];
  readonly #directory: Uint8Array[] = [];
  #at = 0;
  #directoryBytes = 0;

  add(name: string, bytes: Uint8Array): void {
    const title = utf8(name);
    const header = new Uint8Array(30 + title.length);
    const view = viewOf(header);
    view.setUint32(0, LOCAL, true);
    this.#common(view, 4, title, bytes);
    header.set(title, 30);
    this.#enter(title, bytes);
    this.#parts.push(header, bytes);
    this.#at += header.length + bytes.length;
  }

  /** The fields that an entry and its line in the directory share. */
  #common(view: DataView, at: number, title: Uint8Array, bytes: Uint8Array): void {
    view.setUint16(at, 20, true);
    // Names are UTF-8.
    view.setUint16(at + 2, 0x0800, true);
    view.setUint32(at + 6, DATE, true);
    view.setUint32(at + 10, crc32(bytes), true);
    view.setUint32(at + 14, bytes.length, true);
    view.setUint32(at + 18, bytes.length, true);
    view.setUint16(at + 22, title.length, true);
  }

  #enter(title: Uint8Array, bytes: Uint8Array): void {
    const line = new Uint8Array(46 + title.length);
    const view = viewOf(line);
    view.setUint32(0, CENTRAL, true);
    view.setUint16(4, 20, true);
    this.#common(view, 6, title, bytes);
    view.setUint32(42, this.#at, true);
    line.set(title, 46);
    this.#directory.push(line);
    this.#directoryBytes += line.length;
  }

  end(): Uint8Array {
    const count = this.#directory.length;
    const size = this.#at + this.#directoryBytes + 22;
    if (size >= 0xffffffff || count >= 0xffff)
      throw new NotSupportedError({
        what: `a zip archive of ${count} entries and ${size} bytes`,
        cure: "Archives are written with up to 65534 entries and 4 GiB",
      });
    const tail = new Uint8Array(22);
    const view = viewOf(tail);
    view.setUint32(0, END, true);
    view.setUint16(8, count, true);
    view.setUint16(10, count, true);
    view.setUint32(12, this.#directoryBytes, true);
    view.setUint32(16, this.#at, true);
    const whole = new Uint8Array(size);
    let at = 0;
    for (const part of [...this.#parts, ...this.#directory, tail]) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}
