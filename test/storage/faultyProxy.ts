// A bad network in front of a good server, on loopback. In: the server, a seed, and how often each fault comes. Out: an address,
// and counts. The fault of a request depends on the seed, on what is asked and on how often it was asked before, not on the
// order of arrival: so a seed can be run again.

import { createHash } from "node:crypto";
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/**
 * - error: 500 or 503, the server sees nothing
 * - refuse: the connection ends, the server sees nothing
 * - lost: the server does it, and the connection ends
 * - lost500: the server does it, and the answer is 500
 * - duplicate: the server does it twice, and the second answer is given
 * - truncate: the connection ends in the middle of the answer
 * - short: half of the answer, with a length that agrees
 * - slow: the answer in pieces, a second in all
 * - full: there is no room for what is put
 */
const FAULTS = [
  ...(["error", "refuse", "lost", "lost500", "duplicate", "truncate", "short"] as const),
  ...(["slow", "full"] as const),
] as const;
export type Fault = (typeof FAULTS)[number];

export interface FaultyProxy {
  readonly url: string;
  readonly counts: { [fault: string]: number };
  rates: { readonly [F in Fault]?: number };
  seed: number;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export async function startFaultyProxy(target: string, host = "127.0.0.1"): Promise<FaultyProxy> {
  const seen = new Map<string, number>();
  const counts: { [fault: string]: number } = {};
  const server = createServer(async (request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const asked = `${proxy.seed} ${method} ${url} ${headers.range ?? ""}`;
    const count = (seen.get(asked) ?? 0) + 1;
    seen.set(asked, count);
    const drawnFault = drawn(`${asked} ${count}`, proxy.rates);
    const fault = drawnFault === "full" && !/^(PUT|POST)$/.test(method) ? undefined : drawnFault;
    counts[fault ?? "none"] = (counts[fault ?? "none"] ?? 0) + 1;
    const body = await bodyOf(request);
    if (fault === "refuse") return void response.socket?.resetAndDestroy();
    if (fault === "error") return failed(response, count % 2 === 0 ? 500 : 503);
    if (fault === "full") return failed(response, 403);
    // A server that is gone: the connection ends.
    const forward = (): Promise<Answer | null> =>
      forwarded(target, method, url, headers, body).catch(() => null);
    if (fault === "duplicate") await forward();
    const answer = await forward();
    if (answer === null) return void response.socket?.resetAndDestroy();
    if (fault === "lost") return void response.socket?.resetAndDestroy();
    if (fault === "lost500") return failed(response, 500);
    await deliver(response, answer, fault);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const proxy: FaultyProxy = {
    ...{ url: `http://${host}:${(server.address() as AddressInfo).port}`, counts, rates: {}, seed: 1 },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

const PIECES = 8;
const PIECE_MS = 125;

function drawn(text: string, rates: { readonly [F in Fault]?: number }): Fault | undefined {
  let rest = createHash("sha256").update(text).digest().readUInt32LE(0) / 2 ** 32;
  return FAULTS.find((fault) => {
    rest -= rates[fault] ?? 0;
    return rest < 0;
  });
}

async function bodyOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function forwarded(
  target: string,
  method: string,
  path: string,
  given: IncomingHttpHeaders,
  body: Buffer,
): Promise<Answer> {
  const { connection: _, "transfer-encoding": __, ...headers } = given;
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(target);
    // The host stays as it was signed.
    const up = httpRequest({ hostname, port, method, path, headers }, async (answer) =>
      resolve({ status: answer.statusCode!, headers: answer.headers, body: await bodyOf(answer) }),
    );
    up.on("error", reject).end(body);
  });
}

const CODES: { readonly [status: number]: string } = {
  ...{ 403: "QuotaExceeded", 500: "InternalError", 503: "SlowDown" },
};

function failed(response: ServerResponse, status: number): void {
  const code = CODES[status]!;
  response.writeHead(status, { "Content-Type": "application/xml" });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>by the test</Message></Error>`);
}

async function deliver(response: ServerResponse, answer: Answer, fault: Fault | undefined): Promise<void> {
  const { connection: _, "transfer-encoding": __, ...headers } = answer.headers;
  const { status, body } = answer;
  const half = body.subarray(0, body.length >> 1);
  if (body.length > 0) headers["content-length"] = String(fault === "short" ? half.length : body.length);
  response.writeHead(status, headers);
  for (let at = 0; fault === "slow" && at < body.length; at += Math.ceil(body.length / PIECES)) {
    await new Promise((resolve) => setTimeout(resolve, PIECE_MS));
    response.write(body.subarray(at, at + Math.ceil(body.length / PIECES)));
  }
  if (fault === "slow") return void response.end();
  if (fault !== "truncate" || body.length < 2) response.end(fault === "short" ? half : body);
  else response.write(half, () => setTimeout(() => response.socket?.destroy(), 5));
}
