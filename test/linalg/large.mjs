// Cholesky and solve of 8,000 rows in chunks of 1,000², in fresh processes by default options: the peak of resident memory, as the system
// counts it, against what is allowed, and backward errors. Fails where the process was larger, or an error is above 10·ε·n.
// Run: npm run build && node test/linalg/large.mjs [rows, 8000 unless given]

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import * as cw from "../../dist/index.js";

const ALLOWED = 1e9;

const METHODS = {
  cholesky: async (a, n, options) => {
    const positive = a.add(a.T).add(cw.eye(n, null, { chunks: 1000 }).multiply(n));
    const l = cw.linalg.cholesky(positive);
    const v = cw.random(9).normal([n, 1]);
    // ‖(L·Lᵀ − A)·v‖ instead of a product of matrices.
    const off = l.matmul(l.T.matmul(v)).subtract(positive.matmul(v));
    const [distance, size, own] = await cw.compute(
      [off, positive, v].map((x) => cw.linalg.vectorNorm(x)),
      options,
    );
    return distance.item() / size.item() / own.item();
  },
  solve: async (a, n, options) => {
    const b = cw.ones([n, 1]);
    const x = cw.asarray(await cw.linalg.solve(a, b).compute(options));
    const off = a.matmul(x).subtract(b);
    const [distance, size, own] = await cw.compute(
      [off, a, x].map((x) => cw.linalg.vectorNorm(x)),
      options,
    );
    return distance.item() / size.item() / own.item();
  },
};

async function child([name, rows]) {
  const n = Number(rows);
  const spec = new cw.Spec({ allowedMem: ALLOWED });
  const a = cw.random(1).normal([n, n], { chunks: 1000 });
  const begin = performance.now();
  const error = (await METHODS[name](a, n, { spec })) / (n * Number.EPSILON);
  const seconds = (performance.now() - begin) / 1000;
  const peak = 1024 * Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  console.log(JSON.stringify({ error, seconds, peak }));
}

function all(rows) {
  for (const name of Object.keys(METHODS)) {
    const args = [new URL(import.meta.url).pathname, "child", name, String(rows)];
    const { error, seconds, peak } = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
    console.log(
      `${name}: ${error.toPrecision(2)} ε·n, peak ${(peak / 1e6).toFixed(0)} of ${ALLOWED / 1e6} MB, ${seconds.toFixed(0)} s`,
    );
    if (peak > ALLOWED) throw new Error("more than is allowed");
    if (!(error <= 10)) throw new Error("a large error");
  }
}

const [mode, ...rest] = process.argv.slice(2);
await (mode === "child" ? child(rest) : all(Number(mode ?? 8000)));
