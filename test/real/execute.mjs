// One run of a program. In: the library and a request (program, kind of source, target, executor, limits, places). Out:
// the results as values, the budget it was given, and what was seen of the run. What is stored is read by zarrita.
// Must hold: a run with default options is given no option at all.

import { join } from "node:path";
import { FileSystemStore } from "@zarrita/storage";
import * as zarrita from "zarrita";
import { PROGRAMS } from "./programs/index.mjs";
import { randomProgram } from "./random.mjs";
import { openSource } from "./sources.mjs";

export const RESERVED = 100e6;
/** Budgets are few, so that references are: MB for tasks and intermediates. */
const BUDGETS = [1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024];

export const programOf = (name, programs = PROGRAMS) =>
  name.startsWith("random-") ? randomProgram(name) : programs.get(name);

export const resultsOf = (program, cw, x) => [program.make(cw, x)].flat();

/** Stored beside a lone result, so that several are. */
export const companionOf = (x) => x.flip({ axis: 0 });

/** The spec of a run with a budget; null where nothing is said. */
export function specOf(cw, budget, workDir) {
  if (budget === null && workDir === null) return null;
  const memory = budget === null ? {} : { allowedMem: RESERVED + budget, reservedMem: RESERVED };
  return new cw.Spec({ ...memory, ...(workDir === null ? {} : { workDir }) });
}

function optionsOf(cw, { executor, limits, scratch }, budget, onEvent) {
  const workDir = /workDir/i.test(limits) ? join(scratch, "work") : null;
  const spec = specOf(cw, budget, workDir);
  const carried =
    executor === "default"
      ? {}
      : executor === "inline"
        ? { executor, onEvent }
        : { executor: "threads", threads: Number(executor.slice(7)), onEvent };
  return { ...carried, ...(spec === null ? {} : { spec }) };
}

/** Runs with the least of the budgets that is enough. */
export async function execute(cw, request) {
  const program = programOf(request.program, request.programs);
  const x = await openSource(cw, request.place, program.source, request.size, request.kind);
  const arrays = resultsOf(program, cw, x);
  const seen = { pool: "", spilled: 0, retries: 0 };
  const onEvent = (event) => {
    if (event.type === "computeStart") seen.pool = event.pool;
    if (event.type === "spill") seen.spilled++;
    if (event.type === "retry") seen.retries++;
  };
  if (!request.limits.startsWith("small"))
    return {
      results: await carryOut(cw, request, x, arrays, optionsOf(cw, request, null, onEvent)),
      budget: null,
      seen,
    };
  let budget = BUDGETS[0] * 1e6;
  for (;;) {
    const attempt = { ...request, scratch: join(request.scratch, String(budget)) };
    try {
      const options = optionsOf(cw, attempt, budget, onEvent);
      return { results: await carryOut(cw, attempt, x, arrays, options), budget, seen };
    } catch (error) {
      if (!(error instanceof cw.MemoryError)) throw error;
      const needed = Math.max(error.needed ?? 0, budget + 1);
      budget = 1e6 * BUDGETS.find((megabytes) => megabytes * 1e6 >= needed);
    }
  }
}

async function carryOut(cw, { target, scratch }, x, arrays, options) {
  const path = (k) => join(scratch, `result-${k}`);
  const stored = { ...options, ...(target === "plainZarr" ? { codecs: [] } : {}) };
  if (target === "compute")
    return arrays.length === 1 && Object.keys(options).length === 0
      ? [await arrays[0].compute()]
      : cw.compute(arrays, options);
  if (target === "store") {
    const all = arrays.length === 1 ? [...arrays, companionOf(x)] : arrays;
    await cw.store(
      all,
      all.map((_, k) => path(k)),
      options,
    );
    return Promise.all(all.map((array, k) => readBack(cw, path(k), array.dtype)));
  }
  for (const [k, array] of arrays.entries()) await array.toZarr(path(k), stored);
  return Promise.all(arrays.map((array, k) => readBack(cw, path(k), array.dtype)));
}

/** By another library; complex numbers, which it does not have, by this one. */
async function readBack(cw, path, dtype) {
  if (dtype.startsWith("complex")) return (await cw.fromZarr(path)).compute({ executor: "inline" });
  const array = await zarrita.open.v3(new FileSystemStore(path), { kind: "array" });
  // Of an array without axes its `get` gives a number.
  const { data, shape } = await (array.shape.length === 0 ? array.getChunk([]) : zarrita.get(array));
  return { data: dtype === "bool" ? new Uint8Array(data.buffer ?? data) : data, shape, dtype };
}
