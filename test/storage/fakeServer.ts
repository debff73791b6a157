// A server on loopback that a test writes the answers of, and what was asked of it.

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Answered {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | Uint8Array;
}

export interface FakeServer {
  readonly url: string;
  readonly asked: Asked[];
  answer: (asked: Asked) => Answered;
  stop(): Promise<void>;
}

export async function startFakeServer(): Promise<FakeServer> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const url = new URL(request.url!, "http://fake");
    const asked: Asked = {
      ...{ method: request.method!, path: decodeURIComponent(url.pathname), query: url.searchParams },
      ...{ headers: request.headers, body: Buffer.concat(parts) },
    };
    fake.asked.push(asked);
    const { status = 200, headers = {}, body = "" } = fake.answer(asked);
    response.writeHead(status, { "Content-Length": String(Buffer.from(body).length), ...headers });
    response.end(request.method === "HEAD" ? undefined : body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const fake: FakeServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    answer: () => ({ status: 404 }),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

/** Sets variables for a while; undefined removes one. */
export async function withEnvironment<T>(
  variables: { readonly [name: string]: string | undefined },
  run: () => Promise<T>,
): Promise<T> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  const set = (name: string, value: string | undefined): void => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  for (const [name, value] of Object.entries(variables)) set(name, value);
  try {
    return await run();
  } finally {
    for (const [name, value] of before) set(name, value);
  }
}
