// Names of files that are being written. A name says which process of which machine writes it, so that
// what a killed process left can be told from what a living one is writing now.

import { builtinNow } from "./builtin.ts";
import { utf8 } from "./text.ts";

const PATTERN = /^\.chunkwise-([0-9a-f]{8})-(\d+)-([0-9a-f]+)-([0-9a-f]+)-[0-9a-f]+\.partial$/;

const { process: host } = globalThis as {
  process?: { pid?: number; kill?(pid: number, signal: number): boolean; env?: { [name: string]: string } };
};

let count = 0;
/** Differs between two runs that happen to get the same process number. All threads of a process have one. */
let run: string = Math.floor(Math.random() * 2 ** 40).toString(16);
let thread = 0;

export const runName = (): string => run;

/** Another thread of the process whose run this is. */
export function joinRun(name: string, number: number): void {
  run = name;
  thread = number;
  own = null;
}

/** Threads of this process that were ended while they may have been writing. */
const endedThreads = new Set<number>();

export const threadEnded = (number: number): Set<number> => endedThreads.add(number);

/** What names of this thread begin with. */
let own: string | null = null;

export function strayName(): string {
  own ??= `.chunkwise-${machineName()}-${host?.pid ?? 0}-${run}-${thread.toString(16)}-`;
  return `${own}${(++count).toString(16)}.partial`;
}

export const isStray = (name: string): boolean => PATTERN.test(name);

/** True when its process was on this machine and is no more, or its thread. */
export function strayIsDead(name: string): boolean {
  const [, machine, pid, itsRun, itsThread] = PATTERN.exec(name) ?? [];
  if (pid === undefined || machine !== machineName()) return false;
  if (Number(pid) !== host?.pid) return isGone(Number(pid));
  return itsRun !== run || endedThreads.has(Number.parseInt(itsThread!, 16));
}

function isGone(pid: number): boolean {
  try {
    host?.kill?.(pid, 0);
    return isZombie(pid);
  } catch (cause) {
    // EPERM: there is such a process, and it is not ours.
    return (cause as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Killed, and nobody has asked how it ended: as in containers whose first process does not. Linux tells. */
function isZombie(pid: number): boolean {
  try {
    const stat = builtinNow("node:fs")?.readFileSync(`/proc/${pid}/stat`, "utf8") ?? "";
    return /\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}

/** This process, as text that another can ask `processIsGone` about. */
export const processName = (): string => `${machineName()}-${host?.pid ?? 0}-${run}`;

/** True when a process of this machine is no more. Of other machines nothing is known. */
export function processIsGone(name: string): boolean {
  const [, machine, pid, other] = /^([0-9a-f]{8})-(\d+)-([0-9a-f]+)$/.exec(name) ?? [];
  if (pid === undefined) return true;
  if (machine !== machineName()) return false;
  return Number(pid) === host?.pid ? other !== run : isGone(Number(pid));
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
