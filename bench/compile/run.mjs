// Compiled functions beside jax-js, tfjs and NumPy: what a call costs at 10², 10⁴ and 10⁶ elements, and steps of training a
// two-layer network per second. `npm run bench:compile`; with `-- --json file` also every figure. One process after another.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { SIZES } from "./shared.mjs";

const { values } = parseArgs({
  options: {
    json: { type: "string" },
    python: { type: "string", default: "/usr/bin/python3" },
    only: { type: "string" },
  },
});
const here = (name) => new URL(name, import.meta.url).pathname;
const PEERS = [
  ["chunkwise", process.execPath, ["--expose-gc", here("peers/chunkwise.mjs")]],
  ["jax-js", process.execPath, [here("peers/jax.mjs")]],
  ["tfjs", process.execPath, [here("peers/tfjs.mjs")]],
  ["NumPy", values.python, [here("peers/withNumpy.py")]],
].filter(([name]) => values.only === undefined || values.only.split(",").includes(name));

function figuresOf([name, command, args]) {
  const env = { ...process.env, OPENBLAS_NUM_THREADS: "1", OMP_NUM_THREADS: "1" };
  const { status, stdout, stderr } = spawnSync(command, args, { env, encoding: "utf8", maxBuffer: 1 << 26 });
  const last = stdout?.trim().split("\n").at(-1) ?? "";
  if (status === 0 && last.startsWith("{")) return { name, figures: JSON.parse(last) };
  return { name, why: (stderr ?? "").trim().split("\n").at(-1) || "it did not start" };
}

const all = PEERS.map(figuresOf);
for (const { name, why } of all) if (why !== undefined) console.log(`${name} is missing: ${why}`);
const there = all.filter(({ figures }) => figures !== undefined);
const us = (value) => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);

console.log("\n(2x + 3y) / (1 + x²) and sums, float64: µs a call, best (median); beside NumPy's best");
for (const size of SIZES) {
  console.log(`\n${size} elements`);
  const numpy = there.find(({ name }) => name === "NumPy")?.figures[size];
  for (const { name, figures } of there)
    for (const [what, time] of Object.entries(figures[size])) {
      if (time?.best === undefined) continue;
      const beside = numpy?.[what.startsWith("sum") ? "sum, NumPy" : "NumPy"]?.best;
      const ratio = beside === undefined ? "" : `  ${(time.best / beside).toFixed(2)} ×`;
      console.log(
        `  ${`${name}: ${what}`.padEnd(38)}${us(time.best).padStart(9)} (${us(time.median)})${ratio}`,
      );
    }
}

const smallOf = (wanted) => there.find(({ name }) => name === wanted)?.figures.small;
const [ourSmall, numpySmall] = [smallOf("chunkwise"), smallOf("NumPy")];
if (ourSmall !== undefined && numpySmall !== undefined) {
  console.log("\nExpressions of 10⁴ elements: µs a call, best; beside NumPy's best");
  for (const [name, ways] of Object.entries(ourSmall)) {
    const beside = numpySmall[name].NumPy.best;
    const texts = Object.entries(ways).map(
      ([way, { best }]) => `${way} ${us(best).padStart(5)} ${(best / beside).toFixed(2)} ×`,
    );
    console.log(`  ${name.padEnd(6)} NumPy ${us(beside).padStart(5)}  ${texts.join("  ")}`);
  }
}

console.log("\nTraining a network of 32–64–10 in batches of 64, float32: steps a second, best (median)");
for (const { name, figures } of there) {
  const { step, losses, why } = figures.training;
  if (step === undefined) console.log(`  ${name}: ${why}`);
  else
    console.log(
      `  ${name.padEnd(12)}${Math.round(1e6 / step.best)} (${Math.round(1e6 / step.median)}), loss after 20 steps ${losses.at(-1).toFixed(6)}`,
    );
}

const [ours, numpy] = ["chunkwise", "NumPy"].map(
  (wanted) => there.find(({ name }) => name === wanted)?.figures,
);
if (ours !== undefined && numpy !== undefined) {
  const bar = (text, value, most) =>
    console.log(`  ${value <= most ? "met " : "MISS"}  ${text}: ${value.toFixed(2)} of ${most} at most`);
  console.log("\nBars");
  bar("a call of 100 elements, µs", ours[100]["compiled, sync"].best, 20);
  for (const [name, { compiled, computeSync }] of Object.entries(ours.small)) {
    const beside = numpy.small[name].NumPy.best;
    bar(`${name} of 10⁴ elements, compiled, beside NumPy`, compiled.best / beside, 1.5);
    bar(`${name} of 10⁴ elements, computeSync, beside NumPy`, computeSync.best / beside, 1.5);
    bar(`${name} of 10⁴ elements, computeSync, µs`, computeSync.best, 25);
  }
  bar("10⁴ elements beside NumPy", ours[10_000]["compiled, sync"].best / numpy[10_000].NumPy.best, 1.5);
}
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(all, null, 2));
