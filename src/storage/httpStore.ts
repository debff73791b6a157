// A read-only store over HTTP(S). What must hold: a range is answered with just that range (status 206) or it is
// an error; a body is as long as its header says; requests that fail for reasons that pass are tried again,
// waiting longer each time; no more than a set number run at once; what of an address proves who asks is in no error.

import type { Address, Fetch } from "../core/platform.ts";
import { messageOf, NotSupportedError, StoreRequestError } from "./errors.ts";
import { hiddenIn } from "./hiddenText.ts";
import {
  checkPartial,
  rangeHeader,
  readBody,
  reasonOf,
  taken,
  tooShortError,
  versionOf,
  wholeSize,
} from "./httpAnswers.ts";
import { KeptObjects, type PartAnswer } from "./keptObjects.ts";
import { type Backoff, retrying, Turnstile } from "./retry.ts";
import {
  type ByteRange,
  type GetOptions,
  keySegments,
  type Store,
  type StoreKey,
  type StoreLocation,
  type StoreOptions,
} from "./store.ts";
import { loginOf, mayBeTold, secretsOf, webAddress } from "./webAddress.ts";
import type { Answer } from "./wire/wireAnswer.ts";
import { type Ask, asking, type WireRequest } from "./wire/wireClient.ts";

/** Options of `new cw.HttpStore(url, …)`. */
export interface HttpStoreOptions {
  /** Sent with every request, as {authorization: "Bearer …"}. */
  headers?: { readonly [name: string]: string };
  /** Requests at once; 16 unless given. */
  concurrency?: number;
  /** Attempts after the first; 4 unless given. */
  retries?: number;
  /** The wait before the first of them, doubled for each further one; 100 ms unless given. */
  backoffMs?: number;
  /** Time for one attempt; 60 s unless given. */
  timeoutMs?: number;
  /** Answers that mean "there is no such object"; 404 and 410 unless given. Some object stores say 403. */
  missing?: readonly number[];
  /** Objects longer than this are refused; 4 GiB unless given. */
  maxBytes?: number;
  /** Used in the place of the global `fetch`. */
  fetch?: Fetch;
}

/** A store behind an http(s) URL, to read from: `new cw.HttpStore("https://example.org/data.zarr", {retries: 2})`. */
export class HttpStore implements Store {
  readonly url: string;
  readonly keepsObjects = true;
  readonly #options: HttpStoreOptions;
  readonly #ask: Ask;
  readonly #turnstile: Turnstile;
  readonly #backoff: Backoff;
  readonly #query: string;
  readonly #headers: { readonly [name: string]: string };
  readonly #secrets: readonly string[];
  readonly #isTold: boolean;
  readonly #kept = new KeptObjects((key, range, options) => this.#answer(key, range, options));

  constructor(url: string | Address, options: HttpStoreOptions = {}) {
    const parsed = webAddress(url);
    if (parsed.protocol !== "http:" && parsed.protocol !== "https:")
      throw new NotSupportedError({ what: `${parsed.protocol} is not http: or https:` });
    this.#isTold = Object.keys(options).length === 0 && mayBeTold(parsed);
    this.#secrets = secretsOf(parsed);
    const isNamed = Object.keys(options.headers ?? {}).some((name) => /^authorization$/i.test(name));
    this.#headers = { ...(isNamed ? {} : loginOf(parsed)), ...options.headers };
    this.#query = parsed.search;
    Object.assign(parsed, { search: "", hash: "", username: "", password: "" });
    this.url = parsed.href.replace(/\/$/, "");
    this.#options = options;
    this.#ask = asking(options.fetch);
    this.#turnstile = new Turnstile(options.concurrency ?? 16);
    this.#backoff = { retries: options.retries ?? 4, firstMs: options.backoffMs ?? 100, mostMs: 20_000 };
  }

  /** With what follows its question mark; null where the URL does not say all, or says what proves who asks. */
  location(): StoreLocation | null {
    return this.#isTold ? { kind: "http", url: this.url + this.#query } : null;
  }

  get(key: StoreKey, options: GetOptions = {}): Promise<Uint8Array | undefined> {
    return this.#request(key, null, options);
  }

  getRange(key: StoreKey, range: ByteRange, options: StoreOptions = {}): Promise<Uint8Array | undefined> {
    const length = "suffixLength" in range ? range.suffixLength : range.length;
    // HTTP cannot ask for nothing.
    if (length === 0) return Promise.resolve(new Uint8Array(0));
    if (options.mayKeep === undefined) return this.#request(key, range, options);
    return this.#kept.range(key, range, options.mayKeep, options);
  }

