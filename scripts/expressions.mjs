// Random expressions beside NumPy: programs of a few operations (test/rewrite/expressions), rewritten by default and computed by
// kernels or the interpreter, in one chunk or several, and by a process of Python with NumPy. Nothing may differ but
// where NumPy itself rounds; nothing may be refused, nor crash. Prints what differs with its seed; exits with 1 then.
// Many are one computation, which is quicker and lets them share what they have in common; what such a group makes is looked at
// one by one, and where a group fails, each of its programs is computed alone.
// Run: node scripts/expressions.mjs [count] [first seed] [seconds at most] [--domain] (after npm run build); --domain: of 8-bit
// whole numbers over all their values. --fixtures writes those of test/rewrite/fixtures/expressions.json, count of each kind.
// Without NumPy it says so and does nothing.

import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as cw from "chunkwise";
import { importTypeScript } from "./typescript.mjs";

const ROOT = join(import.meta.dirname, "..");
const PYTHON = process.env.PYTHON ?? "/usr/bin/python3";
const isForFixtures = process.argv.includes("--fixtures");
const isOfDomain = process.argv.includes("--domain");
const [count = 1_000_000, first = 1, seconds = 1e9] = process.argv
  .slice(2)
  .filter((text) => !text.startsWith("--"))
  .map(Number);
/** In an exchange with NumPy, and in a computation. */
const BATCH = 500;
const GROUP = 50;
const MOST_SHOWN = 20;
/** Every so many groups by kernels, the others by the interpreter, which needs none. */
const KERNELS_EVERY = 5;

if (spawnSync(PYTHON, ["-c", "import numpy"]).status !== 0) {
  console.log(`skipped: ${PYTHON} has no NumPy (apt-get install python3-numpy, or PYTHON=…)`);
  process.exit(0);
}
const { buildProgram, chunksFor, differenceFrom, digestOf, domainProgram, judge, randomProgram } =
  await importTypeScript(join(ROOT, "test/rewrite/expressions/index.ts"));

const python = spawn(PYTHON, [join(ROOT, "scripts/expressions/server.py")], {
  stdio: ["pipe", "pipe", "inherit"],
});
python.on("exit", (code, signal) => code !== 0 && console.log(`NumPy's process ended: ${code ?? signal}`));
python.stdin.on("error", () => {});
const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();

/** Answers come in the order of the questions. */
function ask(programs, how) {
  python.stdin.write(`${JSON.stringify({ programs, how })}\n`);
  return lines.next().then(({ value, done }) => {
    if (done) throw new Error("NumPy's process ended");
    return JSON.parse(value);
  });
}

const ARRAYS = {
  ...{ float64: Float64Array, float32: Float32Array, int8: Int8Array, int16: Int16Array },
  ...{ int32: Int32Array, int64: BigInt64Array, uint8: Uint8Array, bool: Uint8Array },
};

function decoded({ dtype, shape, bytes }) {
  const raw = Uint8Array.from(Buffer.from(bytes, "base64"));
  const values = ARRAYS[dtype] === undefined ? [] : [...new ARRAYS[dtype](raw.buffer)];
  return { dtype, shape, values };
}

const bytesOf = ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength);

/** Arrays, or an error instead of each that fails. */
function computed(programs, isByKernels) {
  const options = isByKernels ? {} : { backend: cw.referenceBackend };
  const built = (program) => buildProgram(cw, program, chunksFor(program));
  try {
    return cw.computeSync(programs.map(built), options);
  } catch {
    return programs.map((program) => {
      try {
        return cw.computeSync([built(program)], options)[0];
      } catch (error) {
        return error;
      }
    });
  }
}

const named = (value) =>
  value === null ? Number.NaN : Number(value === "inf" ? Infinity : value === "-inf" ? -Infinity : value);

const tally = { same: 0, close: 0, refusedByNumpy: 0, judged: 0 };
const bad = [];

/** Null where it is what NumPy says. */
function compared(program, result, answer) {
  const found = result.toContiguous();
  if (answer.digest === undefined) {
    const { dtype, shape, data } = found;
    const wanted = decoded(answer);
    const plain = { dtype, shape: [...shape], values: [...data] };
    const why = differenceFrom(plain, wanted, program);
    return why === null ? null : { program, found: plain, wanted, why };
  }
  const isSame =
    found.dtype === answer.dtype &&
    found.shape.join() === answer.shape.join() &&
    digestOf(bytesOf(found.data)) === answer.digest;
  return isSame
    ? null
    : { program, why: `${found.dtype} [${found.shape}] of another digest than NumPy's ${answer.dtype}` };
}

