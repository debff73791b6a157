// Order and selection of more than memory: 2 GB of float64 from a Zarr array to a Zarr array with 300 MB allowed on two threads, each
// program in a process of its own. Prints how long it took and the peak of resident memory over the whole life of the process,
// as the system counts it (VmHWM).
// Run: npm run bench:bounded [-- words of names]; ELEMENTS=2e7 for fewer.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as cw from "../dist/index.js";

const ELEMENTS = Number(process.env.ELEMENTS ?? 250_000_000);
const ALLOWED = 300e6;
const SPEC = { allowedMem: "300MB", threads: 2 };

/** Numbers in [0, 1) without a pattern: the golden ratio's multiples, scattered once more. */
const scattered = () =>
  cw
    .arange(0, ELEMENTS, 1, { dtype: "float64", chunks: 1_000_000 })
    .multiply(0.6180339887498949)
    .remainder(1)
    .multiply(12_345.678)
    .remainder(1);

const CASES = {
  write: () => scattered(),
  sort: (x) => x.sort(),
  argsort: (x) => x.argsort(),
  median: (x) => x.median(),
  "quantiles, approximate": (x) => x.quantile([0.1, 0.5, 0.9], { approximate: true }),
  unique: (x) => cw.uniqueValues(x),
  "unique of few": (x) => cw.uniqueValues(x.multiply(1000).floor()),
  mask: (x) => x.get(x.greater(0.5)),
  nonzero: (x) => cw.nonzero(x.greater(0.9))[0],
  histogram: (x) => cw.histogram(x, 100).counts,
  "topk of 1000": (x) => x.topk(1000),
  cumulativeSum: (x) => x.cumulativeSum({ axis: 0 }),
};

const peak = () => 1024 * Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1]);

async function run(name, folder) {
  const source = join(folder, "source");
  const target = join(folder, name === "write" ? "source" : "target");
  const x = name === "write" ? null : await cw.fromZarr(source);
  const start = performance.now();
  await CASES[name](x).toZarr(target, { spec: new cw.Spec(SPEC), overwrite: true });
  return { ms: performance.now() - start, peak: peak() };
}

function runApart(name, folder) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), "--one", name, folder],
    { encoding: "utf8" },
  );
  if (status === 0) return JSON.parse(stdout);
  console.log(`${name}: ${stderr.split("\n").find((line) => line.includes("Error")) ?? stderr}`);
  return null;
}

function report(name, found) {
  if (found === null) return;
  const { ms, peak } = found;
  const cells = [`${(ms / 1000).toFixed(1)} s`.padStart(9), `${(peak / 1e6).toFixed(0)} MB`.padStart(8)];
  console.log(`${name.padEnd(24)}${cells.join("")}  ${peak < ALLOWED ? "below" : "ABOVE"} 300 MB`);
}

const args = process.argv.slice(2);
if (args[0] === "--one") console.log(JSON.stringify(await run(args[1], args[2])));
else {
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-bounded-"));
  console.log(
    `${(8 * ELEMENTS) / 1e9} GB of float64, allowedMem ${SPEC.allowedMem}, ${SPEC.threads} threads`,
  );
  try {
    const isWanted = (name) =>
      name === "write" || args.length === 0 || args.some((word) => name.includes(word));
    for (const name of Object.keys(CASES).filter(isWanted)) {
      report(name, runApart(name, folder));
      rmSync(join(folder, "target"), { recursive: true, force: true });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
