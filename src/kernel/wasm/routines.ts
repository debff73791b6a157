// Routines that have kernels. A kernel gives true when it has done the call, false where the routine itself has to.

import type { RoutineCall } from "../routine.ts";
import { runContract } from "./contracting.ts";
import type { WasmMachine } from "./machine.ts";
import { runPick, runSpread } from "./moving.ts";
import { runSegmentSort, runSort } from "./sorting.ts";

export type RoutineKernel = (machine: WasmMachine, call: RoutineCall, threads: number) => boolean;

export const ROUTINE_KERNELS: ReadonlyMap<string, RoutineKernel> = new Map<string, RoutineKernel>([
  ["sort", (machine, call, threads) => runSort(machine, "sort", call, threads)],
  ["argsort", (machine, call, threads) => runSort(machine, "argsort", call, threads)],
  ["segmentSort", (machine, call, threads) => runSegmentSort(machine, "sort", call, threads)],
  ["segmentArgsort", (machine, call, threads) => runSegmentSort(machine, "argsort", call, threads)],
  ["pick", runPick],
  ["spread", runSpread],
  ["contract", runContract],
]);
