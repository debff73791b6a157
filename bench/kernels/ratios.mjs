// What the times mean: how many times faster than the best of the others, and what share of the memory's bandwidth.
// An entry whose result differs is shown but never counted as the best.

import { bytesOf } from "./cases.mjs";

export const timeOf = (row, id, measure = "best") =>
  row.outcomes.find((outcome) => outcome.id === id)?.[measure];

/** The fastest of the others with at most so many threads. */
export function bestPeer(row, threads, measure = "best") {
  let best = null;
  for (const outcome of row.outcomes) {
    if (outcome.ours || outcome.threads > threads || !outcome.agrees) continue;
    if (best === null || outcome[measure] < best[measure]) best = outcome;
  }
  return best;
}

/** How many times as fast our entry is as the best of the others; null where one is missing. */
export function ratioOf(row, id, threads, measure = "best") {
  const ours = row.outcomes.find((outcome) => outcome.id === id);
  const peer = bestPeer(row, threads, measure);
  return ours?.agrees && peer !== null ? peer[measure] / ours[measure] : null;
}

/** The share of the measured bandwidth, in percent. */
export function percentOf(row, id, bandwidth, measure = "best") {
  const bytes = bytesOf(row.kase, row.dtype);
  const ms = timeOf(row, id, measure);
  if (bytes === null || ms === undefined || bandwidth === null) return null;
  return ((row.count * bytes) / ms / 1e6 / bandwidth) * 100;
}
