// The built-in ops on dense arrays, and their sources, by name.

import type { Op } from "../expr/op.ts";
import { cast } from "../lazy/cast.ts";
import { SOURCES } from "../lazy/lazyArray.ts";
import { binCounts, binEdges, binPlaces, labelCounts } from "./binning.ts";
import { COMPACTION_OPS } from "./compaction.ts";
import { contract } from "./contraction.ts";
import type { ReduceRecord } from "./define.ts";
import * as elementwise from "./elementwise/index.ts";
import * as sumsWithin from "./exponentialSum.ts";
import * as exponentialSums from "./exponentialSums.ts";
import { fourier } from "./fourier.ts";
import { groupby } from "./groupby.ts";
import { LONG_SORT_OPS } from "./longSort.ts";
import { LOOP_OPS } from "./loopOps.ts";
import { BLOCK_OPS } from "./mapBlocks.ts";
import { mark } from "./marks.ts";
import { matrixRows } from "./matrixMethods.ts";
import { broadcast, expandDims, permute, rechunk, squeeze } from "./moves/axisMoves.ts";
import { overlap } from "./moves/overlap.ts";
import { pad } from "./moves/pad.ts";
import { reshape } from "./moves/reshape.ts";
import { concat, repeat, setSlice, slice, tile } from "./moves/select.ts";
import { slidingWindow } from "./moves/slidingWindow.ts";
import { take } from "./moves/take.ts";
import { nanargmaxPlace, nanargminPlace } from "./nanPlaces.ts";
import * as nanReductions from "./nanReductions.ts";
import { ORDER_OPS } from "./order.ts";
import { partitioned } from "./partitions.ts";
import { RANDOM_OPS, RANDOM_SOURCES } from "./random.ts";
import * as reductions from "./reductions.ts";
import { ROUTINE_OPS } from "./routines.ts";
import { RANK_SAMPLE_OPS } from "./sampling.ts";
import * as scans from "./scans.ts";
import { OpTable } from "./table.ts";
import { TIME_OPS } from "./timeOps.ts";
import { windowed } from "./windowed.ts";

/** The functions of a module that are ops. */
const opsIn = (module: object): Op[] =>
  Object.values(module).filter(
    (value): value is Op & object => typeof value === "function" && "class" in value,
  );

/** The reductions that have names of their own. */
export const REDUCE_OPS: readonly ReduceRecord[] = [
  ...opsIn(reductions),
  ...opsIn(nanReductions),
] as unknown as readonly ReduceRecord[];

const ALL: readonly Op[] = [
  ...SOURCES,
  ...RANDOM_SOURCES,
  ...RANDOM_OPS,
  ...[fourier, matrixRows, windowed],
  partitioned,
  cast,
  ...opsIn(elementwise),
  ...REDUCE_OPS,
  ...[nanargmaxPlace, nanargminPlace],
  ...[...opsIn(exponentialSums), ...opsIn(sumsWithin), sumsWithin.lessLogSum],
  ...opsIn(scans),
  ...[permute, broadcast, expandDims, squeeze, rechunk, reshape],
  ...[slice, setSlice, take, concat, repeat, tile, pad, overlap, slidingWindow],
  contract,
  ...ROUTINE_OPS,
  ...ORDER_OPS,
  ...LONG_SORT_OPS,
  ...RANK_SAMPLE_OPS,
  ...COMPACTION_OPS,
  ...BLOCK_OPS,
  ...LOOP_OPS,
  ...[groupby, binPlaces, binCounts, labelCounts, binEdges],
  mark,
  ...TIME_OPS,
];

/** The table of ops, by name: `OPS.get("add")`. */
export const OPS: ReadonlyMap<string, Op> = new Map(ALL.map((op) => [op.name, op]));

const table = new OpTable(ALL);
/** One of these by its name: `opNamed("add")`. */
export const opNamed = (name: string): Op => table.named(name);
