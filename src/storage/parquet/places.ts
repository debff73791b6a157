// Files by what users write. In: paths, patterns, folders, URLs, addresses of object stores, or open files of bytes. Out: files, in order.
// Must hold: what is not there is an error before anything is read of the others.

import type * as Fs from "node:fs";
import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import type { Address } from "../../core/platform.ts";
import { suggestions } from "../../core/suggest.ts";
import { requireBuiltin } from "../builtin.ts";
import { addressText, type CloudAddress, cloudAddress } from "../cloud/cloudAddress.ts";
import type { CloudStore } from "../cloud/cloudStore.ts";
import { cloudStoreOf } from "../cloud/openCloud.ts";
import { NotFoundError } from "../errors.ts";
import type { HttpStoreOptions } from "../httpStore.ts";
import type { ListedObject, Store, StoreKey } from "../store.ts";
import { isCloudAddress } from "../store.ts";
import { type ByteFile, httpFile, localFile, storeFile } from "./byteFile.ts";

// Files by pattern: "data/*.parquet", "data/**/part-?.parquet", "year={2023,2024}/*.parquet"; and a folder as all
// files in it whose names end as they should. In: a pattern. Out: paths, sorted, of files that are there. Node only.

/** What makes a pattern of a path. */
export const SPECIAL: RegExp = /[*?[{]/;

export const PARQUET: readonly string[] = [".parquet"];

async function matchingPaths(pattern: string, endings: readonly string[] = PARQUET): Promise<string[]> {
  const fs = await requireBuiltin("node:fs");
  const stat = fs.statSync(pattern, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return inFolder(fs, pattern, endings);
  // A name with special characters that is there is a name.
  if (stat !== undefined) return [pattern];
  if (!SPECIAL.test(pattern)) throw missing(fs, pattern);
  const found = walk(
    fs,
    fixedPart(pattern),
    patternRegex(pattern),
    pattern.includes("**"),
    depthOf(pattern),
  ).sort();
  if (found.length > 0) return found;
  throw new NotFoundError({
    what: "no file has a name like this",
    where: pattern,
    cure: "Check the pattern",
  });
}

/** With the names nearby that could have been meant. */
function missing(fs: typeof Fs, path: string): NotFoundError {
  const cut = path.lastIndexOf("/") + 1;
  const folder = path.slice(0, cut) || ".";
  const near = suggestions(path.slice(cut), isFolder(fs, folder) ? fs.readdirSync(folder) : []);
  const cure = near.length === 0 ? "Check the path" : `Did you mean ${near.join(" or ")}?`;
  return new NotFoundError({ what: "there is no such file", where: path, cure });
}

const isFolder = (fs: typeof Fs, path: string): boolean =>
  fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function inFolder(fs: typeof Fs, folder: string, endings: readonly string[]): string[] {
  const isMeant = (name: string): boolean => endings.some((ending) => name.endsWith(ending));
  const names = fs.readdirSync(folder).filter((name) => isMeant(name) && !/^[._]/.test(name));
  if (names.length > 0) return names.sort().map((name) => `${folder.replace(/\/$/, "")}/${name}`);
  const wanted = endings.map((ending) => `*${ending}`).join(" or ");
  throw new NotFoundError({ what: `there is no file ${wanted} in this folder`, where: folder });
}

const depthOf = (pattern: string): number => pattern.split("/").length;

/** The folder before the first special character; "" for the working folder. */
export function fixedPart(pattern: string): string {
  const before = pattern.slice(0, pattern.search(SPECIAL));
  return before.slice(0, before.lastIndexOf("/") + 1);
}

function walk(fs: typeof Fs, folder: string, regex: RegExp, isDeep: boolean, depth: number): string[] {
  const found: string[] = [];
  if (!isFolder(fs, folder || ".")) return found;
  const entries = fs.readdirSync(folder === "" ? "." : folder, { withFileTypes: true });
  for (const entry of entries) {
    const path = folder + entry.name;
    // Links to folders are not followed: they could make the tree endless.
    if (entry.isDirectory()) {
      if (isDeep || depthOf(path) < depth) found.push(...walk(fs, `${path}/`, regex, isDeep, depth));
    } else if (regex.test(path)) found.push(path);
  }
  return found;
}

const PARTS: { readonly [special: string]: string } = {
  "**/": "(?:.*/)?",
  "**": ".*",
  "*": "[^/]*",
  "?": "[^/]",
};

export function patternRegex(pattern: string): RegExp {
  const source = pattern.replace(
    /\*\*\/|\*\*|\*|\?|\[[^\]/]+\]|\{[^{}]*\}|[\\^$.|+()[\]{}]/g,
    (part) =>
      PARTS[part] ??
      (part.startsWith("[") ? classOf(part) : part.startsWith("{") ? choiceOf(part) : `\\${part}`),
  );
  return new RegExp(`^${source}$`);
}

const classOf = (part: string): string =>
  part.length > 2 ? `[${part.slice(1, -1).replace(/^!/, "^").replace(/\\/g, "\\\\")}]` : `\\${part}`;

const choiceOf = (part: string): string =>
  part.length > 2
    ? `(?:${part
        .slice(1, -1)
        .split(",")
        .map((choice) => patternRegex(choice).source.slice(1, -1))
        .join("|")})`
    : `\\${part}`;

// Files in object storage, by address, folder or pattern. In: s3://bucket/events/*.parquet and the like. Out: files, in the order
// of their names, with their sizes and versions, so that who opens them again notices when they changed.

export async function cloudFiles(
  argument: string | Address,
  endings: readonly string[] = PARQUET,
): Promise<ByteFile[]> {
  const address = cloudAddress(argument);
  const bucket = { ...address, path: "" };
  const store = cloudStoreOf(addressText(bucket));
  const files = await objectsOf(store, address, endings);
  return files
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map((object) => fileOf(store, object, addressText({ ...bucket, path: object.key.slice(1) })));
}

/** Its location is its address: who opens it has credentials of its own. */
function fileOf(store: CloudStore, { key, size, version }: ListedObject, location: string): ByteFile {
  if (version === undefined) return { ...storeFile(store, key, { name: location, size }), location };
  const fixed: Store = {
    get: (at, options) => store.get(at, options),
    getRange: (at, range, options) => store.getRangeOf(version, at, range, options),
  };
  return { ...storeFile(fixed, key, { name: location, size }), location, version };
}

async function objectsOf(
  store: CloudStore,
  address: CloudAddress,
  endings: readonly string[],
): Promise<ListedObject[]> {
  const { path } = address;
  const isPattern = SPECIAL.test(path);
  const folder = isPattern ? fixedPart(path).replace(/\/$/, "") : path;
  const exact = isPattern || path === "" ? null : ((await store.listed(`/${path}`)) ?? null);
  if (exact !== null) return [exact];
  const regex = isPattern ? patternRegex(path) : null;
  const found = await below(store, `/${folder}`, (name) =>
    regex === null ? isMeant(name, folder, endings) : regex.test(name),
  );
  if (found.length > 0) return found;
  const wanted = endings.map((ending) => `*${ending}`).join(" or ");
  throw new NotFoundError({
    what: isPattern ? "no object has a name like this" : `there is no such object, and no ${wanted} below it`,
    where: addressText(address),
    cure: isPattern ? "Check the pattern" : "Check the address",
  });
}

/** Directly in the folder, and not hidden. */
function isMeant(name: string, folder: string, endings: readonly string[]): boolean {
  const rest = folder === "" ? name : name.slice(folder.length + 1);
  return !rest.includes("/") && !/^[._]/.test(rest) && endings.some((ending) => rest.endsWith(ending));
}

async function below(
  store: CloudStore,
  prefix: string,
  isWanted: (name: string) => boolean,
): Promise<ListedObject[]> {
  const found: ListedObject[] = [];
  for await (const objects of store.listSizes(prefix as StoreKey))
    found.push(...objects.filter(({ key }) => isWanted(key.slice(1))));
  return found;
}

/** A path, a pattern, a folder, an http(s) URL or s3://bucket/path; or a file of bytes. */
export type FileArgument = string | Address | ByteFile;
/** One file or several: paths, patterns such as "events/*.parquet", folders, URLs, files. */
export type FileArguments = FileArgument | readonly FileArgument[];

export interface PlaceOptions {
  readonly http?: HttpStoreOptions | undefined;
  /** How the names of the files end that are meant by a folder. */
  readonly endings?: readonly string[];
}

export async function filesOf(files: FileArguments, options: PlaceOptions = {}): Promise<ByteFile[]> {
  const list = Array.isArray(files) ? (files as readonly FileArgument[]) : [files as FileArgument];
  const found: ByteFile[] = [];
  for (const argument of list) found.push(...(await filesOfOne(argument, options)));
  if (found.length === 0) throw new ValueError({ what: "a dataset of no files", cure: "Name one at least" });
  return found;
}

async function filesOfOne(argument: FileArgument, { http, endings }: PlaceOptions): Promise<ByteFile[]> {
  if (typeof argument !== "string" && !(argument instanceof URL)) return [checkedFile(argument)];
  const text = String(argument);
  if (/^https?:\/\//i.test(text)) return [httpFile(text, http)];
  if (isCloudAddress(text)) return cloudFiles(argument, endings);
  if (text === "")
    throw new ValueError({ what: "the path is empty", cure: 'Give a file, as "data/events.parquet"' });
  const path = /^file:/i.test(text) ? decodeURIComponent(new URL(text).pathname) : text;
  return Promise.all((await matchingPaths(path, endings)).map(localFile));
}

function checkedFile(file: ByteFile): ByteFile {
  if (typeof file?.read === "function" && typeof file.tail === "function") return file;
  throw new ValueError({
    what: `${describe(file)} is not a file`,
    cure: "Give a path, an http(s) URL, s3://bucket/path, or a ByteFile",
  });
}
