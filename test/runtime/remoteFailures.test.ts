// What happens to functions and coordinators: busy services, lost and broken answers, cold starts, wrong tokens; a coordinator that
// is killed, and a worker process that is; and what a worker without enough memory says.

import { spawn } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as cw from "chunkwise";
import { functions, handler } from "chunkwise/functions";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Batch, Carrier } from "../../src/runtime/pools/remote/carrier.ts";
import { remoteExecutor } from "../../src/runtime/pools/remote/remotePool.ts";
import { ensureBuilt } from "../built.ts";
import { filesBelow, hereExecutor, newFolder, removeFolder } from "./remoteParts.ts";
import { ProcessCarrier, TOKEN } from "./remoteProcesses.ts";

const work = newFolder("failures");
beforeAll(ensureBuilt, 120_000);
afterAll(() => removeFolder(work));

const program = (): cw.LazyArray =>
  cw
    .asarray(Float64Array.from({ length: 400 }, (_, i) => Math.cos(i)))
    .rechunk([20])
    .cumulativeSum()
    .multiply(2);

type Meddle = (
  request: IncomingMessage,
  response: ServerResponse,
  done: () => Promise<Response>,
) => Promise<void>;

/** A function service in this process; `meddle` may do something else than answer. */
async function service(
  meddle: Meddle,
  store = work,
): Promise<{ url: string; requests: () => number; end(): void }> {
  const handle = handler({ store, threads: 0, token: TOKEN });
  let count = 0;
  const server = createServer(async (request, response) => {
    count++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = new Request("https://f.invalid/", {
      method: "POST",
      headers: { authorization: request.headers.authorization ?? "" },
      body: Buffer.concat(chunks),
    });
    await meddle(request, response, () => handle(asked)).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    requests: () => count,
    end: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(response: ServerResponse, done: () => Promise<Response>): Promise<void> {
  const made = await done();
  response.writeHead(made.status, { "content-type": "application/json" });
  response.end(await made.text());
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("a function service", () => {
  /** What happens to every third request. */
  const FAULTS: { readonly [name: string]: Meddle } = {
    "is busy, and says until when": async (_, response) => {
      response.writeHead(429, { "retry-after": "0" });
      response.end();
    },
    "is overloaded": async (_, response) => {
      response.writeHead(503);
      response.end("overloaded");
    },
    fails: async (_, response) => {
      response.writeHead(502);
      response.end("<html>bad gateway</html>");
    },
    "cuts the connection before it is done": async (_, response) => void response.destroy(),
    "does it, and the answer is lost": async (_, response, done) => {
      await done();
      response.destroy();
    },
    "answers with half of it": async (_, response, done) => {
      const text = await (await done()).text();
      response.writeHead(200, { "content-type": "application/json" });
      response.end(text.slice(0, text.length / 2));
    },
    "takes longer than it may": async (_, response, done) => {
      await wait(600);
      await answer(response, done);
    },
  };

  test.each(Object.entries(FAULTS))("%s", async (_, fault) => {
    let count = 0;
    const meddle: Meddle = async (request, response, done) => {
      if (count++ % 3 === 0) await fault(request, response, done);
      else await answer(response, done);
    };
    const { url, requests, end } = await service(meddle);
    try {
      const executor = functions({ url, token: TOKEN, concurrency: 3, timeoutMs: 400 });
      const found = await program().compute({ executor, workDir: work });
      const expected = await program().compute({ executor: "inline" });
      expect(found.data).toEqual(expected.data);
      expect(requests()).toBeGreaterThan(3);
      await wait(700);
      expect(filesBelow(work)).toEqual([]);
    } finally {
      end();
    }
  });

  test("that is never there is an error that says so, and names no token", { timeout: 120_000 }, async () => {
    const { url, end } = await service(async (_, response) => void response.destroy());
    end();
    const executor = functions({ url, token: TOKEN, concurrency: 1 });
    const run = program().compute({ executor, workDir: work, retries: { attempts: 1 } });
    const error = (await run.catch((caught: unknown) => caught)) as Error;
    expect(error.message).toMatch(/did not answer 4 times/);
    expect(JSON.stringify([error.message, error.stack, String(error.cause)])).not.toContain(TOKEN);
  });

  test("with another token refuses, and is not asked again", async () => {
    const { url, requests, end } = await service((_, response, done) => answer(response, done));
    try {
      const executor = functions({ url, token: "another token, long enough", concurrency: 1 });
      await expect(program().compute({ executor, workDir: work })).rejects.toThrow(/does not take the token/);
      expect(requests()).toBe(1);
    } finally {
      end();
    }
  });

  test.each([
    ["http://example.org/f", /https: address/],
    ["https://me:secret@example.org/", /a name or a password/],
    ["nowhere", /url is a text, and no address/],
    ["http://example.org/?code=secret", /url is an address of http:\/\/example.org\. Give an https: address/],
  ])("is not asked at %s", (url, message) => {
    let error: unknown;
    try {
      functions({ url });
    } catch (caught) {
      error = caught;
    }
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain(":secret");
  });
});

describe("signed requests", () => {
  test("have the signature that AWS describes, by another implementation of it", async () => {
    const seen: { headers: { [name: string]: string }; body: string; url: string }[] = [];
    const credentials = {
      accessKeyId: "AKIDEXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    };
    const executor = functions({
      ...{ url: "https://abc.lambda-url.eu-west-1.on.aws/run", token: TOKEN },
      sign: { service: "lambda", region: "eu-west-1", credentials },
      fetch: (async (url: string, init: { headers: { [name: string]: string }; body: string }) => {
        seen.push({ url, headers: init.headers, body: init.body });
        return new Response("{}", { status: 403 });
      }) as unknown as typeof fetch,
    });
    await expect(program().compute({ executor, workDir: work })).rejects.toThrow(/signature/);
    const { headers, body, url } = seen[0]!;
    expect(headers["x-chunkwise-token"]).toBe(TOKEN);
    expect(headers["authorization"]).toBe(signed(url, headers, body, credentials.secretAccessKey));
    expect(JSON.stringify(seen)).not.toContain(credentials.secretAccessKey);
  });

  test("need credentials", async () => {
    const executor = functions({ url: "https://x.invalid/", sign: { service: "lambda", region: "r" } });
    vi.stubEnv("AWS_ACCESS_KEY_ID", "");
    await expect(program().compute({ executor, workDir: work })).rejects.toThrow(/there are no credentials/);
    vi.unstubAllEnvs();
  });
});

/** AWS Signature Version 4, as its documentation says it. */
function signed(address: string, headers: { [name: string]: string }, body: string, secret: string): string {
  const url = new URL(address);
  const hex = (text: string): string => createHash("sha256").update(text).digest("hex");
  const [, names] = /SignedHeaders=([^,]+)/.exec(headers["authorization"]!)!;
  const [, scope] = /Credential=[^/]+\/([^,]+)/.exec(headers["authorization"]!)!;
  const values = names!
    .split(";")
    .map((name) => `${name}:${name === "host" ? url.host : headers[name]!.trim()}\n`);
  const canonical = [
    "POST",
    url.pathname,
    "",
    values.join(""),
    names,
    headers["x-amz-content-sha256"] ?? hex(body),
  ];
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hex(canonical.join("\n"))].join("\n");
  const key = scope!
    .split("/")
    .reduce<string | Buffer>((by, part) => createHmac("sha256", by).update(part).digest(), `AWS4${secret}`);
  const signature = createHmac("sha256", key).update(text).digest("hex");
  return headers["authorization"]!.replace(/Signature=[0-9a-f]+/, `Signature=${signature}`);
}

describe("processes that are killed", () => {
  test("a coordinator: the same program, run again, goes on where it was", { timeout: 120_000 }, async () => {
    let left = 12;
    let killed: (() => void) | null = null;
    // Runs that fail leave what they have done to a later one: this folder has nothing of theirs.
    const own = newFolder("killed");
    const { url, end } = await service(async (_, response, done) => {
      await answer(response, done);
      if (--left === 0) killed?.();
    }, own);
    const dist = (name: string): string => pathToFileURL(join(import.meta.dirname, "../../dist", name)).href;
    const options = { index: dist("index.js"), door: dist("functions.js"), url, token: TOKEN, workDir: own };
    const run = (): Promise<string> => {
      const child = spawn(process.execPath, [
        join(import.meta.dirname, "remote-program.mjs"),
        JSON.stringify(options),
      ]);
      killed = () => child.kill("SIGKILL");
      let text = "";
      child.stdout.on("data", (chunk: Buffer) => {
        text += String(chunk);
      });
      child.stderr.on("data", (chunk: Buffer) => {
        text += String(chunk);
      });
      return new Promise((resolve) => child.on("exit", () => resolve(text)));
    };
    try {
      expect(await run()).toBe("");
      expect(filesBelow(own).length).toBeGreaterThan(0);
      const { found, data } = JSON.parse(await run()) as { found: number; data: number[] };
      const x = cw
        .asarray(Float64Array.from({ length: 900 }, (_, i) => Math.sin(i)))
        .reshape([30, 30])
        .rechunk([3, 30]);
      const y = x.cumulativeSum({ axis: 0 }).rechunk([30, 3]).cumulativeSum({ axis: 1 });
      expect(data).toEqual([...(await y.compute({ executor: "inline" })).data]);
      expect(found).toBeGreaterThan(0);
      expect(filesBelow(own)).toEqual([]);
    } finally {
      end();
      removeFolder(own);
    }
  });

  test("workers: their tasks are done by others", { timeout: 120_000 }, async () => {
    const carrier = await ProcessCarrier.start(2, { store: work, threads: 1 });
    let batches = 0;
    const executor = remoteExecutor(
      () => ({
        name: "killed",
        capacity: 2,
        close: async () => {},
        carry: (batch, signal) => {
          const carried = carrier.carry(batch, signal as AbortSignal);
          if (batches++ === 6) queueMicrotask(() => carrier.busy[0]?.kill("SIGKILL"));
          return carried;
        },
      }),
      { name: "killed", batchMs: 5 },
    );
    const events: cw.RunEvent[] = [];
    const run = { executor, workDir: work, onEvent: (event: cw.RunEvent) => void events.push(event) };
    const found = await program().compute(run);
    carrier.end();
    expect(found.data).toEqual((await program().compute({ executor: "inline" })).data);
    expect(events.filter(({ type }) => type === "retry").length).toBeGreaterThan(0);
    expect(filesBelow(work)).toEqual([]);
  });
});

test("a worker that has too little memory says how much there is, and how much is needed", async () => {
  const { executor, close } = await hereExecutor(1, { store: work, threads: 0, allowedMem: "150MB" });
  const x = cw.ones([3e6], { chunks: [3e6] }).astype("float64");
  await expect(x.add(cw.arange(3e6, { chunks: 3e6 })).compute({ executor, workDir: work })).rejects.toThrow(
    /its tasks need .*MB each, and this worker has 12 MB for tasks.*larger allowedMem/,
  );
  await close();
});

test("what no worker has the memory for is refused before anything runs", async () => {
  const work = newFolder("room");
  const sent: Batch[] = [];
  const carrier: Carrier = {
    ...{ name: "small", capacity: 1, roomBytes: 1e6, close: async () => {} },
    carry: async (batch) => {
      sent.push(batch);
      throw new Error("a batch was sent");
    },
  };
  const executor = remoteExecutor(() => carrier, { name: "small" });
  const x = cw.ones([2_000_000], { chunks: 1_000_000 }).cumulativeSum();
  await expect(x.compute({ executor, workDir: work })).rejects.toThrow(
    /tasks need \d+.* each, and the largest worker has 1 MB for tasks. Start workers with a larger --allowed-mem/,
  );
  expect(sent).toEqual([]);
  removeFolder(work);
});

test("events name the workers that did the tasks", async () => {
  const { executor, close } = await hereExecutor(1, { store: work, threads: 0, name: "node-7" });
  const names = new Set<string | undefined>();
  const onEvent = (event: cw.RunEvent): void => {
    if (event.type === "taskEnd") names.add(event.by);
  };
  await program().compute({ executor, workDir: work, onEvent });
  expect([...names]).toEqual(["node-7"]);
  await close();
});

test.each(["removed", "emptied", "cut short", "changed in one bit"])(
  "chunks in the shared store that are %s on the way are made again",
  async (how) => {
    const own = newFolder("spoiled");
    const { carrier, close } = await hereExecutor(2, { store: own, threads: 0 });
    const spoiled = new Set<string>();
    const spoil = (file: string): void => {
      const bytes = readFileSync(file);
      if (how === "removed") return rmSync(file);
      if (how === "changed in one bit") bytes[8]! ^= 4;
      writeFileSync(file, how === "emptied" ? "" : how === "cut short" ? bytes.subarray(0, 20) : bytes);
    };
    const executor = remoteExecutor(
      () => ({
        ...{ name: "spoiling", capacity: 2, close: async () => {} },
        async carry(batch, signal) {
          const report = await carrier.carry(batch, signal as AbortSignal);
          // Each array's first chunk but the sources', once.
          for (const file of filesBelow(own).filter((name) => /\/a[1-9]\d*\/c\/0/.test(name)))
            if (!spoiled.has(file) && spoiled.size < 4) {
              spoiled.add(file);
              spoil(file);
            }
          return report;
        },
      }),
      { name: "spoiling" },
    );
    const found = await program().compute({ executor, workDir: own });
    expect(found.data).toEqual((await program().compute({ executor: "inline" })).data);
    expect(spoiled.size).toBeGreaterThan(0);
    expect(filesBelow(own)).toEqual([]);
    await close();
    removeFolder(own);
  },
);
