// One program of the memory battery, in a process of its own and as a user would run it: default flags, once. In: a
// setting, as JSON. Out: one line of JSON with the peak of resident memory over the whole life of the process, as the
// system counts it (VmHWM).
// With `isPlanned`, nothing is computed: out comes what the run states for its largest task.

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as cw from "../../dist/index.js";
import { arraysOf } from "./cases.mjs";
import { targetOptions } from "./stored.mjs";

const setting = JSON.parse(process.argv[2]);

async function opened({ program, folder, kind }) {
  const [x, y, i] = await Promise.all(["x", "y", "i"].map((name) => cw.fromZarr(join(folder, kind, name))));
  return arraysOf(program, { cw, x, y, i, n: x.shape[0] });
}

const targetsOf = (arrays, { out, kind }) =>
  arrays.map((array, k) => ({ store: join(out, String(k)), ...targetOptions(kind, array) }));

async function measured({ allowedMem, reservedMem, threads, executor, ...where }) {
  const arrays = await opened(where);
  const spec = new cw.Spec({ allowedMem, reservedMem, threads });
  try {
    await cw.store(arrays, targetsOf(arrays, where), { spec, ...(executor === null ? {} : { executor }) });
    return { peak: 1024 * Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1]) };
  } finally {
    rmSync(where.out, { recursive: true, force: true });
  }
}

/**
 * The first budget that is enough, from what the plan says on: a run that begins has it. What is planned in stages says so when
 * the last has begun, so it is run to its end.
 */
async function statedBy(where) {
  const arrays = await opened(where);
  const isSettled = arrays.every(({ expr }) => expr.isSettled);
  let budget = cw.plan(arrays).maxProjectedMem;
  for (let attempt = 0; attempt < 16; attempt++) {
    const begun = new AbortController();
    const spec = new cw.Spec({ allowedMem: budget + 1, reservedMem: 1, threads: 1 });
    const onEvent = (event) => void (isSettled && begun.abort(event.type));
    try {
      await cw.store(arrays, targetsOf(arrays, where), { spec, onEvent, signal: begun.signal });
      return budget;
    } catch (error) {
      if (!(error instanceof cw.MemoryError)) return budget;
      budget = error.needed;
    } finally {
      rmSync(where.out, { recursive: true, force: true });
    }
  }
  throw new Error("no budget is enough");
}

async function statedByAll({ programs, ...where }) {
  const stated = [];
  for (const [program, kind] of programs) stated.push(await statedBy({ ...where, program, kind }));
  return stated;
}

console.log(JSON.stringify(setting.programs ? await statedByAll(setting) : await measured(setting)));
