// What the process needs without any data: measured in a fresh process that loads the library and computes something
// small with it. In Node only.

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

const SCRIPT = `
const cw = await import(process.argv[1]);
const store = new cw.MemoryStore();
await cw.ones([64], { chunks: 8 }).add(1).toZarr(store, { threads: Number(process.argv[2]) });
await (await cw.fromZarr(store)).sum().compute({ threads: Number(process.argv[2]) });
console.log(process.resourceUsage().maxRSS * 1024);
`;

/** Bytes; for Spec's reservedMem. */
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
