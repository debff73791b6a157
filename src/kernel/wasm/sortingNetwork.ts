// Sorting networks: comparisons that put any elements in order, the same ones for all, so that vectors of elements go through together. In:
// how many elements, and which places are asked for. Out: pairs of places; the lesser goes to the first.

type Exchange = readonly [low: number, high: number];

/** Batcher's odd-even merge sort of 2ᵏ places, of which those beyond the last are left out: they would hold what is never less. */
function oddEvenMerge(count: number): Exchange[] {
  const whole = 2 ** Math.ceil(Math.log2(Math.max(1, count)));
  const exchanges: Exchange[] = [];
  for (let run = 1; run < whole; run *= 2)
    for (let apart = run; apart >= 1; apart /= 2)
      for (let first = apart % run; first + apart < count; first += 2 * apart)
        for (let i = first; i < Math.min(first + apart, count - apart); i++)
          if (Math.floor(i / (2 * run)) === Math.floor((i + apart) / (2 * run)))
            exchanges.push([i, i + apart]);
  return exchanges;
}

/** Those that places which are asked for depend on. */
export function exchangesFor(count: number, places: readonly number[]): Exchange[] {
  const wanted = new Set(places);
  const needed: Exchange[] = [];
  for (const [low, high] of oddEvenMerge(count).reverse()) {
    if (!wanted.has(low) && !wanted.has(high)) continue;
    wanted.add(low).add(high);
    needed.push([low, high]);
  }
  return needed.reverse();
}
