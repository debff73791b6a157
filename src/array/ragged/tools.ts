// Whole arrays: made to have a type, compared, checked, as columns of a data frame; JSON and Arrow's files as bytes. In: arrays in memory
// (lazy ones where it makes sense). Out: arrays, answers, columns, texts and bytes.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { parseElementType } from "../../core/form/parseType.ts";
import { asyncCall, userCall } from "../../lazy/call.ts";
import {
  type ArrowTable,
  arrowVector,
  enforceType as enforceOp,
  fromArrow,
  LayoutError,
  loadArrow,
  type Plain,
  validate,
} from "../../ragged/index.ts";
import { almostEqual as sameLayouts } from "../../ragged/layout/almostEqual.ts";
import { apply } from "./apply.ts";
import { inMemory } from "./argumentChecks.ts";
import { localIndex, ravel } from "./listFunctions.ts";
import { fromIter } from "./making.ts";
import { asRagged, RaggedArray, type RaggedInput } from "./raggedArrays.ts";
import { broadcastArrays } from "./recordFunctions.ts";
import type { Joint } from "./types.ts";

/**
 * The same values in a type of rows: `rg.enforceType([[1], []], "var * ?float32")`. Numbers are cast, texts read, fields chosen; what does
 * not fit is an error.
 */
export const enforceType: <const X extends RaggedInput>(x: X, type: string) => Joint<X> = userCall(
  "enforceType",
  (x: RaggedInput, type: string) => {
    parseElementType(type);
    return apply(enforceOp as never, [asRagged(x)], { type }) as never;
  },
);

/** Options of `rg.almostEqual`. */
export interface AlmostEqualOptions {
  /** How far apart, as a part of the second: 1e-5 unless given. */
  readonly rtol?: number | undefined;
  /** And besides, whatever it is: 1e-8 unless given. */
  readonly atol?: number | undefined;
  /** true: NaN is NaN. */
  readonly equalNan?: boolean | undefined;
  /** false: dtypes, regular lists and names of records may differ. */
  readonly exactTypes?: boolean | undefined;
}

/** Have two arrays the same values, but for rounding, and the same types? `rg.almostEqual([[0.3]], [[0.1 + 0.2]])` is true. */
export const almostEqual: (x: RaggedInput, y: RaggedInput, options?: AlmostEqualOptions) => boolean =
  userCall(
    "almostEqual",
    (x: RaggedInput, y: RaggedInput, options: AlmostEqualOptions = {}) => {
      const { rtol = 1e-5, atol = 1e-8, equalNan = false, exactTypes = true } = options;
      return sameLayouts(inMemory(x).layout, inMemory(y).layout, { rtol, atol, equalNan, exactTypes });
    },
    [2, "rtol", "atol", "equalNan", "exactTypes"],
  );

/** Do the buffers of an array fit its form? `rg.isValid(rg.fromBuffers(form, length, buffers))`. */
export const isValid: (x: RaggedArray) => boolean = userCall("isValid", (x: RaggedArray) => {
  try {
    validate(inMemory(x).layout);
    return true;
  } catch (error) {
    if (error instanceof LayoutError) return false;
    throw error;
  }
});

/** A column of a data frame: a typed array of numbers; a list where there are texts or nulls. */
export type FrameColumn = ArrayLike<unknown>;

/**
 * A data frame's columns: a row for each innermost element, with the numbers of its row and of its places in lists (`entry`, `subentry`,
 * …): `rg.toColumns([{ id: 7, jets: [{ pt: 1 }, { pt: 2 }] }])` has id [7, 7] and jets.pt [1, 2].
 */
export const toColumns: (x: RaggedInput) => { readonly [name: string]: FrameColumn } = userCall(
  "toColumns",
  (x: RaggedInput) => {
    const array = inMemory(x);
    const paths = leafPaths(array.layout, []);
    const leaves = paths.map((path) => (path.length === 0 ? array : array.field(...path)));
    const together = (leaves.length === 1 ? leaves : broadcastArrays(...leaves)) as RaggedArray[];
    const depth = depthOf(together[0]!.layout);
    const places = Array.from(
      { length: depth },
      (_, axis) => localIndex(together[0]!, { axis }) as RaggedArray,
    );
    const index = places.map((own) => (broadcastArrays(own, together[0]!) as RaggedArray[])[0]!);
    const named = [
      ...index.map((own, axis) => [`${"sub".repeat(axis)}entry`, own] as const),
      ...together.map((own, i) => [paths[i]!.join(".") || "values", own] as const),
    ];
    return Object.fromEntries(named.map(([name, own]) => [name, columnOf(ravel(own) as RaggedArray)]));
  },
);

/** Of the fields that hold values. */
function leafPaths(node: Plain, path: readonly string[]): string[][] {
  if (node.kind === "record")
    return node.contents.flatMap((content, i) =>
      leafPaths(content, [...path, node.fields?.[i] ?? String(i)]),
    );
  return "content" in node ? leafPaths(node.content, path) : [[...path]];
}

function depthOf(node: Plain): number {
  if (node.kind === "regular" || node.kind === "listOffset") return 1 + depthOf(node.content);
  return node.kind === "indexedOption" ? depthOf(node.content) : 1;
}

