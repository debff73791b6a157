// Makes sources and references, in a process that stays. In: requests by message, one after another. Out: the folder of
// what was made, or in what a program differs from its meaning.

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bytesOf, referenceIn, writeReference } from "./compare.mjs";
import { companionOf, programOf, resultsOf, specOf } from "./execute.mjs";
import { openSource, writeSource } from "./sources.mjs";

const { reference, programs: given, place, folder } = JSON.parse(process.argv[2]);
const { cw, interpreted, meant } = await import(reference);
const programs = given === null ? undefined : (await import(given)).PROGRAMS;

const values = (array) => array.compute({ executor: "inline", threads: 1 });
function write(path, array) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytesOf(array));
}

/** References that were begun, by program, size and plan: other budgets often have the same plan. */
const begun = new Map();

async function kept(name, arrays, plan) {
  const own = join(folder, name);
  writeReference(
    own,
    (await interpreted(arrays, plan)).map((array) => array.toContiguous()),
  );
  return own;
}

async function arraysOf({ program: name, size }) {
  const program = programOf(name, programs);
  const arrays = resultsOf(program, cw, await openSource(cw, place, program.source, size, "typed"));
  // Of what waits for stages: what they leave.
  return cw.settle(arrays, { executor: "inline" });
}

async function referenceOf(request) {
  const { program, size, budget } = request;
  const arrays = await arraysOf(request);
  const plan = cw.plan(arrays, { spec: specOf(cw, budget, null) ?? new cw.Spec() });
  const digest = createHash("sha256").update(JSON.stringify(plan)).digest("hex");
  const name = `${program}-${size}-${digest.slice(0, 16)}`;
  if (!begun.has(name)) begun.set(name, kept(name, arrays, plan));
  return { folder: await begun.get(name), results: arrays.length };
}

/** What is stored beside a lone result. */
async function companionReference({ source, size }) {
  const arrays = [companionOf(await openSource(cw, place, source, size, "typed"))];
  return { folder: await kept(`beside-${source}-${size}`, arrays, cw.plan(arrays)) };
}

async function meaningOf(request) {
  const { folder: own } = await referenceOf({ ...request, budget: null });
  return { folder: own, unlike: unlike(own, meant(await arraysOf(request))) };
}

/**
 * Sums of other chunks round differently, and what follows carries it on. With r the largest number of the result and n the
 * largest of any node: |plan − meant| ≤ ofResult·r + ofNodes·n, by the narrowest floats that take part. Integers are equal.
 */
const WIDE = { ofResult: 1e-9, ofNodes: 1e-13 };
const NARROW = { ofResult: 1e-3, ofNodes: 1e-6 };

/** In what a reference differs from its meaning by more than rounding; null when it does not. */
function unlike(own, { values, largest, isNarrow }) {
  const { ofResult, ofNodes } = isNarrow ? NARROW : WIDE;
  for (const [k, meaning] of values.entries()) {
    const { dtype, data: wanted } = meaning.toContiguous();
    const data = referenceIn(own, k, wanted);
    const finite = data.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0);
    const allowed = /float|complex/.test(dtype) ? ofResult * finite + ofNodes * largest : -1;
    const isNear = (a, b) => Object.is(a, b) || Math.abs(a - b) <= allowed;
    const at = data.findIndex((value, i) => !isNear(value, wanted[i]));
    if (at >= 0) return `the plan's result ${k} is ${data[at]} at ${at}, and ${wanted[at]} is meant`;
  }
  return null;
}

const ANSWERS = {
  source: async (request) => writeSource({ cw, values, write }, place.folder, request),
  reference: referenceOf,
  companion: companionReference,
  meaning: meaningOf,
};

process.on("message", async ({ id, type, ...request }) => {
  try {
    process.send({ id, ...(await ANSWERS[type](request)) });
  } catch (error) {
    process.send({ id, error: error.stack });
  }
});
