// How the cost of order, selection and counting grows with the number of elements: arrays by formula, results that are small, 300 MB
// allowed on two threads, each size in a process of its own. Prints nanoseconds of the processor an element, those of all threads added
// up, and the peak of resident memory (VmHWM).
// Run: npm run bench:growth [-- words of names] [sizes]

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as cw from "../dist/index.js";

const SIZES = [1e6, 1e7, 1e8, 1e9];
/** So long a cell may take, in milliseconds. */
const LIMIT = Number(process.env.LIMIT ?? 170_000);

/** Numbers in [0, 1) without a pattern. */
const scattered = (count) =>
  cw
    .arange(0, count, 1, { dtype: "float64", chunks: 1_000_000 })
    .multiply(0.6180339887498949)
    .remainder(1)
    .multiply(12_345.678)
    .remainder(1);

const CASES = {
  "mean (for comparison)": (x) => x.mean(),
  nanmean: (x) => cw.nanmean(cw.where(x.less(0.1), Number.NaN, x)),
  "histogram, 100 bins": (x) => cw.histogram(x, { bins: 100, range: [0, 1] }).counts,
  "groups, mean of 1000": (x) =>
    cw.groupbyReduce(x, x.multiply(1000).astype("int32"), { axis: 0, reduce: "mean", numLabels: 1000 }),
  median: (x) => x.median(),
  "median, approximate": (x) => x.median({ approximate: true }),
  "topk of 1000": (x) => x.topk(1000),
  "x.get(x > 0.5).mean()": (x) => x.get(x.greater(0.5)).mean(),
  "unique of 1000 whole numbers": (x) => cw.uniqueValues(x.multiply(1000).astype("int32")),
  "sort, every 1000th": (x) => x.sort().get("::1000").sum(),
  "argsort, every 1000th": (x) => x.argsort().get("::1000").sum(),
};

async function measure(name, count) {
  const x = scattered(count);
  const begin = process.cpuUsage();
  await CASES[name](x).compute({ spec: new cw.Spec({ allowedMem: "300MB", threads: 2 }) });
  const { user, system } = process.cpuUsage(begin);
  const peak = 1024 * Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  return { ms: (user + system) / 1000, peak };
}

function cell(name, count) {
  const args = [fileURLToPath(import.meta.url), "--one", name, String(count)];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: LIMIT });
  if (status !== 0) return { text: "–", isLast: true };
  const { ms, peak } = JSON.parse(stdout);
  const text = `${((1e6 * ms) / count).toFixed(1)} ns, ${(peak / 1e6).toFixed(0)} MB`;
  // The next is ten times as long.
  return { text, isLast: 12 * ms > LIMIT };
}

const args = process.argv.slice(2);
if (args[0] === "--one") console.log(JSON.stringify(await measure(args[1], Number(args[2]))));
else {
  const wanted = args.map(Number).filter((size) => size > 0);
  const words = args.filter((arg) => !(Number(arg) > 0));
  const sizes = wanted.length > 0 ? wanted : SIZES;
  console.log("".padEnd(30) + sizes.map((size) => size.toExponential(0).padStart(18)).join(""));
  for (const name of Object.keys(CASES).filter((name) => words.every((word) => name.includes(word)))) {
    const texts = [];
    for (const size of sizes) {
      const { text, isLast } = cell(name, size);
      texts.push(text);
      if (isLast) break;
    }
    console.log(name.padEnd(30) + texts.map((text) => text.padStart(18)).join(""));
  }
}
