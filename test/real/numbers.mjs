// Numbers that follow from a seed. In: a whole number or a text. Out: a function that gives the next whole number below
// a bound. Must hold: the same seed gives the same numbers in every process and on every machine.

/** mulberry32, begun with a hash of the seed's text (FNV-1a). */
export function numbersFrom(seed) {
  let state = 0x811c9dc5;
  for (const letter of String(seed)) state = Math.imul(state ^ letter.codePointAt(0), 0x01000193) >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** The list in another order. */
export function shuffled(list, pick) {
  const copy = [...list];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = pick(i + 1);
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
}
