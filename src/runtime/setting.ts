// From what the user set to how a run is done: pool, budget, policy, and where intermediates go.

import { machineThreads } from "../kernel/wasm/threads.ts";
import type { CheckedRun } from "./options.ts";
import { threadPool } from "./pools/threads.ts";
import type { RunSetting } from "./run.ts";
import { policyOf } from "./scheduler/policy.ts";
import { temporaryStore } from "./workDir.ts";

export function settingOf(options: CheckedRun): RunSetting {
  const { signal, spec } = options;
  const threads = options.threads ?? spec.threads ?? machineThreads;
  const executor = options.executor ?? spec.executor;
  const isAskedFor = (options.executor ?? spec.chosenExecutor) === "threads";
  return {
    policy: policyOf(spec.retries, spec.twins),
    budget: spec.budget,
    allowed: spec.allowedMem,
    threads,
    threadMem: spec.threadMem,
    signal,
    pool: executor === "threads" ? (execution) => threadPool(execution, threads, isAskedFor) : null,
    isPoolAskedFor: isAskedFor,
    store: temporaryStore(spec.codecs),
    found: [],
  };
}
