// Operations on nested data that make much of little, at random sizes: each program in a fresh process with default flags, once,
// on 1 and 2 threads, reading a Parquet file. What is allowed is what the plan states for one task on each thread, and the
// reserved memory that measureReservedMemory gives. Fails where the process was larger, or a sum is wrong.
// Run: node test/memory/expanding.mjs [programs [seed [name]]]; with a setting as JSON: one program, in this process.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as cw from "../../dist/index.js";
import * as rg from "../../dist/ragged.js";

/** Numbers of the same kind everywhere: a generator of 32 bits. */
function randomly(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** How long list number i is: most are short, few are long. */
const countOf = (i, longest) => (((i * 2654435761) >>> 0) % 97 === 0 ? longest : ((i * 40503) >>> 3) % 9);

const choose = (n, k) => {
  let ways = 1;
  for (let i = 0; i < k; i++) ways = (ways * (n - i)) / (i + 1);
  return n < k ? 0 : Math.round(ways);
};

/** By name: the program, for a size from 0 to 1, and what comes out for a list of n elements (or the rows with such lists). */
const PROGRAMS = {
  padNone: {
    make: (x, t) => rg.num(rg.padNone(x, t)).sum(),
    expected: (n, t) => Math.max(n, t),
    size: (r) => 20 + Math.floor(60 * r),
  },
  padAndFill: {
    make: (x, t) =>
      rg
        .fillNone(rg.padNone(x, t, { clip: true }), 1)
        .multiply(0)
        .add(1)
        .sum(),
    expected: (_, t) => t,
    size: (r) => 10 + Math.floor(30 * r),
  },
  cartesian: {
    make: (x) => {
      const pairs = rg.cartesian({ a: x, b: x });
      return pairs.field("a").add(pairs.field("b")).greater(-1).sum();
    },
    expected: (n) => n * n,
  },
  cartesianNested: {
    make: (x) => rg.num(rg.cartesian([x, x], { nested: true }), { axis: 2 }).sum(),
    expected: (n) => n * n,
  },
  argcartesian: {
    make: (x) => rg.argcartesian([x, x]).field("0").greaterEqual(0).sum(),
    expected: (n) => n * n,
  },
  combinations: {
    make: (x, k) => rg.num(rg.combinations(x, k)).sum(),
    expected: (n, k) => choose(n, k),
    size: (r) => 2 + Math.floor(3 * r),
  },
  combinationsSum: {
    make: (x) => {
      const pairs = rg.combinations(x, 2, { fields: ["a", "b"] });
      return rg.any(pairs.field("a").add(pairs.field("b")).greater(-1), { axis: 1 }).sum();
    },
    expected: (n) => (n > 1 ? 1 : 0),
  },
  replacement: {
    make: (x) => rg.num(rg.combinations(x, 3, { replacement: true })).sum(),
    expected: (n) => (n === 0 ? 0 : choose(n + 2, 3)),
  },
  broadcast: {
    make: (x, _, i) => {
      const wide = rg.zip({ a: i, b: i.add(1), c: i.multiply(2) });
      const spread = rg.zip({ wide, x });
      return spread.field("wide", "a").greaterEqual(0).sum();
    },
    expected: (n) => n,
  },
  unflatten: {
    make: (x) => {
      const alone = rg.unflatten(rg.cartesian({ a: x, b: x }).field("a"), 1, { axis: 1 });
      return rg.num(alone, { axis: 2 }).sum();
    },
    expected: (n) => n * n,
  },
};

const LONGEST = 60;

async function makeFile(path, rows) {
  const partition = 250_000;
  const parts = [];
  for (let first = 0; first < rows; first += partition) {
    const length = Math.min(partition, rows - first);
    const counts = Int32Array.from({ length }, (_, i) => countOf(first + i, LONGEST));
    const values = new Float64Array(counts.reduce((sum, n) => sum + n, 0)).map((_, i) => (i % 1000) / 1000);
    const i = Float64Array.from({ length }, (_, k) => first + k);
    parts.push(rg.zip({ x: rg.unflatten(values, counts), i }, { depthLimit: 1 }));
  }
  await rg.toParquet(rg.concatenate(parts.map((part) => rg.lazy(part))), path);
}

async function measured({ name, size, file, allowedMem, reservedMem, threads }) {
  const data = await rg.fromParquet(file);
  const result = PROGRAMS[name].make(data.field("x"), size, data.field("i"));
  if (allowedMem === undefined) return { stated: rg.plan(result).maxProjectedMem };
  const spec = new cw.Spec({ allowedMem, reservedMem, threads });
  const value = Number(await result.compute({ spec, ...(threads > 1 ? { executor: "threads" } : {}) }));
  return {
    value,
    peak: 1024 * Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1]),
  };
}

const run = promisify(execFile);
async function child(setting) {
  const { stdout } = await run(process.execPath, [import.meta.filename, JSON.stringify(setting)]);
  return JSON.parse(stdout);
}

const megabytes = (bytes) => (bytes / 1e6).toFixed(0).padStart(5);

async function battery([count = "20", seed = "1", wanted = ""]) {
  const random = randomly(Number(seed));
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-expanding-"));
  const names = Object.keys(PROGRAMS).filter((name) => name.includes(wanted));
  const reserved = new Map();
  for (const threads of [1, 2]) reserved.set(threads, await cw.measureReservedMemory({ threads }));
  try {
    for (let at = 0; at < Number(count); at++) {
      const rows = 100_000 + Math.floor(1_400_000 * random());
      const name = names[at % names.length];
      const { size = () => 0, expected } = PROGRAMS[name];
      const setting = { name, size: size(random()), file: join(folder, `${at}.parquet`) };
      await makeFile(setting.file, rows);
      let sum = 0;
      for (let i = 0; i < rows; i++) sum += expected(countOf(i, LONGEST), setting.size);
      const { stated } = await child(setting);
      for (const threads of [1, 2]) {
        const reservedMem = reserved.get(threads);
        const allowedMem = reservedMem + threads * stated + threads;
        const { value, peak } = await child({ ...setting, allowedMem, reservedMem, threads });
        const isRight = value === sum;
        if (peak > allowedMem || !isRight) process.exitCode = 1;
        const ratio = (peak / allowedMem).toFixed(3);
        console.log(
          `${ratio}  ${megabytes(peak)} of ${megabytes(allowedMem)} MB (${megabytes(reservedMem)} reserved)  ${threads} threads  ${String(rows).padStart(8)} rows  ${name} ${setting.size}: ${value} ${isRight ? "" : `WRONG: ${sum}`}`,
        );
      }
      rmSync(setting.file);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const given = process.argv.slice(2);
if (given[0]?.startsWith("{")) console.log(JSON.stringify(await measured(JSON.parse(given[0]))));
else await battery(given);
