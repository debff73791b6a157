// Requests of a store on Node, by connections that stay open, without the copies of `fetch`, which handles the rest: what is not
// plain HTTP/1.1 is asked of it again. In: what `fetch` is given. Out: answers. Must hold: an aborted request touches no memory
// afterwards; a connection is used again only when an answer was read to its end; nothing a caller gives can add headers.

import type { Fetch } from "../../core/platform.ts";
import { builtin } from "../builtin.ts";
import { type AnswerHead, answerHead, latin1, MOST_HEAD_BYTES } from "./answerHead.ts";
import { type Answer, WireAnswer } from "./wireAnswer.ts";
import { WireSocket } from "./wireSocket.ts";

export interface WireRequest {
  readonly method?: string | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Not to be changed before there is an answer. Memory of threads may be given. */
  readonly body?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly redirect?: "manual" | "follow" | undefined;
}

export type Ask = (url: string, request: WireRequest) => Promise<Answer>;

/** Servers close what is idle for longer; most say 5 s and more. */
const IDLE_MS = 4_000;
const MOST_IDLE = 32;
const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** By a function of the user's, or else as it is best here. */
export const asking = (given: Fetch | undefined): Ask =>
  given === undefined ? new WireClient().ask : byFetch(given as typeof fetch);

/** Memory of threads cannot be handed to `fetch`. */
const byFetch =
  (fetching: typeof fetch): Ask =>
  (url, { body, ...request }) =>
    fetching(url, { ...request, ...(body === undefined ? {} : { body: ownBytes(body) }) } as RequestInit);

export const ownBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);

/** A client of a store's own: its connections are nobody else's. */
export class WireClient {
  /** By origin; what was used last is the last. */
  readonly #idle = new Map<string, WireSocket[]>();

  readonly ask: Ask = async (url, request) => {
    const place = new URL(url);
    const isPlain = place.username === "" && place.password === "" && /^https?:$/.test(place.protocol);
    if (!isPlain || !(await isHere())) return byFetch(fetch)(url, request);
    const { method = "GET", redirect } = request;
    const answer = await this.#asked(place, method, request);
    const isMoved =
      redirect !== "manual" && answer.status >= 300 && answer.status < 400 && answer.status !== 304;
    const isCoded = (answer.headers.get("Content-Encoding") ?? "identity") !== "identity";
    if (!REPEATABLE.has(method) || !(isMoved || isCoded)) return answer;
    await answer.body.cancel();
    return byFetch(fetch)(url, request);
  };

  async #asked(url: URL, method: string, request: WireRequest): Promise<WireAnswer> {
    const idle = this.#idle.get(url.origin) ?? [];
    const known = idle.pop();
    if (known === undefined) return this.#exchange(url, method, request, new WireSocket(url));
    known.use();
    try {
      return await this.#exchange(url, method, request, known);
    } catch (error) {
      // The server may have closed it just then. A new one is not to blame for that.
      const isAgain = REPEATABLE.has(method) && request.signal?.aborted !== true;
      if (!isAgain) throw error;
      return this.#exchange(url, method, request, new WireSocket(url));
    }
  }

  async #exchange(
    url: URL,
    method: string,
    { headers = {}, body, signal }: WireRequest,
    socket: WireSocket,
  ): Promise<WireAnswer> {
    const abort = (): void => socket.destroy(signal!.reason);
    const over = (isFree: boolean): void => {
      signal?.removeEventListener("abort", abort);
      if (isFree && socket.isUsable) this.#keep(url.origin, socket);
      else socket.destroy(new Error("the answer is not wanted"));
    };
    try {
      signal?.throwIfAborted();
      signal?.addEventListener("abort", abort, { once: true });
      socket.write(headText(url, method, headers, body), body ?? null);
      const { head, rest } = await readHead(socket, method === "HEAD");
      return new WireAnswer(head, rest, socket, over);
    } catch (error) {
      over(false);
      throw error;
    }
  }

  #keep(origin: string, socket: WireSocket): void {
    let idle = this.#idle.get(origin);
    if (idle === undefined) {
      idle = [];
      this.#idle.set(origin, idle);
    }
    const kept = idle;
    if (kept.length >= MOST_IDLE) return socket.destroy(new Error("enough connections are open"));
    kept.push(socket);
    socket.rest(() => {
      const at = kept.indexOf(socket);
      if (at >= 0) kept.splice(at, 1);
    }, IDLE_MS);
  }
}

/** In Node itself: what others have under its names need not read as this needs it. */
async function isHere(): Promise<boolean> {
  if ("Deno" in globalThis || "Bun" in globalThis) return false;
  return (await builtin("node:net")) !== undefined && (await builtin("node:tls")) !== undefined;
}

async function readHead(
  socket: WireSocket,
  isHead: boolean,
): Promise<{ head: AnswerHead; rest: Uint8Array }> {
  let bytes: Uint8Array = new Uint8Array(0);
  for (;;) {
    const piece = await socket.piece();
    if (piece === null) throw new Error("the connection was closed before an answer");
    bytes = bytes.length === 0 ? piece : joined(bytes, piece);
    for (let end = endOfHead(bytes); end >= 0; end = endOfHead(bytes)) {
      const head = answerHead(latin1(bytes.subarray(0, end)), isHead);
      bytes = bytes.subarray(end + 4);
      // What comes before the answer itself says only that it will come.
      if (head.status >= 200) return { head, rest: bytes };
    }
    if (bytes.length > MOST_HEAD_BYTES) throw new Error("the head of the answer has no end");
    bytes = bytes.slice();
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** Where the empty line is. */
function endOfHead(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(13); at >= 0; at = bytes.indexOf(13, at + 1))
    if (bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at;
  return -1;
}

/** As a header may be. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function headText(
  { pathname, search, host }: URL,
  method: string,
  given: { readonly [name: string]: string },
  body: Uint8Array | undefined,
): string {
  const hasBody = body !== undefined || !/^(GET|HEAD|DELETE)$/.test(method);
  const lines = [`${method} ${pathname}${search} HTTP/1.1`, `Host: ${host}`];
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  for (const [name, value] of Object.entries(given)) {
    if (!NAME.test(name) || !VALUE.test(value)) throw new Error("a header that is none");
    if (!/^(host|content-length|connection|transfer-encoding)$/i.test(name)) lines.push(`${name}: ${value}`);
  }
  const usual = { accept: "*/*", "accept-encoding": "identity", "user-agent": "chunkwise" };
  for (const [name, value] of Object.entries(usual)) if (!names.has(name)) lines.push(`${name}: ${value}`);
  if (hasBody) lines.push(`content-length: ${body?.length ?? 0}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}
