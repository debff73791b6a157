// Memory of a task, stated before it runs: its windows, its temporaries, its outputs and the interpreter's
// registers. Each term has its reason.

import { blockBytes } from "../core/block.ts";
import { numberOf, placeOf } from "../core/chunks.ts";
import { sizeOf } from "../core/shape.ts";
import type { KernelStep } from "../kernel/blockProgram.ts";
import { TILE_LANES } from "../kernel/interpret/tile.ts";
import { compileTask } from "./compile/task.ts";
import type { Operation, PlanArray } from "./plan.ts";

export interface MemoryTerm {
  readonly reason: string;
  readonly bytes: number;
}

/** The largest of the first, a middle and the last task. */
export function memoryOf(operation: Operation, arrays: ReadonlyMap<string, PlanArray>): MemoryTerm[] {
  const { grid } = operation;
  if (sizeOf(grid) === 0) return [];
  const places = [grid.map(() => 0), grid.map((n) => Math.floor(n / 2)), grid.map((n) => n - 1)];
  const tasks = new Set(places.map((place) => numberOf(place, grid)));
  const probes = [...tasks].map((task) => taskMemory(operation, arrays, placeOf(task, grid)));
  return probes.reduce((most, terms) => (totalMemory(terms) > totalMemory(most) ? terms : most));
}

/** The bytes of windows, temporaries and outputs alone: what grows with chunks. */
export function probedMemory(operation: Operation, arrays: ReadonlyMap<string, PlanArray>): number {
  return totalMemory(memoryOf(operation, arrays).filter(({ reason }) => reason !== "registers"));
}

function taskMemory(
  operation: Operation,
  arrays: ReadonlyMap<string, PlanArray>,
  place: readonly number[],
): MemoryTerm[] {
  const { program, reads, writes } = compileTask(operation, arrays, place);
  const windows = (reason: string, list: typeof reads): MemoryTerm[] =>
    list.map(({ array, box }) => ({
      reason: `${reason} ${array}`,
      bytes: blockBytes(arrays.get(array)!.dtype, box.shape),
    }));
  const temporaries = program.buffers.filter(({ role }) => role === "temporary");
  const temporary = temporaries.reduce((sum, { dtype, shape }) => sum + blockBytes(dtype, shape), 0);
  const registers = Math.max(0, ...program.steps.map(registerBytes));
  return [
    ...windows("read", reads),
    ...(temporary > 0 ? [{ reason: "temporaries", bytes: temporary }] : []),
    ...windows("write", writes),
    ...(registers > 0 ? [{ reason: "registers", bytes: registers }] : []),
  ];
}

/** A register per instruction, for as many lanes as a tile has or the step needs. */
function registerBytes(step: KernelStep): number {
  if (step.kind === "routine") return 0;
  const instructions =
    step.kind === "loop"
      ? step.program.instructions.length
      : step.kind === "reduce"
        ? step.lift.instructions.length
        : 4;
  return 8 * instructions * Math.min(TILE_LANES, sizeOf(step.domain));
}

export const totalMemory = (terms: readonly MemoryTerm[]): number =>
  terms.reduce((sum, { bytes }) => sum + bytes, 0);
