// A column chunk, written. In: the entries of one leaf in one row group. Out: its pages as bytes, and what the footer says
// of them. What must hold: a page begins with a row; every page has a checksum of its bytes.

import { crc32 } from "../codecs/wasm.ts";
import { compressed, type WrittenCodec } from "./compression.ts";
import { type Distinct, distinctOf } from "./distinct.ts";
import { packRuns, plainBytes } from "./encode.ts";
import { type Extremes, extremesOf } from "./extremes.ts";
import { levelWidth } from "./levels.ts";
import { ENCODINGS, type EncodingName, PAGES } from "./names.ts";
import { type PhysicalValues, physicalValues, plainSize, slicePhysical } from "./physical.ts";
import type { LeafNode } from "./schema.ts";
import type { Shredded } from "./shred.ts";
import { i32, Struct, thriftBytes } from "./thrift.ts";

export interface ChunkOptions {
  readonly codec: WrittenCodec;
  /** Bytes of a page before compression, about. */
  readonly pageSize: number;
  readonly dictionary: boolean;
  readonly pageVersion: 1 | 2;
}

export interface WrittenChunk {
  readonly node: LeafNode;
  /** All pages one after another. */
  readonly parts: readonly Uint8Array[];
  readonly length: number;
  readonly uncompressedLength: number;
  /** Where the first data page begins in the chunk; a dictionary is before it. */
  readonly dataAt: number;
  readonly entries: number;
  readonly nulls: number;
  readonly encodings: readonly EncodingName[];
  readonly extremes: Extremes | null;
  /** Data pages. */
  readonly pages: readonly WrittenPage[];
}

/** What indexes say of a page. */
export interface WrittenPage {
  /** In the chunk. */
  readonly offset: number;
  readonly length: number;
  readonly firstRow: number;
  readonly nulls: number;
  /** Null where it has none, or no values. */
  readonly extremes: Extremes | null;
  readonly hasValues: boolean;
}

/** A part of the entries, and the values that belong to it. */
interface PagePart {
  readonly from: number;
  readonly to: number;
  readonly firstValue: number;
  readonly lastValue: number;
}

export async function writeChunk(shredded: Shredded, options: ChunkOptions): Promise<WrittenChunk> {
  const { node } = shredded;
  const values = physicalValues(shredded.leaf.values!, shredded.positions, node.type);
  const isBoolean = node.type.physical === "boolean";
  const distinct = options.dictionary && !isBoolean ? distinctOf(values, options.pageSize) : null;
  const pages = new PageList(options);
  if (distinct !== null) {
    const header = new Struct([1, i32(distinct.dictionary.count)], [2, i32(ENCODINGS.indexOf("plain"))]);
    await pages.add("dictionary", [7, header], [], plainBytes(distinct.dictionary, false));
  }
  const dataAt = pages.length;
  const written: WrittenPage[] = [];
  let firstRow = 0;
  for (const part of pagesOf(shredded, node, values, options.pageSize)) {
    const offset = pages.length;
    await writeDataPage(pages, shredded, node, part, encodedValues(values, distinct, part, isBoolean));
    written.push({ ...pageOf(part, values, node), offset, length: pages.length - offset, firstRow });
    firstRow += rowsOf(shredded, part);
  }
  return {
    node,
    parts: pages.parts,
    length: pages.length,
    uncompressedLength: pages.uncompressedLength,
    dataAt,
    entries: shredded.entries,
    nulls: shredded.entries - values.count,
    encodings: distinct === null ? ["plain", "rle"] : ["plain", "rle", "rleDictionary"],
    extremes: extremesOf(distinct?.dictionary ?? values, node.type),
    pages: written,
  };
}

const rowsOf = ({ repetitions }: Shredded, { from, to }: PagePart): number =>
  repetitions === null ? to - from : countOf(repetitions, from, to, 0);

function pageOf(
  { from, to, firstValue, lastValue }: PagePart,
  values: PhysicalValues,
  { type }: LeafNode,
): Pick<WrittenPage, "nulls" | "extremes" | "hasValues"> {
  const count = lastValue - firstValue;
  const extremes = count === 0 ? null : extremesOf(slicePhysical(values, firstValue, lastValue), type);
  return { nulls: to - from - count, extremes, hasValues: count > 0 };
}

