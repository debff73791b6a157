// Layouts as JSON lines. In: a layout of any form. Out: its rows, one line each, as bytes. Must hold: integers are exact
// however long; floats have a point and the digits that give them back. What JSON has no sign for (NaN, Infinity) is null unless
// asked otherwise; complex numbers and bytes are an error that names them. A tuple is a record of "0", "1" and so on.

import { elementAt } from "../../core/block.ts";
import { isComplex, isFloat, isWide } from "../../core/dtype.ts";
import { ValueError } from "../../core/errors.ts";
import { logicalOf } from "../../core/form/logical.ts";
import {
  emptyFolder,
  inFolder,
  partName,
  putFile,
  putPieces,
  type WriteTarget,
  type WrittenFile,
} from "../../storage/parquet/index.ts";
import { toList } from "../io/nestedLists.ts";
import type { Layout, NumpyLayout, Plain, StringLayout } from "../layout/layout.ts";
import { plain } from "../layout/plainLayout.ts";
import { sliceRows, viewOf } from "../layout/rows.ts";
import type { Layouts } from "./parquetSink.ts";

export interface JsonOptions {
  /** NaN and Infinity as null, as texts ("NaN", "Infinity", "-Infinity": read as floats again), or an error. */
  nonFinite?: "null" | "string" | "error";
}

export interface JsonWriteOptions extends JsonOptions {
  /** One file unless given; or "perPartition": the target is a folder of part-00000.jsonl and so on. */
  files?: "one" | "perPartition";
}

export type WrittenLines = Omit<WrittenFile, "rowGroups">;

/** The text of a row. */
type Writer = (row: number) => string;

/** Rows are turned into bytes so many at a time: texts are short-lived. */
const AT_ONCE = 4096;

