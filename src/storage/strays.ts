// Names of files that are being written. A name says which thread of which process of which machine writes it, so that
// what a killed one left can be told from what a living one is writing now.

import { builtinNow } from "./builtin.ts";
import { utf8 } from "./zarr/zarrJson.ts";

const PATTERN = /^\.chunkwise-([0-9a-f]{8})-(\d+)-([0-9a-f]+)-([0-9a-f]+)-[0-9a-f]+\.partial$/;

const { process: host } = globalThis as {
  process?: { pid?: number; kill?(pid: number, signal: number): boolean; env?: { [name: string]: string } };
};

const RUN = "chunkwise run";
/** Six at random: of numbers that small, engines write the digits at once. */
const digits = (): string => ((Math.random() * 2 ** 24) | 0).toString(16);

/**
 * Differs between two runs that happen to get the same process number. Threads that begin after it was first asked for have
 * the same: Node hands it to them.
 */
export function runName(): string {
  const threads = builtinNow("node:worker_threads");
  const known = threads?.getEnvironmentData(RUN);
  if (typeof known === "string") return known;
  const name = `${digits()}${digits()}`;
  threads?.setEnvironmentData(RUN, name);
  return name;
}

/** What names of this thread begin with. */
export const strayStart = (): string =>
  `.chunkwise-${processName()}-${(builtinNow("node:worker_threads")?.threadId ?? 0).toString(16)}-`;

/** A name that no other file has. */
export const strayName = (start: string): string => `${start}${digits()}${digits()}.partial`;

export const isStray = (name: string): boolean => PATTERN.test(name);

/** True when its process was on this machine and is no more, or its thread is among those that have ended. */
export function strayIsDead(name: string, endedThreads?: ReadonlySet<number>): boolean {
  const [, machine, pid, run, thread] = PATTERN.exec(name) ?? [];
  if (thread === undefined) return false;
  if (processIsGone(`${machine}-${pid}-${run}`)) return true;
  const isOurs = machine === machineName() && Number(pid) === host?.pid;
  return isOurs && endedThreads?.has(Number.parseInt(thread, 16)) === true;
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
export const processName = (): string => `${machineName()}-${host?.pid ?? 0}-${runName()}`;

/** True when a process of this machine is no more. Of other machines nothing is known. */
export function processIsGone(name: string): boolean {
  const [, machine, pid, run] = /^([0-9a-f]{8})-(\d+)-([0-9a-f]+)$/.exec(name) ?? [];
  if (pid === undefined) return true;
  if (machine !== machineName()) return false;
  return Number(pid) === host?.pid ? run !== runName() : isGone(Number(pid));
}

/** Eight digits that stand for this machine's name. */
export const machineName = (): string =>
  digest(builtinNow("node:os")?.hostname() ?? host?.env?.["HOSTNAME"] ?? "");

/** FNV-1a. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of utf8(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
