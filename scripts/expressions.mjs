// Random expressions beside NumPy: programs of a few operations (test/rewrite/expressions), rewritten by default and computed by
// kernels or the interpreter, in one chunk or several, and by a process of Python with NumPy. Nothing may differ but
// where NumPy itself rounds; nothing may be refused, nor crash. Prints what differs with its seed; exits with 1 then.
// Run: node scripts/expressions.mjs [count] [first seed] [seconds at most] (after npm run build); --fixtures writes those of
// test/rewrite/fixtures/expressions.json. Without NumPy it says so and does nothing.

import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as cw from "chunkwise";
import { importTypeScript } from "./typescript.mjs";

const ROOT = join(import.meta.dirname, "..");
const PYTHON = process.env.PYTHON ?? "/usr/bin/python3";
const isForFixtures = process.argv.includes("--fixtures");
const [count = 1_000_000, first = 1, seconds = 1e9] = process.argv
  .slice(2)
  .filter((text) => !text.startsWith("--"))
  .map(Number);
const BATCH = 250;
const MOST_SHOWN = 20;

if (spawnSync(PYTHON, ["-c", "import numpy"]).status !== 0) {
  console.log(`skipped: ${PYTHON} has no NumPy (apt-get install python3-numpy, or PYTHON=…)`);
  process.exit(0);
}
const { buildProgram, differenceFrom, judge, randomProgram } = await importTypeScript(
  join(ROOT, "test/rewrite/expressions/index.ts"),
);

const python = spawn(PYTHON, [join(ROOT, "scripts/expressions/server.py")], {
  stdio: ["pipe", "pipe", "inherit"],
});
python.on("exit", (code, signal) => code !== 0 && console.log(`NumPy's process ended: ${code ?? signal}`));
python.stdin.on("error", () => {});
const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();

async function ask(programs, isExpected) {
  python.stdin.write(`${JSON.stringify({ programs, isExpected })}\n`);
  const { value, done } = await lines.next();
  if (done) throw new Error("NumPy's process ended");
  return JSON.parse(value);
}

const ARRAYS = {
  ...{ float64: Float64Array, float32: Float32Array, int32: Int32Array },
  ...{ int64: BigInt64Array, uint8: Uint8Array, bool: Uint8Array },
};

function decoded({ dtype, shape, bytes }) {
  const raw = Uint8Array.from(Buffer.from(bytes, "base64"));
  const values = ARRAYS[dtype] === undefined ? [] : [...new ARRAYS[dtype](raw.buffer)];
  return { dtype, shape, values };
}

/** Most by the interpreter, which needs no kernel; some in chunks of 2, some by kernels. */
function computed(program) {
  const chunks = program.seed % 3 === 0 ? 2 : "all";
  const options = program.seed % 10 === 0 ? {} : { backend: cw.referenceBackend };
  const found = buildProgram(cw, program, chunks).computeSync(options).toContiguous();
  return { dtype: found.dtype, shape: [...found.shape], values: [...found.data] };
}

const named = (value) =>
  value === null ? Number.NaN : Number(value === "inf" ? Infinity : value === "-inf" ? -Infinity : value);

const tally = { same: 0, close: 0, refusedByNumpy: 0, judged: 0 };
const bad = [];
const kept = [];

async function compareBatch(programs) {
  const { answers, numpy } = await ask(programs, false);
  const doubtful = [];
  programs.forEach((program, i) => {
    if ("error" in answers[i]) return void tally.refusedByNumpy++;
    const wanted = decoded(answers[i]);
    let found;
    try {
      found = computed(program);
    } catch (error) {
      return void bad.push({ program, why: `${error.name}: ${error.message}` });
    }
    const why = differenceFrom(found, wanted, program);
    if (why === null) tally[program.isClose ? "close" : "same"]++;
    else if (!program.isClose) bad.push({ program, why });
    else doubtful.push({ program, found, wanted, why });
    if (why === null && isForFixtures)
      kept.push([program.seed, answers[i].dtype, answers[i].shape, answers[i].bytes]);
  });
  if (doubtful.length === 0) return numpy;
  const expected = await ask(
    doubtful.map(({ program }) => program),
    true,
  );
  doubtful.forEach(({ program, found, wanted }, i) => {
    const { truth, spread, undecided, error } = expected.answers[i];
    const why = error ?? judge(found, wanted, { truth: truth.map(named), spread, isUndecided: undecided });
    if (why === null) tally.judged++;
    else bad.push({ program, why });
  });
  return numpy;
}

function shown({ program, why }) {
  const steps = program.steps.map(
    ({ op, inputs, attrs }, i) =>
      `    %${program.sources.length + i} = ${op}(${inputs.map((n) => `%${n}`).join(", ")}) ${JSON.stringify(attrs)}`,
  );
  const sources = program.sources.map(
    ({ dtype, shape, data }, i) => `    %${i} = ${dtype} [${shape}] ${JSON.stringify(data)}`,
  );
  return [`seed ${program.seed}: ${why}`, ...sources, ...steps].join("\n");
}

const began = performance.now();
let done = 0;
let version = "";
let told = 0;
while (done < count && performance.now() - began < seconds * 1000) {
  const size = Math.min(BATCH, count - done);
  const from = first + done;
  version = await compareBatch(Array.from({ length: size }, (_, i) => randomProgram(from + i)));
  done += size;
  for (; told < Math.min(bad.length, MOST_SHOWN); told++) console.log(shown(bad[told]));
  if (done % 25_000 < BATCH)
    console.log(
      `${done} done, ${bad.length} wrong, ${JSON.stringify(tally)}, ${((performance.now() - began) / 1000).toFixed(0)} s`,
    );
}
python.stdin.end();
console.log(
  `${done} expressions (seeds ${first} to ${first + done - 1}), NumPy ${version}: ${bad.length} wrong; ${JSON.stringify(tally)}`,
);
if (isForFixtures)
  writeFileSync(
    join(ROOT, "test/rewrite/fixtures/expressions.json"),
    `{"numpy":"${version}","cases":[\n${kept.map((one) => JSON.stringify(one)).join(",\n")}\n]}\n`,
  );
process.exit(bad.length > 0 ? 1 : 0);
