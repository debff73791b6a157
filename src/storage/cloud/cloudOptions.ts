// Options that all object stores have, and whether they can be: what is misspelt or no number is an error when the store is
// made, before anything waits for it. Must hold: no error repeats the value of an option, which may be a secret.

import { ValueError } from "../../core/errors.ts";
import type { Fetch } from "../../core/platform.ts";
import { closest } from "../../core/suggest.ts";
import type { StoreLocation } from "../store.ts";

/** Options of every store in the cloud. */
export interface CloudStoreOptions {
  /** Requests at once; 16 unless given. */
  concurrency?: number;
  /** Attempts after the first; 6 unless given. */
  retries?: number;
  /** The wait before the first of them, doubled for each further one, half of it by chance; 100 ms unless given. */
  backoffMs?: number;
  /** Time for one attempt, and more for many bytes; 60 s unless given. */
  timeoutMs?: number;
  /** Answers to reads that mean "there is no such object"; 404 unless given. Who may not list is told 403 by some. */
  missing?: readonly number[];
  /** Objects longer than this are refused; 4 GiB unless given. */
  maxBytes?: number;
  /** Used in the place of the global `fetch`. */
  fetch?: Fetch;
}

/** Numbers, and the least that each can be. */
const NUMBERS: { readonly [name: string]: number } = {
  ...{ concurrency: 1, retries: 0, backoffMs: 0, timeoutMs: 1, maxBytes: 0 },
};

export function checkCloudOptions(options: object, own: readonly string[]): void {
  const known = [...Object.keys(NUMBERS), "missing", "fetch", ...own];
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name))
      throw new ValueError({ what: `there is no option "${name}"`, cure: closest(name, known) });
    const least = NUMBERS[name];
    const isNumber = typeof value === "number" && value >= (least ?? 0) && value <= Number.MAX_SAFE_INTEGER;
    if (least !== undefined && value !== undefined && !isNumber)
      throw new ValueError({ what: `${name} is no number that can be`, cure: `Give one from ${least} on` });
    if (name === "missing" && value !== undefined && !Array.isArray(value))
      throw new ValueError({ what: "missing is no list", cure: "Give statuses, as [403, 404]" });
  }
}

/**
 * A place with what others may be told of it: settings by the names of their options. Null where options were given that stay here,
 * as keys and tokens do.
 */
export function toldLocation<L extends StoreLocation>(
  place: object,
  options: object,
  told: { readonly [option: string]: string | boolean | undefined },
): L | null {
  if (!Object.keys(options).every((name) => name in told)) return null;
  const set = Object.entries(told).filter(([, value]) => value !== undefined);
  return { ...place, ...Object.fromEntries(set) } as L;
}
