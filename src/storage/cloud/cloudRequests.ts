// Requests to an object store. In: what is asked, and what to make of the answer. Out: that, or a typed error. Attempts that
// failed for reasons that pass are repeated (retry.ts); a clock that is wrong is set by the server's; credentials that grew
// old are had again. Must hold: addresses, headers and what threw are no part of an error, for there are secrets in them.

import { messageOf, StoreRequestError } from "../errors.ts";
import { reasonOf, taken } from "../httpAnswers.ts";
import { type Backoff, retrying, Turnstile } from "../retry.ts";
import type { StoreKey, StoreOptions } from "../store.ts";
import type { Answer } from "../wire/wireAnswer.ts";
import { type Ask as AskServer, asking } from "../wire/wireClient.ts";
import { fromUtf8 } from "../zarr/zarrJson.ts";
import { bounded, isPassing, refusalError, refusalOf, TOO_OLD } from "./cloudErrors.ts";
import type { CloudStoreOptions } from "./cloudOptions.ts";
import type { CloudRequest, ObjectService, Refusal } from "./objectService.ts";
import { readXml, type XmlElement } from "./xmlReader.ts";

/** What is made of a refusal that was to be expected; null: it is an error. */
type Refused<T> = (refusal: Refusal) => { readonly value: T } | null;

interface Ask<T> {
  readonly key: StoreKey;
  readonly request: CloudRequest;
  readonly options: StoreOptions;
  /** Bytes that the answer may have: more of them get more time. */
  readonly expects?: number | undefined;
  take(response: Answer): Promise<T>;
  refused?: Refused<T>;
}

/** A page of 1000 names has less than 4 MB, however long they are. */
const MOST_XML_BYTES = 2 ** 24;
/** Bytes a millisecond: slower than this is taken for hanging. */
const SLOWEST = 256;
/** Clocks that differ by less are no reason to sign again. */
const SKEW_MS = 1000;

export class CloudRequests {
  readonly #open: () => Promise<ObjectService>;
  readonly #options: CloudStoreOptions;
  readonly #ask: AskServer;
  readonly #turnstile: Turnstile;
  readonly #backoff: Backoff;
  #service: Promise<ObjectService> | undefined;
  /** How far the server's clock is ahead of ours. */
  #skewMs = 0;

  constructor(open: () => Promise<ObjectService>, options: CloudStoreOptions) {
    this.#open = open;
    this.#options = options;
    this.#ask = asking(options.fetch);
    this.#turnstile = new Turnstile(options.concurrency ?? 16);
    this.#backoff = { retries: options.retries ?? 6, firstMs: options.backoffMs ?? 100, mostMs: 20_000 };
  }

  /** Found when it is first needed; a failure is not remembered. */
  service(): Promise<ObjectService> {
    this.#service ??= this.#open().catch((cause: unknown) => {
      this.#service = undefined;
      throw cause;
    });
    return this.#service;
  }

  async send<T>(ask: Ask<T>): Promise<T> {
    const { signal } = ask.options;
    signal?.throwIfAborted();
    const service = await this.service();
    return retrying(this.#backoff, signal, () =>
      this.#turnstile.pass(signal, () => this.#once(service, ask)),
    );
  }

  /** For answers that are XML. One that is cut off is asked for again. */
  xml<T>(ask: Omit<Ask<T>, "take">, take: (answer: XmlElement) => T): Promise<T> {
    return this.send({ ...ask, take: async (response) => take(await xmlOf(response, ask.key)) });
  }

  async #once<T>(service: ObjectService, ask: Ask<T>): Promise<T> {
    const { key, request, options } = ask;
    const { signal } = options;
    const bytes = (request.body?.length ?? 0) + (ask.expects ?? 0);
    const mostMs = Math.ceil((this.#options.timeoutMs ?? 60_000) + bytes / SLOWEST);
    const timeout = AbortSignal.timeout(mostMs);
    try {
      const response = await this.#fetched(
        service,
        request,
        signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      );
      if (response.ok) return await taken(response, ask.take);
      return this.#judged(service, ask, await refusalOf(response));
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof Error && "cure" in cause) throw cause;
      const what = timeout.aborted
        ? `no answer of ${service.where} within ${mostMs} ms`
        : `the request to ${service.where} failed: ${messageOf(cause)}${reasonOf(cause)}`;
      throw new StoreRequestError({ what: service.hidden(what), where: key, retryable: true });
    }
  }

  async #fetched(service: ObjectService, request: CloudRequest, signal: AbortSignal): Promise<Answer> {
    const { url, headers } = await service.authorized(request, Date.now() + this.#skewMs);
    const { method, body } = request;
    // Credentials are for this address: where it leads to another, nobody follows.
    return this.#ask(url, {
      method,
      headers,
      signal,
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
    });
  }

  #judged<T>(service: ObjectService, { key, refused }: Ask<T>, refusal: Refusal): T {
    const expected = isPassing(refusal) ? null : (refused?.(refusal) ?? null);
    if (expected !== null) return expected.value;
    const error = refusalError(service, refusal, key);
    if (this.#mayPass(service, refusal))
      throw new StoreRequestError({ what: error.what, where: key, retryable: true, cure: error.cure });
    throw error;
  }

  /** Whether what was wrong is right now: the time, or the credentials. */
  #mayPass(service: ObjectService, { status, code, date }: Refusal): boolean {
    if (status === 403 && !Number.isNaN(date)) {
      const skew = date - Date.now();
      const isSkew = code === "RequestTimeTooSkewed" || Math.abs(skew - this.#skewMs) > 4 * 60_000;
      if (isSkew && Math.abs(skew - this.#skewMs) > SKEW_MS) {
        this.#skewMs = skew;
        return true;
      }
    }
    // An answer to HEAD has no code.
    const isOld = status === 401 || TOO_OLD.has(code) || (status === 400 && code === "");
    return isOld && service.forgetCredentials();
  }
}

export async function xmlOf(response: Answer, key: StoreKey): Promise<XmlElement> {
  const bytes = await bounded(response, MOST_XML_BYTES);
  try {
    return readXml(fromUtf8(bytes));
  } catch (cause) {
    const what = `an answer of ${bytes.length} bytes that is no whole XML (${messageOf(cause)})`;
    throw new StoreRequestError({ what, where: key, retryable: true, cure: "Try again" });
  }
}
