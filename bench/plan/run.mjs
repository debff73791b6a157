// Plans end to end on Zarr, beside Dask and a NumPy loop over chunks (Debian's python3-dask and python3-zarr): the cases
// of docs/benchmarks.md. Every case and engine is a process of its own, interleaved, best of several. Prints a table
// and JSON: the time from the first call to the last byte, imports not included; that of the whole process beside it; the
// peak memory of the process. Every run writes to a folder of its own; large outputs go before the next, outside the time.
// CASES=a,c chooses; LARGE=1 adds two cases over 5 GB on disk with 500 MB of memory. Never fails because of time.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const here = import.meta.dirname;
const rounds = Number(process.env.ROUNDS ?? 3);
const isLarge = process.env.LARGE === "1";
/** Cases that make thousands of files. */
const SMALL_FILES = ["e", "stored"];
const LARGE_CASES = ["vorticity", "means"];
const rows = isLarge ? 125_000 : 0;
const root = process.env.BENCH_DIR ?? mkdtempSync(join(tmpdir(), "chunkwise-bench-"));
const inputs = join(root, "inputs");
/** Every run writes into a folder of its own. */
let outputs;
const made = [];

const WANTED = { a: 1.5, b: 1.5, c: 1.5, d: null, e: 10, stored: null, vorticity: null, means: null };
const all = ["e", "stored", "a", "b", "c", "d", ...(isLarge ? LARGE_CASES : [])];
const cases = process.env.CASES?.split(",") ?? all;

function python(args, env = {}) {
  return execFileSync("/usr/bin/python3", [join(here, "peers.py"), ...args], {
    env: { ...process.env, OMP_NUM_THREADS: "1", ...env },
    encoding: "utf8",
  });
}

function hasPeers() {
  try {
    execFileSync("/usr/bin/python3", ["-c", "import dask.array, zarr, numpy"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const ENGINES = {
  chunkwise: (name) => {
    const env = { ...process.env, ALLOWED_MEM: LARGE_CASES.includes(name) ? "500MB" : "2GB" };
    const args = [join(here, "cases.mjs"), name, inputs, outputs];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", env }));
  },
  dask: (name) => JSON.parse(python(["dask", name, inputs, outputs])),
  numpy: (name) => JSON.parse(python(["numpy", name, inputs, outputs])),
};

if (!hasPeers()) {
  console.log("python3-dask, python3-zarr or python3-numpy are not installed: nothing to compare with");
  process.exit(0);
}
mkdirSync(root, { recursive: true });
if (!existsSync(join(inputs, "q.zarr")) || (isLarge && !existsSync(join(inputs, "dy.zarr"))))
  python(["make", "", inputs, root], { LARGE_ROWS: String(rows) });

const results = {};
for (const name of cases) {
  results[name] = {};
  const isLong = SMALL_FILES.includes(name) || LARGE_CASES.includes(name);
  for (let round = 0; round < (isLong ? Math.min(2, rounds) : rounds); round++)
    for (const [engine, run] of Object.entries(ENGINES)) {
      // Large outputs make way for the next. Small files stay: where removing them makes the disk discard their blocks,
      // whoever makes files next waits for that.
      if (outputs !== undefined && !SMALL_FILES.includes(name))
        rmSync(outputs, { recursive: true, force: true });
      outputs = mkdtempSync(join(root, "outputs-"));
      made.push(outputs);
      const start = performance.now();
      const found = run(name);
      const whole = (performance.now() - start) / 1000;
      const best = results[name][engine];
      results[name][engine] = {
        ...found,
        seconds: Math.min(found.seconds, best?.seconds ?? Number.POSITIVE_INFINITY),
        whole: Math.min(whole, best?.whole ?? Number.POSITIVE_INFINITY),
        mb: Math.max(found.mb, best?.mb ?? 0),
      };
    }
}

const cell = ({ seconds, whole, mb }) =>
  `${seconds.toFixed(2)} (${whole.toFixed(2)}) s / ${mb.toFixed(0)} MB`;
console.log("| case | chunkwise | dask | numpy loop | ratio | wanted | |");
console.log("|---|---|---|---|---|---|---|");
for (const [name, { chunkwise, dask, numpy }] of Object.entries(results)) {
  const ratio = Math.min(dask.seconds, numpy.seconds) / chunkwise.seconds;
  const wanted = WANTED[name];
  const isBelow = chunkwise.mb < Math.min(dask.mb, numpy.mb);
  const verdict = wanted === null ? "" : ratio >= wanted ? "pass" : "miss";
  const memory = isBelow ? "least memory" : "more memory";
  console.log(
    `| ${name} | ${cell(chunkwise)} | ${cell(dask)} | ${cell(numpy)} | ${ratio.toFixed(2)} | ${wanted ?? ""} | ${verdict}, ${memory} |`,
  );
  const values = [chunkwise, dask, numpy].map(({ value }) => value);
  if (typeof values[0] === "number" && values.some((value) => Math.abs(value / values[0] - 1) > 1e-9))
    throw new Error(`case ${name}: the values differ: ${values}`);
}
console.log(JSON.stringify(results));
for (const folder of made) rmSync(folder, { recursive: true, force: true });
if (process.env.BENCH_DIR === undefined) rmSync(root, { recursive: true });
