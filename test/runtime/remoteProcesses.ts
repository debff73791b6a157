// Workers in processes of their own, for tests: reached by messages, or by https with a certificate that is made for the test.

import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { LostWorker } from "../../src/runtime/pools/pool.ts";
import { checkError } from "../../src/runtime/pools/remote/batchChecks.ts";
import type { WorkerOptions } from "../../src/runtime/pools/remote/batchRunner.ts";
import type { Batch, BatchReport, Carrier } from "../../src/runtime/pools/remote/carrier.ts";
import { receiveError } from "../../src/runtime/pools/sentError.ts";

export const TOKEN = "a token of a test, long enough";
const SCRIPT = join(import.meta.dirname, "remote-worker.mjs");
const DOOR = pathToFileURL(join(import.meta.dirname, "../../dist/functions.js")).href;

interface Answer {
  readonly ready?: boolean;
  readonly port?: number;
  readonly id?: number;
  readonly status?: number;
  readonly body?: { readonly report?: BatchReport; readonly error?: unknown };
}

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

function started(options: object): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(SCRIPT, [JSON.stringify({ door: DOOR, token: TOKEN, ...options })], { execArgv: [] });
  return new Promise((resolve, reject) => {
    child.once("message", (message: Answer) => resolve({ child, port: message.port ?? 0 }));
    child.once("exit", (code) => reject(new Error(`the worker ended with ${code}`)));
  });
}

/** Processes that do one batch at a time each; one that dies is started anew. */
export class ProcessCarrier implements Carrier {
  readonly name = "processes";
  readonly capacity: number;
  readonly #options: WorkerOptions;
  readonly #idle: ChildProcess[] = [];
  readonly #all = new Set<ChildProcess>();
  #ids = 0;

  private constructor(count: number, options: WorkerOptions) {
    this.capacity = count;
    this.#options = options;
  }

  static async start(count: number, options: WorkerOptions): Promise<ProcessCarrier> {
    const carrier = new ProcessCarrier(count, options);
    await Promise.all(Array.from({ length: count }, () => carrier.#more()));
    return carrier;
  }

  async #more(): Promise<ChildProcess> {
    const { child } = await started(this.#options);
    this.#all.add(child);
    this.#idle.push(child);
    return child;
  }

  /** Those that are busy now, to be killed. */
  get busy(): ChildProcess[] {
    return [...this.#all].filter((child) => !this.#idle.includes(child));
  }

  async carry(batch: Batch, signal: AbortSignal): Promise<BatchReport> {
    if (this.#idle.length === 0) await this.#more();
    signal.throwIfAborted();
    const child = this.#idle.pop()!;
    const id = ++this.#ids;
    const answer = await new Promise<Answer>((resolve, reject) => {
      const heard = (message: Answer): void => {
        if (message.id !== id) return;
        child.off("message", heard);
        child.off("exit", died);
        this.#idle.push(child);
        resolve(message);
      };
      const died = (): void => {
        this.#all.delete(child);
        reject(new LostWorker("the process is gone", true));
      };
      child.on("message", heard);
      child.once("exit", died);
      child.send({ id, batch });
    });
    if (answer.body?.report !== undefined) return answer.body.report;
    throw receiveError(checkError(answer.body?.error));
  }

  async close(): Promise<void> {}

  end(): void {
    for (const child of this.#all) child.kill("SIGKILL");
  }
}

/** A certificate for 127.0.0.1 that this test alone trusts. */
export function newCertificate(folder: string): Certificate {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...kind, "-keyout", key, "-out", cert, ...subject], {
    stdio: "ignore",
  });
  return { key, cert };
}

/** A function service on this machine. */
export async function startService(
  options: WorkerOptions,
  tls: Certificate,
): Promise<{ url: string; end(): void }> {
  const { child, port } = await started({ ...options, tls });
  return { url: `https://127.0.0.1:${port}/`, end: () => void child.kill("SIGKILL") };
}

/** `fetch` that trusts one certificate and no other. */
export const fetchTrusting =
  ({ cert }: Certificate): typeof fetch =>
  (input, init = {}) =>
    new Promise((resolve, reject) => {
      const { method = "GET", headers, body, signal } = init;
      const options = { method, headers: headers as { [name: string]: string }, ca: readFileSync(cert) };
      const asked = httpsRequest(String(input), { ...options, ...(signal ? { signal } : {}) }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () =>
          resolve(
            new Response(Buffer.concat(chunks), {
              status: answer.statusCode!,
              headers: answer.headers as { [name: string]: string },
            }),
          ),
        );
      });
      asked.on("error", reject);
      asked.end(body as string | undefined);
    });
