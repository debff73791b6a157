// The gradient of a sum over 10⁸ elements out of a Zarr store into another, in fresh processes by default options and on 2 and 4 threads:
// the peak of resident memory, as the system counts it, against what is allowed. Says what it measures, and fails where a process
// was larger, or bits differ from those that one thread computes.
// Run: npm run build && node test/gradients/large.mjs [elements, 1e8 unless given]

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "../../dist/index.js";

const ALLOWED = 400e6;
const GRADIENTS = {
  elementwise: (x) => cw.grad((y) => y.sin().multiply(y).sum())(x),
  normalised: (x) => cw.grad((y) => y.subtract(y.mean()).square().sum().sqrt())(x),
  running: (x) => cw.grad((y) => y.cumulativeSum().multiply(1e-4).sin().sum())(x),
  product: (x) => cw.grad((w) => x.reshape([-1, 100]).matmul(w).tanh().sum())(cw.linspace(-1, 1, 100)),
};

async function child([name, folder, threads, executor]) {
  const x = await cw.fromZarr(join(folder, "x"));
  const options = threads === "default" ? {} : { threads: Number(threads) };
  const reservedMem = threads === "default" ? {} : { reservedMem: 138e6 + 28e6 * (Number(threads) - 1) };
  const spec = new cw.Spec({ allowedMem: ALLOWED, ...options, ...reservedMem });
  const found = GRADIENTS[name](x);
  const begin = performance.now();
  await found.toZarr(join(folder, "out"), { spec, codecs: [], ...(executor === "" ? {} : { executor }) });
  const seconds = (performance.now() - begin) / 1000;
  const peak = 1024 * Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  const stated = found.plan({ spec }).maxProjectedMem;
  console.log(JSON.stringify({ peak, stated, seconds }));
}

/** Of all chunks, in their order. */
function digest(out) {
  const folder = join(out, "c");
  const hash = createHash("sha256");
  for (const file of readdirSync(folder, { recursive: true }).sort())
    if (statSync(join(folder, file)).isFile()) hash.update(file).update(readFileSync(join(folder, file)));
  return hash.digest("hex").slice(0, 16);
}

async function all(count) {
  const folder = mkdtempSync(join(tmpdir(), "gradients-"));
  try {
    const wave = cw.arange(count, { dtype: "float64", chunks: 4e6 }).multiply(0.001).remainder(7).subtract(3);
    await wave.toZarr(join(folder, "x"), { codecs: [] });
    for (const name of Object.keys(GRADIENTS)) {
      let expected = null;
      for (const [threads, executor] of [
        ["1", "inline"],
        ["default", ""],
        ["2", "threads"],
        ["4", "threads"],
      ]) {
        const args = [new URL(import.meta.url).pathname, name, folder, threads, executor];
        const { peak, stated, seconds } = JSON.parse(
          execFileSync(process.execPath, args, { encoding: "utf8" }),
        );
        const bits = digest(join(folder, "out"));
        expected ??= bits;
        const isRight = peak <= ALLOWED && bits === expected;
        console.log(
          `${name} ${threads} threads: peak ${(peak / 1e6).toFixed(0)} MB of ${ALLOWED / 1e6}, a task ${(stated / 1e6).toFixed(1)} MB, ${seconds.toFixed(1)} s, ${bits}${isRight ? "" : " WRONG"}`,
        );
        if (!isRight) process.exitCode = 1;
        rmSync(join(folder, "out"), { recursive: true });
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const args = process.argv.slice(2);
if (args.length === 4) await child(args);
else await all(Number(args[0] ?? 1e8));
