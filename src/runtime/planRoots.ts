// What a plan from elsewhere may use: folders and addresses that the caller names, and what lies below them. In: roots, and
// the addresses that a text asks for. Out: each address as it really is (links followed, dots resolved), or why not.
// Must hold: what is opened or imported later is what was looked at here, not what the text said.

import { describe } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import type { Address } from "../core/platform.ts";
import { builtinNow } from "../storage/builtin.ts";
import { type CloudAddress, cloudAddress, isBelowAddress } from "../storage/cloud/cloudAddress.ts";
import { messageOf } from "../storage/errors.ts";
import { realRoot } from "../storage/fileTree.ts";
import { isCloudAddress } from "../storage/store.ts";

/** A folder, a file, an http(s) address, or that of a folder in an object store: "s3://bucket/data". */
export type Root = string | Address;

/** An address that may be used, as it really is; or none, and what is wrong with it where there is more than its place. */
export type Admitted = { readonly address: string } | { readonly refused: string };

const isWeb = (address: string): boolean => /^https?:/i.test(address);

export class Roots {
  readonly #folders: string[] = [];
  readonly #sites: URL[] = [];
  readonly #buckets: CloudAddress[] = [];

  constructor(roots: unknown, option: string) {
    if (roots === undefined) return;
    if (!Array.isArray(roots)) throw badRoots(option, roots);
    for (const root of roots as readonly unknown[]) this.#add(root, option);
  }

  #add(root: unknown, option: string): void {
    const text = root instanceof URL ? root.href : root;
    if (typeof text !== "string" || text === "") throw badRoots(option, root);
    if (isCloudAddress(text)) {
      const bucket = bucketOf(text);
      if (typeof bucket === "string") throw badRoots(option, root);
      this.#buckets.push(bucket);
      return;
    }
    if (isWeb(text)) {
      const site = siteOf(text);
      if (typeof site === "string") throw badRoots(option, root);
      this.#sites.push(site);
      return;
    }
    const folder = realPath(text);
    if (folder === null) throw badRoots(option, root);
    this.#folders.push(folder);
  }

  /** A file of a module, or an address of one: as a URL. */
  module(address: string): Admitted {
    if (isWeb(address)) return this.#site(address);
    const path = realPath(address);
    if (path === null) return { refused: `${describe(address)} is not the address of a file` };
    const url = builtinNow("node:url")?.pathToFileURL(path).href ?? address;
    return this.#has(path) ? { address: url } : { refused: path };
  }

  /** A folder: as a path. */
  folder(path: string): Admitted {
    const real = realPath(path);
    if (real === null) return { refused: `${describe(path)} is not a folder` };
    return this.#has(real) ? { address: real } : { refused: real };
  }

  site(address: string): Admitted {
    if (isWeb(address)) return this.#site(address);
    if (isCloudAddress(address)) return this.#bucket(address);
    return { refused: `${describe(address)} is not an address` };
  }

  #site(address: string): Admitted {
    const site = siteOf(address);
    if (typeof site === "string") return { refused: site };
    const isBelow = this.#sites.some(
      ({ origin, pathname }) => origin === site.origin && isPathBelow(site.pathname, pathname, "/"),
    );
    return isBelow ? { address: site.href } : { refused: site.href };
  }

  #bucket(address: string): Admitted {
    const bucket = bucketOf(address);
    if (typeof bucket === "string") return { refused: bucket };
    return this.#buckets.some((root) => isBelowAddress(bucket, root)) ? { address } : { refused: address };
  }

  #has(path: string): boolean {
    const separator = builtinNow("node:path")?.sep ?? "/";
    return this.#folders.some((folder) => isPathBelow(path, folder, separator));
  }
}

/** The place in an object store that an address names; else what is wrong with it. */
function bucketOf(address: string): CloudAddress | string {
  try {
    return cloudAddress(address);
  } catch (error) {
    return messageOf(error);
  }
}

/** By whole names: "/data2" is not below "/data". */
function isPathBelow(path: string, root: string, separator: string): boolean {
  const below = root.endsWith(separator) ? root : root + separator;
  return path === root || `${path}${separator}` === below || path.startsWith(below);
}

/** An address whose parts mean the same to every server; else what is wrong with it. */
function siteOf(address: string): URL | string {
  if (!URL.canParse(address)) return `${describe(address)} is not an address`;
  const url = new URL(address);
  if (url.username !== "" || url.password !== "")
    return `${describe(address)} has a name or a password in it`;
  const isClear = url.pathname.split("/").every(isClearName);
  return isClear ? url : `${describe(address)} has a part that a server may take for another path`;
}

/** However often it is decoded, it is one name. */
function isClearName(name: string): boolean {
  let text = name;
  for (;;) {
    if (text === "." || text === ".." || /[/\\\0]/.test(text)) return false;
    let decoded: string;
    try {
      decoded = decodeURIComponent(text);
    } catch {
      return false;
    }
    if (decoded === text) return true;
    text = decoded;
  }
}

/** Where a path or a file: URL really leads; null where there is none, or no files. */
function realPath(address: string): string | null {
  const [fs, path, url] = [builtinNow("node:fs"), builtinNow("node:path"), builtinNow("node:url")];
  if (fs === undefined || path === undefined || url === undefined) return null;
  try {
    const given = /^file:/i.test(address) ? url.fileURLToPath(new URL(address)) : address;
    if (given.includes("\0") || /^[a-z][a-z0-9+.-]+:/i.test(given)) return null;
    return realRoot(fs, path, given);
  } catch {
    return null;
  }
}

function badRoots(option: string, given: unknown): ValueError {
  return new ValueError({
    where: "loadPlan",
    what: `${option} has ${describe(given)}`,
    cure: `Give a list of folders or addresses: {${option}: ["/data/project", "https://example.org/data"]}`,
  });
}