export function encodeJsonLines(layout: Layout, options: JsonOptions = {}): Uint8Array {
  const parts = [...piecesOf(layout, options)];
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const encoder = new TextEncoder();

function* piecesOf(layout: Layout, options: JsonOptions): Iterable<Uint8Array> {
  const write = writerOf(plain(layout), "", options);
  for (let start = 0; start < layout.length; start += AT_ONCE) {
    let text = "";
    for (let i = start; i < Math.min(layout.length, start + AT_ONCE); i++) text += `${write(i)}\n`;
    yield encoder.encode(text);
  }
}

/** Dates, decimals and their like as they are shown; a decimal is a number however many digits it has. */
function shownWriter(node: Plain): Writer | null {
  const logical = logicalOf(node);
  if (logical === null || !(node.kind === "numpy" || (node.kind === "string" && node.encoding === "bytes")))
    return null;
  return (row) => {
    const shown = toList(sliceRows(node, row, row + 1))[0];
    return logical.kind === "decimal" ? String(shown) : JSON.stringify(shown);
  };
}

function writerOf(node: Plain, path: string, options: JsonOptions): Writer {
  const shown = shownWriter(node);
  if (shown !== null && logicalOf(node)!.kind !== "bson") return shown;
  switch (node.kind) {
    case "empty":
      return () => "null";
    case "numpy":
      return numberWriter(node, path, options);
    case "string":
      return textWriter(node, path);
    case "regular":
    case "listOffset":
      return listWriter(node, path, options);
    case "record":
      return recordWriter(node, path, options);
    case "indexedOption": {
      const content = writerOf(node.content, path, options);
      return (row) => (node.index[row]! < 0 ? "null" : content(node.index[row]!));
    }
    case "union": {
      const contents = node.contents.map((content) => writerOf(content, path, options));
      return (row) => contents[node.tags[row]!]!(node.index[row]!);
    }
    default:
      node satisfies never;
      throw node;
  }
}

function numberWriter(
  { dtype, data }: NumpyLayout,
  path: string,
  { nonFinite = "null" }: JsonOptions,
): Writer {
  if (isComplex(dtype)) throw unwritable(path, dtype, "Write its two parts");
  if (dtype === "bool") return (row) => (data[row] === 0 ? "false" : "true");
  if (isWide(dtype)) return (row) => String(data[row]);
  return (row) => {
    const value = elementAt(data, dtype, row) as number;
    if (Number.isFinite(value)) return isFloat(dtype) ? floatText(value) : String(value);
    if (nonFinite === "error") throw unwritable(path, String(value), 'Set nonFinite to "null" or "string"');
    return nonFinite === "string" ? `"${value}"` : "null";
  };
}

/** With a point, so that what reads it knows it for a float. */
function floatText(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

const unwritable = (path: string, what: string, cure: string): ValueError =>
  new ValueError({ what: `${path === "" ? "a row" : path} is ${what}, which JSON has no sign for`, cure });

const decoder = new TextDecoder();

function textWriter(node: StringLayout, path: string): Writer {
  const { encoding, offsets, bytes } = node;
  if (encoding === "bytes") throw unwritable(path, "bytes", "Drop the field, or make texts of it");
  // JSON already.
  if (logicalOf(node)?.kind === "variant")
    return (row) => decoder.decode(bytes.slice(offsets[row]!, offsets[row + 1]!)) || "null";
  // A decoder does not read shared memory.
  return (row) => JSON.stringify(decoder.decode(bytes.slice(offsets[row]!, offsets[row + 1]!)));
}

function listWriter(
  node: Extract<Plain, { kind: "regular" | "listOffset" }>,
  path: string,
  options: JsonOptions,
): Writer {
  const { offsets, content } = viewOf(node);
  const write = writerOf(content, path, options);
  return (row) => {
    let text = "";
    for (let i = offsets[row]!; i < offsets[row + 1]!; i++)
      text += i === offsets[row] ? write(i) : `,${write(i)}`;
    return `[${text}]`;
  };
}

function recordWriter(
  { fields, contents }: Extract<Plain, { kind: "record" }>,
  path: string,
  options: JsonOptions,
): Writer {
  const parts = contents.map((content, i) => {
    const name = fields?.[i] ?? String(i);
    const write = writerOf(content, path === "" ? name : `${path}.${name}`, options);
    return { key: `${i === 0 ? "" : ","}${JSON.stringify(name)}:`, write };
  });
  return (row) => {
    let text = "";
    for (const { key, write } of parts) text += key + write(row);
    return `{${text}}`;
  };
}

/** One file, or with `files: "perPartition"` a folder of part-00000.jsonl and so on. */
export async function writeJsonLines(
  target: WriteTarget,
  layouts: Layouts,
  options: JsonWriteOptions = {},
): Promise<WrittenLines[]> {
  if (options.files !== "perPartition") return [await writeOne(target, layouts, options)];
  await checkJsonFolder(target);
  const written: WrittenLines[] = [];
  for await (const layout of layouts)
    written.push(await writeOne(inFolder(target, partName(written.length, ".jsonl")), [layout], options));
  return written;
}

async function writeOne(target: WriteTarget, layouts: Layouts, options: JsonOptions): Promise<WrittenLines> {
  let rows = 0;
  const pieces = async function* (): AsyncIterable<Uint8Array> {
    for await (const layout of layouts) {
      rows += layout.length;
      yield* piecesOf(layout, options);
    }
  };
  return { ...(await putPieces(target, pieces())), rows };
}

/** An error when the folder has files of another table. To be asked once, before partitions are written by themselves. */
export const checkJsonFolder = (folder: WriteTarget): Promise<void> => emptyFolder(folder, ".jsonl");

/** One partition as its file in a folder: for tasks that each write their own. Written again it is replaced. */
export async function writeJsonPartition(
  folder: WriteTarget,
  partition: number,
  layout: Layout,
  options: JsonOptions = {},
): Promise<WrittenLines> {
  const bytes = encodeJsonLines(layout, options);
  const name = await putFile(folder, partName(partition, ".jsonl"), bytes);
  return { name, rows: layout.length, bytes: bytes.length };
}