/** Those that are not what NumPy says, and may be as good: looked at again with the true values. */
async function judged(doubtful) {
  if (doubtful.length === 0) return;
  const { answers } = await ask(
    doubtful.map(({ program }) => program),
    "expected",
  );
  doubtful.forEach(({ program, found, wanted }, i) => {
    const { truth, spread, undecided, error } = answers[i];
    const why = error ?? judge(found, wanted, { truth: truth.map(named), spread, isUndecided: undecided });
    if (why === null) tally.judged++;
    else bad.push({ program, why });
  });
}

/** A NaN's sign is nobody's to say. */
const looksAtSigns = ({ steps }) => steps.some(({ op }) => op === "signbit");

let groups = 0;

/** One exchange's programs; gives what goes into fixtures. */
async function compareBatch(programs, { answers }) {
  const [doubtful, kept] = [[], []];
  for (let from = 0; from < programs.length; from += GROUP) {
    const isByKernels = ++groups % KERNELS_EVERY === 0;
    const way = (program) => `chunks ${chunksFor(program)}, ${isByKernels ? "kernels" : "interpreter"}`;
    const some = programs.slice(from, from + GROUP);
    computed(some, isByKernels).forEach((result, i) => {
      const [program, answer] = [some[i], answers[from + i]];
      if ("error" in answer) return void tally.refusedByNumpy++;
      if (result instanceof Error)
        return void bad.push({ program, why: `${result.name}: ${result.message} (${way(program)})` });
      const different = compared(program, result, answer);
      if (different === null) {
        tally[program.isClose ? "close" : "same"]++;
        kept.push([program.seed, answer]);
      } else if (program.isClose || looksAtSigns(program)) doubtful.push(different);
      else bad.push({ program, why: `${different.why} (${way(program)})` });
    });
  }
  await judged(doubtful);
  return kept;
}

function shown({ program, why }) {
  const steps = program.steps.map(
    ({ op, inputs, attrs }, i) =>
      `    %${program.sources.length + i} = ${op}(${inputs.map((n) => `%${n}`).join(", ")}) ${JSON.stringify(attrs)}`,
  );
  const sources = program.sources.map(
    ({ dtype, shape, data, order }, i) => `    %${i} = ${dtype} [${shape}] ${JSON.stringify(order ?? data)}`,
  );
  return [`seed ${program.seed}: ${why}`, ...sources, ...steps].join("\n");
}

const began = performance.now();
let version = "";
let told = 0;

async function compareAll(makeProgram, how) {
  const kept = [];
  const batchAt = (done) => {
    const size = Math.min(BATCH, count - done);
    const programs = Array.from({ length: Math.max(0, size) }, (_, i) => makeProgram(first + done + i));
    return { programs, answers: size > 0 ? ask(programs, how) : null };
  };
  let done = 0;
  // NumPy computes the next while this process computes these.
  for (let batch = batchAt(0); batch.answers !== null && performance.now() - began < seconds * 1000; ) {
    const answers = await batch.answers;
    const next = batchAt(done + batch.programs.length);
    version = answers.numpy;
    const found = await compareBatch(batch.programs, answers);
    if (isForFixtures) kept.push(...found);
    done += batch.programs.length;
    batch = next;
    for (; told < Math.min(bad.length, MOST_SHOWN); told++) console.log(shown(bad[told]));
    if (done % 25_000 < BATCH)
      console.log(
        `${done} done, ${bad.length} wrong, ${JSON.stringify(tally)}, ${((performance.now() - began) / 1000).toFixed(0)} s`,
      );
  }
  console.log(
    `${done} expressions (seeds ${first} to ${first + done - 1}), NumPy ${version}: ${bad.length} wrong; ${JSON.stringify(tally)}`,
  );
  return kept;
}

const programs = isOfDomain ? [] : await compareAll(randomProgram, "result");
const domain = isOfDomain || isForFixtures ? await compareAll(domainProgram, "digest") : [];
python.stdin.end();
if (isForFixtures) {
  const cases = programs.map(([seed, { dtype, shape, bytes }]) =>
    JSON.stringify([seed, dtype, shape, bytes]),
  );
  const digests = domain.map(([seed, { dtype, digest }]) => JSON.stringify([seed, dtype, digest]));
  writeFileSync(
    join(ROOT, "test/rewrite/fixtures/expressions.json"),
    `{"numpy":"${version}","cases":[\n${cases.join(",\n")}\n],"domain":[\n${digests.join(",\n")}\n]}\n`,
  );
}
process.exit(bad.length > 0 ? 1 : 0);
