// One operation of several. In: operations in an order in which each comes after what it reads. Out: one operation
// with their steps: a read of what a member computes becomes that value, and equal constants become one step.
// Windows need no care: they follow from the steps (docs/adr/0005).

import { attrsText } from "../../core/attrs.ts";
import { sizeOf } from "../../core/shape.ts";
import { firstOf, type Operation, type PlanStep, type ValueRef } from "../plan.ts";
import { isRecut } from "./stepKinds.ts";

/** `isKept` tells which outputs somebody else needs. The name and the grid are the last member's. */
export function mergeOperations(
  members: readonly Operation[],
  isKept: (array: string) => boolean,
): Operation {
  const last = members.at(-1)!;
  if (members.length === 1) return last;
  const steps: PlanStep[] = [];
  const computed = new Map<string, ValueRef>();
  for (const member of members) {
    const moved: ValueRef[] = [];
    for (const step of member.steps) moved.push(appendStep(step, steps, moved, computed));
    for (const { array, value } of member.outputs) computed.set(array, shift(value, moved));
  }
  const kept = members.flatMap(({ outputs }) => outputs.filter(({ array }) => isKept(array)));
  return { ...last, steps, outputs: kept.map(({ array }) => ({ array, value: computed.get(array)! })) };
}

function shift({ step, component }: ValueRef, moved: readonly ValueRef[]): ValueRef {
  const to = moved[step]!;
  return component === 0 ? to : { step: to.step, component: to.component + component };
}

function appendStep(
  step: PlanStep,
  steps: PlanStep[],
  moved: readonly ValueRef[],
  computed: Map<string, ValueRef>,
): ValueRef {
  if (isRecut(step)) return shift(step.inputs[0]!, moved);
  // Reads of one array stay apart: each has its own window, and equal windows are read once.
  const name = step.kind === "read" ? step.array : formulaOf(step);
  const known = name === undefined ? undefined : computed.get(name);
  if (known !== undefined) return known;
  const isMoved = step.inputs.length > 0;
  const inputs = isMoved ? step.inputs.map((input) => shift(input, moved)) : step.inputs;
  const value = firstOf(steps.push(isMoved ? { ...step, inputs } : step) - 1);
  if (name !== undefined && step.kind !== "read") computed.set(name, value);
  return value;
}

/** What makes two steps the same without looking at inputs: the constant they are. Others may be needed at places far apart. */
function formulaOf(step: PlanStep): string | undefined {
  return step.kind === "source" && sizeOf(step.types[0]!.shape) <= 1
    ? `${step.op.name} ${attrsText(step.attrs, (resource) => `#${resource.id}`)}`
    : undefined;
}
