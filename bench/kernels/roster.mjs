// Who takes part: the processes, and the entries measured in them. An entry is a column of the report.

import { spawnSync } from "node:child_process";
import { Contestant } from "./contestant.mjs";

const here = (name) => new URL(name, import.meta.url).pathname;

/** numpy-ts does not give back all the memory of a load, and has little of it: each load gets a new process. */
const FORGETFUL = new Set(["numpyTs"]);

const hosted = (name) =>
  new Contestant({
    name,
    once: FORGETFUL.has(name),
    command: process.execPath,
    args: ["--expose-gc", "--max-old-space-size=8192", here("peers/host.mjs"), name],
  });

const python = (name, interpreter, threads) =>
  new Contestant({
    name,
    command: interpreter,
    args: [here("peers/python.py")],
    env: { OPENBLAS_NUM_THREADS: String(threads), OMP_NUM_THREADS: String(threads), PYTHONUNBUFFERED: "1" },
  });

const imports = (interpreter, modules) =>
  spawnSync(interpreter, ["-c", `import ${modules}`], { stdio: "ignore" }).status === 0;

/** The first Python that has NumPy and numexpr, else the first that has NumPy, else none. */
export function findPython(asked) {
  const candidates = asked === null ? ["python3", "/usr/bin/python3"] : [asked];
  return (
    candidates.find((path) => imports(path, "numpy, numexpr")) ??
    candidates.find((path) => imports(path, "numpy")) ??
    null
  );
}

/**
 * @typedef {object} Entry
 * @property {string} id
 * @property {string} process the contestant it runs in
 * @property {string} variant
 * @property {number} threads
 * @property {boolean} ours
 * @property {string[]} [only] cases; all of them unless said
 */

/** @type {Entry[]} */
export const ENTRIES = [
  { id: "cw2", process: "chunkwise", variant: "resident", threads: 2, ours: true },
  { id: "cw1", process: "chunkwise", variant: "resident", threads: 1, ours: true },
  { id: "cw2 outside", process: "chunkwise", variant: "outside", threads: 2, ours: true },
  { id: "cw1 outside", process: "chunkwise", variant: "outside", threads: 1, ours: true },
  { id: "numpy", process: "python1", variant: "numpy", threads: 1, ours: false },
  { id: "numpy2", process: "python2", variant: "numpy", threads: 2, ours: false, only: ["E7"] },
  { id: "numexpr1", process: "python1", variant: "numexpr", threads: 1, ours: false },
  { id: "numexpr2", process: "python1", variant: "numexpr", threads: 2, ours: false },
  { id: "numpy-ts", process: "numpyTs", variant: "plain", threads: 1, ours: false },
  { id: "jax-js", process: "jax", variant: "plain", threads: 1, ours: false },
  { id: "tfjs", process: "tfjs", variant: "plain", threads: 1, ours: false },
];

/** Starts every process that can be started; says what is there and what is not. */
export async function assemble(options) {
  const interpreter = findPython(options.python);
  const candidates = ["chunkwise", "numpyTs", "jax", "tfjs"].map(hosted);
  if (interpreter !== null) {
    candidates.push(python("python1", interpreter, 1), python("python2", interpreter, 2));
  }
  const present = new Map();
  const notes = [];
  for (const contestant of candidates) {
    if (options.without.includes(contestant.name)) continue;
    const greeting = await contestant.start();
    if (greeting.ok) present.set(contestant.name, contestant);
    notes.push({ name: contestant.name, ...greeting });
  }
  if (interpreter === null) notes.push({ name: "python", ok: false, why: "no Python with NumPy was found" });
  return { present, notes };
}
