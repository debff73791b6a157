// Plan, as users see it: data, printable, with the figures that matter. Made from expressions; the blocks
// of sources in memory ride along for the run and are no part of the data.

import { Resource } from "../core/attrs.ts";
import { blockBytes } from "../core/block.ts";
import { Complex, numberText } from "../core/numbers.ts";
import { sizeOf } from "../core/shape.ts";
import type { Expr } from "../expr/expr.ts";
import { fuse } from "./fuse.ts";
import { lower } from "./lower.ts";
import { memoryOf, totalMemory } from "./memory.ts";
import type { SiteOf } from "./origin.ts";
import type { PlanData } from "./plan.ts";
import { planText } from "./print.ts";
import type { Lowered } from "./writer.ts";

export class Plan {
  readonly data: PlanData;
  readonly sources: Lowered["sources"];

  constructor(data: PlanData, sources: Lowered["sources"]) {
    this.data = data;
    this.sources = sources;
  }

  get numTasks(): number {
    return this.data.operations.reduce((sum, { grid }) => sum + sizeOf(grid), 0);
  }

  get numOperations(): number {
    return this.data.operations.length;
  }

  /** Bytes of the arrays that are stored: intermediates and results. */
  get totalBytes(): number {
    const stored = this.data.arrays.filter(({ role }) => role !== "source");
    return stored.reduce((sum, { dtype, shape }) => sum + blockBytes(dtype, shape), 0);
  }

  /** The most memory that any one task is stated to need. */
  get maxProjectedMem(): number {
    const arrays = new Map(this.data.arrays.map((array) => [array.name, array]));
    return this.data.operations.reduce(
      (most, operation) => Math.max(most, totalMemory(memoryOf(operation, arrays))),
      0,
    );
  }

  toString(): string {
    return planText(this.data);
  }

  /** Plain data: numbers that JSON cannot hold become tagged strings. */
  toJSON(): unknown {
    return JSON.parse(JSON.stringify(this.data, encodeNumbers));
  }
}

function encodeNumbers(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return { $bigint: String(value) };
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)))
    return { $number: numberText(value) };
  if (value instanceof Complex) return { $complex: [value.re, value.im].map(numberText) };
  if (value instanceof Resource) return { $resource: value.fingerprint() };
  return value;
}

export interface PlanOptions {
  /** false: one operation per node, nothing fused. */
  readonly optimize?: boolean | undefined;
}

/** `siteOf` tells which of the user's lines made a node, where that is not the node's own. */
export function planOf(
  roots: readonly Expr[],
  { optimize = true, siteOf }: PlanOptions & { readonly siteOf?: SiteOf } = {},
): Plan {
  const { data, sources } = lower(roots, siteOf);
  return new Plan(optimize ? fuse(data) : data, sources);
}

Object.defineProperty(Plan.prototype, Symbol.for("nodejs.util.inspect.custom"), {
  value(this: Plan): string {
    return this.toString();
  },
});
