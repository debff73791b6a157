// 10,000 chunks of one element, `ones + 1`, from a Zarr array to a Zarr array (v2, not compressed): all overhead. Ours
// on both pools beside Dask's threads, on the same files, and beside a loop that does nothing but open, read, write and
// rename them. They lie in a file system in memory where there is one: making a file on a disk costs the same whoever
// asks, and is not what is measured (ON_DISK=1: on the disk all the same).

import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { accessSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { cw } from "./ours.mjs";
import { takeTurns } from "./turns.mjs";

const COUNT = 10_000;

/** Dask in a process of its own; null where Python has no Dask. */
async function startDask(python) {
  const script = new URL("onDask.py", import.meta.url).pathname;
  const child = spawn(python, [script], { stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.on("error", () => {});
  const first = await lines.next();
  if (first.done) return null;
  return {
    versions: JSON.parse(first.value),
    async run(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { value } = await lines.next();
      return 1000 * JSON.parse(value).seconds;
    },
    stop: () => child.stdin.end(),
  };
}

async function ourRun(source, target, executor) {
  rmSync(target, { recursive: true, force: true });
  const begun = performance.now();
  const x = await cw.fromZarr(source);
  const result = await x.add(1).toZarr(target, { executor, zarrFormat: 2, codecs: [] });
  const ms = performance.now() - begun;
  const { data } = await result.get(cw.slice(COUNT - 3, COUNT)).compute();
  if (!data.every((value) => value === 2)) throw new Error("wrong result");
  return ms;
}

/** The files alone: each is opened, looked at, read and closed; made under another name, written, closed and renamed. */
function filesAlone(source, target) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  const bytes = new Uint8Array(8);
  const begun = performance.now();
  for (let i = 0; i < COUNT; i++) {
    const input = fs.openSync(`${source}/${i}`, "r");
    fs.fstatSync(input);
    fs.readSync(input, bytes, 0, 8, 0);
    fs.closeSync(input);
    const temporary = `${target}/.partial-${i}`;
    const output = fs.openSync(temporary, "wx");
    fs.writeSync(output, bytes, 0, 8);
    fs.closeSync(output);
    fs.renameSync(temporary, `${target}/${i}`);
  }
  return performance.now() - begun;
}

/** A folder in memory (Linux), or the one given. */
function quickFolder(folder) {
  if (process.env.ON_DISK === "1") return mkdtempSync(join(folder, "small-"));
  try {
    accessSync("/dev/shm");
    return mkdtempSync("/dev/shm/chunkwise-bench-");
  } catch {
    return folder;
  }
}

export async function measureOverhead(given, { rounds, progress, python }) {
  const folder = quickFolder(given);
  progress(`${COUNT} chunks of one element, in ${folder}`);
  const source = join(folder, "ones");
  const files = { zarrFormat: 2, codecs: [], writeEmptyChunks: true, executor: "inline" };
  await cw.ones([COUNT], { chunks: [1] }).toZarr(source, files);
  const dask = await startDask(python);
  if (dask === null)
    progress(`Dask is not measured: ${python} has no dask and zarr (Debian: python3-dask, python3-zarr)`);
  else progress(`dask ${dask.versions.dask}, zarr ${dask.versions.zarr}`);
  const target = (name) => join(folder, `target-${name}`);
  const entries = {
    inline: () => ourRun(source, target("inline"), "inline"),
    threads: () => ourRun(source, target("threads"), "threads"),
    files: () => filesAlone(source, target("files")),
  };
  if (dask !== null) entries.dask = () => dask.run({ source, target: target("dask") });
  try {
    const times = await takeTurns(entries, Math.max(2, rounds));
    const files = { name: "the files alone, one thread", unit: "ms", ours: times.files.best, goal: null };
    return [...["inline", "threads"].map((pool) => rowOf(pool, times)), files];
  } finally {
    dask?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowOf(pool, times) {
  const ours = times[pool].best;
  const peer = times.dask?.best ?? null;
  const ratio = peer === null ? null : peer / ours;
  const medianRatio = peer === null ? null : times.dask.median / times[pool].median;
  return {
    name: `ones + 1, 10,000 chunks, ${pool}`,
    unit: "ms",
    ours,
    peer,
    peerName: "Dask",
    ratio,
    medianRatio,
    goal: 10,
  };
}
