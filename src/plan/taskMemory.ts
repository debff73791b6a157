// Memory of a task, stated before it runs: the windows it reads, its temporaries and its kernels' scratch at the
// moment when they are most, the chunks it writes, and what storage needs to read and write them. Each term has its
// reason.
// Must hold: no task of the operation needs more, and one needs as much (of what storage needs: each window of it as much
// as where it needs most). One task of each kind is looked at (windows/kinds.ts): the others of the kind need the same.

import { sameShape, sizeOf } from "../core/shape.ts";
import { denseOf } from "../expr/type.ts";
import { rechunk } from "../ops/moves/axisMoves.ts";
import { compileLayout } from "./compile/compileTask.ts";
import type { TaskProgram } from "./compile/programWriter.ts";
import { isAlike, layoutOf, type Pair, pairsIn, type TaskLayout } from "./compile/taskLayout.ts";
import { type MemoryTerm, type Phases, phasesOf, type TransferOf, totalMemory } from "./phases.ts";
import { isRagged, type Operation, type PlanArray, type PlanStep } from "./plan.ts";
import { raggedTerms } from "./plannedPartitions.ts";
import { readTransfer, statedTransfer } from "./transfer.ts";
import { startAt } from "./windows/laws.ts";
import { type TaskKind, taskKinds } from "./windows/taskKinds.ts";

export { type MemoryTerm, totalMemory } from "./phases.ts";

type Arrays = ReadonlyMap<string, PlanArray>;

const known = new WeakMap<Operation, readonly MemoryTerm[]>();

/** Those of the task that needs most. */
export function memoryOf(operation: Operation, arrays: Arrays): readonly MemoryTerm[] {
  const before = known.get(operation);
  if (before !== undefined) return before;
  const terms = mostOf(operation, arrays);
  known.set(operation, terms);
  return terms;
}

function mostOf(operation: Operation, arrays: Arrays): readonly MemoryTerm[] {
  if (sizeOf(operation.grid) === 0) return [];
  if (isRagged(operation)) return raggedTerms(operation, arrays);
  // Tasks with alike layouts have one program: it is compiled once.
  const compiled: Compiled[] = [];
  let most: readonly MemoryTerm[] = [];
  for (const kind of kindsToLookAt(operation, arrays)) {
    const layout = layoutOf(operation, arrays, kind.place);
    const isKnown =
      !isStored(operation, arrays) &&
      compiled.some((other) => isAlike(operation, other.layout, layout, other.pairs));
    if (isKnown) continue;
    compiled.unshift({ layout, pairs: pairsIn(operation, layout) });
    if (compiled.length > MOST_KEPT) compiled.pop();
    const terms = largestPhase(
      phasesOf(compileLayout(operation, layout).task, arrays, transfersIn(kind, arrays)),
    );
    if (totalMemory(terms) > totalMemory(most)) most = terms;
  }
  return most;
}

interface Compiled {
  readonly layout: TaskLayout;
  readonly pairs: readonly Pair[];
}

const MOST_KEPT = 8;

/** Of one step on arrays in memory the first task needs most: nothing is shared, and no chunk is longer. */
const kindsToLookAt = (operation: Operation, arrays: Arrays): Iterable<Pick<TaskKind, "place" | "cell">> =>
  isSingle(operation) && !isStored(operation, arrays)
    ? [{ place: operation.grid.map(() => 0), cell: { runs: [], windows: [] } }]
    : taskKinds(operation, arrays);

const isSingle = ({ steps }: Operation): boolean =>
  steps.length <= 2 && steps.every(({ kind }) => kind !== "move" && kind !== "scan");

const isStored = ({ steps, outputs }: Operation, arrays: Arrays): boolean =>
  outputs.some(({ array }) => statedTransfer(arrays.get(array)!) !== undefined) ||
  steps.some((step) => step.kind === "read" && statedTransfer(arrays.get(step.array)!) !== undefined);

/** What storage needs for a window of a task: where a task of its cell needs most. */
function transfersIn({ place, cell }: Pick<TaskKind, "place" | "cell">, arrays: Arrays): TransferOf {
  const steps = cell.runs.map(({ first, step }, axis) => (place[axis]! - first) / step);
  return ({ array, box }) => {
    const law = cell.windows.find(
      (known) =>
        known.array === array &&
        sameShape(known.shape, box.shape) &&
        sameShape(startAt(known, steps), box.start),
    );
    const moves = box.start.map((_, axis) =>
      cell.runs.map(({ count }, g) => ({ slope: law?.slopes[g]?.[axis] ?? 1, count })),
    );
    return readTransfer(denseOf(arrays.get(array)!), box, moves);
  };
}

export const isRechunk = (step: PlanStep): boolean => step.kind === "move" && step.op === rechunk;

/** What one compiled task needs. */
export const termsOf = (task: TaskProgram, arrays: Arrays): readonly MemoryTerm[] =>
  largestPhase(phasesOf(task, arrays));

const largestPhase = (phases: Phases): readonly MemoryTerm[] =>
  phases.reduce((most, terms) => (totalMemory(terms) > totalMemory(most) ? terms : most));
