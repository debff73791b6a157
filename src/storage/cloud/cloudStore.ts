// A store in object storage, whichever it is. In: keys below a path in a bucket. Out: bytes, listings, or typed errors. Must
// hold: what is set appears whole or not at all (one put, or an upload that is completed in one step); of those who set the
// same new object one is told so, even when answers are lost; what this store wrote it does not read old.

import { CorruptDataError } from "../errors.ts";
import { checkPartial, rangeHeader, readBody, tooShortError, versionOf, wholeSize } from "../httpAnswers.ts";
import { KeptObjects, type PartAnswer } from "../keptObjects.ts";
import {
  type ByteRange,
  type GetOptions,
  keySegments,
  type ListedObject,
  type SetOptions,
  type Store,
  type StoreKey,
  type StoreLocation,
  type StoreOptions,
} from "../store.ts";
import type { Answer } from "../wire/wireAnswer.ts";
import { CloudListing } from "./cloudListing.ts";
import type { CloudStoreOptions } from "./cloudOptions.ts";
import { CloudRequests } from "./cloudRequests.ts";
import { NewObjects } from "./newObjects.ts";
import type { CloudRequest, ObjectService } from "./objectService.ts";
import { PartsUpload } from "./partsUpload.ts";
import { WholeChecks } from "./wholeChecks.ts";

/** What was kept is asked about again after so long. */
const FRESH_MS = 1000;

export abstract class CloudStore implements Store {
  readonly keepsObjects = true;
  /** The service answers when it has it for good. */
  readonly isDurable = true;
  readonly #path: string;
  readonly #options: CloudStoreOptions;
  readonly #location: StoreLocation | null;
  readonly #requests: CloudRequests;
  readonly #listing: CloudListing;
  readonly #new: NewObjects;
  readonly #checks = new WholeChecks();
  readonly #kept: KeptObjects;

