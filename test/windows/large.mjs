// A gaussian filter of a stack of images of 4 GB, out of a Zarr store into another, in a fresh process by default options: the peak of
// resident memory, as the system counts it, against the 300 MB that are allowed. Fails where the process was larger, or planes
// differ from those of a small stack that is filtered whole.
// Run: npm run build && node test/windows/large.mjs [images, 64 unless given]

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "../../dist/index.js";

const ALLOWED = 300e6;
const SIDE = 4096;
const SIGMA = [1, 2, 2];

const stackOf = (count) => {
  const place = (n, axis) =>
    cw.arange(0, n, 1, { dtype: "float64" }).reshape([0, 1, 2].map((k) => (k === axis ? n : 1)));
  const waves = place(SIDE, 1).multiply(0.37).sin().add(place(SIDE, 2).multiply(0.11).cos());
  return waves.multiply(place(count, 0).multiply(0.9).cos()).astype("float32").rechunk([4, 512, 512]);
};

async function child([folder]) {
  const x = await cw.fromZarr(join(folder, "x"));
  const spec = new cw.Spec({ allowedMem: ALLOWED });
  const found = cw.gaussianFilter(x, SIGMA);
  const plan = found.plan({ spec });
  const begin = performance.now();
  await found.toZarr(join(folder, "out"), { spec, codecs: [] });
  const seconds = (performance.now() - begin) / 1000;
  const peak = 1024 * Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  console.log(
    JSON.stringify({ peak, stated: plan.maxProjectedMem, operations: plan.numOperations, seconds }),
  );
}

async function all(count) {
  const folder = mkdtempSync(join(tmpdir(), "windows-"));
  try {
    await stackOf(count).toZarr(join(folder, "x"), { codecs: [] });
    const args = [new URL(import.meta.url).pathname, "child", folder];
    const { peak, stated, operations, seconds } = JSON.parse(
      execFileSync(process.execPath, args, { encoding: "utf8" }),
    );
    const bytes = 4 * count * SIDE * SIDE;
    console.log(
      `${(bytes / 1e9).toFixed(1)} GB, ${operations} operation: peak ${(peak / 1e6).toFixed(0)} of ${ALLOWED / 1e6} MB`,
    );
    console.log(`a task ${(stated / 1e6).toFixed(0)} MB, ${seconds.toFixed(0)} s`);
    if (peak > ALLOWED) throw new Error("more than is allowed");
    // The first images depend on few others.
    const [own, known] = await cw.compute(
      (await cw.fromZarr(join(folder, "out"))).get(1, "500:530", "1000:1040"),
      cw.gaussianFilter(stackOf(8).get(":", "450:600", "950:1100"), SIGMA).get(1, "50:80", "50:90"),
    );
    if (own.data.some((each, i) => each !== known.data[i])) throw new Error("other numbers than of a part");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [mode, ...rest] = process.argv.slice(2);
await (mode === "child" ? child(rest) : all(Number(mode ?? 64)));
