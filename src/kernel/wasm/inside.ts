// Work on blocks that must lie in the kernels' memory. In: blocks anywhere. What is outside is copied in first, and
// results that belong outside are copied out afterwards. Out: false when there is no room for the copies.

import type { Block } from "../../core/block.ts";
import { copyElements } from "../routines/stridedWalk.ts";
import type { KernelMemory } from "./memory.ts";

export function workInside(
  memory: KernelMemory,
  inputs: readonly Block[],
  outputs: readonly Block[],
  work: (inputs: readonly Block[], outputs: readonly Block[]) => void,
): boolean {
  const copies = new Map<Block, Block>();
  try {
    for (const block of [...inputs, ...outputs]) {
      if (memory.addressOf(block) !== null || copies.has(block)) continue;
      const copy = memory.takeBlock(block.dtype, block.shape);
      if (copy === null) return false;
      copies.set(block, copy);
    }
    const inside = (block: Block): Block => copies.get(block) ?? block;
    for (const block of inputs) if (copies.has(block)) copyElements(block, inside(block));
    work(inputs.map(inside), outputs.map(inside));
    for (const block of outputs) if (copies.has(block)) copyElements(inside(block), block);
    return true;
  } finally {
    for (const copy of copies.values()) memory.giveBlock(copy);
  }
}

/** Work with so many bytes of its own. False when there are not so many. */
export function withBuffer(memory: KernelMemory, bytes: number, work: (at: number) => void): boolean {
  if (bytes === 0) {
    work(0);
    return true;
  }
  const place = memory.take(bytes);
  if (place === null) return false;
  try {
    work(place.address);
  } finally {
    memory.give(place);
  }
  return true;
}