  /** `path`: "" or "a/b". `location`: what others are told. `open` is called when the store is first used. */
  constructor(
    path: string,
    options: CloudStoreOptions,
    location: StoreLocation | null,
    open: () => Promise<ObjectService>,
  ) {
    this.#path = path;
    this.#options = options;
    this.#location = location;
    this.#requests = new CloudRequests(open, options);
    this.#listing = new CloudListing(this.#requests, path);
    this.#new = new NewObjects(this.#requests);
    this.#kept = new KeptObjects((key, range, asked) => this.#answer(key, range, asked), {
      freshMs: FRESH_MS,
      version: (key, asked) => this.version(key, asked),
    });
  }

  /** Null where keys, tokens or the like were given, which only this thread has. */
  location(): StoreLocation | null {
    return this.#location;
  }

  async address(): Promise<string> {
    const { address } = await this.#requests.service();
    return this.#path === "" ? address : `${address}/${this.#path}`;
  }

  async get(key: StoreKey, options: GetOptions = {}): Promise<Uint8Array | undefined> {
    return (await this.#answer(key, null, options))?.bytes;
  }

  async getRange(
    key: StoreKey,
    range: ByteRange,
    options: StoreOptions = {},
  ): Promise<Uint8Array | undefined> {
    const length = "suffixLength" in range ? range.suffixLength : range.length;
    // HTTP cannot ask for nothing.
    if (length === 0) return (await this.has(key, options)) ? new Uint8Array(0) : undefined;
    if (options.mayKeep !== undefined) return this.#kept.range(key, range, options.mayKeep, options);
    return (await this.#answer(key, range, options))?.bytes;
  }

  /** A part of an object in just this version: an error where it is another now. */
  async getRangeOf(
    version: string,
    key: StoreKey,
    range: ByteRange,
    options: StoreOptions = {},
  ): Promise<Uint8Array | undefined> {
    return (await this.#answer(key, range, options, version))?.bytes;
  }

  /** What a listing would say of an object. */
  async listed(key: StoreKey, options: StoreOptions = {}): Promise<ListedObject | undefined> {
    return this.#head(key, options, (response) => {
      const modified = Date.parse(response.headers.get("Last-Modified") ?? "");
      const version = versionOf(response);
      return {
        ...{ key, size: Number(response.headers.get("Content-Length")), modified },
        ...(version === null ? {} : { version }),
      };
    });
  }

  async has(key: StoreKey, options: StoreOptions = {}): Promise<boolean> {
    return (await this.version(key, options)) !== undefined;
  }

  version(key: StoreKey, options: StoreOptions = {}): Promise<string | null | undefined> {
    return this.#head(key, options, versionOf);
  }

  async set(key: StoreKey, value: Uint8Array, options: SetOptions = {}): Promise<void> {
    const name = this.#nameOf(key);
    const { putHeaders: headers } = await this.#requests.service();
    const request: CloudRequest = { method: "PUT", name, headers, body: value };
    await this.#writing(key, () => this.#requests.send({ key, request, options, take: ended }));
  }

  async setParts(key: StoreKey, parts: Iterable<Uint8Array>, options: SetOptions = {}): Promise<void> {
    const name = this.#nameOf(key);
    const upload = new PartsUpload(this.#requests, key, name, options);
    const small = await this.#writing(key, () => upload.send(parts));
    if (small !== null) await this.set(key, small, options);
  }

  setNew(key: StoreKey, value: Uint8Array, options: SetOptions = {}): Promise<boolean> {
    const name = this.#nameOf(key);
    return this.#writing(key, () => this.#new.put(key, name, value, options));
  }

  async delete(key: StoreKey, options: StoreOptions = {}): Promise<void> {
    const request: CloudRequest = { method: "DELETE", name: this.#nameOf(key) };
    const gone = { value: undefined };
    const refused = ({ status }: { status: number }): typeof gone | null => (status === 404 ? gone : null);
    await this.#writing(key, () => this.#requests.send({ key, request, options, take: ended, refused }));
  }

  async deleteBelow(prefix: StoreKey, options: StoreOptions = {}): Promise<void> {
    await this.#listing.deleteBelow(prefix, options);
    this.#kept.forgetAll();
  }

  async *list(prefix: StoreKey, options: StoreOptions = {}): AsyncIterable<StoreKey> {
    for await (const objects of this.listSizes(prefix, options)) for (const { key } of objects) yield key;
  }

  listSizes(prefix: StoreKey, options: StoreOptions = {}): AsyncIterable<readonly ListedObject[]> {
    return this.#listing.pages(prefix, options);
  }

  listDir(prefix: StoreKey, options: StoreOptions = {}): Promise<{ keys: string[]; folders: string[] }> {
    return this.#listing.folder(prefix, options);
  }

  /** Before and after: a read in between may have kept what was there. */
  async #writing<T>(key: StoreKey, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } finally {
      this.#kept.forget(key);
    }
  }

  #nameOf(key: StoreKey): string {
    const segments = keySegments(key);
    return (this.#path === "" ? segments : [this.#path, ...segments]).join("/");
  }

  #isMissing(status: number, code: string, service: ObjectService): boolean {
    return (this.#options.missing ?? [404]).includes(status) && !service.noBucketCodes.includes(code);
  }

  async #head<T>(
    key: StoreKey,
    options: StoreOptions,
    seen: (response: Answer) => T,
  ): Promise<T | undefined> {
    const service = await this.#requests.service();
    return this.#requests.send<T | undefined>({
      ...{ key, options, request: { method: "HEAD", name: this.#nameOf(key) } },
      take: async (response) => seen(await ended(response)),
      refused: ({ status, code }) => (this.#isMissing(status, code, service) ? { value: undefined } : null),
    });
  }

  async #answer(
    key: StoreKey,
    range: ByteRange | null,
    options: GetOptions,
    version?: string,
  ): Promise<PartAnswer | undefined> {
    const service = await this.#requests.service();
    const name = this.#nameOf(key);
    const most = Math.min(this.#options.maxBytes ?? 2 ** 32, options.maxBytes ?? Number.POSITIVE_INFINITY);
    const headers = {
      ...(range === null ? {} : { Range: rangeHeader(range) }),
      ...(version === undefined ? {} : { "If-Match": version }),
    };
    const check = this.#checks.begin(key, () => this.#head(key, options, sizeAndTag));
    return this.#requests.send<PartAnswer | undefined>({
      ...{ key, options, request: { method: "GET", name, headers } },
      expects: range === null || "suffixLength" in range ? 2 ** 26 : range.length,
      take: async (response) => {
        if (range !== null) checkPartial(response, range, key);
        const bytes = await readBody(response, range, key, most, options.into);
        if (range === null) await check(response, bytes);
        return { bytes, size: wholeSize(response), version: versionOf(response) };
      },
      refused: ({ status, code }) => {
        if (this.#isMissing(status, code, service)) return { value: undefined };
        if (status === 416) throw tooShortError(key);
        if (status === 412) throw otherVersion(key);
        return null;
      },
    });
  }
}

const otherVersion = (key: StoreKey): CorruptDataError =>
  new CorruptDataError({
    what: "the object has changed since it was opened",
    where: key,
    cure: "Open it again",
  });

const sizeAndTag = ({ headers }: Pick<Answer, "headers">): string =>
  `${headers.get("Content-Length")} ${headers.get("ETag")}`;

/** What nobody reads is let go, so that the connection can be used again. */
async function ended(response: Answer): Promise<Answer> {
  await response.body?.cancel();
  return response;
}
