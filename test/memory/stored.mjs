// How the memory battery's arrays are stored, sources and results alike: options of toZarr.

const BLOSC = { name: "blosc", configuration: { shuffle: "shuffle" } };

/** float64 arrays [n, n] of 34 MB in chunks of 2 MB; shards of 8 MB; and 75 MB in chunks of 8 MB. */
const USUAL = {
  plain: { n: 2048, codecs: [], chunks: [512, 512] },
  default: { n: 2048, chunks: [512, 512] },
  blosc: { n: 2048, codecs: [BLOSC], chunks: [512, 512] },
  sharded: { n: 2048, shards: [1024, 1024], chunks: [512, 512] },
  large: { n: 3072, chunks: [1024, 1024] },
};

/** 134 MB in chunks or shards of 34 MB: for a few programs. */
const HUGE = {
  huge: { n: 4096, chunks: [2048, 2048] },
  "huge blosc": { n: 4096, codecs: [BLOSC], chunks: [2048, 2048] },
  "huge plain": { n: 4096, codecs: [], chunks: [2048, 2048] },
  "huge shards": { n: 4096, shards: [2048, 2048], chunks: [1024, 1024] },
};

export const STORED = { ...USUAL, ...HUGE };
export const USUAL_KINDS = Object.keys(USUAL);
export const HUGE_KINDS = Object.keys(HUGE);

/** Results keep the chunks that they have: how these are encoded is the sources' way. Odd ones make no shards. */
export function targetOptions(kind, { chunks }) {
  const { codecs, shards } = STORED[kind];
  if (shards !== undefined && chunks.every((n) => n % 2 === 0))
    return { shards: chunks, chunks: chunks.map((n) => n / 2) };
  return codecs === undefined ? {} : { codecs };
}
