// Files of lines, cut into blocks of bytes. In: a file and a size of blocks. Out: blocks; and of a block the whole lines
// that begin in it. Must hold: every line is in one block and no other; no file is read twice to find where lines begin.

import { NotSupportedError } from "../../../storage/errors.ts";
import { type ByteFile, memoryFile } from "../../../storage/parquet/index.ts";
import type { StoreOptions } from "../../../storage/store.ts";

/** A file whose size is known. */
export interface SizedFile extends ByteFile {
  readonly size: number;
}

export interface Block {
  readonly file: SizedFile;
  readonly start: number;
  readonly end: number;
}

/** Whole lines, and where in the file the first of them begins. */
export interface Lines {
  readonly bytes: Uint8Array;
  readonly start: number;
}

/** HTTP tells the size with its first answer; of a store that never tells it the file is read as a whole. */
export async function sized(file: ByteFile, options: StoreOptions = {}): Promise<SizedFile> {
  if (file.size === undefined) await file.tail(1, options);
  if (file.size !== undefined) return file as SizedFile;
  const bytes = await file.tail(Number.MAX_SAFE_INTEGER, options);
  return { ...memoryFile(bytes, file.name), size: bytes.length, location: file.location };
}

export function blocksOf(files: readonly SizedFile[], blockBytes: number): Block[] {
  const blocks: Block[] = [];
  for (const file of files)
    for (let start = 0; start < file.size; start += blockBytes)
      blocks.push({ file, start, end: Math.min(file.size, start + blockBytes) });
  // A source has a partition, be it empty.
  return blocks.length === 0 ? [{ file: files[0]!, start: 0, end: 0 }] : blocks;
}

const NEWLINE = 0x0a;
const PIECE = 65_536;
const LONGEST_LINE = 2 ** 28;
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** The lines that begin in a block: the last of them may end beyond it. */
export async function linesIn({ file, start, end }: Block, options: StoreOptions = {}): Promise<Lines> {
  if (end <= start) return { bytes: new Uint8Array(0), start };
  // The byte before says whether a line begins with the block.
  const from = Math.max(0, start - 1);
  const bytes = await file.read(from, end - from, options);
  const first = start === 0 ? afterMark(bytes) : bytes.indexOf(NEWLINE) + 1;
  const begins = start === 0 || first > 0;
  if (!begins || from + first >= end) return { bytes: new Uint8Array(0), start };
  const whole = bytes.subarray(first);
  const isCut = end < file.size && bytes[bytes.length - 1] !== NEWLINE;
  return { bytes: isCut ? await completed(whole, file, end, options) : whole, start: from + first };
}

const afterMark = (bytes: Uint8Array): number =>
  BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? 3 : 0;

/** With the rest of the last line. */
async function completed(
  bytes: Uint8Array,
  file: SizedFile,
  end: number,
  options: StoreOptions,
): Promise<Uint8Array> {
  const parts = [bytes];
  for (let at = end; at < file.size; ) {
    const piece = await file.read(at, Math.min(PIECE, file.size - at), options);
    const stop = piece.indexOf(NEWLINE);
    parts.push(stop < 0 ? piece : piece.subarray(0, stop));
    if (stop >= 0) break;
    at += piece.length;
    if (at - end > LONGEST_LINE)
      throw new NotSupportedError({
        what: `a line is longer than ${LONGEST_LINE} bytes`,
        where: file.name,
        cure: "Is it JSON lines? Each line must hold one value",
      });
  }
  return joined(parts);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Calls `action` with the start and end of every line that is not blank. */
export function forEachLine(
  bytes: Uint8Array,
  action: (start: number, end: number) => boolean | undefined,
): void {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found < 0 ? bytes.length : found;
    if (!isBlank(bytes, start, end) && action(start, end) === false) return;
    start = end + 1;
  }
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at]! > 0x20) return false;
  return true;
}

/** The number of the line that begins at an offset, from 1 on. For errors alone: it reads all that is before. */
export async function lineNumber(
  file: SizedFile,
  offset: number,
  options: StoreOptions = {},
): Promise<number> {
  let count = 1;
  for (let at = 0; at < offset; ) {
    const piece = await file.read(at, Math.min(2 ** 20, offset - at), options);
    for (let i = piece.indexOf(NEWLINE); i >= 0; i = piece.indexOf(NEWLINE, i + 1)) count++;
    at += piece.length;
  }
  return count;
}
