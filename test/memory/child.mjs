// One case of the memory battery, in a process of its own. In: the case's name, a folder with its arrays in a large and a
// small version, the codecs of results. Out: one line of JSON: bytes that were stated and that were used.
// What is measured: the peak of resident memory (VmHWM, set back before each run) less what is reserved. Reserved is what
// the process needs without data: the peak of the same expression on small arrays, after a first run that loads and
// compiles the code, less what the small plan states, and a little for what the engine does meanwhile.
// The budget is what the plan says that its largest task needs: intermediates must make do with it, too.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as cw from "../../dist/index.js";
import { arraysOf } from "./cases.mjs";

const [name, folder, out, codecs] = process.argv.slice(2);
const options = { codecs: JSON.parse(codecs) };
/** Of the spec: what is reserved is measured here. */
const RESERVED = 1;
/** Objects of JavaScript, pages that are filled in part. */
const ENGINE = 3e6;
const WARM_UPS = 2;

const status = (field) =>
  1024 * Number(new RegExp(`${field}:\\s*(\\d+) kB`).exec(readFileSync("/proc/self/status", "utf8"))[1]);

async function opened(size) {
  const at = (array) => cw.fromZarr(join(folder, size, array));
  const [x, y, i] = await Promise.all(["x", "y", "i"].map(at));
  return arraysOf(name, { cw, x, y, i, n: x.shape[0] });
}

const specOf = (budget) =>
  new cw.Spec({ allowedMem: RESERVED + budget, reservedMem: RESERVED, executor: "inline", threads: 1 });

async function run(arrays, budget) {
  const stated = [];
  // What the same computation has stored would not be computed again.
  rmSync(out, { recursive: true, force: true });
  const targets = arrays.map((_, k) => ({ store: join(out, String(k)), ...options }));
  const onEvent = (event) => {
    if (event.type === "taskEnd") stated.push(event.projectedMem);
  };
  await cw.store(arrays, targets, { spec: specOf(budget), threads: 1, onEvent });
  return Math.max(...stated);
}

/** What is enough where plans that need less are made when less is allowed. */
function leastBudget(arrays) {
  let budget = cw.plan(arrays).maxProjectedMem;
  for (;;) {
    try {
      const needed = cw.plan(arrays, { spec: specOf(budget) }).maxProjectedMem;
      if (needed >= budget) return budget;
      budget = needed;
    } catch (error) {
      if (!(error instanceof cw.MemoryError)) throw error;
      return error.needed;
    }
  }
}

/** With no more than is needed: what is said to be needed is allowed. */
async function runTight(arrays, before) {
  let budget = leastBudget(arrays);
  for (let attempt = 0; attempt < 8; attempt++) {
    try {
      before();
      return { budget, stated: await run(arrays, budget) };
    } catch (error) {
      if (!(error instanceof cw.MemoryError)) throw error;
      budget = error.needed;
    }
  }
  throw new Error("no budget is enough");
}

/** Sets the high-water mark back to what is resident after collecting garbage. */
function begin() {
  for (let i = 0; i < 3; i++) globalThis.gc();
  writeFileSync("/proc/self/clear_refs", "5");
}

const small = await opened("small");
let reserved = 0;
for (let i = 0; i < WARM_UPS; i++) {
  const { stated } = await runTight(small, begin);
  reserved = status("VmHWM") - stated + ENGINE;
}
const large = await opened("large");
// Loops over longer rows are other kernels: the first time compiles them, which no task does, and the second counts.
await runTight(large, begin);
const { budget, stated } = await runTight(large, begin);
const measured = status("VmHWM") - reserved;
rmSync(out, { recursive: true, force: true });
console.log(JSON.stringify({ name, budget, stated, measured }));
