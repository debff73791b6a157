// "Did you mean": the known name closest to a mistyped one, or the one that NumPy calls so.

import { numpyMeans } from "./numpyNames.ts";

/** A sentence for an error's cure. */
export function closest(name: string, known: readonly string[]): string {
  const meant = numpyMeans(name, known);
  if (meant !== undefined) return `What NumPy calls ${name} is ${meant} here`;
  const best = suggestions(name, known)[0];
  return best === undefined
    ? `Known are ${known.slice(0, 12).join(", ")}${known.length > 12 ? ", …" : ""}`
    : `Did you mean ${best}?`;
}

/** Nobody mistypes so much; and distances cost the product of the lengths. */
const LONGEST_NAME = 64;

/** Known names within a few edits, the closest first. */
export function suggestions(name: string, known: readonly string[]): string[] {
  if (name.length > LONGEST_NAME) return [];
  const meant = numpyMeans(name, known);
  if (meant !== undefined) return [meant];
  const limit = Math.max(1, Math.floor(name.length / 3));
  return known
    .map((candidate) => [candidate, distance(name.toLowerCase(), candidate.toLowerCase())] as const)
    .filter(([, edits]) => edits <= limit)
    .sort((a, b) => a[1] - b[1])
    .slice(0, 3)
    .map(([candidate]) => candidate);
}

/** Levenshtein's: how many letters must be put in, taken out or changed. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, change));
    }
    row = next;
  }
  return row[b.length]!;
}
