// Stores that only the main thread can reach, as a task thread sees them: it asks for every object. In: a store's number.
// Out: a store; answers come by message. And the other end: what the main thread answers.

import { type ByteRange, cut, type Store } from "../../storage/store.ts";
import type { FromThread, ToThread } from "./messages.ts";
import { receiveError, sendError } from "./sentError.ts";

/** What a thread asks of a store. */
export type StoreRequest = FromThread & { readonly type: "request" };

/** What the store says to it. */
export async function answerTo(
  store: Store,
  { request, method, args }: Pick<StoreRequest, "request" | "method" | "args">,
): Promise<ToThread> {
  try {
    return { type: "answer", request, value: await storeCall(store, method, args) };
  } catch (error) {
    return { type: "answer", request, value: undefined, error: sendError(error) };
  }
}

async function storeCall(store: Store, method: string, args: readonly unknown[]): Promise<unknown> {
  const call = (store as unknown as { [name: string]: unknown })[method];
  if (typeof call === "function") return Reflect.apply(call, store, args as unknown[]);
  // Stores need not have more than `get`.
  const [key] = args as [`/${string}`];
  if (method === "has") return (await store.get(key)) !== undefined;
  if (method === "getRange") {
    const all = await store.get(key);
    return all && new Uint8Array(cut(all, args[1] as ByteRange));
  }
  throw new TypeError(`the store has no ${method}`);
}

export class AskedStores {
  readonly #send: (message: FromThread) => void;
  readonly #asked = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  #requests = 0;

  constructor(send: (message: FromThread) => void) {
    this.#send = send;
  }

  store(number: number): Store {
    const ask = (method: string, ...args: readonly unknown[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const request = ++this.#requests;
        this.#asked.set(request, { resolve, reject });
        this.#send({ type: "request", request, store: number, method, args });
      });
    return {
      get: (key) => ask("get", key) as Promise<Uint8Array | undefined>,
      getRange: (key, range, { mayKeep } = {}) =>
        ask("getRange", key, range, { mayKeep }) as Promise<Uint8Array | undefined>,
      has: (key) => ask("has", key) as Promise<boolean>,
      set: (key, value) => ask("set", key, value),
      setRange: (key, offset, value) => ask("setRange", key, offset, value),
      delete: (key) => ask("delete", key),
    };
  }

  answered({ request, value, error }: ToThread & { type: "answer" }): void {
    const waiting = this.#asked.get(request);
    this.#asked.delete(request);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(receiveError(error));
  }
}
