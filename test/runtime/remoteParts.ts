// What tests of remote pools share: a carrier whose workers are in this process, and folders that are gone afterwards.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as cw from "chunkwise";
import { batchWorker } from "../../src/array/batchWorker.ts";
import type { WorkerOptions } from "../../src/runtime/pools/remote/batchRunner.ts";
import type { BatchWork, Carrier } from "../../src/runtime/pools/remote/carrier.ts";
import { type RemoteOptions, remoteExecutor } from "../../src/runtime/pools/remote/remotePool.ts";

/** A folder for one test. */
export const newFolder = (name: string): string => mkdtempSync(join(tmpdir(), `chunkwise-${name}-`));
export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** All files below a folder. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Workers in this process: each does one batch at a time, whatever it is. */
export class HereCarrier implements Carrier {
  readonly name = "here";
  readonly #workers: readonly BatchWork[];
  readonly #busy = new Set<BatchWork>();
  batches = 0;

  constructor(workers: readonly BatchWork[]) {
    this.#workers = workers;
  }

  get capacity(): number {
    return this.#workers.length;
  }

  async carry(batch: Parameters<Carrier["carry"]>[0], signal: AbortSignal): ReturnType<Carrier["carry"]> {
    this.batches++;
    // As it would travel.
    const travelled = JSON.parse(JSON.stringify(batch)) as typeof batch;
    const worker = this.#workers.find((one) => !this.#busy.has(one)) ?? this.#workers[0]!;
    this.#busy.add(worker);
    try {
      return JSON.parse(JSON.stringify(await worker.run(travelled, signal))) as Awaited<
        ReturnType<Carrier["carry"]>
      >;
    } finally {
      this.#busy.delete(worker);
    }
  }

  async close(): Promise<void> {}
}

/** An executor with so many workers in this process. */
export async function hereExecutor(
  count: number,
  options: WorkerOptions,
  settings: Partial<RemoteOptions> = {},
): Promise<{ executor: cw.Executor; carrier: HereCarrier; close(): Promise<void> }> {
  const workers = await Promise.all(Array.from({ length: count }, () => batchWorker(options)));
  const carrier = new HereCarrier(workers);
  const executor = remoteExecutor(() => carrier, { name: "here", ...settings });
  return {
    executor,
    carrier,
    close: async () => void (await Promise.all(workers.map((worker) => worker.close()))),
  };
}
