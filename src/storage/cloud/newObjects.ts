// Objects that are put only where none is. In: bytes. Out: whether this call made the object. Must hold: one of many is told
// so, and none wrongly, although a request may arrive twice and an answer may be lost: each call leaves a note on its object,
// and who is told "there is one" looks whose it is. A service that puts in spite of the condition is noticed at the first use.

import { NotSupportedError } from "../errors.ts";
import type { StoreKey, StoreOptions } from "../store.ts";
import type { CloudRequests } from "./cloudRequests.ts";
import type { CloudRequest, ObjectService, Refusal } from "./objectService.ts";

const NOTE = "chunkwise-put";

/** What "there is one" is called: by the condition, and by services that have a word for it. */
const isThere = ({ status, code }: Refusal): boolean =>
  status === 412 || (status === 409 && /AlreadyExists/.test(code));

export class NewObjects {
  readonly #requests: CloudRequests;
  /** Once somebody was refused, conditions are kept. */
  #isKnown = false;

  constructor(requests: CloudRequests) {
    this.#requests = requests;
  }

  async put(key: StoreKey, name: string, body: Uint8Array, options: StoreOptions): Promise<boolean> {
    const service = await this.#requests.service();
    const note = crypto.randomUUID();
    const request = putting(service, name, body, note);
    if (await this.#isPut(key, request, options)) {
      if (!this.#isKnown && !service.keepsConditions) await this.#tryAgain(key, request, options, service);
      return true;
    }
    this.#isKnown = true;
    return (await this.#noteOf(key, name, options, service)) === note;
  }

  /** True where the service took it. */
  #isPut(key: StoreKey, request: CloudRequest, options: StoreOptions): Promise<boolean> {
    return this.#requests.send<boolean>({
      ...{ key, request, options },
      take: async (response) => {
        await response.body?.cancel();
        return true;
      },
      refused: (refusal) => (isThere(refusal) ? { value: false } : null),
    });
  }

  /** The same again must be refused now: our own object is there. */
  async #tryAgain(
    key: StoreKey,
    request: CloudRequest,
    options: StoreOptions,
    { title, where }: ObjectService,
  ): Promise<void> {
    if (await this.#isPut(key, request, options))
      throw new NotSupportedError({
        what: `${title} at ${where} puts objects over others in spite of If-None-Match: *`,
        where: key,
        cure: "Locks and names that are taken once need a service that keeps this condition: use one, or a folder",
      });
    this.#isKnown = true;
  }

  #noteOf(
    key: StoreKey,
    name: string,
    options: StoreOptions,
    { noteHeader }: ObjectService,
  ): Promise<string | null> {
    return this.#requests.send<string | null>({
      ...{ key, options, request: { method: "HEAD", name } },
      take: async (response) => {
        await response.body?.cancel();
        return response.headers.get(noteHeader + NOTE);
      },
      // Removed meanwhile: it was somebody's, and is nobody's now.
      refused: ({ status }) => (status === 404 ? { value: null } : null),
    });
  }
}

function putting(service: ObjectService, name: string, body: Uint8Array, note: string): CloudRequest {
  const headers = { ...service.putHeaders, ...service.newHeaders, [service.noteHeader + NOTE]: note };
  return { method: "PUT", name, headers, body };
}
