// A file whose bytes are counted, and its footer. In: ranges of bytes. Out: the bytes, in few reads. What must hold: what is
// counted is what was read, gaps between ranges included.

import type { StoreOptions } from "../store.ts";
import type { ByteFile, FileOptions } from "./byteFile.ts";
import { Damage, Unsupported } from "./errors.ts";
import { type Footer, parseFooter } from "./footer.ts";

// Ranges that lie close together are read at once, the gap with them. Bytes are
// counted as they are read, gaps included.

export interface Range {
  readonly offset: number;
  readonly length: number;
}

/** A gap of so many bytes costs less than another request. */
const MOST_GAP = 65_536;
/** Reads do not grow beyond this by joining. */
const MOST_JOINED = 2 ** 28;

interface Joined extends Range {
  /** The indices of the ranges inside. */
  readonly members: readonly number[];
}

export function joinRanges(ranges: readonly Range[], gap: number = MOST_GAP): Joined[] {
  const order = ranges.map((_, index) => index).sort((a, b) => ranges[a]!.offset - ranges[b]!.offset);
  const result: Joined[] = [];
  for (const index of order) {
    const { offset, length } = ranges[index]!;
    const last = result.at(-1);
    const end = last === undefined ? 0 : last.offset + last.length;
    const union = last === undefined ? 0 : Math.max(end, offset + length) - last.offset;
    if (last !== undefined && offset - end <= gap && union <= MOST_JOINED)
      result[result.length - 1] = { offset: last.offset, length: union, members: [...last.members, index] };
    else result.push({ offset, length, members: [index] });
  }
  return result;
}

/** A file whose bytes are counted. */
export class CountedFile {
  readonly file: ByteFile;
  #bytesRead = 0;
  #requests = 0;

  constructor(file: ByteFile) {
    this.file = file;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }
  get requests(): number {
    return this.#requests;
  }

  #count(bytes: Uint8Array): Uint8Array {
    this.#bytesRead += bytes.length;
    this.#requests++;
    return bytes;
  }

  async tail(length: number, options: StoreOptions): Promise<Uint8Array> {
    return this.#count(await this.file.tail(length, options));
  }

  async read({ offset, length }: Range, options: FileOptions): Promise<Uint8Array> {
    return this.#count(await this.file.read(offset, length, options));
  }

  /** The bytes of each range. They may share memory. */
  async readAll(ranges: readonly Range[], options: FileOptions): Promise<Uint8Array[]> {
    const result: Uint8Array[] = new Array(ranges.length);
    const reads = joinRanges(ranges).map(async (joined) => {
      const bytes = await this.read(joined, options);
      for (const index of joined.members) {
        const start = ranges[index]!.offset - joined.offset;
        result[index] = bytes.subarray(start, start + ranges[index]!.length);
      }
    });
    await Promise.all(reads);
    return result;
  }
}

/** How much of the end of a file is read at first. */
const TAIL_BYTES = 65_536;

const MAGIC = 0x31524150;
const ENCRYPTED = 0x45524150;

export async function readFooter(
  bytes: CountedFile,
  options: StoreOptions & { readonly tailBytes?: number | undefined },
): Promise<Footer> {
  const tail = await bytes.tail(Math.max(12, options.tailBytes ?? TAIL_BYTES), options);
  const { size = Number.MAX_SAFE_INTEGER } = bytes.file;
  if (tail.length < 12) throw new Damage(`a file of ${tail.length} bytes is too short to be Parquet`);
  const view = new DataView(tail.buffer, tail.byteOffset, tail.length);
  const magic = view.getUint32(tail.length - 4, true);
  if (magic === ENCRYPTED) throw new Unsupported("the file is encrypted");
  if (magic !== MAGIC) throw new Damage("the file does not end like a Parquet file");
  const length = view.getUint32(tail.length - 8, true);
  if (length > size - 12) throw new Damage(`a footer of ${length} bytes in a file of ${size}`);
  const limit = size - 8 - length;
  if (length <= tail.length - 8)
    return parseFooter(tail.subarray(tail.length - 8 - length, tail.length - 8), limit);
  return parseFooter(await longFooter(bytes, length, options), limit);
}

async function longFooter(bytes: CountedFile, length: number, options: StoreOptions): Promise<Uint8Array> {
  const tail = await bytes.tail(length + 8, options);
  if (tail.length < length + 8) throw new Damage(`a footer of ${length} bytes in a file of ${tail.length}`);
  return tail.subarray(0, length);
}
