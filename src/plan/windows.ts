// What one task reads: the windows of stored arrays, without compiling the task. In: an operation and one of its
// places. Out: boxes of arrays, the same that the compiled task reads (test/property/windows.test.ts compares them).

import { type Box, isEmptyBox } from "../core/box.ts";
import { denseInputs, pieceSource, piecesOfStep, taskBoxes } from "./demand.ts";
import { chunkOfArray, type Operation, type OpStep, type PlanArray, type PlanStep } from "./plan.ts";

type Arrays = ReadonlyMap<string, PlanArray>;

export interface ArrayWindow {
  readonly array: string;
  readonly box: Box;
  /** The step that reads it. */
  readonly step: number;
}

/** The chunks that a task writes, in the order of the operation's outputs. */
export const taskOutputs = (operation: Operation, arrays: Arrays, place: readonly number[]): Box[] =>
  operation.outputs.map(({ array }) => chunkOfArray(arrays.get(array)!, place));

/** May name a window twice. */
export function taskWindows(operation: Operation, arrays: Arrays, place: readonly number[]): ArrayWindow[] {
  return windowsOf(operation, taskBoxes(operation, taskOutputs(operation, arrays, place)));
}

/** What a task reads whose steps have these boxes. */
export function windowsOf(operation: Operation, boxes: readonly (Box | null)[]): ArrayWindow[] {
  return operation.steps.flatMap((step, at) => {
    const asked = boxes[at] ?? null;
    if (step.kind !== "read" || asked === null) return [];
    const windows = pieceWindows(operation, boxes, at) ?? [asked];
    return windows.filter((box) => !isEmptyBox(box)).map((box) => ({ array: step.array, box, step: at }));
  });
}

/** A move that alone uses a stored array reads it piece by piece: the pieces may lie far apart. */
function pieceWindows(operation: Operation, boxes: readonly (Box | null)[], at: number): Box[] | null {
  const { steps, outputs } = operation;
  const isOutput = outputs.some(({ value }) => value.step === at);
  const users = isOutput ? [] : usersOf(steps, boxes, at);
  const user = users.length === 1 ? steps[users[0]!]! : null;
  if (user === null || user.kind !== "move") return null;
  return windowsOfMove(steps, user, boxes[users[0]!]!, at);
}

function usersOf(steps: readonly PlanStep[], boxes: readonly (Box | null)[], at: number): number[] {
  const users: number[] = [];
  for (let user = at + 1; user < steps.length; user++) {
    if (boxes[user] !== null && steps[user]!.inputs.some(({ step }) => step === at)) users.push(user);
  }
  return users;
}

function windowsOfMove(steps: readonly PlanStep[], move: OpStep<"move">, box: Box, at: number): Box[] {
  const types = denseInputs(steps, move);
  return piecesOfStep(move, box, types).flatMap((piece) => {
    if ("fill" in piece.from || move.inputs[piece.from.input]!.step !== at) return [];
    return [pieceSource(piece, types[piece.from.input]!.shape.length)];
  });
}
