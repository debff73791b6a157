// Tells of tasks that needed more memory than was stated for them. In: events. Out: lines to `print`: the first such
// task of an operation, those that are twice as far over as the last one told of, and a count at the end.

import { countText } from "../core/counts.ts";
import { plainText } from "../core/plainText.ts";
import type { TaskEnd } from "../runtime/events.ts";
import type { Consumer } from "./consumer.ts";
import { aboutBytes } from "./shortTexts.ts";

interface Excess {
  tasks: number;
  worst: number;
  told: number;
  projected: number;
}

/**
 * A consumer that tells of tasks that needed more memory than was stated: `x.compute({onEvent: memoryWarnings()})`;
 * `print` is console.warn unless given.
 */
export function memoryWarnings(print: (line: string) => void = (line) => console.warn(line)): Consumer {
  const excesses = new Map<string, Excess>();
  return (event) => {
    if (event.type === "computeStart") excesses.clear();
    if (event.type === "taskEnd") note(excesses, event, print);
    if (event.type !== "computeEnd") return;
    for (const [operation, excess] of excesses) {
      if (excess.tasks > 1) print(countLine(operation, excess));
    }
    excesses.clear();
  };
}

function note(excesses: Map<string, Excess>, event: TaskEnd, print: (line: string) => void): void {
  const { operation, task, measuredMem, projectedMem } = event;
  if (measuredMem === null || measuredMem <= projectedMem) return;
  const over = measuredMem - projectedMem;
  const excess = excesses.get(operation) ?? { tasks: 0, worst: 0, told: 0, projected: projectedMem };
  excesses.set(operation, excess);
  excess.tasks++;
  if (measuredMem > excess.worst) {
    excess.worst = measuredMem;
    excess.projected = projectedMem;
  }
  if (excess.told > 0 && over < 2 * excess.told) return;
  excess.told = over;
  const figures = `measured ${aboutBytes(measuredMem)}, ${aboutBytes(over)} more than the stated ${aboutBytes(projectedMem)}`;
  print(`memory: task ${task} of ${plainText(operation)} ${figures}`);
}

const countLine = (operation: string, { tasks, worst, projected }: Excess): string =>
  `memory: ${countText(tasks, "task")} of ${plainText(operation)} measured more than stated, the worst ${aboutBytes(worst)} of ${aboutBytes(projected)}`;
