// Before a run: no task may state more memory than it can have. In: a plan and the budget. Out: nothing, or an error
// that names the operation, the user's line, the terms, and what would do.

import { bytesText } from "../core/bytes.ts";
import { ChunkwiseError } from "../core/errors.ts";
import { shapeText } from "../core/shape.ts";
import { memoryOf, totalMemory } from "../plan/memory.ts";
import type { Operation, PlanArray, PlanData } from "../plan/plan.ts";

/** A task would need more memory than is allowed. */
export class MemoryError extends ChunkwiseError {
  readonly operation: string;
  readonly line: string | undefined;
  readonly neededBytes: number;
  readonly allowedBytes: number;

  constructor(parts: { what: string; where: string; cure: string }, facts: MemoryFacts) {
    super(parts);
    this.operation = facts.operation;
    this.line = facts.line;
    this.neededBytes = facts.needed;
    this.allowedBytes = facts.allowed;
  }
}

interface MemoryFacts {
  readonly operation: string;
  readonly line: string | undefined;
  readonly needed: number;
  readonly allowed: number;
}

export function checkMemory(plan: PlanData, budget: number, withLines: () => PlanData = () => plan): void {
  const arrays = new Map(plan.arrays.map((array) => [array.name, array]));
  for (const [at, operation] of plan.operations.entries()) {
    const needed = totalMemory(memoryOf(operation, arrays));
    if (needed > budget) throw tooMuch(withLines().operations[at] ?? operation, arrays, needed, budget);
  }
}

const MOST_TERMS = 6;

function tooMuch(
  operation: Operation,
  arrays: ReadonlyMap<string, PlanArray>,
  needed: number,
  budget: number,
): MemoryError {
  const line = operation.steps.findLast((step) => step.line !== undefined)?.line;
  const terms = memoryOf(operation, arrays)
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, MOST_TERMS)
    .map(({ reason, bytes }) => `${reason} ${bytesText(bytes)}`);
  return new MemoryError(
    {
      what: `a task needs ${bytesText(needed)} (${terms.join(", ")}) and may have ${bytesText(budget)}`,
      where: `${operation.name}${line === undefined ? "" : ` at ${line}`}`,
      cure: cureOf(operation, arrays, needed, budget),
    },
    { operation: operation.name, line, needed, allowed: budget },
  );
}

/** Chunks that would do, if all terms shrink with them; and the budget that would. */
function cureOf(
  operation: Operation,
  arrays: ReadonlyMap<string, PlanArray>,
  needed: number,
  budget: number,
): string {
  const { chunks } = arrays.get(operation.outputs[0]!.array)!;
  const smaller = shrunk(chunks, needed / budget);
  const advice = smaller === null ? "" : `Use chunks of ${shapeText(smaller)} or smaller, or `;
  const allow = `${advice === "" ? "Allow" : "allow"} ${bytesText(needed)} more than reservedMem (allowedMem)`;
  return `${advice}${allow}`;
}

/** The longest axes are halved until the chunk is smaller by the factor; null when that is not enough. */
function shrunk(chunks: readonly number[], factor: number): number[] | null {
  const smaller = [...chunks];
  for (let left = factor; left > 1; left /= 2) {
    const axis = smaller.indexOf(Math.max(...smaller));
    if (axis < 0 || smaller[axis]! < 2) return null;
    smaller[axis] = Math.ceil(smaller[axis]! / 2);
  }
  return smaller;
}
