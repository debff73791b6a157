// What kinds of steps an operation has, as far as fusion is concerned.

import { rechunk } from "../../ops/moves/axisMoves.ts";
import type { Operation, PlanStep } from "../plan.ts";

/** More work than a loop, on whole groups of elements. */
const HEAVY: ReadonlySet<PlanStep["kind"]> = new Set(["reduce", "scan", "contract", "routine"]);

export const isHeavyStep = ({ kind }: PlanStep): boolean => HEAVY.has(kind);

export const isHeavy = ({ steps }: Operation): boolean => steps.some(isHeavyStep);

/** What a step costs for an element, in additions. */
export function workOf(step: PlanStep): number {
  if (step.kind !== "elementwise") return 1;
  const op = step.op;
  return op.class === "elementwise" ? (op.work ?? 1) : 1;
}

/** Nothing but loops over elements. */
export const isLoop = ({ steps }: Operation): boolean =>
  steps.every(
    ({ kind, types }) =>
      kind === "source" || kind === "elementwise" || (kind === "read" && types[0]!.kind === "dense"),
  );

/** The same elements, cut otherwise: nothing is left to do where they are computed by boxes. */
export const isRecut = (step: PlanStep): boolean => step.kind === "move" && step.op === rechunk;
