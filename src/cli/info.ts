// `chunkwise info`: what is at a place, without reading data. In: a place. Out: a tree of groups and arrays with shapes, dtypes, chunks,
// codecs, attributes and what is stored; of nested data the type, rows and partitions.

import type { Group } from "../array/opening.ts";
import type { LazyRagged } from "../array/ragged/raggedArrays.ts";
import { blockBytes } from "../core/block.ts";
import { shapeText } from "../core/chunks.ts";
import { bytesText, countText } from "../core/counts.ts";
import { plainText } from "../core/plainText.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import type { StoreKey } from "../storage/store.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import type { JsonObject } from "../storage/zarr/zarrJson.ts";
import { command, JSON_OUT, PATH, print, printJson } from "./command.ts";
import { type Found, openPlace } from "./openPlace.ts";

/** What is said of one thing; `members` of a group. */
interface Entry {
  readonly kind: "group" | "array" | "rows" | "unsupported";
  readonly dtype?: string;
  readonly shape?: readonly number[];
  readonly dimensions?: readonly (string | null)[];
  readonly chunks?: readonly number[];
  readonly shards?: readonly number[];
  readonly codecs?: readonly string[];
  readonly zarrFormat?: number;
  readonly type?: string;
  readonly rows?: number | null;
  readonly partitions?: number;
  /** Bytes of all elements, and of what is stored; the latter not there where the store cannot tell. */
  readonly bytes?: number;
  readonly storedBytes?: number;
  readonly attributes?: JsonObject;
  readonly members?: { readonly [path: string]: Entry };
}

export const infoCommand = command({
  name: "info",
  summary: "what is in a store or file: shapes, dtypes, chunks, codecs, attributes, sizes",
  places: ["<place>"],
  about:
    "Shows what is at a path or an address: Zarr groups and arrays, npy, Parquet, JSON lines. No data are read.",
  options: [
    PATH,
    { name: "sizes", text: "what is stored of each array, where the store can list its objects" },
    JSON_OUT,
  ],
  async run(given) {
    const place = given.place(0, "the place");
    const entry = await entryOf(await openPlace(place, given.one("path")), given.has("sizes"));
    if (given.has("json")) printJson({ place, ...entry });
    else for (const line of tree(place, entry)) print(line);
  },
});

async function entryOf(found: Found, withSizes: boolean): Promise<Entry> {
  if (found.kind === "rows") return rowsEntry(found.rows);
  if (found.kind === "group") return groupEntry(found.group, withSizes);
  return found.stored === null ? arrayEntry(found.array) : storedEntry(found.stored, withSizes);
}

const arrayEntry = ({ dtype, shape, chunks }: LazyArray): Entry => ({
  ...{ kind: "array", dtype, shape, chunks, bytes: blockBytes(dtype, shape) },
});

const rowsEntry = ({ type, npartitions, divisions }: LazyRagged): Entry => ({
  ...{ kind: "rows", type, rows: divisions?.at(-1) ?? null, partitions: npartitions },
});

async function storedEntry(array: ZarrArray, withSizes: boolean): Promise<Entry> {
  const { shape, dtype, storedDType, chunks, shards, metadata } = array;
  const stored = withSizes ? await storedBytes(array) : undefined;
  return {
    ...{ kind: "array", dtype: storedDType, shape, chunks, zarrFormat: metadata.zarrFormat },
    ...(metadata.dimensionNames === null ? {} : { dimensions: metadata.dimensionNames }),
    ...(shards === null ? {} : { shards }),
    codecs: metadata.codecs.map(({ name }) => name),
    bytes: blockBytes(dtype, shape),
    ...(stored === undefined ? {} : { storedBytes: stored }),
    attributes: metadata.attributes,
  };
}

async function storedBytes({ store, path }: ZarrArray): Promise<number | undefined> {
  if (store.listSizes === undefined) return undefined;
  let bytes = 0;
  for await (const objects of store.listSizes((path === "" ? "/" : path) as StoreKey))
    for (const { size } of objects) bytes += size;
  return bytes;
}

async function groupEntry({ zarr }: Group, withSizes: boolean): Promise<Entry> {
  const members: [string, Entry][] = [];
  for (const { path, kind } of await zarr.members({ deep: true })) {
    if (kind === "unsupported") members.push([path, { kind }]);
    else if (kind === "array") members.push([path, await storedEntry(await zarr.openArray(path), withSizes)]);
    else members.push([path, { kind, attributes: (await zarr.openGroup(path)).attributes }]);
  }
  const { zarrFormat, attributes } = zarr;
  return { kind: "group", zarrFormat, attributes, members: Object.fromEntries(members) };
}

/** The entry and what is below it, a line each; attributes under what they belong to. */
function* tree(name: string, entry: Entry): Generator<string> {
  yield `${name}  ${summaryOf(entry)}`;
  for (const line of attributeLines(entry)) yield `    ${line}`;
  for (const [path, member] of Object.entries(entry.members ?? {})) {
    const indent = "  ".repeat(path.split("/").length);
    yield `${indent}${plainText(path.split("/").at(-1)!)}  ${summaryOf(member)}`;
    for (const line of attributeLines(member)) yield `${indent}    ${line}`;
  }
}

function summaryOf(entry: Entry): string {
  const { kind, dtype, shape, chunks, shards, codecs, bytes, storedBytes: stored } = entry;
  if (kind === "rows") return `${entry.type}, ${countText(entry.partitions!, "partition")}`;
  if (kind === "group") return "group";
  if (kind === "unsupported") return "not supported";
  const names = entry.dimensions?.some((one) => one !== null)
    ? ` (${entry.dimensions.map((one) => plainText(one ?? "?")).join(", ")})`
    : "";
  return [
    `${dtype} ${shapeText(shape!)}${names}`,
    `chunks ${shapeText(chunks!)}${shards === undefined ? "" : ` in shards of ${shapeText(shards)}`}`,
    ...(codecs === undefined ? [] : [codecs.join(" + ")]),
    stored === undefined ? bytesText(bytes!) : `${bytesText(bytes!)}, ${bytesText(stored)} stored`,
  ].join("  ");
}

/** Long ones are cut: --json has them whole. */
const MOST_LETTERS = 70;

function attributeLines({ attributes = {} }: Entry): string[] {
  return Object.entries(attributes).map(([name, value]) => {
    const text = plainText(typeof value === "string" ? value : JSON.stringify(value));
    return `${plainText(name)}: ${text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text}`;
  });
}
