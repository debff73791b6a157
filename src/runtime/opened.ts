// A run with all it needs: its setting, and, where a folder for intermediates is named, what an earlier run of the same
// computation has left there and in its targets.

import type { PlanData } from "../plan/plan.ts";
import type { StoredArray } from "./arrays.ts";
import type { CheckedRun } from "./options.ts";
import { foundTasks } from "./resume.ts";
import type { RunSetting } from "./run.ts";
import type { RunKey } from "./runKey.ts";
import { settingOf } from "./setting.ts";
import { namedStore } from "./workDir.ts";

export async function openedRun(
  plan: PlanData,
  key: () => Promise<RunKey>,
  options: CheckedRun,
  resumed: ReadonlyMap<string, StoredArray> = new Map(),
): Promise<RunSetting> {
  const setting = settingOf(options);
  const { workDir, codecs, durable } = options.spec;
  const isDurable = options.durable ?? durable;
  const named = workDir === null ? null : namedStore(workDir, await key(), codecs, isDurable);
  if (named === null && resumed.size === 0) return setting;
  const found = await foundTasks(plan, resumed, named);
  named?.settle();
  return { ...setting, store: named ?? setting.store, found };
}
