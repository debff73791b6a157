// How much work an action is, as the engine counts it: how often each block of the library's code was entered. The same
// number on every machine, however busy, so that tests can say how cost grows without a clock.
// Must hold: it is counted from the import of this file until the process ends. Functions count their blocks only when they
// were compiled while somebody counts, and who stops counting and begins again has only calls of what is not optimized.

import { type Profiler, Session } from "node:inspector";

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

const isOurs = ({ url }: Profiler.ScriptCoverage): boolean => url.includes("/src/");

/** What was counted since this was called last. */
function takeCounts(): number {
  let scripts: Profiler.ScriptCoverage[] = [];
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error !== null) throw error;
    scripts = result;
  });
  return scripts
    .filter(isOurs)
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)))
    .reduce((sum, count) => sum + count, 0);
}

/** Blocks entered while `action` ran, once before so that what is made once is not counted. */
export function workOf(action: () => unknown): number {
  action();
  takeCounts();
  action();
  const work = takeCounts();
  if (work === 0) throw new Error("no work was counted");
  return work;
}
