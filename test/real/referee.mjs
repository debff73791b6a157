// Makes sources and references, in a process that stays. In: requests by message, one after another. Out: the folder of
// what was made, and, for a program's first reference, in what it differs from its meaning by more than rounding.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bytesOf, writeReference } from "./compare.mjs";
import { companionOf, programOf, resultsOf, specOf } from "./execute.mjs";
import { openSource, writeSource } from "./sources.mjs";

const { reference, programs: given, place, folder, checksMeaning } = JSON.parse(process.argv[2]);
const { cw, interpreted, meant } = await import(reference);
const programs = given === null ? undefined : (await import(given)).PROGRAMS;

const values = (array) => array.compute({ executor: "inline", threads: 1 });
function write(path, array) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytesOf(array));
}

/** What is stored beside a lone result is the same for all programs of a source. */
const companions = new Map();
async function companion(x, key) {
  if (!companions.has(key)) companions.set(key, (await interpreted([companionOf(x)], new cw.Spec()))[0]);
  return companions.get(key);
}

async function referenceOf({ program: name, size, budget, withCompanion, key }) {
  const program = programOf(name, programs);
  const x = await openSource(cw, place, program.source, size, "typed");
  const arrays = resultsOf(program, cw, x);
  const results = await interpreted(arrays, specOf(cw, budget, null) ?? new cw.Spec());
  const beside =
    withCompanion && arrays.length === 1 ? [await companion(x, `${program.source} ${size}`)] : [];
  const plain = [...results, ...beside].map((array) => array.toContiguous());
  writeReference(join(folder, key), plain);
  const isChecked = checksMeaning && budget === null && size === "usual" && program.family !== "functions";
  return isChecked ? unlike(results, meant(arrays)) : null;
}

/** Sums of other chunks round differently: compared with the largest number of the array. */
const TOLERANCE = { float64: 1e-9, complex128: 1e-9, float32: 1e-3, complex64: 1e-3 };

function unlike(results, meanings) {
  for (const [k, { dtype, data }] of results.entries()) {
    const wanted = meanings[k].toContiguous().data;
    const finite = data.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0);
    const isNear = (a, b) => Object.is(a, b) || Math.abs(a - b) <= (TOLERANCE[dtype] ?? -1) * finite;
    const at = data.findIndex((value, i) => !isNear(value, wanted[i]));
    if (at >= 0) return `the plan's result ${k} is ${data[at]} at ${at}, and ${wanted[at]} is meant`;
  }
  return null;
}

process.on("message", async ({ id, type, ...request }) => {
  try {
    if (type === "source") await writeSource({ cw, values, write }, place.folder, request.name, request.size);
    const unlikeMeaning = type === "reference" ? await referenceOf(request) : null;
    process.send({ id, unlikeMeaning });
  } catch (error) {
    process.send({ id, error: error.stack });
  }
});
