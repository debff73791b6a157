// Routines that have kernels. A kernel gives true when it has done the call, false where the routine itself has to.

import type { RoutineCall } from "../routine.ts";
import { runContract } from "./contracting.ts";
import { runPick, runSpread } from "./moving.ts";
import { runSegmentSort, runSort } from "./sorting.ts";

export type RoutineKernel = (call: RoutineCall, threads: number) => boolean;

export const ROUTINE_KERNELS: ReadonlyMap<string, RoutineKernel> = new Map<string, RoutineKernel>([
  ["sort", (call, threads) => runSort("sort", call, threads)],
  ["argsort", (call, threads) => runSort("argsort", call, threads)],
  ["segmentSort", (call, threads) => runSegmentSort("sort", call, threads)],
  ["segmentArgsort", (call, threads) => runSegmentSort("argsort", call, threads)],
  ["pick", runPick],
  ["spread", runSpread],
  ["contract", runContract],
]);
