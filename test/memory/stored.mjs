// How the memory battery's arrays are stored, sources and results alike: options of toZarr.

const [CHUNK, SHARD] = [512, 1024];

export const STORED = {
  plain: { codecs: [], chunks: [CHUNK, CHUNK] },
  default: { chunks: [CHUNK, CHUNK] },
  blosc: { codecs: [{ name: "blosc", configuration: { shuffle: "shuffle" } }], chunks: [CHUNK, CHUNK] },
  sharded: { shards: [SHARD, SHARD], chunks: [CHUNK, CHUNK] },
};

/** Results keep the chunks that they have: how these are encoded is the sources' way. Odd ones make no shards. */
export function targetOptions(kind, { chunks }) {
  const { codecs, shards } = STORED[kind];
  if (shards !== undefined && chunks.every((n) => n % 2 === 0))
    return { shards: chunks, chunks: chunks.map((n) => n / 2) };
  return codecs === undefined ? {} : { codecs };
}
