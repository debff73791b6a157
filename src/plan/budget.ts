// The budget: a task that would need more than is allowed is refused before anything runs. In: a plan and the bytes
// that one task may use. Out: nothing, or an error that names the operation, the user's line, what the memory is for,
// and the budget or the chunks that would do.

import { blockBytes } from "../core/block.ts";
import { type ChunkShape, shapeText, sizeOf } from "../core/chunks.ts";
import { bytesText } from "../core/counts.ts";
import { ChunkwiseError, type ErrorParts } from "../core/errors.ts";
import { surelyFits } from "./fusion/fusionNodes.ts";
import { type DensePlanArray, type Operation, type PlanArray, type PlanData, readsOf } from "./plan.ts";
import { statedBytes } from "./statedBytes.ts";
import { type MemoryTerm, memoryOf, totalMemory } from "./taskMemory.ts";

/** What a refusal says, beside its text. */
interface Refusal {
  /** The operation by its name in the plan, and the line of the user's code that asked for it. */
  readonly operation: string;
  readonly line: string | undefined;
  readonly terms: readonly MemoryTerm[];
  readonly needed: number;
  readonly allowed: number;
  /** What has to be allowed besides. */
  readonly reserved: number;
  /** The chunks of what is read, and smaller ones that would do; null where there are none. */
  readonly chunks: ChunkShape | null;
  readonly smaller: ChunkShape | null;
}

/** A task needs more memory than one may use. */
export class MemoryError extends ChunkwiseError implements Refusal {
  readonly operation: string;
  readonly line: string | undefined;
  readonly terms: readonly MemoryTerm[];
  readonly needed: number;
  readonly allowed: number;
  readonly reserved: number;
  readonly chunks: ChunkShape | null;
  readonly smaller: ChunkShape | null;

  constructor(parts: ErrorParts & Refusal, options?: ErrorOptions) {
    super(parts, options);
    this.operation = parts.operation;
    this.line = parts.line;
    this.terms = parts.terms;
    this.needed = parts.needed;
    this.allowed = parts.allowed;
    this.reserved = parts.reserved;
    this.chunks = parts.chunks;
    this.smaller = parts.smaller;
  }

  /** The same with another cure: so much is enough, or these chunks. */
  withCure(enough: number, smaller: ChunkShape | null): MemoryError {
    const { what, where } = this;
    return new MemoryError({ ...this, what, where, smaller, cure: cureText(enough, { ...this, smaller }) });
  }

  /** Three digits, as they are printed, but never less. */
  static rounded(bytes: number): number {
    const unit = 10 ** Math.max(0, Math.floor(Math.log10(bytes)) - 2);
    return Math.ceil(bytes / unit) * unit;
  }
}

function cureText(enough: number, { reserved, chunks, smaller }: Refusal): string {
  const kept = reserved === 0 ? "" : ` (allowedMem, with ${bytesText(reserved)} reserved)`;
  const budget = `Allow ${bytesText(MemoryError.rounded(enough + reserved))} or more${kept}`;
  if (chunks === null || smaller === null) return budget;
  return `${budget}, or cut its inputs into smaller chunks: ${shapeText(smaller)} in place of ${shapeText(chunks)}`;
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
    const bytes = statedBytes(operation, arrays);
    if (bytes <= most) continue;
    worst = { operation, terms: memoryOf(operation, arrays) };
    most = bytes;
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
  const chunks = largestRead(operation, arrays);
  const smaller = chunks === null ? null : shrink(chunks, allowed / needed);
  const refusal = { operation: operation.name, line, terms, needed, allowed, reserved, chunks, smaller };
  return new MemoryError({
    ...refusal,
    where: `${op}${line === undefined ? "" : ` at ${line}`}, ${operation.name} of the plan`,
    what: `a task needs ${bytesText(needed)} and may use ${bytesText(allowed)}: ${sum}`,
    cure: cureText(needed, refusal),
  });
}

function lastStep({ steps, name }: Operation): { op: string; line: string | undefined } {
  const step = steps.findLast(({ kind }) => kind !== "read" && kind !== "source") ?? steps.at(-1);
  const op = step !== undefined && "op" in step ? step.op.name : name;
  return { op: step?.call ?? op, line: step?.line };
}

/** The chunks of the dense array that is cut into the largest ones: partitions are not cut smaller by numbers. */
function largestRead(operation: Operation, arrays: ReadonlyMap<string, PlanArray>): ChunkShape | null {
  const reads = readsOf(operation)
    .map((name) => arrays.get(name)!)
    .filter((array) => array.kind === "dense");
  const chunkBytes = ({ dtype, chunks }: DensePlanArray): number => blockBytes(dtype, chunks);
  return reads.toSorted((a, b) => chunkBytes(b) - chunkBytes(a))[0]?.chunks ?? null;
}

/** Chunks that are at most `factor` as large, by the rule that memory goes with the size of chunks. */
function shrink(chunks: ChunkShape, factor: number): ChunkShape | null {
  let smaller: ChunkShape | null = chunks;
  while (smaller !== null && sizeOf(smaller) > factor * sizeOf(chunks)) smaller = halved(smaller);
  return smaller;
}

/** Half as long along the longest axis; null when there is nothing to halve. */
export function halved(chunks: ChunkShape): ChunkShape | null {
  const longest = chunks.indexOf(Math.max(...chunks));
  if (longest < 0 || chunks[longest]! <= 1) return null;
  return chunks.map((n, axis) => (axis === longest ? Math.floor(n / 2) : n));
}
