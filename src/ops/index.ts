// The built-in ops on dense arrays, and their sources, by name.

import type { Op } from "../expr/op.ts";
import { contract } from "./contraction.ts";
import * as arithmetic from "./elementwise/arithmetic.ts";
import { cast, where } from "./elementwise/choice.ts";
import * as exponential from "./elementwise/exponential.ts";
import * as logic from "./elementwise/logic.ts";
import * as special from "./elementwise/special.ts";
import { EXPONENTIAL_SUMS } from "./exponentialSums.ts";
import { groupby } from "./groupby.ts";
import { BLOCK_OPS } from "./mapBlocks.ts";
import { broadcast, expandDims, permute, rechunk, squeeze } from "./moves/layout.ts";
import { overlap } from "./moves/overlap.ts";
import { pad } from "./moves/pad.ts";
import { reshape } from "./moves/reshape.ts";
import { concat, repeat, setSlice, slice, tile } from "./moves/select.ts";
import { partitioned } from "./partitions.ts";
import { REDUCTIONS } from "./reductions.ts";
import { ROUTINE_OPS } from "./routines.ts";
import { SCANS } from "./scans.ts";
import { SOURCES } from "./sources.ts";
import { OpTable } from "./table.ts";

const ALL: readonly Op[] = [
  ...SOURCES,
  partitioned,
  ...Object.values(arithmetic),
  ...Object.values(exponential),
  ...Object.values(logic),
  ...Object.values(special),
  ...[cast, where],
  ...REDUCTIONS,
  ...EXPONENTIAL_SUMS,
  ...SCANS,
  ...[permute, broadcast, expandDims, squeeze, rechunk, reshape],
  ...[slice, setSlice, concat, repeat, tile, pad, overlap],
  contract,
  ...ROUTINE_OPS,
  ...BLOCK_OPS,
  groupby,
];

export const OPS: ReadonlyMap<string, Op> = new Map(ALL.map((op) => [op.name, op]));

const table = new OpTable(ALL);
/** One of these by its name. */
export const opNamed = (name: string): Op => table.named(name);
