// How safe what a run wrote is. A system that stops without warning may lose what was written last: files are then shorter
// than they were, or full of zeros. In: how it was written, as a word that lies beside it. Out: how much of it is in doubt.
// A system that has run on since has lost nothing, and what `durable` wrote is on the disk.

import { builtinNow } from "../storage/builtin.ts";

/** What was synced before it was told of. */
const DURABLE = "durable";

/** What stands beside what is written from now on; `before` for what was there already, null when there was nothing. */
export const writtenBy = (isDurable: boolean, before: string | null = null): string =>
  isDurable && (before === null || before === DURABLE) ? DURABLE : systemName();

/** Another one each time that the system is started. */
function systemName(): string {
  try {
    const id = builtinNow("node:fs")?.readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
    if (id !== undefined) return id.trim();
  } catch {}
  const uptime = builtinNow("node:os")?.uptime() ?? 0;
  return `minute-${Math.round((Date.now() / 1000 - uptime) / 60)}`;
}

/** Systems write what is changed to the disk within a minute; some wait for ten. */
const SLOWEST_MS = 600_000;
/** A server of files may have been started anew when this system was not. */
const RECENT_MS = 60_000;
const RECENT_CHUNKS = 1000;

/** What is to be looked into: what was written less than so long before the last of it, but no more than so many. */
export interface Doubt {
  readonly ms: number;
  readonly most: number;
}

const NONE: Doubt = { ms: 0, most: 0 };

export function doubtOf(written: string | undefined, isFinished: boolean): Doubt {
  if (written === DURABLE) return NONE;
  if (written !== systemName()) return { ms: SLOWEST_MS, most: Number.POSITIVE_INFINITY };
  return isFinished ? NONE : { ms: RECENT_MS, most: RECENT_CHUNKS };
}
