// What the storage tests share: blocks as bytes, whole arrays written and read.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Block, isContiguous, newBlock, subBlock } from "../../src/core/block.ts";
import { chunkBox, placeOf, type Shape, sizeOf, stridesOf } from "../../src/core/chunks.ts";
import { type DType, infoOf } from "../../src/core/dtype.ts";
import type { ZarrArray } from "../../src/storage/index.ts";
import { copyBlock, memoryOf } from "../../src/storage/zarr/blockCopies.ts";

export const FIXTURES: string = `${import.meta.dirname}/fixtures`;

export interface Expected {
  readonly dtype: string;
  readonly shape: number[];
  readonly data?: string;
  readonly sha256?: string;
}

export function expectedOf(version: "v2" | "v3"): { readonly [name: string]: Expected | null } {
  return JSON.parse(readFileSync(`${FIXTURES}/${version}.json`, "utf8"));
}

/** The elements one after another, as bytes in memory. */
export function bytesOf(block: Block): Uint8Array {
  if (isContiguous(block)) return memoryOf(block);
  const copy = newBlock(block.dtype, block.shape);
  copyBlock(block, copy);
  return memoryOf(copy);
}

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** What a block holds, in the way the expectation holds it. */
export function seen(block: Block, stored: string, expected: Expected): Expected {
  const bytes = Buffer.from(bytesOf(block));
  const base = { dtype: stored, shape: [...block.shape] };
  if (expected.sha256 === undefined) return { ...base, data: bytes.toString("base64") };
  return { ...base, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** A block over bytes. */
export function blockOf(dtype: DType, shape: Shape, bytes: Uint8Array): Block {
  const { array: ArrayOf } = infoOf(dtype);
  const copy = bytes.slice();
  const data = new ArrayOf(copy.buffer, 0, copy.length / ArrayOf.BYTES_PER_ELEMENT);
  return { dtype, shape, strides: stridesOf(shape), offset: 0, data };
}

/** Writes every stored object of an array from one block. */
export async function writeAll(array: ZarrArray, block: Block): Promise<void> {
  const { unitShape } = array.metadata;
  for (let i = 0; i < sizeOf(array.shardGrid); i++) {
    const place = placeOf(i, array.shardGrid);
    const box = chunkBox(array.shape, unitShape, place);
    await array.setShard(place, subBlock(block, box.start, box.shape));
  }
}

/** The same numbers every time. */
export function randomBytes(length: number, seed = 1): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

/** Elements of every kind for a dtype, with zeros among them so that compressors have something to do. */
export function sampleBlock(dtype: DType, shape: Shape, seed = 1): Block {
  const { bytes } = infoOf(dtype);
  const raw = randomBytes(bytes * sizeOf(shape), seed).map((byte, i) =>
    Math.floor(i / bytes) % 3 === 0 ? 0 : byte,
  );
  return blockOf(dtype, shape, dtype === "bool" ? raw.map((byte) => byte & 1) : raw);
}

/** A block of zeros in memory that threads share. */
export function sharedBlock(dtype: DType, shape: Shape): Block {
  const { array: ArrayOf, bytes } = infoOf(dtype);
  const memory = new SharedArrayBuffer(Math.max(1, sizeOf(shape)) * bytes);
  const data = new ArrayOf(
    memory as unknown as ArrayBuffer,
    0,
    (sizeOf(shape) * bytes) / ArrayOf.BYTES_PER_ELEMENT,
  );
  return { dtype, shape, strides: stridesOf(shape), offset: 0, data };
}
