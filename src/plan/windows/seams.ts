// Where a step asks in another way for what it needs. In: a step. Out: for each axis of its output the seams of it
// (expr/op.ts says what a seam is). Must hold: what demand.ts says of the step changes nowhere else.

import { type AxisSeams, SEAMLESS } from "../../expr/op.ts";
import { type ArrayType, assertDense, type DenseType, extentOf } from "../../expr/type.ts";
import { inputTypes, isPlacewise, outputAxes } from "../demand.ts";
import type { OpStep, PlanStep, ReduceTreeStep, ScanTreeStep } from "../plan.ts";

const known = new WeakMap<PlanStep, readonly AxisSeams[] | null>();

/** Null for a step that has none. */
export function seamsOf(steps: readonly PlanStep[], step: PlanStep): readonly AxisSeams[] | null {
  let seams = known.get(step);
  if (seams === undefined) {
    const found = stepSeams(step, inputTypes(steps, step));
    seams = found.some((axis) => axis !== SEAMLESS) ? found : null;
    known.set(step, seams);
  }
  return seams;
}

function stepSeams(step: PlanStep, inputs: readonly ArrayType[]): readonly AxisSeams[] {
  if (step.kind === "ragged") return partitionSeams(step, inputs);
  assertDense(inputs);
  switch (step.kind) {
    case "read":
    case "source":
    case "elementwise":
    case "contract":
      return [];
    case "move":
      return step.op.seams(inputs, step.attrs, step.types[0]!);
    case "routine":
      return step.op.seams?.(inputs, step.attrs, step.types[0]!) ?? [];
    case "reduce":
      return reduceSeams(step, inputs[0]!);
    case "scan":
      return scanSeams(step);
    default:
      step satisfies never;
      throw step;
  }
}

/** Nothing is known of how partitions are cut: each place is looked at by itself. */
const ALL_OVER: AxisSeams = { zones: [[Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]] };

const partitionSeams = (step: OpStep<"ragged">, inputs: readonly ArrayType[]): readonly AxisSeams[] =>
  inputs.every((input) => isPlacewise(step, input)) ? [] : extentOf(step.types[0]!).map(() => ALL_OVER);

/** The last place of an axis may be made of fewer. */
function reduceSeams({ axes, types }: ReduceTreeStep, input: DenseType): readonly AxisSeams[] {
  const { shape } = types[0]!;
  const kept = outputAxes(axes, input.shape.length, shape.length);
  const reduced = axes.map((axis) => kept[axis]!);
  return shape.map((n, axis) => (reduced.includes(axis) ? { zones: [[n - 1, n]] } : SEAMLESS));
}

/** A scan computes from the begin of a group on, the more the later a box begins in it. */
const scanSeams = ({ axis, group, types }: ScanTreeStep): readonly AxisSeams[] =>
  types[0]!.shape.map((_, other) => (other === axis ? { periods: [{ every: group, at: "all" }] } : SEAMLESS));
