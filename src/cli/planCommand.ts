// `chunkwise plan show` and `chunkwise plan run`: plans that were saved (cw.savePlan). In: a file. Out: the plan as text, or its
// results. Must hold: a plan from elsewhere opens only stores and runs only modules below the roots that are named here.

import { readFileSync } from "node:fs";
import { computePlan, loadPlan } from "../array/savedPlan.ts";
import { describe } from "../core/chunks.ts";
import { command, JSON_OUT, print, printJson, RUN_OPTIONS, runOptions } from "./command.ts";
import { UsageError } from "./commandOptions.ts";

export const planCommand = command({
  name: "plan",
  summary: "shows or runs a plan that was saved",
  places: ["show|run", "<file>"],
  about:
    "Shows a saved plan (cw.savePlan), or computes its results. It reads and runs only what is below the roots given.",
  options: [
    {
      name: "allow-stores",
      value: "<root>",
      isMany: true,
      text: "a folder or address below which it may read",
    },
    {
      name: "allow-modules",
      value: "<root>",
      isMany: true,
      text: "a folder below which modules may lie that it runs",
    },
    JSON_OUT,
    ...RUN_OPTIONS,
  ],
  async run(given) {
    const what = given.place(0, "show or run");
    if (what !== "show" && what !== "run")
      throw new UsageError({
        what: `plans are shown or run, and ${describe(what)} is neither`,
        cure: "Write chunkwise plan show plan.json",
      });
    const roots = { stores: given.all("allow-stores"), modules: given.all("allow-modules") };
    const plan = await loadPlan(textOf(given.place(1, "the plan's file")), roots);
    if (what === "show") return given.has("json") ? printJson(plan.toJSON()) : print(String(plan));
    const results = await computePlan(plan, runOptions(given));
    if (given.has("json"))
      printJson(
        results.map((values) => ({ dtype: values.dtype, shape: values.shape, data: values.toList() })),
      );
    else for (const values of results) print(String(values));
  },
});

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as { code?: string };
    throw new UsageError({
      what: `${path} cannot be read (${code})`,
      cure: "Name the file that a plan was saved to",
    });
  }
}
