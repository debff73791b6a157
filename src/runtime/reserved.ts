// What the process needs without any data: measured in a fresh process that loads the library and computes something
// small of every kind with it, on as many threads as are asked for. In Node only.
// Must hold: all that a process needs once is in it: the engine and the library's code, kernels of every kind compiled,
// every codec loaded, every thread started and at work, and the garbage of a few thousand tasks.

import { NotSupportedError } from "../storage/errors.ts";

interface Child {
  execFileSync(file: string, args: readonly string[], options: object): string;
}
const { process: host } = globalThis as {
  process?: { execPath?: string; getBuiltinModule?(name: string): unknown };
};

/** From the sources, the built package is measured. */
const library = import.meta.url.endsWith(".ts")
  ? new URL("../../dist/index.js", import.meta.url)
  : new URL("./index.js", import.meta.url);

/**
 * In: the library's address and the number of threads. Chunks are of 32 kB, so that data count for little; there are
 * enough of them that every thread has some, and that the engine compiles decoders and kernels for the second time, as it
 * does with what runs often. The peak over the whole life of the process is printed.
 */
const SCRIPT = `
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
const cw = await import(process.argv[1]);
const threads = Number(process.argv[2]);
const run = { threads, ...(threads > 1 ? { executor: "threads" } : {}) };
const folder = mkdtempSync(join(tmpdir(), "chunkwise-reserved-"));
const [n, c] = [512, 64];
const wave = cw.linspace(0, 1, n * n).multiply(1e6).sin().reshape([n, n]).rechunk([c, c]);
const ways = [
  [{ shards: [2 * c, 2 * c], chunks: [c, c] }, (x) => cw.sort(x, { axis: 1 }).rechunk([n, c]).subtract(x.mean({ axis: 0 }))],
  [{ codecs: [{ name: "blosc", configuration: { shuffle: "shuffle" } }] }, (x) => x.cumulativeSum({ axis: 0 })],
  [{}, (x) => x.matmul(x).add(x.roll(3))],
];
try {
  for (const [at, [way, program]] of ways.entries()) {
    const path = join(folder, String(at));
    const x = await wave.toZarr(path, { ...way, ...run });
    await program(x).toZarr(path + "-result", { ...(way.codecs ? way : {}), ...run });
  }
  console.log(process.resourceUsage().maxRSS * 1024);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
`;

/**
 * Bytes that every thread with tasks takes, and the process besides. Measured (Node 20, x64): 113 to 119 MB without such
 * threads, 156 to 164 with two, 315 to 325 with eight.
 */
export const THREAD_RESERVED = 28e6;
const PROCESS_RESERVED = 110e6;

/** What is reserved for so many threads where nobody says it. */
export const reservedFor = (threads: number): number => PROCESS_RESERVED + threads * THREAD_RESERVED;

/**
 * What a process needs besides data, in bytes, for Spec's reservedMem: `await cw.measureReservedMemory({threads: 4})`
 * starts so many.
 */
export async function measureReservedMemory({
  threads = 2,
}: {
  readonly threads?: number;
} = {}): Promise<number> {
  const child = host?.getBuiltinModule?.("node:child_process") as Child | undefined;
  if (child === undefined || host?.execPath === undefined)
    throw new NotSupportedError({
      what: "memory can be measured in Node only",
      where: "measureReservedMemory",
    });
  const args = ["--input-type=module", "-e", SCRIPT, library.href, String(threads)];
  return Number(child.execFileSync(host.execPath, args, { encoding: "utf8" }));
}
