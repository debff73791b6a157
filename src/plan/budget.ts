// The budget: a task that would need more than is allowed is refused before anything runs. In: a plan and the bytes
// that one task may use. Out: nothing, or an error that names the operation, the user's line, what the memory is for,
// and the budget or the chunks that would do.

import { blockBytes } from "../core/block.ts";
import { bytesText } from "../core/bytes.ts";
import type { ChunkShape } from "../core/chunks.ts";
import { ChunkwiseError, type ErrorParts } from "../core/errors.ts";
import { shapeText } from "../core/shape.ts";
import { surelyFits } from "./fusion/group.ts";
import { type MemoryTerm, memoryOf, totalMemory } from "./memory.ts";
import type { Operation, PlanArray, PlanData } from "./plan.ts";
import { readsOf } from "./plan.ts";

/** A task needs more memory than one may use. */
export class MemoryError extends ChunkwiseError {
  /** The operation by its name in the plan, and the line of the user's code that asked for it. */
  readonly operation: string;
  readonly line: string | undefined;
  readonly terms: readonly MemoryTerm[];
  readonly needed: number;
  readonly allowed: number;

  constructor(
    parts: ErrorParts & Pick<MemoryError, "operation" | "line" | "terms" | "needed" | "allowed">,
    options?: ErrorOptions,
  ) {
    super(parts, options);
    this.operation = parts.operation;
    this.line = parts.line;
    this.terms = parts.terms;
    this.needed = parts.needed;
    this.allowed = parts.allowed;
  }
}

/**
 * Throws for the operation whose tasks need most, where that is too much: what is enough for it is enough for all.
 * `reserved` is what has to be allowed besides.
 */
export function checkBudget(plan: PlanData, allowed: number, reserved = 0): void {
  if (allowed === Number.POSITIVE_INFINITY) return;
  const arrays = new Map(plan.arrays.map((array) => [array.name, array]));
  let worst: { operation: Operation; terms: readonly MemoryTerm[] } | null = null;
  let most = allowed;
  for (const operation of plan.operations) {
    if (surelyFits(operation, allowed, arrays)) continue;
    const terms = memoryOf(operation, arrays);
    if (totalMemory(terms) <= most) continue;
    worst = { operation, terms };
    most = totalMemory(terms);
  }
  if (worst !== null) throw overBudget(worst.operation, worst.terms, { allowed, reserved }, arrays);
}

function overBudget(
  operation: Operation,
  terms: readonly MemoryTerm[],
  { allowed, reserved }: { readonly allowed: number; readonly reserved: number },
  arrays: ReadonlyMap<string, PlanArray>,
): MemoryError {
  const needed = totalMemory(terms);
  const { op, line } = lastStep(operation);
  const sum = terms.map(({ reason, bytes }) => `${reason} ${bytesText(bytes)}`).join(" + ");
  const kept = reserved === 0 ? "" : ` (allowedMem, with ${bytesText(reserved)} reserved)`;
  const smaller = chunkCure(operation, arrays, allowed / needed);
  return new MemoryError({
    ...{ operation: operation.name, line, terms, needed, allowed },
    where: `${op}${line === undefined ? "" : ` at ${line}`}, ${operation.name} of the plan`,
    what: `a task needs ${bytesText(needed)} and may use ${bytesText(allowed)}: ${sum}`,
    cure: `Allow ${bytesText(roundUp(needed + reserved))} or more${kept}${smaller}`,
  });
}

/** Three digits, as they are printed, but never less. */
function roundUp(bytes: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(bytes)) - 2);
  return Math.ceil(bytes / unit) * unit;
}

function lastStep({ steps, name }: Operation): { op: string; line: string | undefined } {
  const step = steps.findLast(({ kind }) => kind !== "read" && kind !== "source") ?? steps.at(-1);
  const op = step !== undefined && "op" in step ? step.op : name;
  return { op: step?.call ?? op, line: step?.line };
}

/** Chunks of what is read that would do, by the rule that memory goes with the size of chunks. */
function chunkCure(operation: Operation, arrays: ReadonlyMap<string, PlanArray>, factor: number): string {
  const reads = readsOf(operation).map((name) => arrays.get(name)!);
  const chunkBytes = ({ dtype, chunks }: PlanArray): number => blockBytes(dtype, chunks);
  const [largest] = reads.toSorted((a, b) => chunkBytes(b) - chunkBytes(a));
  if (largest === undefined) return "";
  const chunks = shrink(largest.chunks, factor);
  if (chunks === null) return "";
  return `, or cut its inputs into smaller chunks: ${shapeText(chunks)} in place of ${shapeText(largest.chunks)}`;
}

/** Chunks that are at most `factor` as large, halved along the longest axis as often as needed. */
function shrink(chunks: ChunkShape, factor: number): ChunkShape | null {
  const smaller = [...chunks];
  const size = (list: readonly number[]): number => list.reduce((product, n) => product * n, 1);
  while (size(smaller) > factor * size(chunks)) {
    const longest = smaller.indexOf(Math.max(...smaller));
    if (longest < 0 || smaller[longest]! <= 1) return null;
    smaller[longest] = Math.floor(smaller[longest]! / 2);
  }
  return smaller;
}
