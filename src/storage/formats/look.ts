// What a user means by a path, an address or a store, seen by formats. In: what was written. Out: the place as an object among
// others, and a look at it by which a format knows its own.
// Must hold: looking changes nothing, and reads no more than was asked for where the store has ranges.

import { ValueError } from "../../core/errors.ts";
import { describe } from "../../core/shape.ts";
import { HttpStore } from "../httpStore.ts";
import { type StoreArgument, storeOf } from "../location.ts";
import type { FileArguments } from "../parquet/places.ts";
import { asked, normalPath, type Store, type StoreKey } from "../store.ts";

/** What stands for something that a format opens. */
export type SourceArgument = StoreArgument | FileArguments;

/** Where an array is, or is to be. */
export interface Place {
  /** The store that it is in. */
  readonly store: Store;
  /** "" for the root of the store, else "/a/b". */
  readonly path: string;
}

/** What a format sees of a place before it says whether that is its own. */
export interface Look {
  /** The path, the address or the key, as it was written. */
  readonly name: string;
  /** At most so many of the first bytes; undefined where there is no such object. */
  first(length: number): Promise<Uint8Array | undefined>;
  /** Whether an object lies there as in a folder. */
  has(member: string): Promise<boolean>;
  /** Names of objects in the folder; none where the store cannot tell. */
  members(): Promise<readonly string[]>;
}

function checkedPath(path: unknown): string {
  if (typeof path === "string") return path;
  throw new ValueError({ what: `path is ${describe(path)}`, cure: 'Give a text, as "group/temperature"' });
}

/** Where an array is that is a store of its own, or lies at a path in one. */
export async function folderPlace(argument: StoreArgument, path: string): Promise<Place> {
  return { store: await storeOf(argument), path: normalPath(checkedPath(path)) };
}

/** Where an object is; its store is what is around it, unless a path in the store is given. */
export async function objectPlace(argument: StoreArgument, path: string): Promise<Place> {
  const isText = typeof argument === "string" || argument instanceof URL;
  if (path !== "" || !isText) return { store: await storeOf(argument), path: normalPath(checkedPath(path)) };
  const text = String(argument);
  if (/^https?:\/\//i.test(text)) return webPlace(new URL(text));
  const local = (/^file:/i.test(text) ? decodeURIComponent(new URL(text).pathname) : text).replace(
    /\/+$/,
    "",
  );
  const [folder, name] = cutAtSlash(local);
  if (name === "" || name === "." || name === "..") return { store: await storeOf(argument), path: "" };
  const root = folder === "" ? (local.startsWith("/") ? "/" : ".") : folder;
  // A folder whose name ends in ".zip" is a folder here: the object lies in it.
  return { store: await storeOf(root.endsWith(".zip") ? `${root}/` : root), path: normalPath(name) };
}

function webPlace({ origin, pathname, search }: URL): Place {
  const [folder, name] = cutAtSlash(pathname.replace(/\/+$/, ""));
  const store = new HttpStore(`${origin}${folder}${search}`);
  return { store, path: normalPath(decodeURIComponent(name)) };
}

function cutAtSlash(path: string): [folder: string, name: string] {
  const slash = path.lastIndexOf("/");
  return [path.slice(0, Math.max(0, slash)), path.slice(slash + 1)];
}

/** The key of an object that must be one. */
export function objectKey({ path }: Place, example: string): StoreKey {
  if (path !== "") return path as StoreKey;
  throw new ValueError({
    what: "a store, and not which object of it",
    cure: `Say it: {path: ${JSON.stringify(example)}}`,
  });
}

/** Several files look as the first of them does. */
export async function lookAt(argument: SourceArgument, path: string): Promise<Look> {
  const one = Array.isArray(argument) ? (argument as readonly unknown[])[0] : argument;
  // An open file of bytes.
  if (typeof one === "object" && one !== null && "tail" in one && "name" in one)
    return { name: String(one.name), ...NOTHING };
  if (one === undefined || one === null)
    throw new ValueError({
      what: `${describe(argument)} is no place`,
      cure: "Give a path, a URL or a store",
    });
  const isText = typeof one === "string" || one instanceof URL;
  const name = isText && path === "" ? nameOf(String(one)) : path;
  // A pattern is no object.
  if (isText && /[*?[{]/.test(name) && !/^https?:/i.test(name)) return { name, ...NOTHING };
  return { name, ...lookIn(await objectPlace(one as StoreArgument, path)) };
}

/** Without what follows the path of an address. */
const nameOf = (text: string): string =>
  /^(https?|file):/i.test(text) && URL.canParse(text) ? text.replace(/[?#].*$/, "") : text;

const NOTHING: Omit<Look, "name"> = {
  first: async () => undefined,
  has: async () => false,
  members: async () => [],
};

function lookIn({ store, path }: Place): Omit<Look, "name"> {
  const key = path as StoreKey;
  const within = (member: string): StoreKey => `${path}/${member}` as StoreKey;
  return {
    async first(length) {
      if (path === "") return undefined;
      const part = { offset: 0, length };
      const bytes = await asked(key, {}, () => store.getRange?.(key, part) ?? store.get(key));
      return bytes?.subarray(0, length);
    },
    async has(member) {
      const at = within(member);
      if (store.has !== undefined) return asked(at, {}, () => store.has!(at));
      return (await asked(at, {}, () => store.get(at))) !== undefined;
    },
    members: async () => (await store.listDir?.(path === "" ? "/" : key))?.keys ?? [],
  };
}
