// The op table: every op by its name. Plans name ops; this is where a name becomes a record again.

import { ValueError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";
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

const byName = new Map<string, Op>(ALL.map((op) => [op.name, op]));
export const OPS: ReadonlyMap<string, Op> = byName;

/** Makes an op known by its name, so that plans can use it. */
export function registerOp<T extends Op>(op: T): T {
  if ((byName.get(op.name) ?? op) !== op)
    throw new ValueError({ what: `there is an op ${op.name} already`, cure: "Give it another name" });
  byName.set(op.name, op);
  return op;
}

export function opNamed(name: string): Op {
  const op = OPS.get(name);
  if (op !== undefined) return op;
  throw new ValueError({
    what: `there is no op ${JSON.stringify(name)}`,
    cure: closest(name, [...OPS.keys()]),
  });
}
