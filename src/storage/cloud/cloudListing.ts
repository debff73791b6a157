// What is below a path of a bucket. In: prefixes. Out: keys with lengths, times and versions, page after page; names in a
// folder; all of it removed. Must hold: names that no key can be (those that end with "/", as some programs make folders) are
// not listed, and are removed with the rest.

import { StoreRequestError } from "../errors.ts";
import { keySegments, type ListedObject, type StoreKey, type StoreOptions } from "../store.ts";
import { mapLimited } from "../zarr/limited.ts";
import type { CloudRequests } from "./cloudRequests.ts";
import type { ListedPage } from "./objectService.ts";
import { childrenOf, childText } from "./xmlReader.ts";

/** Deleted one by one: so many at once. */
const AT_ONCE = 16;
/** Pages that say nothing but where the next is. */
const MOST_EMPTY_PAGES = 1000;

export class CloudListing {
  readonly #requests: CloudRequests;
  readonly #path: string;

  constructor(requests: CloudRequests, path: string) {
    this.#requests = requests;
    this.#path = path;
  }

  async *pages(prefix: StoreKey, options: StoreOptions): AsyncIterable<readonly ListedObject[]> {
    const skip = this.#path === "" ? 0 : this.#path.length + 1;
    for await (const { objects } of this.#walk(prefix, true, options)) {
      const listed = objects.filter(({ name }) => isKey(name.slice(skip)));
      yield listed.map(({ name, size, modified, version }) => ({
        ...{ key: `/${name.slice(skip)}` as StoreKey, size, modified },
        ...(version === undefined ? {} : { version }),
      }));
    }
  }

  async folder(prefix: StoreKey, options: StoreOptions): Promise<{ keys: string[]; folders: string[] }> {
    const skip = this.#prefixOf(prefix).length;
    const found = { keys: [] as string[], folders: [] as string[] };
    for await (const { objects, folders } of this.#walk(prefix, false, options)) {
      found.keys.push(...objects.map(({ name }) => name.slice(skip)).filter(isKey));
      found.folders.push(...folders.map((name) => name.slice(skip, -1)).filter(isKey));
    }
    return found;
  }

  async deleteBelow(prefix: StoreKey, options: StoreOptions): Promise<void> {
    const { deletion } = await this.#requests.service();
    for await (const { objects } of this.#walk(prefix, true, options)) {
      const names = objects.map(({ name }) => name);
      const together = deletion === null ? [] : names.filter(isXmlText);
      if (together.length > 0) await this.#deleteAll(prefix, together, options);
      const alone = deletion === null ? names : names.filter((name) => !isXmlText(name));
      await mapLimited(alone, AT_ONCE, (name) => this.#deleteOne(prefix, name, options));
    }
  }

  async #deleteAll(key: StoreKey, names: readonly string[], options: StoreOptions): Promise<void> {
    const { deletion, hidden } = await this.#requests.service();
    await this.#requests.xml({ key, options, request: deletion!(names) }, (answer) => {
      const [failed] = childrenOf(answer, "Error");
      if (failed === undefined) return;
      const code = childText(failed, "Code") ?? "";
      const what = `${childrenOf(answer, "Error").length} of ${names.length} objects were not deleted: ${code} ${childText(failed, "Message") ?? ""}`;
      const retryable = /InternalError|SlowDown|ServiceUnavailable/.test(code);
      throw new StoreRequestError({ what: hidden(what).trimEnd(), where: key, retryable, cure: "Try again" });
    });
  }

  async #deleteOne(key: StoreKey, name: string, options: StoreOptions): Promise<void> {
    await this.#requests.send<void>({
      ...{ key, options, request: { method: "DELETE", name } },
      take: async (response) => response.body?.cancel(),
      refused: ({ status }) => (status === 404 ? { value: undefined } : null),
    });
  }

  /** What names below a prefix begin with. */
  #prefixOf(prefix: StoreKey): string {
    const names = [this.#path, ...keySegments(prefix)].filter((name) => name !== "");
    return names.length === 0 ? "" : `${names.join("/")}/`;
  }

  async *#walk(key: StoreKey, isFlat: boolean, options: StoreOptions): AsyncIterable<ListedPage> {
    const service = await this.#requests.service();
    const prefix = this.#prefixOf(key);
    let from: string | undefined;
    let empty = 0;
    do {
      const request = service.listing(prefix, isFlat, from);
      const page = await this.#requests.xml({ key, options, request }, (answer) =>
        inside(service.pageOf(answer), prefix, key),
      );
      if (page.objects.length + page.folders.length > 0) yield page;
      else if (++empty > MOST_EMPTY_PAGES) throw endless(key);
      if (page.next !== undefined && page.next === from) throw endless(key);
      from = page.next;
    } while (from !== undefined);
  }
}

const endless = (key: StoreKey): StoreRequestError =>
  new StoreRequestError({ what: "the listing has no end", where: key, retryable: false });

/** What was not asked for is not the listing of this prefix: it would be read, or deleted, in the place of something else. */
function inside(page: ListedPage, prefix: string, key: StoreKey): ListedPage {
  const names = [...page.objects.map(({ name }) => name), ...page.folders];
  if (names.every((name) => name.startsWith(prefix))) return page;
  const what = "the listing has names that do not begin as was asked for";
  throw new StoreRequestError({ what, where: key, retryable: true });
}

/** A name that a key can be: none that a program of another made of empty parts or dots. */
function isKey(name: string): boolean {
  try {
    return name !== "" && keySegments(`/${name}`).length > 0;
  } catch {
    return false;
  }
}

/** XML cannot say all characters that names can have. */
const isXmlText = (name: string): boolean => !/[\p{Cc}\ufffe\uffff]/u.test(name);