function columnOf(flat: RaggedArray): FrameColumn {
  const { layout } = flat;
  return layout.kind === "numpy" &&
    !/int64|bool/.test(layout.dtype) &&
    Object.keys(layout.parameters).length === 0
    ? (layout.data as unknown as FrameColumn)
    : flat.toList();
}

// JSON. Bytes may be compressed by gzip, which their first two say.

/** What JSON is read from: text, its bytes, or a stream of them; compressed by gzip or not. */
export type JsonSource = string | Uint8Array | AsyncIterable<Uint8Array>;
/** Options of `rg.fromJson`. */
export interface FromJsonOptions {
  /** true: a value on every line, as in JSON lines; false: one list. */
  readonly lines?: boolean | undefined;
  /** Of a row: `{x: ?float64, tags: var * string}`; found out unless given. */
  readonly type?: string | undefined;
}

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

async function throughStream(
  bytes: Uint8Array,
  stream: { readable: ReadableStream; writable: WritableStream },
): Promise<Uint8Array> {
  const piped = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(stream as never);
  return new Uint8Array(await new Response(piped as ReadableStream).arrayBuffer());
}

async function allOf(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const isPieces = typeof source === "object" && source !== null && Symbol.asyncIterator in source;
  const parts: Uint8Array[] = [];
  if (isPieces) for await (const part of source) parts.push(part);
  if (!isPieces || !parts.every((part) => part instanceof Uint8Array))
    throw new ValueError({
      what: `${describe(source)} is no JSON`,
      cure: "Give a text, its bytes, or pieces of them",
    });
  return new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

async function textOf(source: JsonSource): Promise<string> {
  if (typeof source === "string") return source;
  const bytes = source instanceof Uint8Array ? source : await allOf(source);
  return new TextDecoder().decode(
    isGzip(bytes) ? await throughStream(bytes, new DecompressionStream("gzip")) : bytes,
  );
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ValueError(
      { what: `${where} is no JSON: ${(cause as Error).message}`, cure: "Use lines: true for JSON lines" },
      { cause },
    );
  }
}

/** An array of JSON: `await rg.fromJson("[[1, 2], []]")`; files of lines that are too large for memory are for `fromJsonLines`. */
export const fromJson: (source: JsonSource, options?: FromJsonOptions) => Promise<RaggedArray> = asyncCall(
  "fromJson",
  async (source: JsonSource, { lines = false, type }: FromJsonOptions = {}) => {
    const text = await textOf(source);
    const rows = lines
      ? text.split("\n").flatMap((line, i) => (line.trim() === "" ? [] : [parsed(line, `line ${i + 1}`)]))
      : parsed(text, "the text");
    if (!Array.isArray(rows))
      throw new ValueError({
        what: `the JSON is ${describe(rows)}`,
        cure: "Write a list of rows, or use lines: true",
      });
    const array = fromIter(rows);
    return type === undefined ? array : (enforceType(array, type) as RaggedArray);
  },
  [1, "lines", "type"],
);

/** Options of `rg.toJson`. */
export interface ToJsonOptions {
  /** true: a row on every line. */
  readonly lines?: boolean | undefined;
}

/** A list of all rows as JSON, or a row on every line: `rg.toJson([[1], []])` is "[[1],[]]". What is not finite is null. */
export const toJson: (x: RaggedInput, options?: ToJsonOptions) => string = userCall(
  "toJson",
  (x: RaggedInput, { lines = false }: ToJsonOptions = {}) => {
    const rows = inMemory(x).toList();
    const exact = (_: string, value: unknown): unknown =>
      typeof value === "bigint" ? rawNumber(value) : value;
    if (!lines) return JSON.stringify(rows, exact);
    return rows.map((row) => `${JSON.stringify(row, exact)}\n`).join("");
  },
  [1, "lines"],
);

/** Beyond what numbers hold exactly there is no JSON number that comes back. */
const rawNumber = (value: bigint): string => String(value);

// Arrow's files, by apache-arrow.

/** An array of the bytes of an Arrow file or stream (Feather 2): `await rg.fromFeather(bytes)`; apache-arrow has to be installed. */
export const fromFeather: (bytes: Uint8Array) => Promise<RaggedArray> = asyncCall(
  "fromFeather",
  async (bytes: Uint8Array) => {
    if (!(bytes instanceof Uint8Array))
      throw new ValueError({ what: `${describe(bytes)} are no bytes`, cure: "Read the file first" });
    const arrow = await loadArrow();
    const table = (arrow["tableFromIPC"] as (bytes: Uint8Array) => ArrowTable)(bytes);
    return new RaggedArray(fromArrow(table as never));
  },
  [1],
);

/** The bytes of an Arrow file (Feather 2, not compressed), a column for each field: `await rg.toFeather(x)`. */
export const toFeather: (x: RaggedInput) => Promise<Uint8Array> = asyncCall(
  "toFeather",
  async (x: RaggedInput) => {
    const array = inMemory(x);
    const arrow = await loadArrow();
    const names = array.layout.kind === "record" ? array.fields : [];
    const columns = Object.fromEntries(
      names.length === 0
        ? [["values", arrowVector(array.layout, arrow)]]
        : names.map((name) => [name, arrowVector((array.field(name) as RaggedArray).layout, arrow)]),
    );
    const Table = arrow["Table"] as new (columns: object) => object;
    return (arrow["tableToIPC"] as (table: object, format: string) => Uint8Array)(new Table(columns), "file");
  },
  [1],
);
