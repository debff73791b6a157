// How much work an action is, as the engine counts it: how often each block of the library's code was entered. The same
// number on every machine, however busy, so that tests can say how cost grows without a clock.

import { type Profiler, Session } from "node:inspector";

const isOurs = ({ url }: Profiler.ScriptCoverage): boolean => url.includes("/src/");

/** Blocks entered while `action` ran, once before so that what is made once is not counted. */
export function workOf(action: () => unknown): number {
  action();
  const session = new Session();
  session.connect();
  let scripts: Profiler.ScriptCoverage[] = [];
  try {
    session.post("Profiler.enable");
    session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    session.post("Profiler.takePreciseCoverage");
    action();
    session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error !== null) throw error;
      scripts = result;
    });
    session.post("Profiler.stopPreciseCoverage");
  } finally {
    session.disconnect();
  }
  const work = scripts
    .filter(isOurs)
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)))
    .reduce((sum, count) => sum + count, 0);
  if (work === 0) throw new Error("no work was counted");
  return work;
}
