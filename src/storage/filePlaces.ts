// From keys to paths inside a store's root. In: keys. Out: paths whose folders really are inside, whatever symbolic links there
// are, or typed errors. What was looked at once is remembered, because chunks of an array share a folder.

import type { FileIo } from "./fileIo.ts";
import { contains, deepestReal, escapes } from "./fileTree.ts";
import { isPlainName, keySegments, type StoreKey } from "./store.ts";

const MOST_KNOWN_FOLDERS = 10_000;

export class FilePlaces {
  readonly #io: FileIo;
  /** Folders known to lie inside the root. */
  readonly #inside = new Set<string>();
  /** The folder of the last key: the key's part before the last "/", and the folder's path, with what ends it and without. */
  #known: { readonly prefix: string; readonly folder: string; readonly path: string } | undefined;

  constructor(io: FileIo) {
    this.#io = io;
  }

  /** Folders have been removed: what is known of them is not so any more. */
  forget(): void {
    this.#inside.clear();
  }

  /** The path of the folder with what ends it, where the folder was looked at before. */
  knownFolder(key: StoreKey): string | undefined {
    const known = this.#known;
    const cut = key.lastIndexOf("/");
    const isKnown =
      known !== undefined &&
      known.prefix.length === cut &&
      key.startsWith(known.prefix) &&
      isPlainName(key, cut + 1) &&
      this.#inside.has(known.path);
    return isKnown ? known.folder : undefined;
  }

  /** The path of a key whose folder is inside the root; undefined when the folder is not there. */
  placeOf(key: StoreKey, kind: "file" | "folder" = "file"): string | undefined {
    const path = this.pathOf(key);
    // A folder that is listed is followed when it is a link, so it must be inside itself.
    const folder = key === "/" || kind === "folder" ? path : this.#io.path.dirname(path);
    return this.isThere(folder, key) ? path : undefined;
  }

  pathOf(key: StoreKey): string {
    const { root, path: paths } = this.#io;
    // Chunks of an array share a folder, whose path is known after the first.
    const cut = key.length > 1 && key.endsWith("/") ? 0 : key.lastIndexOf("/");
    const known = this.#known;
    const hasName = cut < key.length - 1;
    if (hasName && known?.prefix.length === cut && key.startsWith(known.prefix)) {
      if (!isPlainName(key, cut + 1)) keySegments(key.slice(cut));
      return known.folder + key.slice(cut + 1);
    }
    const path = [root === paths.sep ? "" : root, ...keySegments(key)].join(paths.sep);
    if (hasName) {
      const folder = path.slice(0, path.length - (key.length - cut - 1));
      this.#known = { prefix: key.slice(0, cut), folder, path: paths.dirname(path) };
    }
    return path === "" ? root : path;
  }

  /** True when the folder is there, really inside the root; false when it is not there; else an error. */
  isThere(folder: string, key: StoreKey): boolean {
    if (this.#inside.has(folder)) return true;
    const found = deepestReal(this.#io, folder);
    if (!contains(this.#io, found.real)) throw escapes(key, found.real);
    if (!found.whole) return false;
    if (this.#inside.size >= MOST_KNOWN_FOLDERS) this.#inside.clear();
    this.#inside.add(folder);
    return true;
  }
}
