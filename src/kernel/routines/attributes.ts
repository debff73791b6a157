// What a routine reads from its call. In: attributes and lists of blocks. Out: typed values. Whoever built the
// call has checked it already, so anything amiss here is a bug of ours.

import type { Attr, Attrs, Block } from "../../core/block.ts";
import { describe } from "../../core/chunks.ts";
import { InvariantError } from "../../core/errors.ts";

export function integerAttr(attrs: Attrs, name: string): number {
  const value = attrs[name];
  if (isInteger(value)) return value;
  throw new InvariantError({ what: `the attribute ${name} is ${describe(value)}, not an integer` });
}

export function integersAttr(attrs: Attrs, name: string): readonly number[] {
  const value = attrs[name];
  if (Array.isArray(value) && value.every(isInteger)) return value;
  throw new InvariantError({ what: `the attribute ${name} is ${describe(value)}, not a list of integers` });
}

export function booleanAttr(attrs: Attrs, name: string): boolean {
  const value = attrs[name];
  if (typeof value === "boolean") return value;
  throw new InvariantError({ what: `the attribute ${name} is ${describe(value)}, not a boolean` });
}

const isInteger = (value: Attr | undefined): value is number => Number.isInteger(value);

export function blockAt(blocks: readonly Block[], position: number): Block {
  const block = blocks[position];
  if (block !== undefined) return block;
  throw new InvariantError({
    what: `a routine was given ${blocks.length} blocks and needs number ${position}`,
  });
}
