// Stored chunks of an earlier run that are not what it wrote: removed before anything is taken for done. In: an array in
// files, and how much of it is in doubt. Out: an array whose chunks are as they were written, as far as that can be known.

import { CorruptDataError } from "../storage/errors.ts";
import type { StoreKey } from "../storage/store.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import { canBeWhole } from "../storage/zarr/codecPipeline.ts";
import { type Pipeline, placeFromKey } from "../storage/zarr/place.ts";
import type { Doubt } from "./runKey.ts";

interface StoredChunk {
  readonly place: readonly number[];
  readonly size: number;
  readonly time: number;
}

/** `isPacked`: chunks are bytes of any length, as partitions are. */
export async function removeDamaged(array: ZarrArray, doubt: Doubt, isPacked = false): Promise<void> {
  const chunks = (await chunksOf(array)).sort((a, b) => b.time - a.time);
  const newest = chunks[0]?.time ?? 0;
  for (const [i, { place, size, time }] of chunks.entries()) {
    const fits = isPacked ? size > 0 : canBeWhole(size, array.pipeline);
    const isDoubtful = newest - time < doubt.ms && i < doubt.most;
    if (fits && !(isDoubtful && !(await isIntact(array, place, isPacked)))) continue;
    await array.deleteShard(place);
  }
}

async function chunksOf({ store, path, metadata, shardGrid }: ZarrArray): Promise<StoredChunk[]> {
  const chunks: StoredChunk[] = [];
  for await (const objects of store.listSizes?.((path === "" ? "/" : path) as StoreKey) ?? [])
    for (const { key, size, modified } of objects) {
      const place = placeFromKey(metadata.keyEncoding, key.slice(path.length + 1), shardGrid);
      // What other stores have is whole: they set objects in one step.
      if (place !== null && modified !== undefined) chunks.push({ place, size, time: modified });
    }
  return chunks;
}

/** By its sum where there is one. What a system lost reads as zeros: chunks that really have some are made again. */
async function isIntact(array: ZarrArray, place: readonly number[], isPacked: boolean): Promise<boolean> {
  try {
    const bytes = await array.getRaw(place);
    if (bytes === undefined) return false;
    if (isPacked || !hasSum(array.pipeline)) return !hasEmptyPage(bytes);
    await array.decodeShard(bytes);
    return true;
  } catch (cause) {
    if (cause instanceof CorruptDataError) return false;
    throw cause;
  }
}

const hasSum = ({ bytesCodecs, serial }: Pipeline): boolean =>
  bytesCodecs.some(({ sum }) => sum !== undefined) || (serial.kind === "shard" && hasSum(serial.inner));

const PAGE = 4096;

function hasEmptyPage(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += PAGE)
    if (bytes.subarray(at, at + PAGE).every((byte) => byte === 0)) return true;
  return false;
}
