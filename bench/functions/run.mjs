// Functions beside NumPy, SciPy, Dask and xarray, in one run: `npm run bench:functions [-- words of names]`. Both sides read the same bytes and take
// turns; what counts is the best of several turns, and the ratio. Default options, results in memory. OUTSIDE=1: our arrays are
// plain typed arrays, not what a computation made.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as cw from "../../dist/index.js";
import { CASES } from "./cases.mjs";
import { dataFile, dtypeOf } from "./data.mjs";

const TURNS = 5;
/** Plain typed arrays, which only the thread that made them can read. */
const OUTSIDE = process.env.OUTSIDE === "1";
const PYTHON = process.env.PYTHON ?? "/usr/bin/python3";

/** A Python process that answers line by line. */
function startPeer() {
  const child = spawn(PYTHON, [join(import.meta.dirname, "peer.py")], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = [];
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()(JSON.parse(line)));
  return {
    ask: (question) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        child.stdin.write(`${JSON.stringify(question)}\n`);
      }),
    end: () => child.stdin.end(),
  };
}

/** In the memory where its library keeps arrays, as the peer's are in NumPy's: what a computation made. */
async function resident(values, shape) {
  const negated = await cw.asarray(values).reshape(shape).negative().compute();
  return cw.asarray(await cw.asarray(negated).negative().compute());
}

async function ourArrays(data, folder) {
  const arrays = {};
  for (const [name, wanted] of Object.entries(data)) {
    const { buffer, byteOffset, byteLength } = readFileSync(dataFile(folder, wanted));
    const bytes = buffer.slice(byteOffset, byteOffset + byteLength);
    const values = dtypeOf(wanted) === "int32" ? new Int32Array(bytes) : new Float64Array(bytes);
    arrays[name] = OUTSIDE ? cw.asarray(values).reshape(wanted.shape) : await resident(values, wanted.shape);
  }
  return arrays;
}

async function measure({ data, ours, peer }, process, folder) {
  const arrays = await ourArrays(data, folder);
  const paths = Object.entries(data).map(([name, wanted]) => [
    name,
    { path: dataFile(folder, wanted), shape: wanted.shape, dtype: dtypeOf(wanted) },
  ]);
  await process.ask({ arrays: Object.fromEntries(paths) });
  const [own, others] = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    const start = performance.now();
    const made = ours(cw, arrays);
    await cw.compute(...(made instanceof cw.LazyArray ? [made] : Object.values(made)));
    own.push(performance.now() - start);
    others.push((await process.ask({ code: peer })).ms);
  }
  return { ours: Math.min(...own), peer: Math.min(...others) };
}

const words = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "chunkwise-functions-"));
const peer = startPeer();
try {
  const { numpy } = await peer.ask({ arrays: {} });
  console.log(
    `${cpus().length} processors, Node ${process.version}, NumPy ${numpy}; best of ${TURNS} turns, ms`,
  );
  console.log(`${"".padEnd(40)}${"ours".padStart(8)}${"peer".padStart(8)}${"ratio".padStart(8)}  wanted`);
  for (const kase of CASES.filter(({ name }) => words.every((word) => name.includes(word)))) {
    const { ours, peer: other } = await measure(kase, peer, folder);
    const numbers = [ours.toFixed(0), other.toFixed(0), `${(other / ours).toFixed(2)}×`];
    console.log(
      `${kase.name.padEnd(40)}${numbers.map((text) => text.padStart(8)).join("")}  ${kase.wanted ?? ""}`,
    );
  }
} finally {
  peer.end();
  rmSync(folder, { recursive: true });
}
