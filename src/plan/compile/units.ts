// Units: what is compiled together. Elementwise steps on the same box that need nothing else in between
// are one loop. Every step has a level, one more than what it waits for; steps of a loop share a level, so
// what a loop needs is on lower levels and no loop waits for itself.

import { type Box, boxText, sameBox } from "../../core/box.ts";
import { sameShape } from "../../core/shape.ts";
import type { Operation, PlanStep } from "../plan.ts";

export type Unit =
  | { readonly kind: "loop"; readonly steps: readonly number[] }
  | { readonly kind: "step"; readonly step: number };

/** Units in an order in which each comes after what it needs. Sources are part of whoever needs them. */
export function unitsOf(operation: Operation, boxes: readonly (Box | null)[]): Unit[] {
  const { steps } = operation;
  const levels = levelsOf(steps, boxes);
  sink(operation, boxes, levels);
  const loops = new Map<string, number[]>();
  const placed: { level: number; unit: Unit }[] = [];
  steps.forEach((step, at) => {
    if (boxes[at] === null || step.kind === "source") return;
    if (step.kind !== "elementwise")
      return void placed.push({ level: levels[at]!, unit: { kind: "step", step: at } });
    const key = `${levels[at]} ${boxText(boxes[at]!)}`;
    const members = loops.get(key);
    if (members !== undefined) return void members.push(at);
    const started = [at];
    loops.set(key, started);
    placed.push({ level: levels[at]!, unit: { kind: "loop", steps: started } });
  });
  return placed.sort((a, b) => a.level - b.level).map(({ unit }) => unit);
}

function levelsOf(steps: readonly PlanStep[], boxes: readonly (Box | null)[]): number[] {
  const levels: number[] = [];
  steps.forEach((step, at) => {
    let level = 0;
    if (boxes[at] !== null) {
      for (const { step: input } of step.inputs) {
        const joined = joins(steps, boxes, input, at);
        level = Math.max(level, levels[input]! + (joined ? 0 : 1));
      }
    }
    levels.push(level);
  });
  return levels;
}

/**
 * An elementwise step that only loops over the same box use goes into the first of them: its value then needs no
 * memory, as that of 2·C in 2·C + A·B, which would wait for the product.
 */
function sink({ steps, outputs }: Operation, boxes: readonly (Box | null)[], levels: number[]): void {
  const lowest = steps.map(() => Number.POSITIVE_INFINITY);
  for (const { value } of outputs) lowest[value.step] = -1;
  for (let at = steps.length - 1; at >= 0; at--) {
    if (boxes[at] === null) continue;
    if (Number.isFinite(lowest[at]!)) levels[at] = Math.max(levels[at]!, lowest[at]!);
    for (const { step: input } of steps[at]!.inputs) {
      const isJoined = joins(steps, boxes, input, at);
      lowest[input] = isJoined ? Math.min(lowest[input]!, levels[at]!) : -1;
    }
  }
}

/** Both can be in one loop: elementwise, on the same box, nothing stretched between them. */
function joins(
  steps: readonly PlanStep[],
  boxes: readonly (Box | null)[],
  input: number,
  at: number,
): boolean {
  if (steps[input]!.kind !== "elementwise" || steps[at]!.kind !== "elementwise") return false;
  return (
    sameBox(boxes[input]!, boxes[at]!) && sameShape(steps[input]!.types[0]!.shape, steps[at]!.types[0]!.shape)
  );
}
