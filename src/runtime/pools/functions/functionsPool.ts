// Functions behind an https address as workers: each batch is one request, and its answer the report. In: batches. Out: reports. A
// function that is busy is asked again when it says so; answers that are lost, late or broken are tried again, and then the
// worker counts as lost. Must hold: no more requests at once than were allowed; the token goes to that address alone, encrypted
// unless it is this machine, and is in no error.

import { describe } from "../../../core/chunks.ts";
import { ValueError } from "../../../core/errors.ts";
import type { Address, Fetch } from "../../../core/platform.ts";
import { closest } from "../../../core/suggest.ts";
import { messageOf } from "../../../storage/errors.ts";
import { hiddenIn } from "../../../storage/hiddenText.ts";
import { sleep } from "../../../storage/retry.ts";
import { type Executor, LostWorker } from "../pool.ts";
import { checkError } from "../remote/batchChecks.ts";
import type { Batch, BatchReport, Carrier } from "../remote/carrier.ts";
import { remoteExecutor } from "../remote/remotePool.ts";
import { receiveError } from "../sentError.ts";
import { type Signing, signerOf } from "./signing.ts";

/** Options of `functions({url, …})`. */
export interface FunctionsOptions {
  /** Where the function answers: "https://abc.lambda-url.eu-west-1.on.aws/". */
  readonly url: string | Address;
  /** Batches at once: 16 unless given. */
  readonly concurrency?: number | undefined;
  /** What the handler was given as its token. */
  readonly token?: string | undefined;
  /** How long one answer may take, a cold start included, in ms: 60,000 unless given. The service's own limit, or less. */
  readonly timeoutMs?: number | undefined;
  /** Signs requests (SigV4), for services that know callers by that: `{service: "lambda", region: "eu-west-1"}`. */
  readonly sign?: Signing | undefined;
  /** Used in the place of the global `fetch`. */
  readonly fetch?: Fetch | undefined;
}

const CONCURRENCY = 16;
const TIMEOUT_MS = 60_000;
/** A batch is a part of the time that a function has. */
const BATCH_MS = 400;
const BATCH_PART = 1 / 8;
/** How often an answer is tried for that was lost, and one that was put off. */
const LOST_TRIES = 4;
const BUSY_TRIES = 40;
const FIRST_PAUSE_MS = 200;
const MOST_PAUSE_MS = 20_000;
/** No report is longer. */
const MOST_ANSWER_BYTES = 16e6;

/**
 * Functions of any service as workers, for the option `executor`: `x.compute({executor: functions({url, token}), workDir:
 * "s3://bucket/work"})`. The function itself is what `handler` makes.
 */
export function functions(options: FunctionsOptions): Executor {
  checkNames(options);
  const { timeoutMs = TIMEOUT_MS } = options;
  const url = checkedUrl(options.url);
  checkCounts(options);
  const batchMs = Math.min(BATCH_MS, Math.max(1, timeoutMs * BATCH_PART));
  return remoteExecutor(() => new FunctionsCarrier(url, options), { name: "functions", batchMs });
}

const KNOWN: readonly (keyof FunctionsOptions)[] = [
  ...(["url", "concurrency", "token", "timeoutMs", "sign", "fetch"] as const),
];

function checkNames(options: unknown): void {
  const bad = (what: string, cure: string): ValueError => new ValueError({ where: "functions", what, cure });
  if (typeof options !== "object" || options === null)
    throw bad(`the options are ${describe(options)}`, 'Give {url: "https://…", token}');
  const wrong = Object.keys(options).find((name) => !(KNOWN as readonly string[]).includes(name));
  if (wrong !== undefined) throw bad(`there is no option ${describe(wrong)}`, closest(wrong, KNOWN));
}

/** What is wrong with an address is said without it: services have keys in theirs. */
function checkedUrl(given: string | Address): string {
  const text = String(given);
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHere = url !== null && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  const isUser = url !== null && (url.username !== "" || url.password !== "");
  if (url !== null && !isUser && (url.protocol === "https:" || (url.protocol === "http:" && isHere)))
    return url.href;
  throw new ValueError({
    where: "functions",
    what: isUser ? "url has a name or a password in it" : `url is ${wrongUrl(given, url)}`,
    cure: "Give an https: address, and secrets as token or sign",
  });
}

function wrongUrl(given: unknown, url: URL | null): string {
  if (url !== null) return `an address of ${url.protocol}//${url.hostname}`;
  return typeof given === "string" ? "a text, and no address" : describe(given);
}

function checkCounts({
  concurrency = CONCURRENCY,
  timeoutMs = TIMEOUT_MS,
  token = "",
}: FunctionsOptions): void {
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;
  if (isCount(concurrency) && isCount(timeoutMs) && typeof token === "string") return;
  throw new ValueError({
    where: "functions",
    what: `concurrency is ${describe(concurrency)}, timeoutMs ${describe(timeoutMs)}`,
    cure: "Give whole numbers of 1 or more, and a text as token",
  });
}

