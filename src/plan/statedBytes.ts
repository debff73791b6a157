// How many bytes a task of an operation needs, without the reasons. Plans of thousands of arrays have thousands of
// operations of a few kinds: those that are alike, on arrays that are alike, need the same, and are looked at once.
// Must hold: the same number as taskMemory.ts states, for every operation.

import { sameShape } from "../core/chunks.ts";
import { areAlike, Recent } from "./fusion/fusionOptions.ts";
import type { Operation, PlanArray } from "./plan.ts";
import { memoryOf, totalMemory } from "./taskMemory.ts";

type Arrays = ReadonlyMap<string, PlanArray>;

interface Stated {
  readonly operation: Operation;
  readonly touched: Touched;
  readonly bytes: number;
}

/** The arrays that an operation reads and writes, each once, and which of them each read and output means. */
interface Touched {
  readonly arrays: readonly PlanArray[];
  readonly uses: readonly number[];
}

const recent = new Recent<Arrays, Stated>();

export function statedBytes(operation: Operation, arrays: Arrays): number {
  const touched = touchedBy(operation, arrays);
  return recent.get(
    arrays,
    (known) =>
      sameShape(known.operation.grid, operation.grid) &&
      sameTouched(known.touched, touched) &&
      areAlike(known.operation, operation),
    () => ({ operation, touched, bytes: totalMemory(memoryOf(operation, arrays)) }),
  ).bytes;
}

function touchedBy({ steps, outputs }: Operation, arrays: Arrays): Touched {
  const numbers = new Map<string, number>();
  const uses: number[] = [];
  const touch = (name: string): void => {
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    uses.push(number);
  };
  for (const step of steps) if (step.kind === "read") touch(step.array);
  for (const { array } of outputs) touch(array);
  return { arrays: Array.from(numbers.keys(), (name) => arrays.get(name)!), uses };
}

const sameTouched = (a: Touched, b: Touched): boolean =>
  sameShape(a.uses, b.uses) && a.arrays.every((array, i) => sameArray(array, b.arrays[i]!));

function sameArray(a: PlanArray, b: PlanArray): boolean {
  if (a.kind === "ragged" || b.kind === "ragged") return a === b;
  const isCutAlike = sameShape(a.shape, b.shape) && sameShape(a.chunks, b.chunks) && a.inner === b.inner;
  return isCutAlike && a.dtype === b.dtype && a.role === b.role && a.transfer === b.transfer;
}
