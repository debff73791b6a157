// How a run is done: from what the user set to executor, budget, policy, and where intermediates go; and, where a folder for
// intermediates is named, what an earlier run of the same computation has left there and in its targets.

import { machineThreads } from "../core/threads.ts";
import type { PlanData } from "../plan/plan.ts";
import type { CodecTable } from "../storage/codecs/table.ts";
import type { DenseTarget } from "../storage/formats/denseFormat.ts";
import type { CheckedRun } from "./options.ts";
import type { ExecutorTable } from "./pools/executors.ts";
import { foundTasks } from "./resume.ts";
import type { RunSetting } from "./run.ts";
import type { RunKey } from "./runKey.ts";
import { policyOf } from "./scheduler/policy.ts";
import { namedStore, temporaryStore } from "./workDir.ts";

/** What runs need of the engine. */
export interface RunParts {
  readonly executors: ExecutorTable;
  readonly codecs: CodecTable;
}

export function settingOf(options: CheckedRun, { executors, codecs: known }: RunParts): RunSetting {
  const { signal, spec } = options;
  const chosen = options.executor ?? spec.chosenExecutor;
  known.checkSent((spec.codecs ?? []).map((codec) => (typeof codec === "string" ? codec : codec.name)));
  return {
    policy: policyOf(spec.retries, spec.twins),
    budget: spec.budget,
    allowed: spec.allowedMem,
    threads: options.threads ?? spec.threads ?? machineThreads,
    threadMem: spec.threadMem,
    signal,
    executor: executors.find(chosen ?? spec.executor),
    isAskedFor: chosen !== null,
    store: temporaryStore({ codecs: spec.codecs, known }),
    found: [],
  };
}

/** The same, with what is there already. */
export async function settingFor(
  plan: PlanData,
  key: () => Promise<RunKey>,
  options: CheckedRun,
  parts: RunParts,
  resumed: ReadonlyMap<string, DenseTarget> = new Map(),
): Promise<RunSetting> {
  const setting = settingOf(options, parts);
  const { workDir, codecs, durable } = options.spec;
  const isDurable = options.durable ?? durable;
  const storing = { codecs, known: parts.codecs };
  const named = workDir === null ? null : namedStore(workDir, await key(), storing, isDurable);
  if (named === null && resumed.size === 0) return setting;
  const found = await foundTasks(plan, resumed, named);
  named?.settle();
  return { ...setting, store: named ?? setting.store, found };
}
