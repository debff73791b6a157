// Parquet files put together by hand: one row group, one leaf, one page, with whatever numbers a test wants in them.

import { ENCODINGS, PHYSICAL } from "../../src/storage/parquet/names.ts";
import { i32, i64, Struct, thriftBytes, type Writable } from "../../src/storage/parquet/thrift.ts";

/** A schema element: a leaf has a type, a group its number of children. */
export interface Element {
  readonly name: string;
  readonly repetition?: 0 | 1 | 2;
  readonly type?: (typeof PHYSICAL)[number];
  readonly length?: number;
  readonly children?: number;
  readonly converted?: number;
  readonly logical?: Struct;
}

export interface PageOptions {
  readonly encoding?: (typeof ENCODINGS)[number];
  readonly levels?: "rle" | "bitPacked";
  readonly crc?: number;
  /** What the header says of the size before compression, if not the truth. */
  readonly uncompressed?: number;
}

/** What a footer says of its chunk, if not the truth. */
export interface Claims {
  readonly codec?: number;
  readonly offset?: number;
  readonly length?: number;
  readonly uncompressed?: number;
}

const elementStruct = ({ name, repetition, type, length, children, converted, logical }: Element): Struct =>
  new Struct(
    [1, type === undefined ? undefined : i32(PHYSICAL.indexOf(type))],
    [2, length === undefined ? undefined : i32(length)],
    [3, repetition === undefined ? undefined : i32(repetition)],
    [4, name],
    [5, children === undefined ? undefined : i32(children)],
    [6, converted === undefined ? undefined : i32(converted)],
    [10, logical],
  );

export function dataPage(
  count: number,
  body: readonly number[],
  { encoding = "plain", levels = "rle", crc, uncompressed = body.length }: PageOptions = {},
): Uint8Array {
  const level = i32(ENCODINGS.indexOf(levels));
  const header = new Struct([1, i32(count)], [2, i32(ENCODINGS.indexOf(encoding))], [3, level], [4, level]);
  return join(
    thriftBytes(
      new Struct(
        [1, i32(0)],
        [2, i32(uncompressed)],
        [3, i32(body.length)],
        [4, crc === undefined ? undefined : i32(crc | 0)],
        [5, header],
      ),
    ),
    Uint8Array.from(body),
  );
}

export function dictionaryPage(count: number, body: readonly number[]): Uint8Array {
  const size = i32(body.length);
  const header = new Struct([1, i32(count)], [2, i32(ENCODINGS.indexOf("plain"))]);
  return join(thriftBytes(new Struct([1, i32(2)], [2, size], [3, size], [7, header])), Uint8Array.from(body));
}

export const join = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** A file of one row group with one leaf, whose chunk is the pages. */
export function fileOf(
  elements: readonly Element[],
  rows: number,
  entries: number,
  page: Uint8Array,
  { codec = 0, offset = 4, length: size = page.length, uncompressed = page.length }: Claims = {},
): Uint8Array {
  const leaf = elements.find((element) => element.type !== undefined)!;
  const meta = new Struct(
    [1, i32(PHYSICAL.indexOf(leaf.type!))],
    [2, [i32(0)]],
    [3, ["x"]],
    [4, i32(codec)],
    [5, i64(entries)],
    [6, i64(uncompressed)],
    [7, i64(size)],
    [9, i64(offset)],
  );
  const group = new Struct([1, [new Struct([2, i64(4)], [3, meta])]], [2, i64(page.length)], [3, i64(rows)]);
  const groups: Writable = [group];
  const footer = thriftBytes(
    new Struct([1, i32(1)], [2, elements.map(elementStruct)], [3, i64(rows)], [4, groups]),
  );
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, footer.length, true);
  const magic = new TextEncoder().encode("PAR1");
  return join(magic, page, footer, length, magic);
}

export const root = (children: number): Element => ({ name: "root", children });
export const column = (type: Element["type"], more: Partial<Element> = {}): Element => ({
  name: "x",
  repetition: 0,
  type: type!,
  ...more,
});
