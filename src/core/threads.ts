// Threads of this machine, as an environment has them. In: nothing. Out: how many are worth using, and with which options
// one is started. Constants of the process.

/** More threads than this only wait for the memory. */
const MOST_THREADS = 8;

const { process: host, navigator: browser } = globalThis as unknown as {
  process?: {
    execArgv?: readonly string[];
    getBuiltinModule?(name: string): { availableParallelism(): number } | undefined;
  };
  navigator?: { hardwareConcurrency?: number };
};

const availableParallelism = (): number => host?.getBuiltinModule?.("node:os")?.availableParallelism() ?? 1;

/** How many threads are used when nothing is said. */
export const machineThreads: number = Math.min(
  MOST_THREADS,
  Math.max(1, browser?.hardwareConcurrency ?? availableParallelism()),
);

/**
 * Threads take over the options of the process, except where they say where the process's own code comes from: then
 * they get none. Undefined is Node's way to say "the same".
 */
export function threadOptions(): string[] | undefined {
  const isScript = /^(--input-type|-e$|--eval|-p$|-pe$|--print)/;
  return host?.execArgv?.some((option) => isScript.test(option)) ? [] : undefined;
}
