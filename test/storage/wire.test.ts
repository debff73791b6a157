// The client of stores on Node, against servers that are given byte for byte: what it takes for an answer, when it uses a
// connection again, and what it does not touch.

import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as secureServer } from "node:https";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { WireClient } from "../../src/storage/wire/wireClient.ts";
import { newCertificate } from "../runtime/remoteProcesses.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Each request (up to its empty line) is handed over with its connection; how many connections there were. */
async function serving(answer: (socket: Socket, head: string, connection: number) => void) {
  let connections = 0;
  const server = createServer((socket) => {
    const connection = ++connections;
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      const head = text.slice(0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (text.length < end + 4 + length) return;
      const request = text.slice(0, end + 4 + length);
      text = text.slice(end + 4 + length);
      answer(socket, request, connection);
    });
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/x`, connections: () => connections, port };
}

/** Numbers in 0..1 that follow from a seed. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const said = (socket: Socket, text: string): void => void socket.write(text, "latin1");
const bytesOf = async (answer: { arrayBuffer(): Promise<ArrayBuffer> }) =>
  Buffer.from(await answer.arrayBuffer()).toString("latin1");

describe("what an answer is", () => {
  it.each([
    ["a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", true],
    ["the same length twice", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", true],
    [
      "chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=1\r\nllo\r\n0\r\nA: b\r\n\r\n",
      true,
    ],
    [
      "word that it goes on",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello",
      true,
    ],
    ["the end of the connection", "HTTP/1.0 200 OK\r\n\r\nhello", false],
    ["a wish to close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello", false],
  ])("%s, whole and byte by byte", async (_, text, keeps) => {
    for (const isSlow of [false, true]) {
      const { url, connections } = await serving(async (socket) => {
        for (const piece of isSlow ? text : [text]) {
          said(socket, piece);
          if (isSlow) await new Promise((resolve) => setTimeout(resolve, 1));
        }
        if (!keeps) socket.end();
      });
      const { ask } = new WireClient();
      for (let i = 0; i < 3; i++) expect(await bytesOf(await ask(url, {}))).toBe("hello");
      expect(connections()).toBe(keeps ? 1 : 3);
    }
  });

  it.each([
    ["no status line", "nonsense\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"],
    [
      "a length and chunks",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a length that is none", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello"],
    ["another coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello"],
    ["a line that is no header", "HTTP/1.1 200 OK\r\n folded\r\n\r\n"],
    ["a head without end", `HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(20_000)}`],
    ["nothing", ""],
  ])("%s is refused", async (_, text) => {
    const { url } = await serving((socket) => {
      said(socket, text);
      socket.end();
    });
    await expect(new WireClient().ask(url, {})).rejects.toThrow(/an answer that|no end|closed before/);
  });

  it.each([
    ["a body that is cut short", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", 5],
    ["chunks that are cut short", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello", null],
    [
      "a chunk that is longer",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n",
      null,
    ],
  ])("%s", async (_, text, found) => {
    const { url } = await serving((socket) => {
      said(socket, text);
      socket.end();
    });
    const answer = await new WireClient().ask(url, {});
    if (found === null) await expect(answer.arrayBuffer()).rejects.toThrow(/cut short|longer than/);
    else expect((await answer.arrayBuffer()).byteLength).toBe(found);
  });

  it("headers of any bytes", async () => {
    const { url } = await serving((socket) =>
      said(socket, "HTTP/1.1 200 OK\r\nX-Title: caf\xc3\xa9 \x92\xff\r\nContent-Length: 0\r\n\r\n"),
    );
    const { headers } = await new WireClient().ask(url, {});
    expect(headers.get("X-Title")).toBe("caf\xc3\xa9 \x92\xff");
  });

  it("bodies of any length, cut anywhere, into memory or as they come", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 400_000 }),
        fc.integer(),
        fc.boolean(),
        async (length, seed, isChunked) => {
          const random = numbersFrom(seed);
          const body = Uint8Array.from({ length }, () => random() * 256);
          const { url } = await serving(async (socket) => {
            said(
              socket,
              `HTTP/1.1 200 OK\r\n${isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`}\r\n\r\n`,
            );
            for (let at = 0; at < length; ) {
              const piece = body.subarray(at, at + 1 + Math.floor(random() ** 3 * 150_000));
              at += piece.length;
              if (isChunked) said(socket, `${piece.length.toString(16)}\r\n`);
              socket.write(piece);
              if (isChunked) said(socket, "\r\n");
              if (random() < 0.3) await new Promise((resolve) => setImmediate(resolve));
            }
            if (isChunked) said(socket, "0\r\n\r\n");
          });
          const client = new WireClient();
          const whole = new Uint8Array(await (await client.ask(url, {})).arrayBuffer());
          expect(Buffer.compare(whole, body)).toBe(0);
          if (isChunked) return;
          const target = new Uint8Array(new SharedArrayBuffer(length + 2), 1, length);
          expect(await (await client.ask(url, {})).fill!(target)).toBe(length);
          expect(Buffer.compare(target, body)).toBe(0);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe("what is asked", () => {
  it("a body of threads' memory arrives, and no value adds a header", async () => {
    const heard: string[] = [];
    const { url } = await serving((socket, head) => {
      heard.push(head);
      said(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
    const { ask } = new WireClient();
    const body = new Uint8Array(new SharedArrayBuffer(3));
    body.set([65, 66, 67]);
    await ask(`${url}?a=%20b`, { method: "PUT", headers: { "x-one": "1", "Content-Length": "99" }, body });
    expect(heard[0]).toMatch(/^PUT \/x\?a=%20b HTTP\/1\.1\r\nHost: 127\.0\.0\.1:\d+\r\nx-one: 1\r\n/);
    expect(heard[0]).toMatch(/content-length: 3\r\n\r\nABC$/);
    expect(heard[0]).not.toMatch(/99/);
    for (const value of ["1\r\nx-two: 2", "\n", "\0", "ω"])
      await expect(ask(url, { headers: { "x-one": value } })).rejects.toThrow("a header that is none");
    await expect(ask(url, { headers: { "x\r\ny": "1" } })).rejects.toThrow("a header that is none");
    expect(heard.length).toBe(1);
  });

  it("what is compressed, or moved, fetch asks for again", async () => {
    const { url, port } = await serving((socket, head) => {
      if (head.startsWith("GET /y")) said(socket, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere");
      else
        said(
          socket,
          `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${port}/y\r\nContent-Length: 0\r\n\r\n`,
        );
    });
    const { ask } = new WireClient();
    expect(await bytesOf(await ask(url, {}))).toBe("there");
    expect((await ask(url, { redirect: "manual" })).status).toBe(302);
  });
});

describe("connections", () => {
  it.each([
    [200, 1],
    [2 ** 17, 4],
  ])("stay when nobody wants a body of %i bytes, unless it is long: %i of them", async (length, count) => {
    const { url, connections } = await serving((socket) =>
      said(socket, `HTTP/1.1 404 Not Found\r\nContent-Length: ${length}\r\n\r\n${"x".repeat(length)}`),
    );
    const { ask } = new WireClient();
    for (let i = 0; i < 4; i++) await (await ask(url, {})).body?.cancel();
    expect(connections()).toBe(count);
  });

  it("a GET on one that the server closed just then is asked again, a PUT is not", async () => {
    const { url, connections } = await serving((socket, _, connection) => {
      if (connection % 2 === 1) {
        said(socket, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na");
        // The next request finds it closed.
        socket.once("data", () => socket.destroy());
        socket.removeAllListeners("data").on("data", () => socket.destroy());
      } else said(socket, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nb");
    });
    const { ask } = new WireClient();
    expect(await bytesOf(await ask(url, {}))).toBe("a");
    expect(await bytesOf(await ask(url, {}))).toBe("b");
    expect(await bytesOf(await ask(url, {}))).toBe("a");
    await expect(ask(url, { method: "PUT", body: new Uint8Array(1) })).rejects.toThrow();
    expect(connections()).toBe(3);
  });

  it("one on which more came than was asked for is not used again", async () => {
    const { url, connections } = await serving((socket) => {
      said(
        socket,
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
      );
    });
    const { ask } = new WireClient();
    for (let i = 0; i < 3; i++) {
      const answer = await ask(url, {});
      const bytes = await answer.arrayBuffer().catch(() => null);
      if (bytes !== null) expect(Buffer.from(bytes).toString()).toBe("hello");
    }
    expect(connections()).toBe(3);
  });

  it("an aborted request leaves memory alone from then on", async () => {
    let go = (): void => {};
    const { url } = await serving((socket) => {
      said(socket, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
      socket.write(new Uint8Array(50_000).fill(1));
      go = () => socket.write(new Uint8Array(50_000).fill(2));
    });
    const stop = new AbortController();
    const answer = await new WireClient().ask(url, { signal: stop.signal });
    const target = new Uint8Array(100_000);
    const filling = answer.fill!(target);
    await new Promise((resolve) => setTimeout(resolve, 20));
    stop.abort(new Error("enough"));
    await expect(filling).rejects.toThrow("enough");
    target.fill(9);
    go();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(target.every((byte) => byte === 9)).toBe(true);
  });

  it("one that was refused says why", async () => {
    const { url } = await serving(() => {});
    servers.splice(0)[0]!.close();
    await expect(new WireClient().ask(url, {})).rejects.toThrow(/ECONNREFUSED/);
  });
});

describe("TLS", () => {
  it("a certificate that nobody vouches for is refused; else bodies come as they are", async () => {
    const folder = mkdtempSync(join(tmpdir(), "chunkwise-wire-"));
    const { key, cert } = newCertificate(folder);
    const body = Uint8Array.from({ length: 3_000_000 }, (_, i) => i * 7);
    const server = secureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      request.resume().on("end", () => response.setHeader("Content-Length", body.length).end(body));
    });
    servers.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `https://127.0.0.1:${(server.address() as { port: number }).port}/`;
    await expect(new WireClient().ask(url, {})).rejects.toThrow(/self-signed certificate/);
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    try {
      process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
      const { ask } = new WireClient();
      for (let i = 0; i < 4; i++) {
        const target = new Uint8Array(new SharedArrayBuffer(body.length));
        const answer = await ask(url, i % 2 === 0 ? {} : { method: "PUT", body });
        expect(await answer.fill!(target)).toBe(body.length);
        expect(Buffer.compare(target, body)).toBe(0);
      }
    } finally {
      if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
      server.closeAllConnections();
      rmSync(folder, { recursive: true });
    }
  });
});
