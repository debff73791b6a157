// A Zarr array as formats give arrays. In: the array. Out: what runs and plans ask of a source, or of a target that is written
// shard by shard.

import type { Box } from "../../core/box.ts";
import type { ChunkWriter, DenseArray } from "../formats/denseFormat.ts";
import type { ZarrArray } from "./array.ts";
import { codecsIn } from "./chunkLayout.ts";
import { arrayState } from "./state.ts";
import { transferOf } from "./transfer.ts";

type Traits = Required<Pick<DenseArray, "readsParts" | "isPlainFiles" | "hereOnly">>;

/** What holds of reading it and of writing it. */
export const traitsOf = (array: ZarrArray): Traits => ({
  readsParts: array.shards !== null,
  isPlainFiles: isPlainFiles(array),
  hereOnly: codecsIn(array.pipeline).find(({ isHereOnly }) => isHereOnly === true)?.name ?? null,
});

export function denseArray(array: ZarrArray): DenseArray {
  const { dtype, shape, chunks, storedDType, metadata } = array;
  return {
    dtype,
    shape,
    chunks: chunks.map((length, axis) => Math.max(1, Math.min(length, shape[axis]!))),
    unit: metadata.unitShape,
    readInto: (box, into, options) => array.readSoon(box.start, box.shape, into, options),
    transfer: () => transferOf(array.pipeline, array.store),
    access: () => ({ chunks, hasRuns: isPlainFiles(array) }),
    fingerprint() {
      const how = JSON.stringify([metadata.codecs, metadata.keyEncoding, [...metadata.fill.element]]);
      return `${storedDType}[${shape}](${chunks}) ${how}`;
    },
    state: (reads) => arrayState(array, reads),
    ...traitsOf(array),
  };
}

/** Chunks of a plan are the array's shards, from `offset` on (in elements). */
export function shardWriter(array: ZarrArray, offset: readonly number[]): ChunkWriter {
  const { unitShape } = array.metadata;
  const within = ({ start }: Box): number[] => start.map((x, axis) => x + offset[axis]!);
  return {
    writeBlock(box, block, options) {
      const place = within(box).map((x, axis) => x / unitShape[axis]!);
      return array.setShardSoon(place, block, options);
    },
    readInto: (box, into, options) => array.readSoon(within(box), box.shape, into, options),
  };
}

/** True when chunks are files of elements as they are: the system reads and writes them, with threads of its own. */
function isPlainFiles({ store, pipeline }: ZarrArray): boolean {
  return store.near === "files" && pipeline.serial.kind === "bytes" && pipeline.bytesCodecs.length === 0;
}
