// Streamed steps: those whose elements are used one by one, in loops over the same box or by reductions. They need no
// memory. In: steps, and the boxes they have in all tasks. Out: for each whether it is streamed.

import type { Operation, PlanStep } from "../plan.ts";
import { type Laws, sameLaws } from "../windows/laws.ts";
import { isRecut } from "./stepKinds.ts";

/** What is wanted of an output. */
export interface Asking {
  /** Together with all others that want the same value. */
  readonly laws: Laws;
  /** It is stored, or those that use it do so element by element, and want all of it. */
  readonly isStored: boolean;
  readonly isPassed: boolean;
}

/** `asking` goes with the outputs. */
export function streamedSteps(
  { steps, outputs }: Operation,
  laws: readonly (Laws | null)[],
  asking: readonly Asking[],
): boolean[] {
  const isElementwise = (step: PlanStep): boolean => step.kind === "elementwise" || isRecut(step);
  const streamed = steps.map((step) => step.kind === "read" || isElementwise(step));
  outputs.forEach(({ value: { step } }, i) => {
    const { laws: all, isStored, isPassed } = asking[i]!;
    const isWhole = sameLaws(laws[step]!, all);
    // An output that is stored has its memory there; where it is used by others, they decide.
    if (isStored) streamed[step] = isWhole;
    else if (!isWhole || !isPassed) streamed[step] = false;
  });
  for (let at = steps.length - 1; at >= 0; at--) {
    const step = steps[at]!;
    if (laws[at] === null) continue;
    const isLifted = step.kind === "reduce" && step.lifts;
    for (const { step: input } of step.inputs) {
      const isSame = isLifted || (isElementwise(step) && sameLaws(laws[input]!, laws[at]!));
      if (!isSame || (isRecut(step) && !streamed[at])) streamed[input] = false;
    }
  }
  return streamed;
}
