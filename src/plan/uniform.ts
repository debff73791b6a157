// Results that are one value everywhere, as far as a plan shows it without being run: a store can keep such a value in
// place of chunks. In: a plan. Out: the values, by the results' names; and the plan without what computes them.

import type { Scalar } from "../core/numbers.ts";
import { full } from "../lazy/sources.ts";
import type { PlanData, PlanStep, ValueRef } from "./plan.ts";
import { isRechunk } from "./taskMemory.ts";

export function uniformResults({ operations, results }: PlanData): Map<string, Scalar> {
  const found = new Map<string, Scalar>();
  const asked = new Set(results);
  for (const operation of operations)
    for (const { array, value } of operation.outputs) {
      const uniform = asked.has(array) ? uniformValue(operation.steps, value) : null;
      if (uniform !== null) found.set(array, uniform);
    }
  return found;
}

/** How an array is cut does not change it. */
function uniformValue(steps: readonly PlanStep[], { step: at }: ValueRef): Scalar | null {
  const step = steps[at]!;
  if (step.kind === "source" && step.op === full) return step.attrs["value"] as Scalar;
  return isRechunk(step) ? uniformValue(steps, step.inputs[0]!) : null;
}

/** What is left to do when these results are there: operations that make others as well stay as they are. */
export function withoutResults(data: PlanData, names: ReadonlySet<string>): PlanData {
  // The same object: what is kept for a plan is known by it.
  if (names.size === 0) return data;
  const operations = data.operations.filter(({ outputs }) => !outputs.every(({ array }) => names.has(array)));
  const made = new Set(operations.flatMap(({ outputs }) => outputs.map(({ array }) => array)));
  const isLeft = (name: string): boolean => !names.has(name) || made.has(name);
  return {
    arrays: data.arrays.filter(({ name }) => isLeft(name)),
    operations,
    results: data.results.filter(isLeft),
  };
}
