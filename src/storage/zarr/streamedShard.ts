// A shard written chunk by chunk. In: a block, and a pipeline whose inner chunks have a known length: elements as they are
// in memory, and at most a sum beside them. Out: the parts of the shard, one after another, each good until the next is
// asked for, so that no more than one chunk is copied together at a time. Null for other shards.

import { type Block, subBlock } from "../../core/block.ts";
import { placeOf } from "../../core/chunks.ts";
import { sizeOf } from "../../core/shape.ts";
import { KeptMemory, type ScratchMemory, Taken } from "../codecs/scratch.ts";
import { isIdentity } from "./blockCopies.ts";
import { joinedParts, type Pipeline, type ShardLayout } from "./chunkLayout.ts";
import { encodedIndex, SHORT_PART } from "./shard.ts";
import { bytesFromBlock, isVerbatim } from "./storedElements.ts";

export async function streamedShard(
  { serial, bytesCodecs, order }: Pipeline,
  block: Block,
  memory: ScratchMemory = new KeptMemory(),
): Promise<Iterable<Uint8Array> | null> {
  if (serial.kind === "bytes" || bytesCodecs.length > 0 || !isIdentity(order)) return null;
  if (!hasKnownLength(serial.inner)) return null;
  const lengths = new Array<number>(sizeOf(serial.grid)).fill(serial.inner.encoded.max);
  const index = await encodedIndex(serial, lengths);
  // A store may begin again.
  return { [Symbol.iterator]: () => partsOf(serial, block, index, memory) };
}

const hasKnownLength = ({ serial, bytesCodecs, order, type }: Pipeline): boolean =>
  serial.kind === "bytes" &&
  isVerbatim(type, serial.endian) &&
  isIdentity(order) &&
  bytesCodecs.length <= 1 &&
  bytesCodecs.every(({ sum }) => sum !== undefined);

function* partsOf(
  layout: ShardLayout,
  block: Block,
  index: Uint8Array,
  memory: ScratchMemory,
): Generator<Uint8Array> {
  if (layout.indexAtStart) yield index;
  for (let i = 0; i < sizeOf(layout.grid); i++) {
    const room = new Taken(memory);
    try {
      const start = placeOf(i, layout.grid).map((x, axis) => x * layout.chunkShape[axis]!);
      const parts = chunkParts(layout.inner, subBlock(block, start, layout.chunkShape), room);
      if (layout.inner.encoded.max <= SHORT_PART) yield joinedParts(parts);
      else yield* parts;
    } finally {
      room.end();
    }
  }
  if (!layout.indexAtStart) yield index;
}

function chunkParts({ type, bytesCodecs }: Pipeline, chunk: Block, room: Taken): Uint8Array[] {
  const bytes = bytesFromBlock(chunk, type, "little", room);
  const sum = bytesCodecs[0]?.sum;
  if (sum === undefined) return [bytes];
  return sum.location === "start" ? [sum.of(bytes), bytes] : [bytes, sum.of(bytes)];
}
