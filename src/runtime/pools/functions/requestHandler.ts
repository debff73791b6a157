// A function that does batches: requests in, answers out, as services of functions have them. In: a worker that is opened with the
// first request, and a token. Out: `(Request) => Promise<Response>`, and the same for events of AWS Lambda.
// Must hold: nothing of a request is read before its token is known to be right, and no more of it than a batch can have;
// tokens are compared in the same time, whatever they are.

import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { describe } from "../../../core/chunks.ts";
import { ValueError } from "../../../core/errors.ts";
import type { StopSignal, WebRequest, WebResponse } from "../../../core/platform.ts";
import { LostWorker } from "../pool.ts";
import { BatchRefusedError } from "../remote/batchChecks.ts";
import type { Batch, BatchWork } from "../remote/carrier.ts";
import { sendError } from "../sentError.ts";

/** A function of a service: a request in, an answer out. */
export type RequestHandler = (request: WebRequest) => Promise<WebResponse>;

/** A batch is under 1 KB. */
const MOST_BODY_BYTES = 16_384;
const LEAST_TOKEN = 16;

export function requestHandler(open: () => Promise<BatchWork>, token: string | null): RequestHandler {
  const expected = checkedToken(token);
  let opening: Promise<BatchWork> | null = null;
  const worker = (): Promise<BatchWork> => {
    // One that could not be opened may be later.
    opening ??= open().catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  };
  return async (request) => {
    if (request.method !== "POST") return answer(405, { error: "POST batches" }, { allow: "POST" });
    if (!isRight(request, expected)) return answer(401, { error: "the token is not the handler's" });
    const body = await boundedBody(request);
    if (body === null) return answer(413, { error: `a batch has at most ${MOST_BODY_BYTES} bytes` });
    return done(worker, body, request.signal);
  };
}

async function done(
  worker: () => Promise<BatchWork>,
  body: string,
  signal: StopSignal | undefined,
): Promise<Response> {
  try {
    const batch = parsed(body);
    const work = await worker();
    return answer(200, { report: await work.run(batch, signal ?? new AbortController().signal) });
  } catch (error) {
    // Where the worker failed, another may not.
    return answer(error instanceof BatchRefusedError ? 422 : 500, { error: sent(error) });
  }
}

/** Where this function's files are is nobody's business. */
function sent(error: unknown): object {
  const { stack: _, ...said } = sendError(error);
  return error instanceof LostWorker ? { ...said, retryable: true } : said;
}

function parsed(body: string): Batch {
  try {
    return JSON.parse(body) as Batch;
  } catch {
    throw new BatchRefusedError({ where: "batch", what: "the request is not JSON" });
  }
}

const answer = (status: number, body: object, headers: { [name: string]: string } = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", ...headers },
  });

/** Its digest; null where the service itself knows who may ask. */
function checkedToken(token: string | null): Uint8Array | null {
  if (token === null) return null;
  if (typeof token === "string" && token.length >= LEAST_TOKEN) return sha256(utf8ToBytes(token));
  throw new ValueError({
    where: "handler",
    what: typeof token === "string" ? `a token of ${token.length} characters` : `token is ${describe(token)}`,
    cure: `Give a token of ${LEAST_TOKEN} or more at random; null where the service itself checks who asks (IAM)`,
  });
}

function isRight({ headers }: Request, expected: Uint8Array | null): boolean {
  if (expected === null) return true;
  const [, bearer] = /^Bearer (.+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  const given = headers.get("x-chunkwise-token") ?? bearer ?? "";
  const digest = sha256(utf8ToBytes(given));
  let difference = 0;
  for (let at = 0; at < digest.length; at++) difference |= digest[at]! ^ expected[at]!;
  return difference === 0;
}

async function boundedBody(request: Request): Promise<string | null> {
  if (Number(request.headers.get("content-length") ?? 0) > MOST_BODY_BYTES) return null;
  const reader = request.body?.getReader();
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for (;;) {
    const { value, done: isEnd } = (await reader?.read()) ?? { done: true, value: undefined };
    if (isEnd || value === undefined) return text + decoder.decode();
    bytes += value.length;
    if (bytes > MOST_BODY_BYTES) {
      await reader?.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** An event of a function URL, or of API Gateway's HTTP API: what is used of it. */
export interface LambdaEvent {
  /** Has the method of the request. */
  readonly requestContext?: LambdaContext | undefined;
  /** Of the request. */
  readonly headers?: { readonly [name: string]: string | undefined } | undefined;
  /** A batch, as text. */
  readonly body?: string | undefined;
  /** The body is in base64. */
  readonly isBase64Encoded?: boolean | undefined;
}

interface LambdaContext {
  readonly http?: { readonly method?: string | undefined } | undefined;
}

/** What Lambda is to answer. */
export interface LambdaAnswer {
  /** 200 for a report. */
  readonly statusCode: number;
  /** Of the answer. */
  readonly headers: { readonly [name: string]: string };
  /** A report or an error, as JSON. */
  readonly body: string;
}

/** The same function for AWS Lambda. */
export const lambdaOf =
  (handle: RequestHandler): ((event: LambdaEvent) => Promise<LambdaAnswer>) =>
  async (event) => {
    const request = requestOf(event);
    const response = request === null ? answer(400, { error: "no request" }) : await handle(request);
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  };

/** Null for what no request can be: a body that is no base64, names that are no headers. */
function requestOf(event: LambdaEvent): Request | null {
  try {
    return requestIn(event);
  } catch {
    return null;
  }
}

function requestIn({ requestContext, headers = {}, body = "", isBase64Encoded }: LambdaEvent): Request {
  const method = requestContext?.http?.method ?? "POST";
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const bytes = isBase64Encoded === true ? Uint8Array.from(atob(body), (c) => c.charCodeAt(0)) : body;
  const hasBody = method !== "GET" && method !== "HEAD";
  const usable = given.filter(([name]) => !/^(content-length|host|connection)$/i.test(name));
  return new Request("https://function.invalid/", {
    ...{ method, headers: Object.fromEntries(usable) },
    ...(hasBody ? { body: bytes } : {}),
  });
}
