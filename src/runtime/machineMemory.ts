// What the machine has: memory that this process may use, and what it uses without any data.

import { builtinNow } from "../storage/builtin.ts";

const { process: host, navigator: browser } = globalThis as {
  process?: {
    constrainedMemory?(): number;
    memoryUsage?: (() => { rss: number }) & { rss?(): number };
  };
  navigator?: { deviceMemory?: number };
};

const GIGABYTE = 1e9;

/** The machine's memory, or what this process was given of it. */
export function machineBytes(): number {
  const os = builtinNow("node:os");
  if (os === undefined) return (browser?.deviceMemory ?? 4) * GIGABYTE;
  const total = os.totalmem();
  // Without a limit some systems say 0, others a number beyond all memory.
  const limit = host?.constrainedMemory?.() ?? 0;
  return limit > 0 && limit < total ? limit : total;
}

/** The resident memory of the process; null where it cannot be asked for. */
export const residentBytes = (): number | null => host?.memoryUsage?.rss?.() ?? null;