  async has(key: StoreKey, options: StoreOptions = {}): Promise<boolean> {
    const found = await this.#attempts(key, { method: "HEAD" }, options, async (response) => {
      await response.body?.cancel();
      return true;
    });
    return found ?? false;
  }

  async version(key: StoreKey, options: StoreOptions = {}): Promise<string | null | undefined> {
    try {
      return await this.#attempts(key, { method: "HEAD" }, options, async (response) => {
        await response.body?.cancel();
        return versionIn(response.headers);
      });
    } catch (cause) {
      // Some servers have no answer to HEAD. Those that failed may have one later.
      if (cause instanceof StoreRequestError && !cause.retryable) return null;
      throw cause;
    }
  }

  async #request(
    key: StoreKey,
    range: ByteRange | null,
    options: GetOptions,
  ): Promise<Uint8Array | undefined> {
    return (await this.#answer(key, range, options))?.bytes;
  }

  #answer(key: StoreKey, range: ByteRange | null, options: GetOptions): Promise<PartAnswer | undefined> {
    const most = Math.min(this.#options.maxBytes ?? 2 ** 32, options.maxBytes ?? Number.POSITIVE_INFINITY);
    const headers = range === null ? {} : { Range: rangeHeader(range) };
    return this.#attempts(key, { headers }, options, async (response) => {
      if (range !== null) checkPartial(response, range, key);
      const bytes = await readBody(response, range, key, most, options.into);
      return { bytes, size: wholeSize(response), version: versionOf(response) };
    });
  }

  #attempts<T>(
    key: StoreKey,
    init: Pick<WireRequest, "method" | "headers">,
    { signal }: StoreOptions,
    take: (response: Answer) => Promise<T>,
  ): Promise<T | undefined> {
    const url = this.#urlOf(key);
    return retrying(this.#backoff, signal, () =>
      this.#turnstile.pass(signal, () => this.#once(url, key, init, signal, take)),
    );
  }

  async #once<T>(
    url: string,
    key: StoreKey,
    init: Pick<WireRequest, "method" | "headers">,
    signal: AbortSignal | undefined,
    take: (response: Answer) => Promise<T>,
  ): Promise<T | undefined> {
    const timeout = AbortSignal.timeout(this.#options.timeoutMs ?? 60_000);
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    const headers = { ...this.#headers, ...init.headers };
    try {
      const response = await this.#ask(url, { ...init, headers, signal: either });
      if (response.ok) return await taken(response, take);
      await response.body?.cancel();
      if ((this.#options.missing ?? [404, 410]).includes(response.status)) return undefined;
      throw statusError(response, key, this.#hidden(response.statusText));
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof Error && "cure" in cause) throw cause;
      const what = timeout.aborted
        ? `no answer within ${this.#options.timeoutMs ?? 60_000} ms`
        : `the request failed: ${messageOf(cause)}${reasonOf(cause)}`;
      // What threw may have the whole address in it.
      const because = this.#secrets.length === 0 ? { cause } : {};
      throw new StoreRequestError({ what: this.#hidden(what), where: key, retryable: true }, because);
    }
  }

  #hidden(text: string): string {
    return hiddenIn(text, this.#secrets);
  }

  #urlOf(key: StoreKey): string {
    return `${this.url}/${keySegments(key).map(encodeURIComponent).join("/")}${this.#query}`;
  }
}

/** Objects that were changed less long ago can change again within the second that a time is told to. */
const SETTLED_MS = 2000;

function versionIn(headers: Answer["headers"]): string | null {
  const [tag, changed] = [headers.get("ETag"), headers.get("Last-Modified")];
  const length = headers.get("Content-Length") ?? "";
  if (tag !== null) return `${tag} ${length}`;
  const age = Date.parse(headers.get("Date") ?? "") - Date.parse(changed ?? "");
  return age >= SETTLED_MS ? `${changed} ${length}` : null;
}

function statusError({ status, headers }: Answer, key: StoreKey, said: string): Error {
  if (status === 416) return tooShortError(key);
  const retryable = status >= 500 || status === 429 || status === 408;
  const error = new StoreRequestError({
    what: `the server answered ${status} ${said}`.trimEnd(),
    where: key,
    retryable,
    status,
    cure: status === 401 || status === 403 ? "Give the headers that the server asks for" : undefined,
  });
  const seconds = Number(headers.get("Retry-After"));
  return Object.assign(error, { retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : 0 });
}