/** Pages of about as many bytes as asked for, cut where a row begins. */
function* pagesOf(
  shredded: Shredded,
  node: LeafNode,
  values: PhysicalValues,
  pageSize: number,
): Iterable<PagePart> {
  const { entries, repetitions, definitions } = shredded;
  const perEntry = plainSize(values) / Math.max(1, entries) + 0.25;
  const step = Math.max(1, Math.floor(pageSize / perEntry));
  let firstValue = 0;
  for (let from = 0; from < entries; ) {
    let to = Math.min(entries, from + step);
    if (repetitions !== null) while (to < entries && repetitions[to] !== 0) to++;
    const count = definitions === null ? to - from : countOf(definitions, from, to, node.definition);
    yield { from, to, firstValue, lastValue: firstValue + count };
    firstValue += count;
    from = to;
  }
}

function countOf(levels: Uint8Array, from: number, to: number, level: number): number {
  let count = 0;
  for (let i = from; i < to; i++) count += levels[i] === level ? 1 : 0;
  return count;
}

interface Encoded {
  readonly encoding: EncodingName;
  readonly bytes: Uint8Array;
}

function encodedValues(
  values: PhysicalValues,
  distinct: Distinct | null,
  part: PagePart,
  isBoolean: boolean,
): Encoded {
  const { firstValue, lastValue } = part;
  if (distinct === null)
    return { encoding: "plain", bytes: plainBytes(slicePhysical(values, firstValue, lastValue), isBoolean) };
  // At least one bit: some readers do not expect none.
  const width = Math.max(1, levelWidth(distinct.dictionary.count - 1));
  const runs = packRuns(distinct.indices.subarray(firstValue, lastValue), width);
  const bytes = new Uint8Array(1 + runs.length);
  bytes[0] = width;
  bytes.set(runs, 1);
  return { encoding: "rleDictionary", bytes };
}

async function writeDataPage(
  pages: PageList,
  { repetitions, definitions }: Shredded,
  node: LeafNode,
  part: PagePart,
  { encoding, bytes }: Encoded,
): Promise<void> {
  const { from, to } = part;
  const repeated = repetitions?.subarray(from, to) ?? null;
  const runs = {
    repetition: repeated === null ? EMPTY : packRuns(repeated, levelWidth(node.repetition)),
    definition:
      definitions === null ? EMPTY : packRuns(definitions.subarray(from, to), levelWidth(node.definition)),
  };
  const count = i32(to - from);
  const number = i32(ENCODINGS.indexOf(encoding));
  if (pages.options.pageVersion === 2) {
    const header = new Struct(
      [1, count],
      [2, i32(to - from - (part.lastValue - part.firstValue))],
      [3, i32(repeated === null ? to - from : countOf(repeated, 0, repeated.length, 0))],
      [4, number],
      [5, i32(runs.definition.length)],
      [6, i32(runs.repetition.length)],
      [7, pages.options.codec !== "none"],
    );
    return pages.add("dataV2", [8, header], [runs.repetition, runs.definition], bytes);
  }
  const rle = i32(ENCODINGS.indexOf("rle"));
  const header = new Struct([1, count], [2, number], [3, rle], [4, rle]);
  const levels = [...prefixed(repetitions, runs.repetition), ...prefixed(definitions, runs.definition)];
  return pages.add("data", [5, header], [], joined([...levels, bytes]));
}

const EMPTY = new Uint8Array(0);

/** Levels of version 1 lie behind their length; what the column does not have is not there at all. */
function prefixed(levels: Uint8Array | null, runs: Uint8Array): Uint8Array[] {
  if (levels === null) return [];
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, runs.length, true);
  return [length, runs];
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const result = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

class PageList {
  readonly options: ChunkOptions;
  readonly parts: Uint8Array[] = [];
  length = 0;
  uncompressedLength = 0;

  constructor(options: ChunkOptions) {
    this.options = options;
  }

  /** `levels` are not compressed, `content` is. */
  async add(
    kind: (typeof PAGES)[number],
    details: readonly [id: number, header: Struct],
    levels: readonly Uint8Array[],
    content: Uint8Array,
  ): Promise<void> {
    const packed = await compressed(this.options.codec, content);
    const body = joined([...levels, packed]);
    const size = body.length - packed.length + content.length;
    const header = thriftBytes(
      new Struct(
        [1, i32(PAGES.indexOf(kind))],
        [2, i32(size)],
        [3, i32(body.length)],
        [4, i32(crc32(body) | 0)],
        details,
      ),
    );
    this.parts.push(header, body);
    this.length += header.length + body.length;
    this.uncompressedLength += header.length + size;
  }
}
