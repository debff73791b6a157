// What steps of plans call: users' functions and bodies of loops. In: their references, as they came with a plan. Out: the
// resources. Of plans from elsewhere, only modules that `admit` gives.

import { foreignPlan } from "../plan/load.ts";
import type { FindResource } from "../plan/planJson.ts";
import { loopFrom } from "./loopBody.ts";
import type { TaskParts } from "./taskParts.ts";
import { findFunction } from "./userFunctions.ts";

export function findCallable(
  { ops, adapt }: Pick<TaskParts, "ops" | "adapt">,
  admit?: (module: string) => string,
): FindResource {
  const find: FindResource = (reference) => {
    const isLoop = typeof reference === "object" && reference !== null && "loop" in reference;
    if (!isLoop) return findFunction(reference, adapt, admit);
    return loopFrom(reference, (json) => foreignPlan(json, { ops, find }));
  };
  return find;
}