/** What an answer means: it is one, it comes later, or it is lost. */
type Outcome =
  | { readonly kind: "report"; readonly report: BatchReport }
  | { readonly kind: "later"; readonly why: string; readonly afterMs: number }
  | { readonly kind: "lost"; readonly why: string };

class FunctionsCarrier implements Carrier {
  readonly name = "functions";
  readonly capacity: number;
  readonly #url: string;
  readonly #options: FunctionsOptions;
  readonly #sign: ReturnType<typeof signerOf>;

  constructor(url: string, options: FunctionsOptions) {
    this.#url = url;
    this.#options = options;
    this.capacity = options.concurrency ?? CONCURRENCY;
    this.#sign = signerOf(options.sign);
  }

  async carry(batch: Batch, signal: AbortSignal): Promise<BatchReport> {
    let [lost, busy] = [0, 0];
    for (;;) {
      signal.throwIfAborted();
      const outcome = await this.#ask(batch, signal);
      if (outcome.kind === "report") return outcome.report;
      const tries = outcome.kind === "later" ? ++busy : ++lost;
      if (tries >= (outcome.kind === "later" ? BUSY_TRIES : LOST_TRIES))
        throw new LostWorker(`the function did not answer ${tries} times: ${outcome.why}`, true);
      const pause = Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);
      const afterMs = outcome.kind === "later" ? outcome.afterMs : 0;
      await sleep(Math.max(pause, Math.min(afterMs, MOST_PAUSE_MS)), signal);
    }
  }

  async #ask(batch: Batch, signal: AbortSignal): Promise<Outcome> {
    const { fetch: own = globalThis.fetch as unknown as Fetch, timeoutMs = TIMEOUT_MS } = this.#options;
    // What cannot be signed now cannot be later.
    const request = await this.#request(JSON.stringify(batch));
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const response = await own(this.#url, { ...request, signal: limit, redirect: "error" });
      return await outcomeOf(response);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RefusedAnswer) throw error.why;
      // What a `fetch` of the user's says may be all of the request.
      const said = hiddenIn(messageOf(error), [this.#options.token ?? "", this.#url]);
      return { kind: "lost", why: limit.aborted ? `nothing within ${timeoutMs} ms` : said };
    }
  }

  async #request(
    body: string,
  ): Promise<{ method: string; headers: { [name: string]: string }; body: string }> {
    const { token } = this.#options;
    const plain = { "content-type": "application/json" };
    if (this.#sign === null)
      return {
        method: "POST",
        headers: token === undefined ? plain : { ...plain, authorization: `Bearer ${token}` },
        body,
      };
    // The signature takes the place of the usual header.
    const own = token === undefined ? plain : { ...plain, "x-chunkwise-token": token };
    return { method: "POST", headers: await this.#sign(this.#url, own, body), body };
  }

  async close(): Promise<void> {}
}

/** An answer that would be the same again. */
class RefusedAnswer extends Error {
  readonly why: Error;

  constructor(why: Error) {
    super(why.message);
    this.why = why;
  }
}

const BUSY: ReadonlySet<number> = new Set([429, 503]);

async function outcomeOf(response: Response): Promise<Outcome> {
  const { status } = response;
  if (BUSY.has(status)) {
    await response.body?.cancel();
    return { kind: "later", why: `it is busy (${status})`, afterMs: retryAfter(response) };
  }
  const text = await boundedText(response);
  const answer = parsed(text);
  if (status === 200 && "report" in answer)
    return { kind: "report", report: answer["report"] as BatchReport };
  if (status === 401 || status === 403)
    throw new RefusedAnswer(
      new ValueError({
        where: "functions",
        what: `the function does not take the token or the signature (${status})`,
        cure: "Give functions({token}) what the handler was given, or sign with an identity that may call it",
      }),
    );
  // What the handler itself refuses, any other would.
  if (status === 422) throw new RefusedAnswer(receiveError(checkError(answer["error"])));
  const isPassing = status === 408 || status >= 500 || status === 200;
  if (!isPassing)
    throw new RefusedAnswer(
      new ValueError({ where: "functions", what: `the address answers ${status}`, cure: "Check url" }),
    );
  return { kind: "lost", why: `the answer was ${status}, and no report` };
}

function parsed(text: string): { readonly [name: string]: unknown } {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null ? (json as { [name: string]: unknown }) : {};
  } catch {
    return {};
  }
}

async function boundedText(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  for (let bytes = 0; reader !== undefined; ) {
    const { value, done } = await reader.read();
    if (done) break;
    bytes += value.length;
    if (bytes > MOST_ANSWER_BYTES) {
      await reader.cancel();
      throw new Error(`an answer of more than ${MOST_ANSWER_BYTES} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}

/** In seconds, or a date. */
function retryAfter(response: Response): number {
  const said = response.headers.get("retry-after");
  if (said === null) return 0;
  const ms = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
