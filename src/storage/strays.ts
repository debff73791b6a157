// Names of files that are being written. A name says which process of which machine writes it, so that
// what a killed process left can be told from what a living one is writing now.

import { utf8 } from "./text.ts";

const PATTERN = /^\.chunkwise-([0-9a-f]{8})-(\d+)-[0-9a-f]+\.partial$/;

const { process: host } = globalThis as {
  process?: { pid?: number; kill?(pid: number, signal: number): boolean; env?: { [name: string]: string } };
};

let count = 0;
/** Differs between two runs that happen to get the same process number. */
const run: string = Math.floor(Math.random() * 2 ** 40).toString(16);

export function strayName(machine: string): string {
  count++;
  return `.chunkwise-${machine}-${host?.pid ?? 0}-${run}${count.toString(16)}.partial`;
}

export const isStray = (name: string): boolean => PATTERN.test(name);

/** True when its process was on this machine and is no more. */
export function strayIsDead(name: string): boolean {
  const [, machine, pid] = PATTERN.exec(name) ?? [];
  if (pid === undefined || machine !== machineName()) return false;
  if (Number(pid) === host?.pid) return !name.includes(`-${run}`);
  try {
    host?.kill?.(Number(pid), 0);
    return false;
  } catch (cause) {
    // EPERM: there is such a process, and it is not ours.
    return (cause as NodeJS.ErrnoException).code === "ESRCH";
  }
}

let machine: string | undefined;

/** Eight digits that stand for this machine's name. */
export function machineName(): string {
  machine ??= digest(hostName());
  return machine;
}

function hostName(): string {
  const os = (
    globalThis as { process?: { getBuiltinModule?(name: string): { hostname(): string } | undefined } }
  ).process?.getBuiltinModule?.("node:os");
  return os?.hostname() ?? host?.env?.["HOSTNAME"] ?? "";
}

/** FNV-1a. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of utf8(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
