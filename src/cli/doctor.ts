// `chunkwise doctor`: what this machine and this engine give. In: nothing. Out: threads, memory, SIMD, what is measured as reserved,
// optional parts that are there; and one small computation on threads whose result is known.

import { totalmem } from "node:os";
import { arange } from "../array/functions/index.ts";
import { installMethods } from "../array/methods.ts";
import { bytesText } from "../core/counts.ts";
import { ChunkwiseError } from "../core/errors.ts";
import { machineThreads } from "../core/threads.ts";
import { reservedFor } from "../runtime/reserved.ts";
import { command, JSON_OUT, print, printJson } from "./command.ts";

const OPTIONAL = ["apache-arrow", "bullmq", "ioredis", "koffi", "@viz-js/viz", "@opentelemetry/api"];

/** Two instructions of WebAssembly's vectors in a module that does nothing: engines that have none refuse it. */
const VECTORS = [
  ...[
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98,
    11,
  ],
];

export const doctorCommand = command({
  name: "doctor",
  summary: "what this machine gives, and whether computing on threads works",
  places: [],
  about:
    "Says what there is of threads, memory and vectors, and computes something small whose result is known.",
  options: [JSON_OUT],
  async run(given) {
    const report = {
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      threads: machineThreads,
      memory: bytesText(totalmem()),
      reserved: bytesText(reservedFor(machineThreads)),
      vectors: WebAssembly.validate(Uint8Array.from(VECTORS)),
      sharedMemory: typeof SharedArrayBuffer === "function",
      optional: await present(),
      onThreads: await computesOnThreads(),
    };
    if (given.has("json")) printJson(report);
    else for (const [name, value] of Object.entries(report)) print(`${name.padEnd(14)}${lineOf(value)}`);
    if (report.onThreads !== true)
      throw new ChunkwiseError({
        what: "a computation on threads did not give what it should",
        cure: 'Report this with the lines above; executor: "inline" computes without threads',
      });
  },
});

const lineOf = (value: unknown): string =>
  value === true
    ? "yes"
    : value === false
      ? "no"
      : Array.isArray(value)
        ? value.join(", ") || "none"
        : String(value);

async function present(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of OPTIONAL) {
    const isThere = await import(name).then(
      () => true,
      () => false,
    );
    if (isThere) found.push(name);
  }
  return found;
}

/** Σ i, i < 10⁶, in ten chunks. */
async function computesOnThreads(): Promise<boolean> {
  installMethods();
  const n = 1_000_000;
  const sum = arange(n, { dtype: "float64", chunks: n / 10 }).sum();
  return (await sum.compute({ executor: "threads" })).item() === (n * (n - 1)) / 2;
}
