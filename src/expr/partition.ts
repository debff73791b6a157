// Partitions of nested data, as ops see them. In: rows in memory. Out: what goes into an op on partitions, and what comes out.

import type { Block } from "../core/block.ts";

/** A partition of a ragged array in memory. What its rows are made of is the ragged room's business. */
export interface Partition {
  /** How many rows it has. */
  readonly length: number;
}

/** What goes into a partition: the demanded partitions of a ragged input, or the demanded box of a dense one. */
export type RaggedInput = readonly Partition[] | Block;

/** A partition; or a block, where the output is dense. */
export type Made = Partition | Block;

/** Rows of the result follow from the same rows of the inputs, or a state does, of which several make one. */
export type Piecewise = "rows" | "states";

/** What is made of some inputs. */
export interface Growth {
  readonly bytes: number;
  /** They were counted: it may be more than the inputs are, and so much it is. */
  readonly isCounted: boolean;
}
